import type { BoundName, ExtensionApproval } from '../approval/approval.ts';
import { unreachableNotice } from '../approval/cards.ts';
import type { Approvals } from '../engine/decide.ts';
import type { Admission, Budget, Core, Payer, RunScope } from '../engine/feature.ts';
import {
  type ApprovalDraft,
  type AttemptStore,
  type RunState,
  type RunStore,
  type SpendingDraft,
  type Spent,
  spentOf,
} from '../engine/journal.ts';
import { noticeIn } from '../engine/message.ts';
import { type Ask, beginningOf, type RunOf } from '../engine/next.ts';
import { CallsInFlight, nothing, UnstoredAsks } from '../engine/requests-in-flight.ts';
import { Background } from '../lib/background.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import type { Language } from '../lib/words.ts';
import type { ModelUsage } from '../models/language-model.ts';
import { lastTurn } from '../transcript.ts';
import { budgetWords } from './words.ts';

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
  /** Of all costs: `EUR`. */
  readonly currency: string;
  /** The time zone of the days: `Europe/Berlin`. */
  readonly timeZone: string;
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

/** Stores that a run asks to go on. */
export interface ExtensionStore {
  /** The run asks people whether it may go on. `after`: the `newestTurn` of the state that this follows from. */
  askToGoOn(asked: ApprovalDraft<ExtensionApproval>, after: number): Promise<'stored' | 'outdated'>;
}

interface BudgetParts extends Core {
  readonly store: Pick<RunStore, 'close'> & ExtensionStore;
  readonly spending: SpendingStore;
  readonly attempts: Pick<AttemptStore, 'beginAsk' | 'tellAsk' | 'noteAsk' | 'endAsk'>;
  readonly approvals: Pick<Approvals, 'draftExtension'>;
  readonly limits: BudgetLimits;
  /** What a call may spend, until a call has reported its usage. */
  readonly largestCall: Spent;
  /** The price of a model, by its name in the config; undefined if unknown. */
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly accountsOf: (principal: string) => readonly string[];
  /** The day of an instant: `2026-03-04`. */
  readonly dayOf: (at: number) => string;
}

/**
 * Checks before each call of a model whether the budget allows it. Spending is stored, so that limits hold across
 * restarts; each is overshot by at most the call that reaches it. Near a daily limit, the calls that spend from it wait
 * for each other.
 */
export function createRunBudget(parts: BudgetParts): Budget {
  const asks = new UnstoredAsks(parts.attempts, parts.clock, new Background(parts.log));
  const context: BudgetContext = { parts, inFlight: new CallsInFlight(parts.largestCall), asks };
  return {
    today: () => today(parts),
    admit: (state, ask, where, signal) => admit({ state, ask, where }, signal, context),
    admitAside: (state, person, signal) => admitAside(state, person, signal, context),
    note: (state, asked, usage) => note(state, asked, usage, context),
    begin: (state, payer, model, inputTokens) => beginAsk({ state, payer, asked: model }, inputTokens, context),
    pay: (state, payer, asked, usage) => pay({ state, payer, asked }, usage, context),
  };
}

interface BudgetContext {
  readonly parts: BudgetParts;
  readonly inFlight: CallsInFlight;
  readonly asks: UnstoredAsks;
}

function today({ dayOf, clock }: BudgetParts): string {
  return dayOf(clock.now());
}

/** A request that may have to be paid for. */
interface Requested {
  readonly state: RunState;
  readonly ask: Ask;
  readonly where: RunScope;
}

async function admit(requested: Requested, signal: AbortSignal, context: BudgetContext): Promise<Admission> {
  const entry = await enter(requested.state, requested.ask.run, signal, context);
  if (entry.type !== 'reached') return entry;
  await askToGoOn(entry.reached, requested, context.parts);
  return { type: 'closed' };
}

async function admitAside(
  state: RunState,
  { principal, name }: { readonly principal: string; readonly name: string },
  signal: AbortSignal,
  context: BudgetContext,
): ReturnType<Budget['admitAside']> {
  const entry = await enter(state, { runId: '', principal }, signal, context);
  if (entry.type !== 'reached') return entry;
  const { limits, readerIn } = context.parts;
  const { language } = readerIn(state.conversationId);
  return { type: 'refused', words: reachedWords(entry.reached, name, limits, language) };
}

async function enter(
  state: RunState,
  run: RunOf,
  signal: AbortSignal,
  { parts, inFlight }: BudgetContext,
): Promise<Admission | { readonly type: 'reached'; readonly reached: ReachedBound }> {
  const { limits, spending, accountsOf } = parts;
  for (;;) {
    const accounts = accountsOf(run.principal);
    const spent = isEndless(limits)
      ? { person: nothing, all: nothing }
      : await spending.spentOn(today(parts), accounts);
    // No await from here to `begin`: other waiting calls check in the same instant.
    if (signal.aborted) return { type: 'closed' };
    const reached = reachedBound(state, run, limits, spent);
    if (reached !== undefined) return { type: 'reached', reached };
    const worst = {
      person: sum(spent.person, inFlight.mayTake(accounts)),
      all: sum(spent.all, inFlight.mayTake()),
    };
    if (reachedBound(state, run, limits, worst) === undefined) {
      return { type: 'open', leave: inFlight.begin(run.principal) };
    }
    await inFlight.whenOneEnds(signal);
  }
}

async function askToGoOn(reached: ReachedBound, { state, ask, where }: Requested, parts: BudgetParts): Promise<void> {
  const { limits, approvals, store, deliver, readerIn } = parts;
  const { name } = where.scope.sender;
  const { bound, ofRun, limit } = reached;
  // The run that waits for this sub-run continues with its result, and asks if necessary.
  if (state.subRun !== undefined) return close(state, ask, { reason: bound === 'turns' ? 'limit' : 'budget' }, parts);
  const extension = { runId: ask.run.runId, bound, until: ofRun + limit, seenSeq: ask.seenSeq };
  const asked = await approvals.draftExtension(
    {
      extension,
      reason: (language) => reachedWords(reached, name, limits, language),
      description: (language) => goOnWords(reached, limits, language),
    },
    where,
  );
  if (asked.approval.cardConversationIds.length === 0) {
    const { language } = readerIn(state.conversationId);
    const why = reachedWords(reached, name, limits, language);
    const words = `⏸️ ${why}\n\n${unreachableNotice(asked.approval, language)}`;
    return close(state, ask, { reason: 'budget', words }, parts);
  }
  await store.askToGoOn(asked, state.newestTurn);
  deliver([state.conversationId, ...asked.approval.cardConversationIds]);
}

async function close(
  state: RunState,
  { run, seenSeq }: Ask,
  { reason, words }: { readonly reason: 'limit' | 'budget'; readonly words?: string },
  { store, clock, deliver }: BudgetParts,
): Promise<void> {
  const { conversationId, newestTurn: after } = state;
  const messages = words === undefined ? [] : [noticeIn(conversationId, words)];
  await store.close({ conversationId, after, ...run, seenSeq, reason, messages, at: clock.now() });
  deliver([conversationId]);
}

function priced(asked: string, usage: ModelUsage, { priceOf }: BudgetParts): ModelUsage {
  const price = usage.cost === undefined ? priceOf(usage.model ?? asked) : undefined;
  return price === undefined ? usage : { ...usage, cost: costOf(usage, price) };
}

function note({ conversationId }: RunState, asked: string, answered: ModelUsage, context: BudgetContext): ModelUsage {
  const { parts, inFlight, asks } = context;
  const usage = priced(asked, answered, parts);
  inFlight.took(spentOf(usage));
  asks.end(conversationId);
  return usage;
}

async function beginAsk({ state, payer, asked }: Owed, inputTokens: number, context: BudgetContext): Promise<void> {
  const { parts, asks } = context;
  const { principal, runId } = payer;
  const usage = priced(asked, { inputTokens: Math.ceil(inputTokens), outputTokens: usualAnswer }, parts);
  const at = parts.clock.now();
  const begins = beginningOf(state, runId, at);
  const { conversationId } = state;
  const draft = { conversationId, runId, principal, model: asked, day: today(parts), usage, at, begins };
  asks.end(conversationId);
  if (hasLimit(parts.limits)) await parts.attempts.beginAsk(draft);
  else asks.begin(draft);
}

/** An answer that is asked for, or was not kept, and who pays for it. */
interface Owed {
  readonly state: RunState;
  readonly payer: Payer;
  /** The model's name in the config. */
  readonly asked: string;
}

async function pay(
  { state, payer, asked }: Owed,
  given: ModelUsage | undefined,
  context: BudgetContext,
): Promise<void> {
  const { conversationId } = state;
  const { parts, asks } = context;
  asks.end(conversationId);
  if (given === undefined) return parts.attempts.endAsk(conversationId);
  const usage = note(state, asked, given, context);
  await parts.spending.add({ conversationId, ...payer, model: given.model ?? asked, usage, day: today(parts) });
}

/** In the operator's currency, per million tokens, as in the config. */
export interface ModelPrice {
  readonly input_per_million: number;
  readonly output_per_million: number;
  /** For input that the provider has cached. Default: as any other input. */
  readonly cached_input_per_million?: number | undefined;
}

/** In millionths, rounded up: a millionth of the price of a million tokens is the price of one. */
export function costOf({ inputTokens, cachedInputTokens = 0, outputTokens }: ModelUsage, price: ModelPrice): number {
  const cached = Math.min(cachedInputTokens, inputTokens);
  const ofCached = cached * (price.cached_input_per_million ?? price.input_per_million);
  const ofOthers = (inputTokens - cached) * price.input_per_million;
  return Math.ceil(ofOthers + ofCached + outputTokens * price.output_per_million);
}

/** The number of output tokens to assume when it is unknown. */
const usualAnswer = 1000;

function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

/** A limit that a run has reached: in turns, tokens, or money in millionths. */
interface ReachedBound {
  readonly bound: BoundName;
  readonly limit: number;
  readonly spent: number;
  /** The run's own part of `spent`: an extension starts from it. */
  readonly ofRun: number;
}

/** The first limit that the run has reached, and that nobody has extended. `person`, `all`: spent today. */
function reachedBound(
  state: RunState,
  run: RunOf,
  { turns, perRun, perPerson, perDay }: BudgetLimits,
  { person, all }: { readonly person: Spent; readonly all: Spent },
): ReachedBound | undefined {
  const last = lastTurn(state.transcript);
  const taken = last?.type === 'turn' && last.runId === run.runId ? state.turnsOfRun : 0;
  const spent = state.spent.runId === run.runId ? state.spent : nothing;
  const own: readonly Bound[] = [['turns', taken, turns, taken], ...within('run', spent, perRun, spent)];
  const shared = [...within('person', person, perPerson, spent), ...within('day', all, perDay, spent)];
  // A sub-run spends from the budget of the run above it.
  const { above } = state;
  return (
    firstReached(own, state, run) ??
    (above && firstReached(within('run', above.spent, perRun, above.spent), above, above.spent)) ??
    firstReached(shared, state, run)
  );
}

/** A limit, what was spent within it, and the run's own part of that. */
type Bound = readonly [BoundName, spent: number, limit: number | undefined, ofRun: number];

function within(scope: 'run' | 'person' | 'day', spent: Spent, limits: SpendingLimits, ofRun: Spent): readonly Bound[] {
  return [
    [`tokens-per-${scope}`, spent.tokens, limits.tokens, ofRun.tokens],
    [`cost-per-${scope}`, spent.cost, limits.cost, ofRun.cost],
  ];
}

/** Whether spending has any limit. */
function hasLimit(limits: BudgetLimits): boolean {
  return limits.perRun.tokens !== undefined || limits.perRun.cost !== undefined || !isEndless(limits);
}

/** Whether no shared limit is set. */
function isEndless({ perPerson, perDay }: BudgetLimits): boolean {
  return [perPerson, perDay].every(({ tokens, cost }) => tokens === undefined && cost === undefined);
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
function reachedWords(
  { bound, limit, spent }: ReachedBound,
  name: string,
  limits: BudgetLimits,
  language: Language,
): string {
  const words = budgetWords[language];
  if (bound === 'turns') return words.turnsTaken(spent);
  const of = (amount: number): string => (isMoney(bound) ? moneyWords(amount, limits) : tokenWords(amount));
  const used = { spent: of(spent), limit: of(limit), isMoney: isMoney(bound), timeZone: limits.timeZone };
  if (bound.endsWith('run')) return words.runUsedUp(used);
  if (bound.endsWith('person')) return words.personUsedUp({ ...used, person: escapeMarkdown(name) });
  return words.allUsedUp(used);
}

/** What the run would do if it may go on. */
function goOnWords({ bound, limit }: ReachedBound, limits: BudgetLimits, language: Language): string {
  const words = budgetWords[language];
  if (bound === 'turns') return words.moreTurns(limit);
  return isMoney(bound) ? words.moreMoney(moneyWords(limit, limits)) : words.moreTokens(tokenWords(limit));
}

/** Money in millionths, as people write it: `$1.25`, `€0.00042`, `¥12`. */
export function moneyWords(cost: number, { currency }: Pick<BudgetLimits, 'currency'>): string {
  const digits = cost < 100_000 ? { maximumFractionDigits: 6 } : {};
  return (cost / 1_000_000).toLocaleString('en-US', { style: 'currency', currency, ...digits });
}

/** `12,345` */
export function tokenWords(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

function isMoney(bound: BoundName): boolean {
  return bound.startsWith('cost');
}
