import type { Approval, ExtensionApproval } from '../../approval/approval.ts';
import { unreachableNotice, waitingWords } from '../../approval/cards.ts';
import type { Approvals } from '../../engine/decide.ts';
import type { Admission, Budget, Payer, RunScope } from '../../engine/feature.ts';
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
import type { ModelUsage } from '../../models/language-model.ts';
import { costOf, type ModelPrice } from '../../models/price.ts';
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

interface BudgetDependencies {
  readonly store: Pick<RunStore, 'close'> & ExtensionStore;
  readonly spending: SpendingStore;
  readonly attempts: Pick<AttemptStore, 'beginAsk' | 'endAsk'>;
  readonly approvals: Pick<Approvals, 'draftExtension'>;
  readonly limits: BudgetLimits;
  readonly inFlight: CallsInFlight;
  /** What a model costs, by its name in the config; undefined where that is not known. */
  readonly priceOf: (model: string) => ModelPrice | undefined;
  /** All accounts of the person to whom this one belongs. */
  readonly accountsOf: (principal: string) => readonly string[];
  /** The day of an instant: `2026-03-04`. */
  readonly dayOf: (at: number) => string;
  readonly clock: Clock;
  /** Stores a message for people. One with an id that is known is not stored again. */
  readonly say: (conversationId: string, message: StoredMessage) => Promise<void>;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/**
 * Looks before each call of a model whether it may still be paid for. What was spent stands in the store, so that it holds
 * across restarts; each bound is overshot by the one call at most that reaches it. Near a bound of a day, the calls that
 * spend from it wait for each other.
 */
export class RunBudget implements Budget {
  readonly #dependencies: BudgetDependencies;

  constructor(dependencies: BudgetDependencies) {
    this.#dependencies = dependencies;
  }

  /** The day that is spent on now. */
  today(): string {
    return this.#dependencies.dayOf(this.#dependencies.clock.now());
  }

  /** Waits while calls are being answered that may reach a bound of the day. */
  async admit(state: RunState, ask: Ask, where: RunScope, signal: AbortSignal): Promise<Admission> {
    const entry = await this.#enter(state, ask.run, signal);
    if (entry.type !== 'reached') return entry;
    await this.#askToGoOn(entry.reached, state, ask, where);
    return { type: 'closed' };
  }

  /**
   * The same for a call that belongs to no run, since a person wants it: nobody is asked then. `refused`: the words say
   * why, as a markdown sentence.
   */
  async admitAside(
    state: RunState,
    { principal, name }: { readonly principal: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<Admission | { readonly type: 'refused'; readonly words: string }> {
    const entry = await this.#enter(state, { runId: '', principal }, signal);
    return entry.type === 'reached' ? { type: 'refused', words: reachedWords(entry.reached, name) } : entry;
  }

  async #enter(
    state: RunState,
    run: RunOf,
    signal: AbortSignal,
  ): Promise<Admission | { readonly type: 'reached'; readonly reached: ReachedBound }> {
    const { limits, inFlight, accountsOf } = this.#dependencies;
    for (;;) {
      const { person, all } = await this.#spentToday(run);
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

  async #askToGoOn(reached: ReachedBound, state: RunState, ask: Ask, where: RunScope): Promise<void> {
    const { store, approvals, deliver } = this.#dependencies;
    const { name } = where.scope.sender;
    const { bound, ofRun, limit } = reached;
    // The run that waits for it goes on, with what it came to, and asks if need be.
    if (state.subRun !== undefined) return this.#close(state, ask, bound === 'turns' ? 'limit' : 'budget');
    const extension = { runId: ask.run.runId, bound, until: ofRun + limit, seenSeq: ask.seenSeq };
    const asked = await approvals.draftExtension(
      { extension, reason: reachedWords(reached, name), description: goOnWords(reached) },
      where,
    );
    if (asked.approval.places.length === 0) {
      const words = `⏸️ ${reachedWords(reached, name)}\n\n${unreachableNotice(asked.approval)}`;
      return this.#close(state, ask, 'budget', words);
    }
    await store.askToGoOn(asked, state.newestTurn);
    deliver([state.conversationId, ...asked.approval.places]);
  }

  /** What an answer took is known. */
  noteSize(usage: ModelUsage): void {
    this.#dependencies.inFlight.took(spentOf(usage));
  }

  /** Writes down that a model is about to be asked: a process that dies before the answer is stored has paid for it. */
  async begin(state: RunState, { principal, runId }: Payer, model: string, inputTokens: number): Promise<void> {
    const { attempts, clock } = this.#dependencies;
    const usage = this.#priced(model, { inputTokens: Math.ceil(inputTokens), outputTokens: usualAnswer });
    const { conversationId } = state;
    await attempts.beginAsk({ conversationId, runId, principal, model, day: this.today(), usage, at: clock.now() });
  }

  /** Nothing is to be paid for what was asked last. */
  async free({ conversationId }: RunState): Promise<void> {
    await this.#dependencies.attempts.endAsk(conversationId);
  }

  /** Writes down what an answer took that is not kept; of no run, if none is named. */
  async spend(state: RunState, payer: Payer, asked: string, usage: ModelUsage): Promise<void> {
    const model = usage.model ?? asked;
    const priced = this.#priced(model, usage);
    this.noteSize(priced);
    const { conversationId } = state;
    await this.#dependencies.spending.add({ conversationId, ...payer, model, usage: priced, day: this.today() });
  }

  /** Tells a person, once, that their words wait until somebody has decided. */
  async tellWaiting(approval: Approval): Promise<void> {
    const { say, deliver } = this.#dependencies;
    const { id, conversationId } = approval;
    await say(conversationId, { id: `waits${id}`, kind: 'notice', markdown: waitingWords(approval) });
    deliver([conversationId]);
  }

  /** What was estimated has no price yet. */
  #priced(model: string, usage: ModelUsage): ModelUsage {
    const price = usage.cost === undefined ? this.#dependencies.priceOf(model) : undefined;
    return price === undefined ? usage : { ...usage, cost: costOf(usage, price) };
  }

  async #spentToday({ principal }: RunOf): Promise<{ readonly person: Spent; readonly all: Spent }> {
    const { limits, spending, accountsOf } = this.#dependencies;
    if (isEndless(limits)) return { person: nothing, all: nothing };
    return spending.spentOn(this.today(), accountsOf(principal));
  }

  async #close(state: RunState, { run, seenSeq }: Ask, reason: 'limit' | 'budget', words?: string): Promise<void> {
    const { store, clock, deliver } = this.#dependencies;
    const { conversationId, newestTurn: after } = state;
    const messages = words === undefined ? [] : [noticeIn(conversationId, words)];
    await store.close({ conversationId, after, ...run, seenSeq, reason, messages, at: clock.now() });
    deliver([conversationId]);
  }
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
export class CallsInFlight {
  readonly #accounts = new Map<string, number>();
  #largest: Spent;
  #oneEnds = Promise.withResolvers<void>();

  /** `largest`: what a call may take before any has said what it took. */
  constructor(largest: Spent) {
    this.#largest = largest;
  }

  /** A call has said what it took. */
  took({ tokens, cost }: Spent): void {
    this.#largest = { tokens: Math.max(this.#largest.tokens, tokens), cost: Math.max(this.#largest.cost, cost) };
  }

  /** What may be spent by the calls that are being answered: of one person, by their accounts, or of all. */
  mayTake(accounts?: readonly string[]): Spent {
    const counts = accounts?.map((account) => this.#accounts.get(account) ?? 0) ?? [...this.#accounts.values()];
    const count = counts.reduce((sum, some) => sum + some, 0);
    return { tokens: times(count, this.#largest.tokens), cost: times(count, this.#largest.cost) };
  }

  /** A call begins. Call what it returns when what it took is stored. */
  begin(principal: string): () => void {
    this.#accounts.set(principal, (this.#accounts.get(principal) ?? 0) + 1);
    return () => {
      const left = (this.#accounts.get(principal) ?? 1) - 1;
      if (left === 0) this.#accounts.delete(principal);
      else this.#accounts.set(principal, left);
      this.#oneEnds.resolve();
      this.#oneEnds = Promise.withResolvers<void>();
    };
  }

  /** Resolves when one of them has ended, or the signal aborts. */
  async whenOneEnds(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const aborted = Promise.withResolvers<void>();
    const abort = (): void => aborted.resolve();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#oneEnds.promise, aborted.promise]);
    signal.removeEventListener('abort', abort);
  }
}

/** Nothing of something endless is nothing. */
function times(count: number, amount: number): number {
  return count === 0 ? 0 : count * amount;
}
