/* Lists of runs: one page at a time, newest first, and only as far back as one request may look. */

import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { oneLine } from '../../../../lib/plain-text.ts';
import type { NamedPlace, RunEnd, RunInList, RunPage } from '../../wire/activity.ts';
import { matcherOf } from '../search/matcher.ts';
import { type NameParts, namedPerson, type Seer } from '../seer.ts';
import type { FoundRun, RunFilter, RunListStore } from './tables.ts';

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
    const from = parts.store.windowBefore(before, window);
    if (from === undefined) return { runs, next: undefined };
    for (const found of parts.store.runsIn({ before, from }, filter, seer)) {
      if (!isMeant(() => parts.store.textsOf(found).map(parts.redact))) continue;
      const run = runInList(found, parts);
      if (run !== undefined) runs.push(run);
      if (runs.length >= most) return { runs, next: found.turnId };
    }
    before = from;
    await nextTurnOfLoop();
  }
  return { runs, next: before };
}

export function runInList(
  { conversationId, runId }: Pick<FoundRun, 'conversationId' | 'runId'>,
  parts: RunListParts,
): RunInList | undefined {
  const { store, redact } = parts;
  const listed = store.listed({ conversationId, runId });
  if (listed === undefined) return undefined;
  const { id, principal, lastAt, turns, calls, tokens, cost, isSubRun } = listed;
  const place = namedPlace(conversationId, store);
  const beginning = store.beginningOf(id);
  return {
    id,
    person: namedPerson(principal, place.conversationId, parts),
    place,
    beganAt: Math.min(listed.beganAt, beginning?.at ?? listed.beganAt),
    lastAt,
    text: oneLine(redact(beginning?.text ?? ''), longestText),
    end: endOf(listed),
    models: listed.models.split(',').filter((name) => name !== ''),
    turns,
    calls,
    tokens,
    cost,
    troubles: store.troublesOf({ conversationId, runId }),
    isSubRun,
  };
}

export function namedPlace(conversationId: string, store: Pick<RunListStore, 'placeOf'>): NamedPlace {
  const place = store.placeOf(conversationId);
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
