/* What a request wants to see of the runs, read from its query. */

import type { FeatureCore } from '../../../feature-points.ts';
import type { RunFilter } from './runs/tables.ts';

export interface AskedRuns {
  readonly filter: RunFilter;
  readonly words: string | undefined;
  readonly before: number | undefined;
  readonly most: number;
}

/** The value of this name is none that can be asked for. */
export interface WrongFilter {
  readonly wrong: string;
}

const ends = ['answered', 'open', 'closed'] as const;
/** Outcomes of calls, as people ask for them, and as they are stored. */
const callOutcomes: Readonly<Record<string, string>> = {
  failed: 'error',
  denied: 'denied',
  refused: 'refused',
  expired: 'expired',
  stopped: 'cancelled',
};
const mostRuns = 200;
const usualRuns = 50;
const longestWords = 200;

export function filterIn(query: URLSearchParams, core: Pick<FeatureCore, 'accounts'>): AskedRuns | WrongFilter {
  const numbers = ['before', 'from', 'to', 'most'].map((name) => ({ name, value: numberIn(query, name) }));
  const wrong = numbers.find(({ value }) => value === 'wrong');
  if (wrong !== undefined) return { wrong: wrong.name };
  const [before, from, to, most] = numbers.map(({ value }) => (value === 'wrong' ? undefined : value));
  const outcome = textIn(query, 'outcome');
  const end = ends.find((known) => known === outcome);
  const callOutcome =
    outcome === undefined || !Object.hasOwn(callOutcomes, outcome) ? undefined : callOutcomes[outcome];
  const wasAsked = outcome === 'asked';
  if (outcome !== undefined && end === undefined && callOutcome === undefined && !wasAsked) return { wrong: 'outcome' };
  const person = textIn(query, 'person');
  const filter = {
    people: person === undefined ? undefined : core.accounts.accountsOf(person),
    channel: textIn(query, 'channel'),
    tool: textIn(query, 'tool'),
    end,
    callOutcome,
    wasAsked,
    from,
    to,
  };
  const words = textIn(query, 'q')?.slice(0, longestWords);
  return { filter, words, before, most: Math.min(Math.max(1, most ?? usualRuns), mostRuns) };
}

function textIn(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name)?.trim();
  return value === undefined || value === '' ? undefined : value;
}

/** A whole number that is not negative. */
export function numberIn(query: URLSearchParams, name: string): number | undefined | 'wrong' {
  const value = textIn(query, name);
  if (value === undefined) return undefined;
  return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : 'wrong';
}
