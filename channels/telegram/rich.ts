/** How a stretch of text looks. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string };

/** A style at its place, in UTF-16 units. */
export type Entity = Style & { readonly offset: number; readonly length: number };

/** A text and how its stretches look. Entities nest or stand apart; they never cross. */
export interface Rich {
  readonly text: string;
  readonly entities: readonly Entity[];
}

export const nothing: Rich = { text: '', entities: [] };

export function plain(text: string): Rich {
  return { text, entities: [] };
}

/** The parts one after the other, with the separator between them. */
export function join(parts: readonly Rich[], separator = ''): Rich {
  const texts: string[] = [];
  const entities: Entity[] = [];
  let offset = 0;
  for (const part of parts) {
    texts.push(part.text);
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + offset });
    offset += part.text.length + separator.length;
  }
  return { text: texts.join(separator), entities };
}

/** Lays a style over all of it. */
export function styled({ text, entities }: Rich, style: Style): Rich {
  if (text === '') return nothing;
  return { text, entities: [{ ...style, offset: 0, length: text.length }, ...entities] };
}

/** Without white space at its ends. What a code block begins with is kept. */
export function trimmed({ text, entities }: Rich): Rich {
  const firstCode = Math.min(...entities.filter(isBlock).map(({ offset }) => offset), text.length);
  const start = Math.min(text.length - text.trimStart().length, firstCode);
  const kept = text.slice(start).trimEnd();
  return { text: kept, entities: entities.flatMap((entity) => clip(entity, start, start + kept.length)) };
}

/** Puts `first` before its first line and `rest` before every other. Lines of code and empty lines stay as they are. */
export function prefixed({ text, entities }: Rich, first: string, rest: string): Rich {
  const breaks = lineBreaks(text, entities.filter(isBlock));
  const shiftOf = (count: number): number => first.length + count * rest.length;
  const lines = [0, ...breaks].map((start, index) => (index === 0 ? first : rest) + text.slice(start, breaks[index]));
  return {
    text: lines.join(''),
    entities: entities.map((entity) => {
      const end = entity.offset + entity.length;
      const before = breaks.filter((position) => position <= entity.offset).length;
      const within = breaks.filter((position) => position > entity.offset && position < end).length;
      return { ...entity, offset: entity.offset + shiftOf(before), length: entity.length + within * rest.length };
    }),
  };
}

/** Where lines begin that take a prefix. */
function lineBreaks(text: string, blocks: readonly Entity[]): number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const start = at + 1;
    const inCode = blocks.some(({ offset, length }) => start >= offset && start < offset + length);
    if (!inCode && start < text.length && text[start] !== '\n') breaks.push(start);
  }
  return breaks;
}

function isBlock({ type }: Entity): boolean {
  return type === 'pre';
}

function clip(entity: Entity, start: number, end: number): Entity[] {
  const from = Math.max(entity.offset, start);
  const to = Math.min(entity.offset + entity.length, end);
  return to > from ? [{ ...entity, offset: from - start, length: to - from }] : [];
}
