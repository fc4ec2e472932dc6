/** Where a value stands: object keys and list indexes from the root. */
export type KeyPath = readonly (string | number)[];

/** A fault that knows its place in the text, not yet its line. */
export interface PlacedFault {
  readonly offset: number;
  readonly path: KeyPath;
  readonly text: string;
}

/** `models["my model"].headers`, `owners[0]` */
export function spellPath(path: KeyPath): string {
  return path.map((segment, index) => spellSegment(segment, index === 0)).join('');
}

/** At most 60 characters: somebody may have pasted anything. */
export function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function spellSegment(segment: string | number, first: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (!/^[\w$-]+$/.test(segment)) return `[${JSON.stringify(shorten(segment))}]`;
  return first ? shorten(segment) : `.${shorten(segment)}`;
}
