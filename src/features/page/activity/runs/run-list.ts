/* Lists of runs: one page at a time, newest first, and only as far back as one request may look. */

import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { oneLine } from '../../../../lib/plain-text.ts';
import type { NamedPlace, RunEnd, RunInList, RunPage } from '../../wire/activity.ts';
import { matcherOf } from '../search/matcher.ts';
import { type NameParts, personCalled, type Seer } from '../seer.ts';
import type { FoundRun, PlaceRow, RunFilter, RunListStore } from './tables.ts';

export interface RunListParts extends NameParts {
  readonly store: RunListStore;
  readonly redact: (text: string) => string;
}

export interface RunsAsked {
  readonly filter: RunFilter;
  readonly seer: Seer;
  /** Words that a run must have. */
  readonly words: string | undefined;
  /** A turn. Undefined: from the newest on. */
  readonly before: number | undefined;
  readonly most: number;
  readonly gone: AbortSignal;
}

/** Turns that are read before others get their turn. */
const window = 400;
/** So many at most for one request, if few of them match. */
const mostTurns = 20_000;
const longestText = 160;

/** The runs before a turn, so many as were asked for, if they are found within the turns that one request reads. */
export async function runPage(asked: RunsAsked, parts: RunListParts): Promise<RunPage> {
  const { most, seer, filter, gone } = asked;
  const isMeant = matcherOf(asked.words);
  const runs: RunInList[] = [];
  let before = asked.before ?? Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < mostTurns && !gone.aborted; read += window) {
    const here = await parts.store.window({ before, size: window, filter, seer });
    if (here === undefined) return { runs, next: undefined };
    for (const found of here.runs) {
      if (isMeant !== undefined && !isMeant((await parts.store.textsOf(found)).map(parts.redact))) continue;
      const run = await runInList(found, parts);
      if (run !== undefined) runs.push(run);
      if (runs.length >= most) return { runs, next: found.turnId };
    }
    before = here.from;
    await nextTurnOfLoop();
  }
  return { runs, next: before };
}

export async function runInList(
  { conversationId, runId }: Pick<FoundRun, 'conversationId' | 'runId'>,
  { store, accounts, redact }: RunListParts,
): Promise<RunInList | undefined> {
  const known = await store.known({ conversationId, runId });
  if (known === undefined) return undefined;
  const { id, principal, personName, beginning, lastAt, turns, calls, tokens, cost, troubles, isSubRun } = known;
  return {
    id,
    person: personCalled(personName, principal, accounts),
    place: shownPlace(conversationId, known.place),
    beganAt: Math.min(known.beganAt, beginning?.at ?? known.beganAt),
    lastAt,
    text: oneLine(redact(beginning?.text ?? ''), longestText),
    end: endOf(known),
    models: known.models.split(',').filter((name) => name !== ''),
    turns,
    calls,
    tokens,
    cost,
    troubles,
    isSubRun,
  };
}

export async function namedPlace(conversationId: string, store: Pick<RunListStore, 'placeOf'>): Promise<NamedPlace> {
  return shownPlace(conversationId, await store.placeOf(conversationId));
}

function shownPlace(conversationId: string, place: PlaceRow | undefined): NamedPlace {
  const [channel = ''] = conversationId.split(':');
  return {
    conversationId: place?.conversationId ?? conversationId,
    channel: place?.channel ?? channel,
    kind: place?.kind === 'group' ? 'group' : 'direct',
    title: place?.title,
  };
}

const reasons = ['stopped', 'failed', 'expired', 'limit', 'stuck', 'budget', 'completed'] as const;

function endOf({ closing, isOpen }: { readonly closing: string | undefined; readonly isOpen: boolean }): RunEnd {
  if (isOpen) return { end: 'open' };
  if (closing === undefined || closing === 'completed') return { end: 'answered' };
  return { end: 'closed', reason: reasons.find((known) => known === closing) ?? 'unknown' };
}
