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
import { untilAborted } from '../../lib/until-aborted.ts';
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

/** Where it is kept that a run asks to go on. */
export interface ExtensionStore {
  /** The run asks people whether it may go on; `after` is the `newestTurn` of the state that it follows from. */
  askToGoOn(asked: ApprovalDraft<ExtensionApproval>, after: number): Promise<'stored' | 'outdated'>;
}

interface BudgetParts {
  readonly store: Pick<RunStore, 'close'> & ExtensionStore;
  readonly spending: SpendingStore;
  readonly attempts: Pick<AttemptStore, 'beginAsk' | 'endAsk'>;
  readonly approvals: Pick<Approvals, 'draftExtension'>;
  readonly limits: BudgetLimits;
  /** What a call may take before any has said what it took. */
  readonly largestCall: Spent;
  /** What a model costs, by its name in the config; undefined where that is not known. */
  readonly priceOf: (model: string) => ModelPrice | undefined;
  readonly accountsOf: (principal: string) => readonly string[];
  /** The day of an instant: `2026-03-04`. */
  readonly dayOf: (at: number) => string;
  readonly clock: Clock;
  /** Stores a message for people. One with an id that is known is not stored again. */
  readonly say: (conversationId: string, message: StoredMessage) => Promise<void>;
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/**
 * Looks before each call of a model whether it may still be paid for. What was spent stands in the store, so that it holds
 * across restarts; each bound is overshot by the one call at most that reaches it. Near a bound of a day, the calls that
 * spend from it wait for each other.
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
      // Nothing is awaited from here to the beginning: others that wait look in the same instant.
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
    // The run that waits for it goes on, with what it came to, and asks if need be.
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

/** In the operator's money, for a million tokens, as the config says it. */
export interface ModelPrice {
  readonly input_per_million: number;
  readonly output_per_million: number;
  /** Of what the provider had kept from before. Default: as any other input. */
  readonly cached_input_per_million?: number | undefined;
}

/** In millionths, rounded up: a millionth of the price of a million is the price of one. */
export function costOf({ inputTokens, cachedInputTokens = 0, outputTokens }: ModelUsage, price: ModelPrice): number {
  const cached = Math.min(cachedInputTokens, inputTokens);
  const ofCached = cached * (price.cached_input_per_million ?? price.input_per_million);
  const ofOthers = (inputTokens - cached) * price.input_per_million;
  return Math.ceil(ofOthers + ofCached + outputTokens * price.output_per_million);
}

const nothing: Spent = { tokens: 0, cost: 0 };

/** In tokens, where nobody can say how much was written. */
const usualAnswer = 1000;

function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

/**
 * Which calls of models are being answered, for whom, and what each may take at most: as much as the largest until now.
 * What several spend from at once is known by this before any of them has said what it took.
 */
function createCallsInFlight(largestCall: Spent) {
  const calls = new Map<string, number>();
  let largest = largestCall;
  let oneEnds = Promise.withResolvers<void>();

  /** A call has said what it took. */
  function took({ tokens, cost }: Spent): void {
    largest = { tokens: Math.max(largest.tokens, tokens), cost: Math.max(largest.cost, cost) };
  }

  /** What may be spent by the calls that are being answered: of one person, by their accounts, or of all. */
  function mayTake(accounts?: readonly string[]): Spent {
    const counts = accounts?.map((account) => calls.get(account) ?? 0) ?? [...calls.values()];
    const count = counts.reduce((sum, some) => sum + some, 0);
    return { tokens: times(count, largest.tokens), cost: times(count, largest.cost) };
  }

  /** A call begins. Call what it returns when what it took is stored. */
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

/** Nothing of something endless is nothing. */
function times(count: number, amount: number): number {
  return count === 0 ? 0 : count * amount;
}
