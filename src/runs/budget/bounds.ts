import type { BoundName } from '../../approval/approval.ts';
import type { RunState, SpendingDraft, Spent } from '../../engine/journal.ts';
import type { RunOf } from '../../engine/next.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { lastTurn } from '../../transcript.ts';

/** A missing value means no limit. */
export interface SpendingLimits {
  readonly tokens?: number;
  /** In millionths. */
  readonly cost?: number;
}

/** The limits beyond which a run asks people to go on. */
export interface BudgetLimits {
  readonly turns: number;
  readonly perRun: SpendingLimits;
  readonly perPerson: SpendingLimits;
  readonly perDay: SpendingLimits;
}

/** A limit that a run has reached: in turns, tokens, or money in millionths. */
export interface ReachedBound {
  readonly bound: BoundName;
  readonly limit: number;
  readonly spent: number;
  /** The run's own part of `spent`: an extension starts from it. */
  readonly ofRun: number;
}

/** The run's own limit that it has reached, and that nobody has extended. */
export function boundOfRun(state: RunState, run: RunOf, { turns, perRun }: BudgetLimits): ReachedBound | undefined {
  const last = lastTurn(state.transcript);
  const taken = last?.type === 'turn' && last.runId === run.runId ? state.turnsOfRun : 0;
  const spent = spentByRun(state, run);
  const own = firstReached([['turns', taken, turns, taken], ...within('run', spent, perRun, spent)], state, run);
  if (own !== undefined || state.above === undefined) return own;
  // A sub-run spends from the budget of the run above it.
  const { above } = state;
  return firstReached(within('run', above.spent, perRun, above.spent), above, above.spent);
}

/** A limit, what was spent within it, and the run's own part of that. */
type Bound = readonly [BoundName, spent: number, limit: number | undefined, ofRun: number];

function within(scope: 'run' | 'person' | 'day', spent: Spent, limits: SpendingLimits, ofRun: Spent): readonly Bound[] {
  return [
    [`tokens-per-${scope}`, spent.tokens, limits.tokens, ofRun.tokens],
    [`cost-per-${scope}`, spent.cost, limits.cost, ofRun.cost],
  ];
}

/** As `boundOfRun`, for limits that several runs share. `person`, `all`: spent today. */
export function boundOfDay(
  { person, all }: { readonly person: Spent; readonly all: Spent },
  state: RunState,
  run: RunOf,
  { perPerson, perDay }: BudgetLimits,
): ReachedBound | undefined {
  const own = spentByRun(state, run);
  return firstReached([...within('person', person, perPerson, own), ...within('day', all, perDay, own)], state, run);
}

/** Whether no shared limit is set. */
export function isEndless({ perPerson, perDay }: BudgetLimits): boolean {
  return [perPerson, perDay].every(({ tokens, cost }) => tokens === undefined && cost === undefined);
}

function spentByRun({ spent }: RunState, { runId }: RunOf): Spent {
  return spent.runId === runId ? spent : { tokens: 0, cost: 0 };
}

/** The first limit that is reached, and that no extension covers. */
function firstReached(
  bounds: readonly Bound[],
  { extensions }: Pick<RunState, 'extensions'>,
  { runId }: Pick<RunOf, 'runId'>,
): ReachedBound | undefined {
  const allowed = extensions.flatMap(({ state, extension }) => (state === 'approved' ? extension : []));
  for (const [bound, spent, limit, ofRun] of bounds) {
    if (limit === undefined || spent < limit) continue;
    if (allowed.some((one) => one.runId === runId && one.bound === bound && ofRun < one.until)) continue;
    return { bound, limit, spent, ofRun };
  }
  return undefined;
}

/** The reached limit as a markdown sentence. */
export function reachedWords({ bound, limit, spent }: ReachedBound, person: string): string {
  switch (bound) {
    case 'turns':
      return `I have taken ${spent} ${spent === 1 ? 'turn' : 'turns'} for this and stopped here.`;
    case 'tokens-per-run':
    case 'cost-per-run':
      return `The budget for this is used up: ${ratio(bound, spent, limit)}.`;
    case 'tokens-per-person':
    case 'cost-per-person':
      return `The budget of ${escapeMarkdown(person)} is used up: ${ratio(bound, spent, limit)} today.`;
    case 'tokens-per-day':
    case 'cost-per-day':
      return `The budget of all is used up: ${ratio(bound, spent, limit)} today.`;
  }
}

/** What the run would do if it may go on, as markdown after "May I". */
export function goOnWords({ bound, limit }: ReachedBound): string {
  if (bound === 'turns') return `go on with this for up to ${limit} more ${limit === 1 ? 'turn' : 'turns'}`;
  return isMoney(bound)
    ? `go on with this and spend up to ${moneyWords(limit)} more`
    : `go on with this for up to ${tokenWords(limit)} more tokens`;
}

/** Money in millionths, as people write it: `1.25`. */
export function moneyWords(cost: number): string {
  const most = cost < 100_000 ? 6 : 2;
  return (cost / 1_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: most });
}

/** `12,345` */
export function tokenWords(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

function ratio(bound: BoundName, spent: number, limit: number): string {
  return isMoney(bound)
    ? `${moneyWords(spent)} of ${moneyWords(limit)}`
    : `${tokenWords(spent)} of ${tokenWords(limit)} tokens`;
}

function isMoney(bound: BoundName): boolean {
  return bound.startsWith('cost');
}

/** What one model took on one day, in one conversation, for one person. */
export interface SpendingEntry extends Spent {
  readonly principal: string;
  readonly conversationId: string;
  readonly model: string;
}

/** Stores the usage of models. That of a turn is stored with the turn. */
export interface SpendingStore {
  add(spending: SpendingDraft): Promise<void>;
  /** What was spent on a day for a person, with all these accounts, and for everybody. */
  spentOn(day: string, accounts: readonly string[]): Promise<{ readonly person: Spent; readonly all: Spent }>;
  entriesOf(day: string): Promise<readonly SpendingEntry[]>;
}
