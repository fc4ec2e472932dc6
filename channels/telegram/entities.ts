import { z } from 'zod';
import { linkWords } from '../kit/link-words.ts';
import { lenient, list } from '../kit/read-payload.ts';

/** A part of a text that is more than its characters, counted in UTF-16 units. The platform's numbers may be odd. */
const textEntity = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  url: lenient(z.string()),
  user: lenient(z.object({ id: z.number() })),
});

export const textEntities = list(textEntity);

export type TextEntity = z.output<typeof textEntity>;

interface MarkedText {
  readonly text: string;
  readonly entities: readonly TextEntity[];
}

/**
 * The text with the address of each link behind its words, as `words (address)`. The entities keep their words. Never
 * throws: what points outside of the text counts as its beginning or end.
 */
export function withAddresses(text: string, entities: readonly TextEntity[]): MarkedText {
  const links = insertionsIn(text, entities);
  if (links.length === 0) return { text, entities };
  let shown = '';
  let end = 0;
  for (const { at, words } of links) {
    shown += text.slice(end, at) + words;
    end = at;
  }
  const before = (position: number): number =>
    links.reduce((sum, { at, words }) => (at < position ? sum + words.length : sum), 0);
  const moved = entities.map((entity) => {
    const [start, stop] = [entity.offset, entity.offset + entity.length];
    const offset = start + before(start + 1);
    return { ...entity, offset, length: stop + before(stop) - offset };
  });
  return { text: shown + text.slice(end), entities: moved };
}

/** The entities of a part of a text, as offsets in that part. */
export function entitiesWithin(
  entities: readonly TextEntity[],
  { start, length }: { readonly start: number; readonly length: number },
): readonly TextEntity[] {
  return entities
    .map((entity) => {
      const from = Math.max(0, entity.offset - start);
      const to = Math.min(length, entity.offset + entity.length - start);
      return { ...entity, offset: from, length: to - from };
    })
    .filter((entity) => entity.length > 0);
}

interface Insertion {
  /** Where its words end. */
  readonly at: number;
  readonly words: string;
}

/** What is to be inserted, in order. Of neighbours with the same address, only behind the last. */
function insertionsIn(text: string, entities: readonly TextEntity[]): readonly Insertion[] {
  const links = entities
    .filter(({ type, url = '' }) => type === 'text_link' && url.trim() !== '')
    .map(({ offset, length, url = '' }) => ({
      start: within(text, offset),
      end: within(text, offset + Math.max(0, length)),
      url,
    }))
    .toSorted((one, other) => one.end - other.end);
  const insertions = links.flatMap(({ start, end, url }, index) => {
    const next = links[index + 1];
    if (next !== undefined && next.url === url && next.start <= end) return [];
    const said = text.slice(start, end).trimEnd();
    const words = linkWords(said.trimStart(), url).slice(said.trimStart().length);
    return words === '' ? [] : [{ at: start + said.length, words }];
  });
  return insertions.toSorted((one, other) => one.at - other.at);
}

/** A position in the text that splits no character. */
function within(text: string, position: number): number {
  const at = Math.min(text.length, Math.max(0, position));
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
  return isSplit ? at + 1 : at;
}
