import { sourceWords } from '../../approval/verdict.ts';
import type { FeatureCore, Listed, ListedRow, ListingAsked } from '../../feature-points.ts';
import { oneLine, unmarked } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { type KeptMemory, type MemoryStore, type PinnedPlace, pinnedPlaces } from './tables.ts';
import { memoryWords } from './words.ts';

const rowsAtOnce = 50;

/** All that is remembered for a person, wherever it is found. */
export async function listMemories(
  { accounts, language, search, after }: ListingAsked,
  { clock, memories }: Pick<FeatureCore, 'clock'> & { readonly memories: Pick<MemoryStore, 'browse'> },
): Promise<Listed> {
  const before = after === undefined ? undefined : Math.trunc(Number(after)) || 0;
  const browsing = { accounts, query: search, before, most: rowsAtOnce + 1, at: clock.now() };
  const found = await memories.browse(browsing);
  const rows = found.slice(0, rowsAtOnce);
  const goesOn = search.trim() === '' && found.length > rows.length;
  const last = rows.at(-1)?.seq;
  return {
    rows: rows.map((memory) => memoryRow(memory, language)),
    next: goesOn && last !== undefined ? String(last) : undefined,
  };
}

function memoryRow({ id, text, tags, scope, storedAt, untrusted }: KeptMemory, language: Language): ListedRow {
  const words = memoryWords[language].listed;
  const title = firstLine(text);
  return {
    id,
    title,
    text: title === text ? undefined : text,
    notes: [
      words[scope],
      ...(tags.length === 0 ? [] : [words.tags({ tags })]),
      ...(untrusted.length === 0 ? [] : [words.sources({ sources: unmarked(sourceWords(untrusted, language)) })]),
    ],
    instants: [{ label: words.stored, at: storedAt }],
    acts: [
      { label: words.edit, style: 'plain', line: `memories edit ${id}`, text: { now: text, isLong: true } },
      { label: words.forget, style: 'danger', line: `memories forget ${id}`, question: words.askForget },
    ],
  };
}

/** The facts that are pinned in the conversations of a person; of groups for owners only. */
export async function listPins(
  { accounts, isOwner, language }: ListingAsked,
  { database }: Pick<FeatureCore, 'database'>,
): Promise<Listed> {
  const places = (await pinnedPlaces(database, accounts)).filter(({ kind }) => isOwner || kind === 'direct');
  return { rows: places.flatMap((place) => rowsOfPlace(place, language)) };
}

function rowsOfPlace({ conversationId, channel, title, pinned }: PinnedPlace, language: Language) {
  const words = memoryWords[language].listed;
  return pinned.map(({ number, text, name, at }): ListedRow => {
    const line = firstLine(text);
    return {
      id: `${conversationId} ${number}`,
      title: line,
      text: line === text ? undefined : text,
      notes: [words.by({ name: oneLine(name, 64), place: title === undefined ? channel : `${title} (${channel})` })],
      instants: [{ label: words.pinnedAt, at }],
      acts: [
        { label: words.unpin, style: 'danger', line: `unpin ${number}`, conversationId, question: words.askUnpin },
      ],
    };
  });
}

function firstLine(text: string): string {
  return oneLine(text.split('\n', 1)[0] ?? '', 160);
}
