import type { Entity, Rich } from './rich.ts';

/** Telegram ignores what is beyond, so we choose what goes. */
const mostEntities = 100;

/** What is dropped last stands first. */
const importance = ['text_link', 'pre', 'code', 'blockquote', 'bold', 'italic', 'strikethrough'] as const;

/** Of two on the same stretch, the one that stands first is outside. */
const nesting = ['blockquote', 'text_link', 'bold', 'italic', 'strikethrough', 'pre', 'code'] as const;

/**
 * The entities as Telegram takes them: sorted, nested as it allows, none on mere white space, at most 100. Beyond that
 * the least important go: links stay first.
 */
export function settleEntities({ text, entities }: Rich): Entity[] {
  const blocks = entities.filter(({ type }) => type === 'code' || type === 'pre').sort(byPlace);
  const settled = withoutShadowed(entities)
    .flatMap((entity) => (isWhole(entity) ? [entity] : withoutBlocks(entity, blocks)))
    .flatMap((entity) => tightened(entity, text));
  return keepImportant(settled).sort(byPlace);
}

/** A style within the same style says nothing; code within a link gives way to the link. */
function withoutShadowed(entities: readonly Entity[]): Entity[] {
  // What is outside stands before what is inside, and nothing crosses.
  const around: Entity[] = [];
  return entities.filter((entity) => {
    for (let last = around.at(-1); last !== undefined && !contains(last, entity); last = around.at(-1)) around.pop();
    const gives = around.some(({ type }) => type === entity.type || (type === 'text_link' && entity.type === 'code'));
    around.push(entity);
    return !gives;
  });
}

function contains(outer: Entity, inner: Entity): boolean {
  return outer.offset <= inner.offset && inner.offset + inner.length <= outer.offset + outer.length;
}

function isWhole({ type }: Entity): boolean {
  return type === 'code' || type === 'pre' || type === 'blockquote' || type === 'text_link';
}

/** Code cannot be bold: the style is laid on what stands before, between and after. */
function withoutBlocks(entity: Entity, blocks: readonly Entity[]): Entity[] {
  const pieces: Entity[] = [];
  const end = entity.offset + entity.length;
  let offset = entity.offset;
  for (const block of blocks) {
    if (block.offset >= end) break;
    if (block.offset + block.length <= offset) continue;
    pieces.push({ ...entity, offset, length: block.offset - offset });
    offset = block.offset + block.length;
  }
  return [...pieces, { ...entity, offset, length: end - offset }];
}

function tightened(entity: Entity, text: string): Entity[] {
  const stretch = text.slice(entity.offset, entity.offset + entity.length);
  const length = stretch.trim().length;
  if (entity.length <= 0 || length === 0) return [];
  if (entity.type === 'pre') return [entity];
  return [{ ...entity, offset: entity.offset + stretch.length - stretch.trimStart().length, length }];
}

function keepImportant(entities: readonly Entity[]): Entity[] {
  if (entities.length <= mostEntities) return [...entities];
  return [...entities]
    .sort((a, b) => importance.indexOf(a.type) - importance.indexOf(b.type) || byPlace(a, b))
    .slice(0, mostEntities);
}

function byPlace(a: Entity, b: Entity): number {
  return a.offset - b.offset || b.length - a.length || nesting.indexOf(a.type) - nesting.indexOf(b.type);
}
