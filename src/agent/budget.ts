import type { Approval, StoredMessage } from '../approval/approval.ts';
import { unreachableNotice } from '../approval/card.ts';
import type { BoundName } from '../approval/extension.ts';
import { waitingWords } from '../approval/extension-card.ts';
import type { Extensions } from '../approval/extensions.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { ModelUsage } from '../model/language-model.ts';
import { lastTurn } from '../transcript.ts';
import { goOnWords, type ReachedBound, reachedWords } from './budget-words.ts';
import type { Surroundings } from './call-judge.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import type { Ask, RunOf } from './next-step.ts';
import type { RunState, RunStore } from './run-store.ts';
import { type SpendingStore, type Spent, spentOf } from './spending-store.ts';

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

export interface BudgetDependencies {
  readonly store: Pick<RunStore, 'askToGoOn' | 'close'>;
  readonly spending: SpendingStore;
  readonly extensions: Pick<Extensions, 'draft'>;
  readonly limits: BudgetLimits;
  readonly inFlight: CallsInFlight;
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
export type Admission = { readonly type: 'open'; readonly leave: () => void } | { readonly type: 'closed' };

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
    const { inFlight } = this.#dependencies;
    for (;;) {
      const found = this.#ofRun(state, ask.run) ?? (await this.#ofDay(state, ask.run));
      if (signal.aborted) return { type: 'closed' };
      if (found === undefined) return { type: 'open', leave: inFlight.begin(ask.run.principal) };
      if (found !== 'perhaps') {
        await this.#askToGoOn(found, state, ask, where);
        return { type: 'closed' };
      }
      await inFlight.whenOneEnds(signal);
    }
  }

  async #askToGoOn(reached: ReachedBound, state: RunState, ask: Ask, where: Surroundings): Promise<void> {
    const { store, extensions, deliver } = this.#dependencies;
    const { name } = where.scope.sender;
    const { bound, spent, limit } = reached;
    const asked = await extensions.draft({
      conversationId: state.conversationId,
      conversationTitle: where.place,
      requester: ask.run.principal,
      requesterName: name,
      extension: { runId: ask.run.runId, bound, until: spent + limit, seenSeq: ask.seenSeq },
      reason: reachedWords(reached, name),
      description: goOnWords(reached),
    });
    if (asked.approval.places.length === 0) {
      const words = `⏸️ ${reachedWords(reached, name)}\n\n${unreachableNotice(asked.approval)}`;
      return this.#close(state, ask, words);
    }
    await store.askToGoOn(asked, state.newestTurn);
    deliver([state.conversationId, ...asked.approval.places]);
  }

  /** What an answer took is known. */
  noteSize(usage: ModelUsage): void {
    this.#dependencies.inFlight.took(spentOf(usage));
  }

  /** Writes down what an answer took that is not kept. */
  async spend(state: RunState, run: RunOf, model: string, usage: ModelUsage): Promise<void> {
    const { conversationId } = state;
    const spending = { conversationId, ...run, model: usage.model ?? model, usage, day: this.today() };
    this.noteSize(usage);
    await this.#dependencies.spending.add(spending);
  }

  /** Tells a person, once, that what he says has to wait until somebody has decided. */
  async tellWaiting(approval: Approval): Promise<void> {
    const { say, deliver } = this.#dependencies;
    const { id, conversationId } = approval;
    await say(conversationId, { id: `waits-${id}`, kind: 'notice', markdown: waitingWords(approval) });
    deliver([conversationId]);
  }

  #ofRun(state: RunState, run: RunOf): ReachedBound | undefined {
    const { turns, perRun } = this.#dependencies.limits;
    const last = lastTurn(state.transcript);
    const taken = last?.type === 'turn' && last.runId === run.runId ? state.turnsOfRun : 0;
    const spent = state.spent.runId === run.runId ? state.spent : { tokens: 0, cost: 0 };
    return (
      beyond({ bound: 'turns', spent: taken }, turns, state, run) ??
      beyond({ bound: 'tokens-per-run', spent: spent.tokens }, perRun.tokens, state, run) ??
      beyond({ bound: 'cost-per-run', spent: spent.cost }, perRun.cost, state, run)
    );
  }

  /** `perhaps`: that depends on what the calls take that are being answered. */
  async #ofDay(state: RunState, run: RunOf): Promise<ReachedBound | 'perhaps' | undefined> {
    const { limits, spending, inFlight } = this.#dependencies;
    if (isEndless(limits.perPerson) && isEndless(limits.perDay)) return undefined;
    const { person, all } = await spending.spentOn(this.today(), run.principal);
    const reached = this.#beyondDay(person, all, state, run);
    if (reached !== undefined) return reached;
    const worst = this.#beyondDay(
      sum(person, inFlight.mayTake(run.principal)),
      sum(all, inFlight.mayTake()),
      state,
      run,
    );
    return worst === undefined ? undefined : 'perhaps';
  }

  #beyondDay(person: Spent, all: Spent, state: RunState, run: RunOf): ReachedBound | undefined {
    const { perPerson, perDay } = this.#dependencies.limits;
    return (
      beyond({ bound: 'tokens-per-person', spent: person.tokens }, perPerson.tokens, state, run) ??
      beyond({ bound: 'cost-per-person', spent: person.cost }, perPerson.cost, state, run) ??
      beyond({ bound: 'tokens-per-day', spent: all.tokens }, perDay.tokens, state, run) ??
      beyond({ bound: 'cost-per-day', spent: all.cost }, perDay.cost, state, run)
    );
  }

  async #close(state: RunState, { run, seenSeq }: Ask, markdown: string): Promise<void> {
    const { store, clock, deliver } = this.#dependencies;
    const { conversationId, newestTurn: after } = state;
    const messages = [{ conversationId, message: { id: newId(20), kind: 'notice' as const, markdown } }];
    await store.close({ conversationId, after, ...run, seenSeq, reason: 'budget', messages, at: clock.now() });
    deliver([conversationId]);
  }
}

/** Undefined while it is within the limit, or within what somebody has allowed beyond it. */
function beyond(
  { bound, spent }: { readonly bound: BoundName; readonly spent: number },
  limit: number | undefined,
  { extensions }: RunState,
  { runId }: RunOf,
): ReachedBound | undefined {
  if (limit === undefined || spent < limit) return undefined;
  const allowed = extensions.some(
    ({ state, extension }) =>
      state === 'approved' && extension?.runId === runId && extension.bound === bound && spent < extension.until,
  );
  return allowed ? undefined : { bound, limit, spent };
}

function sum(one: Spent, other: Spent): Spent {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

function isEndless({ tokens, cost }: SpendingLimits): boolean {
  return tokens === undefined && cost === undefined;
}
