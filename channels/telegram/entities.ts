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
  const blocks = entities.filter(({ type }) => type === 'code' || type === 'pre');
  const links = entities.filter(({ type }) => type === 'text_link');
  const settled = entities
    .filter((entity, index) => !isShadowed(entity, index, entities, links))
    .flatMap((entity) => (isWhole(entity) ? [entity] : withoutBlocks(entity, blocks)))
    .flatMap((entity) => tightened(entity, text));
  return keepImportant(settled).sort(byPlace);
}

/** A style within the same style says nothing; code within a link gives way to the link. */
function isShadowed(entity: Entity, index: number, entities: readonly Entity[], links: readonly Entity[]): boolean {
  if (entity.type === 'code' && links.some((link) => contains(link, entity))) return true;
  // What is outside stands before what is inside.
  return entities.some((other, at) => at < index && other.type === entity.type && contains(other, entity));
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
  for (const block of [...blocks].sort(byPlace)) {
    if (block.offset + block.length <= offset || block.offset >= end) continue;
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
