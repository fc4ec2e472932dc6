import type { BoundName } from '../approval/extension.ts';
import { lastTurn } from '../transcript.ts';
import type { RunOf } from './next-step.ts';
import type { RunState } from './run-store.ts';
import type { Spent } from './spending-store.ts';

/** Left out: no bound. */
export interface SpendingLimits {
  readonly tokens?: number;
  /** In millionths. */
  readonly cost?: number;
}

/** How far a run goes before somebody is asked whether it may go on. */
export interface BudgetLimits {
  readonly turns: number;
  readonly perRun: SpendingLimits;
  readonly perPerson: SpendingLimits;
  readonly perDay: SpendingLimits;
}

/** A bound that a run has reached: in turns, tokens, or money in millionths. */
export interface ReachedBound {
  readonly bound: BoundName;
  readonly limit: number;
  readonly spent: number;
  /** How much of what was spent is the run's own: it is let go on by that. */
  readonly ofRun: number;
}

/** What a day has taken so far. */
export interface SpentOnDay {
  readonly person: Spent;
  readonly all: Spent;
}

/** The bound of its own that the run has reached, and that nobody has let it go beyond. */
export function boundOfRun(state: RunState, run: RunOf, { turns, perRun }: BudgetLimits): ReachedBound | undefined {
  const last = lastTurn(state.transcript);
  const taken = last?.type === 'turn' && last.runId === run.runId ? state.turnsOfRun : 0;
  const { tokens, cost } = spentByRun(state, run);
  return (
    beyond({ bound: 'turns', spent: taken, ofRun: taken }, turns, state, run) ??
    beyond({ bound: 'tokens-per-run', spent: tokens, ofRun: tokens }, perRun.tokens, state, run) ??
    beyond({ bound: 'cost-per-run', spent: cost, ofRun: cost }, perRun.cost, state, run) ??
    boundAbove(state, perRun)
  );
}

/** What works for a run spends from the same purse. */
function boundAbove({ above }: RunState, { tokens, cost }: SpendingLimits): ReachedBound | undefined {
  if (above === undefined) return undefined;
  const { spent } = above;
  return (
    beyond({ bound: 'tokens-per-run', spent: spent.tokens, ofRun: spent.tokens }, tokens, above, spent) ??
    beyond({ bound: 'cost-per-run', spent: spent.cost, ofRun: spent.cost }, cost, above, spent)
  );
}

/** The same for what is spent from by several runs. */
export function boundOfDay(
  { person, all }: SpentOnDay,
  state: RunState,
  run: RunOf,
  { perPerson, perDay }: BudgetLimits,
): ReachedBound | undefined {
  const { tokens, cost } = spentByRun(state, run);
  return (
    beyond({ bound: 'tokens-per-person', spent: person.tokens, ofRun: tokens }, perPerson.tokens, state, run) ??
    beyond({ bound: 'cost-per-person', spent: person.cost, ofRun: cost }, perPerson.cost, state, run) ??
    beyond({ bound: 'tokens-per-day', spent: all.tokens, ofRun: tokens }, perDay.tokens, state, run) ??
    beyond({ bound: 'cost-per-day', spent: all.cost, ofRun: cost }, perDay.cost, state, run)
  );
}

/** Whether nothing that several runs spend from has a bound. */
export function isEndless({ perPerson, perDay }: BudgetLimits): boolean {
  return [perPerson, perDay].every(({ tokens, cost }) => tokens === undefined && cost === undefined);
}

function spentByRun({ spent }: RunState, { runId }: RunOf): Spent {
  return spent.runId === runId ? spent : { tokens: 0, cost: 0 };
}

/** Undefined while it is within the limit, or within what somebody has allowed beyond it. */
function beyond(
  reached: Omit<ReachedBound, 'limit'>,
  limit: number | undefined,
  { extensions }: Pick<RunState, 'extensions'>,
  { runId }: Pick<RunOf, 'runId'>,
): ReachedBound | undefined {
  const { bound, spent, ofRun } = reached;
  if (limit === undefined || spent < limit) return undefined;
  const allowed = extensions.some(
    ({ state, extension }) =>
      state === 'approved' && extension?.runId === runId && extension.bound === bound && ofRun < extension.until,
  );
  return allowed ? undefined : { ...reached, limit };
}
