import type { Approval, StoredMessage } from '../approval/approval.ts';
import { unreachableNotice } from '../approval/card.ts';
import { waitingWords } from '../approval/extension-card.ts';
import type { Extensions } from '../approval/extensions.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { ModelUsage } from '../model/language-model.ts';
import { costOf, type ModelPrice } from '../model/price.ts';
import { goOnWords, reachedWords } from './budget-words.ts';
import type { Surroundings } from './call-judge.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import type { Ask, RunOf } from './next-step.ts';
import { type BudgetLimits, boundOfDay, boundOfRun, isEndless, type ReachedBound } from './reached-bound.ts';
import type { RunState, RunStore } from './run-store.ts';
import { type SpendingStore, type Spent, spentOf } from './spending-store.ts';

export interface BudgetDependencies {
  readonly store: Pick<RunStore, 'askToGoOn' | 'close'>;
  readonly spending: SpendingStore;
  readonly extensions: Pick<Extensions, 'draft'>;
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
 * `open`: the model may be asked; `leave` is called when what it took is stored · `closed`: a bound is reached, and somebody
 * was asked whether the run may go on, or where nobody can be, the run is over; or the signal has aborted.
 */
export type Admission = Open | { readonly type: 'closed' };

interface Open {
  readonly type: 'open';
  readonly leave: () => void;
}

/**
 * Looks before each call of a model whether it may still be paid for. What was spent stands in the store, so that it holds
 * across restarts; each bound is overshot by the one call at most that reaches it. Near a bound of a day, the calls that
 * spend from it wait for each other.
 */
export class Budget {
  readonly #dependencies: BudgetDependencies;

  constructor(dependencies: BudgetDependencies) {
    this.#dependencies = dependencies;
  }

  /** The day that is spent on now. */
  today(): string {
    return this.#dependencies.dayOf(this.#dependencies.clock.now());
  }

  /** Waits while calls are being answered that may reach a bound of the day. */
  async admit(state: RunState, ask: Ask, where: Surroundings, signal: AbortSignal): Promise<Admission> {
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
      // Nothing is awaited from here to the beginning: whoever else waits looks in the same instant.
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

  async #askToGoOn(reached: ReachedBound, state: RunState, ask: Ask, where: Surroundings): Promise<void> {
    const { store, extensions, deliver } = this.#dependencies;
    const { name } = where.scope.sender;
    const { bound, ofRun, limit } = reached;
    // The run that waits for it goes on, with what it came to, and asks if need be.
    if (state.subRun !== undefined) return this.#close(state, ask, bound === 'turns' ? 'limit' : 'budget');
    const asked = await extensions.draft({
      conversationId: state.conversationId,
      conversationTitle: where.place,
      requester: ask.run.principal,
      requesterName: name,
      extension: { runId: ask.run.runId, bound, until: ofRun + limit, seenSeq: ask.seenSeq },
      reason: reachedWords(reached, name),
      description: goOnWords(reached),
    });
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

  /** Writes down what an answer took that is not kept; of no run, if none is named. */
  async spend(state: RunState, payer: Payer, asked: string, usage: ModelUsage): Promise<void> {
    const model = usage.model ?? asked;
    const priced = this.#priced(model, usage);
    this.noteSize(priced);
    const { conversationId } = state;
    await this.#dependencies.spending.add({ conversationId, ...payer, model, usage: priced, day: this.today() });
  }

  /** Tells a person, once, that what he says has to wait until somebody has decided. */
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
    const message = words === undefined ? [] : [{ id: newId(20), kind: 'notice' as const, markdown: words }];
    const messages = message.map((notice) => ({ conversationId, message: notice }));
    await store.close({ conversationId, after, ...run, seenSeq, reason, messages, at: clock.now() });
    deliver([conversationId]);
  }
}

/** Whose an answer was, and for which run, if it was for one. */
export type Payer = Pick<RunOf, 'principal'> & Partial<Pick<RunOf, 'runId'>>;

const nothing: Spent = { tokens: 0, cost: 0 };

function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}
