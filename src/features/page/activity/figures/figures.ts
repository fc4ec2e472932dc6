/* Figures of days: what was used, how long people waited, what failed, and what was asked and decided. */

import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import type { ApprovalFigures, DayFigures, Figures, ToolFigures } from '../../wire/activity.ts';
import type { Seer } from '../seer.ts';
import type { EndedRun, FigureStore, StateCount, ToolCount } from './tables.ts';

export interface FiguresAsked {
  readonly seer: Seer;
  readonly days: number;
  readonly now: number;
  /** In which the days begin. */
  readonly timeZone: string;
  readonly currency: string;
  readonly gone: AbortSignal;
}

/** Turns that are counted before others get their turn. */
const window = 1_000;
/** So many at most. */
const mostTurns = 100_000;

export async function figuresOf(asked: FiguresAsked, store: FigureStore): Promise<Figures> {
  const { seer, days, now, timeZone, currency } = asked;
  const dayOf = dayWriter(timeZone);
  const from = now - (days - 1) * day;
  const since = beginOf(from, dayOf);
  const { runs, tools, states, isCut } = await counted({ ...asked, since }, store);
  return {
    from: since,
    currency,
    days: dayFigures(runs, dayOf),
    models: await store.spent(dayOf(from), seer),
    tools: toolFigures(tools),
    approvals: approvalFigures(states, tools),
    isCut,
  };
}

const minute = 60_000;
const day = 86_400_000;

interface CountedAll {
  readonly runs: EndedRun[];
  readonly tools: ToolCount[];
  readonly states: StateCount[];
  readonly isCut: boolean;
}

async function counted(
  { seer, since, gone }: FiguresAsked & { readonly since: number },
  store: FigureStore,
): Promise<CountedAll> {
  const [runs, tools, states]: [EndedRun[], ToolCount[], StateCount[]] = [[], [], []];
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < mostTurns && !gone.aborted; read += window) {
    const here = await store.counted({ before, size: window, since }, seer);
    if (here === undefined) return { runs, tools, states, isCut: false };
    runs.push(...here.runs);
    tools.push(...here.tools);
    states.push(...here.approvals);
    if (here.at < since) return { runs, tools, states, isCut: false };
    before = here.oldest;
    await nextTurnOfLoop();
  }
  return { runs, tools, states, isCut: true };
}

/** Writes days as `2026-03-04`. */
function dayWriter(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (at) => format.format(at);
}

/** When the day began that this instant is in. Days begin with a minute. */
function beginOf(at: number, dayOf: (at: number) => string): number {
  const name = dayOf(at);
  let [before, within] = [Math.floor(at / minute) - 2 * (day / minute), Math.floor(at / minute)];
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dayOf(middle * minute) < name) before = middle;
    else within = middle;
  }
  return within * minute;
}

function dayFigures(runs: readonly EndedRun[], dayOf: (at: number) => string): readonly DayFigures[] {
  const byDay = Map.groupBy(runs, ({ at }) => dayOf(at));
  return [...byDay]
    .map(([name, ofDay]) => {
      const took = ofDay
        .flatMap(({ at, receivedAt, isOpen }) =>
          isOpen || receivedAt === undefined ? [] : Math.max(0, at - receivedAt),
        )
        .toSorted((one, other) => one - other);
      return { day: name, runs: ofDay.length, medianLatency: rank(took, 0.5), slowLatency: rank(took, 0.95) };
    })
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

/** The value that so great a part of them does not exceed. Undefined if there is none. */
export function rank(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

function toolFigures(counts: readonly ToolCount[]): readonly ToolFigures[] {
  return [...Map.groupBy(counts, ({ tool }) => tool)]
    .map(([tool, of]) => ({
      tool,
      calls: sum(of, 'calls'),
      failed: sum(of, 'failed'),
      denied: sum(of, 'denied'),
      refused: sum(of, 'refused'),
      expired: sum(of, 'expired'),
    }))
    .toSorted((one, other) => other.calls - one.calls || (one.tool < other.tool ? -1 : 1));
}

function sum<Key extends string>(counts: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return counts.reduce((all, one) => all + one[key], 0);
}

function approvalFigures(states: readonly StateCount[], tools: readonly ToolCount[]): ApprovalFigures {
  const of = (wanted: string): number =>
    sum(
      states.filter(({ state }) => state === wanted),
      'count',
    );
  return {
    asked: sum(states, 'count'),
    approved: of('approved'),
    denied: of('denied'),
    expired: of('expired'),
    cancelled: of('cancelled'),
    pending: of('pending'),
    byGrant: sum(tools, 'byGrant'),
  };
}
