import type { ExtensionApproval } from '../../approval/approval.ts';
import { unreachableNotice, waitingWords } from '../../approval/cards.ts';
import type { Approvals } from '../../engine/decide.ts';
import type { Admission, Budget, RunScope } from '../../engine/feature.ts';
import {
  type ApprovalDraft,
  type AttemptStore,
  type RunState,
  type RunStore,
  type Spent,
  spentOf,
} from '../../engine/journal.ts';
import { noticeIn } from '../../engine/message.ts';
import type { Ask, RunOf } from '../../engine/next.ts';
import type { Clock } from '../../lib/clock.ts';
import { untilAborted } from '../../lib/clock.ts';
import type { ModelUsage } from '../../models/language-model.ts';
import type { StoredMessage } from '../../words/message-parts.ts';
import {
  type BudgetLimits,
  boundOfDay,
  boundOfRun,
  goOnWords,
  isEndless,
  type ReachedBound,
  reachedWords,
  type SpendingStore,
} from './bounds.ts';

/** Stores that a run asks to go on. */
export interface ExtensionStore {
  /** The run asks people whether it may go on. `after`: the `newestTurn` of the state that this follows from. */
  askToGoOn(asked: ApprovalDraft<ExtensionApproval>, after: number): Promise<'stored' | 'outdated'>;
}

interface BudgetParts {
  readonly store: Pick<RunStore, 'close'> & ExtensionStore;
  readonly spending: SpendingStore;
  readonly attempts: Pick<AttemptStore, 'beginAsk' | 'endAsk'>;
  readonly approvals: Pick<Approvals, 'draftExtension'>;
  readonly limits: BudgetLimits;
  /** What a call may spend, until a call has reported its usage. */
  readonly largestCall: Spent;
  /** The price of a model, by its name in the config; undefined if unknown. */
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly accountsOf: (principal: string) => readonly string[];
  /** The day of an instant: `2026-03-04`. */
  readonly dayOf: (at: number) => string;
  readonly clock: Clock;
  /** Stores a message for people. A message with a known id is not stored again. */
  readonly say: (conversationId: string, message: StoredMessage) => Promise<void>;
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/**
 * Checks before each call of a model whether the budget allows it. Spending is stored, so that limits hold across
 * restarts; each is overshot by at most the call that reaches it. Near a daily limit, the calls that spend from it wait
 * for each other.
 */
export function createRunBudget(parts: BudgetParts): Budget {
  const { store, spending, attempts, approvals, limits, priceOf, accountsOf, clock, say, deliver } = parts;
  const inFlight = createCallsInFlight(parts.largestCall);
  const today = (): string => parts.dayOf(clock.now());

  async function enter(
    state: RunState,
    run: RunOf,
    signal: AbortSignal,
  ): Promise<Admission | { readonly type: 'reached'; readonly reached: ReachedBound }> {
    for (;;) {
      const { person, all } = isEndless(limits)
        ? { person: nothing, all: nothing }
        : await spending.spentOn(today(), accountsOf(run.principal));
      // No await from here to `begin`: other waiting calls check in the same instant.
      if (signal.aborted) return { type: 'closed' };
      const reached = boundOfRun(state, run, limits) ?? boundOfDay({ person, all }, state, run, limits);
      if (reached !== undefined) return { type: 'reached', reached };
      const worst = {
        person: sum(person, inFlight.mayTake(accountsOf(run.principal))),
        all: sum(all, inFlight.mayTake()),
      };
      if (boundOfDay(worst, state, run, limits) === undefined) {
        return { type: 'open', leave: inFlight.begin(run.principal) };
      }
      await inFlight.whenOneEnds(signal);
    }
  }

  async function askToGoOn(reached: ReachedBound, state: RunState, ask: Ask, where: RunScope): Promise<void> {
    const { name } = where.scope.sender;
    const { bound, ofRun, limit } = reached;
    // The run that waits for this sub-run continues with its result, and asks if necessary.
    if (state.subRun !== undefined) return close(state, ask, bound === 'turns' ? 'limit' : 'budget');
    const extension = { runId: ask.run.runId, bound, until: ofRun + limit, seenSeq: ask.seenSeq };
    const asked = await approvals.draftExtension(
      { extension, reason: reachedWords(reached, name), description: goOnWords(reached) },
      where,
    );
    if (asked.approval.places.length === 0) {
      const words = `⏸️ ${reachedWords(reached, name)}\n\n${unreachableNotice(asked.approval)}`;
      return close(state, ask, 'budget', words);
    }
    await store.askToGoOn(asked, state.newestTurn);
    deliver([state.conversationId, ...asked.approval.places]);
  }

  async function close(state: RunState, { run, seenSeq }: Ask, reason: 'limit' | 'budget', words?: string) {
    const { conversationId, newestTurn: after } = state;
    const messages = words === undefined ? [] : [noticeIn(conversationId, words)];
    await store.close({ conversationId, after, ...run, seenSeq, reason, messages, at: clock.now() });
    deliver([conversationId]);
  }

  function priced(asked: string, usage: ModelUsage): ModelUsage {
    const price = usage.cost === undefined ? priceOf(usage.model ?? asked) : undefined;
    return price === undefined ? usage : { ...usage, cost: costOf(usage, price) };
  }

  function note(asked: string, answered: ModelUsage): ModelUsage {
    const usage = priced(asked, answered);
    inFlight.took(spentOf(usage));
    return usage;
  }

  return {
    today,
    async admit(state, ask, where, signal) {
      const entry = await enter(state, ask.run, signal);
      if (entry.type !== 'reached') return entry;
      await askToGoOn(entry.reached, state, ask, where);
      return { type: 'closed' };
    },
    async admitAside(state, { principal, name }, signal) {
      const entry = await enter(state, { runId: '', principal }, signal);
      return entry.type === 'reached' ? { type: 'refused', words: reachedWords(entry.reached, name) } : entry;
    },
    note,
    async begin({ conversationId }, { principal, runId }, model, inputTokens) {
      const usage = priced(model, { inputTokens: Math.ceil(inputTokens), outputTokens: usualAnswer });
      await attempts.beginAsk({ conversationId, runId, principal, model, day: today(), usage, at: clock.now() });
    },
    free: ({ conversationId }) => attempts.endAsk(conversationId),
    async spend({ conversationId }, payer, asked, given) {
      const usage = note(asked, given);
      await spending.add({ conversationId, ...payer, model: given.model ?? asked, usage, day: today() });
    },
    async tellWaiting(approval) {
      const { id, conversationId } = approval;
      await say(conversationId, { id: `waits${id}`, kind: 'notice', markdown: waitingWords(approval) });
      deliver([conversationId]);
    },
  };
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

const nothing: Spent = { tokens: 0, cost: 0 };

/** The number of output tokens to assume when it is unknown. */
const usualAnswer = 1000;

function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

/**
 * The calls in flight by account, and the most that each may spend: as much as the largest so far. Bounds what
 * concurrent calls spend before any of them has reported its usage.
 */
function createCallsInFlight(largestCall: Spent) {
  const calls = new Map<string, number>();
  let largest = largestCall;
  let oneEnds = Promise.withResolvers<void>();

  /** A call has reported its usage. */
  function took({ tokens, cost }: Spent): void {
    largest = { tokens: Math.max(largest.tokens, tokens), cost: Math.max(largest.cost, cost) };
  }

  /** The most that the calls in flight may spend: those of these accounts, or all. */
  function mayTake(accounts?: readonly string[]): Spent {
    const counts = accounts?.map((account) => calls.get(account) ?? 0) ?? [...calls.values()];
    const count = counts.reduce((sum, some) => sum + some, 0);
    return { tokens: times(count, largest.tokens), cost: times(count, largest.cost) };
  }

  /** Starts a call. Call the returned function when its usage is stored. */
  function begin(principal: string): () => void {
    calls.set(principal, (calls.get(principal) ?? 0) + 1);
    return () => {
      const left = (calls.get(principal) ?? 1) - 1;
      if (left === 0) calls.delete(principal);
      else calls.set(principal, left);
      oneEnds.resolve();
      oneEnds = Promise.withResolvers<void>();
    };
  }

  const whenOneEnds = (signal: AbortSignal): Promise<void> => untilAborted(oneEnds.promise, signal);

  return { took, mayTake, begin, whenOneEnds };
}

/** `0 * Infinity` counts as 0. */
function times(count: number, amount: number): number {
  return count === 0 ? 0 : count * amount;
}
