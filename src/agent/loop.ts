import type { OutboxDraft } from '../approval/approval.ts';
import type { Conversation } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { ModelError } from '../model/language-model.ts';
import { type ClosingReason, lastTurn, openCalls, unseen } from '../transcript.ts';
import type { AttachmentFetcher } from './attachment-fetcher.ts';
import type { Budget } from './budget.ts';
import type { Surroundings } from './call-judge.ts';
import type { CallRunner } from './call-runner.ts';
import type { Compactor } from './compactor.ts';
import type { ModelTurn, TurnOutcome, TurnSignals } from './model-turn.ts';
import type { News } from './news.ts';
import { type Ask, type Fetch, nextStep, type RunOf, type Step } from './next-step.ts';
import type { Presenter } from './presenter.ts';
import { closingWords, emptyWords, failureOf, type Why } from './run-failure.ts';
import type { JournalEntry, RunState, RunStore } from './run-store.ts';
import { Silence } from './silence.ts';
import type { StuckLimits } from './stuck.ts';
import { stuckWords } from './stuck-words.ts';
import { shownIn } from './sub-run.ts';
import { silentWords } from './sub-run-result.ts';
import type { SubRuns } from './sub-runs.ts';
import { surroundingsOf } from './surroundings.ts';
import { messageIdsOf } from './taken-messages.ts';

export interface LoopDependencies {
  readonly store: RunStore;
  readonly modelTurn: ModelTurn;
  readonly callRunner: CallRunner;
  readonly budget: Budget;
  readonly compactor: Compactor;
  readonly attachments: AttachmentFetcher;
  readonly subRuns: SubRuns;
  readonly presenter: Presenter;
  /** The folder that the tools of a conversation work in: absolute, existing, without symlinks. */
  readonly workspaceOf: (conversation: Conversation) => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: StuckLimits;
}

/** How a run is told to end: at once, or before it begins something new. */
export interface RunSignals {
  /** Aborts what is being done. */
  readonly signal: AbortSignal;
  /** Aborts a model's answer, which can be had again, but lets a tool end. */
  readonly ending: AbortSignal;
  /** What is said in the conversation meanwhile. */
  readonly news: News;
}

/**
 * Goes on with conversations, one step after the other, each of which follows from what is stored. It may be left at any
 * instant: whoever calls it next finds what there is to do.
 */
export class AgentLoop {
  readonly #dependencies: LoopDependencies;

  constructor(dependencies: LoopDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when all is answered, or only a person can help, or one of the signals says so. The conversation must be claimed. */
  async advance(conversationId: string, signals: RunSignals): Promise<void> {
    const { store, presenter, budget, subRuns, limits } = this.#dependencies;
    while (!signals.signal.aborted && !signals.ending.aborted) {
      const state = await store.load(conversationId);
      const { subRun } = state;
      const gone = subRun === undefined ? undefined : subRuns.goneWords(subRun);
      if (gone !== undefined) return this.giveUp(conversationId, gone);
      const step = nextStep(state, limits);
      if (step.type === 'park') return step.waiting === undefined ? undefined : budget.tellWaiting(step.waiting);
      if (step.type === 'rest') {
        if (subRun !== undefined) return subRuns.rest(state, subRun);
        presenter.settled(conversationId);
        return state.isOpen ? store.rest(conversationId) : undefined;
      }
      const isAnswered = (await this.#take(step, state, signals)) === 'answered';
      if (isAnswered && subRun === undefined) return presenter.settled(conversationId);
    }
  }

  /**
   * Ends the newest run because of a fault of ours, with words for the person. Its calls get results, or are deferred, so
   * that the conversation can go on.
   */
  async giveUp(conversationId: string, words: string): Promise<void> {
    const { store, callRunner } = this.#dependencies;
    const state = await store.load(conversationId);
    const { summaryFor: _wanted, ...rest } = state;
    const step = nextStep(rest, { maxFailures: 0, maxRepeats: 0 });
    const open = openCalls(state.transcript).flatMap(({ id }) => state.journal.get(id) ?? []);
    for (const call of step.type === 'settle' ? [...step.calls, ...open] : open) {
      await callRunner.giveUp(call, shownIn(state));
    }
    await store.defer(open.map(({ id }) => id));
    const last = lastTurn(state.transcript);
    const run = 'run' in step ? step.run : { runId: 'none', principal: 'keyturn' };
    const seenSeq = 'seenSeq' in step ? step.seenSeq : (last?.seenSeq ?? 0);
    await this.#close(state, run, seenSeq, 'failed', words);
  }

  /** `answered`: nothing is left to do that was there when the state was loaded. What came since wakes the conversation again. */
  async #take(
    step: Exclude<Step, { type: 'rest' | 'park' }>,
    state: RunState,
    signals: RunSignals,
  ): Promise<'answered' | 'more'> {
    const { store, callRunner } = this.#dependencies;
    switch (step.type) {
      case 'summarise':
        await this.#showingWork(state, () => this.#summarise(step.principal, state, signals));
        return 'more';
      case 'settle': {
        const settle = (call: JournalEntry): Promise<void> =>
          callRunner.settle(call, this.#surroundings(state, call.principal), signals.signal);
        await this.#showingWork(state, () => allEnded(step.calls.map(settle)));
        return 'more';
      }
      case 'write-off':
        await callRunner.writeOff(step.call, shownIn(state));
        return 'more';
      case 'defer':
        await store.defer(step.callIds);
        return 'more';
      case 'close':
        await this.#close(state, step.run, step.seenSeq, step.reason);
        return 'more';
      case 'pause':
        await this.#close(state, step.run, step.seenSeq, 'stuck', stuckWords(step.stuck));
        return 'more';
      case 'fetch':
        await this.#showingWork(state, () => this.#fetch(step, state, signals));
        return 'more';
      case 'ask':
        return this.#showingWork(state, () => this.#ask(step, state, signals));
    }
  }

  async #fetch({ seqs }: Fetch, state: RunState, { signal, ending }: RunSignals): Promise<void> {
    const { attachments, workspaceOf } = this.#dependencies;
    const { conversationId, conversation } = state;
    const request = { conversationId, conversation, workspace: workspaceOf(conversation), seqs };
    await attachments.fetch(request, AbortSignal.any([signal, ending]));
  }

  async #summarise(principal: string, state: RunState, { signal, ending }: RunSignals): Promise<void> {
    const { scope } = this.#surroundings(state, principal);
    await this.#dependencies.compactor.now(state, scope, AbortSignal.any([signal, ending]));
  }

  async #ask(step: Ask, state: RunState, { signal, ending, news }: RunSignals): Promise<'answered' | 'more'> {
    const { callRunner } = this.#dependencies;
    const where = this.#surroundings(state, step.run.principal);
    try {
      const outcome = await this.#turn(step, state, where, { signal: AbortSignal.any([signal, ending]), news });
      if (outcome.type === 'silent') await this.#close(state, step.run, step.seenSeq, 'failed', silentWords);
      if (outcome.type === 'empty') {
        await this.#close(state, step.run, step.seenSeq, 'failed', emptyWords);
      }
      if (outcome.type !== 'stored') return 'more';
      if (outcome.begun.length > 0) {
        await allEnded(outcome.begun.map((call) => callRunner.execute(call, where, signal)));
      }
      const hasSeenAll = unseen(state.transcript).every(({ seq }) => seq <= step.seenSeq);
      return outcome.callCount === 0 && hasSeenAll ? 'answered' : 'more';
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.#dependencies.log.warn(
        { conversation: state.conversationId, run: step.run.runId, fault: error.fault },
        'the model gave no answer; the chat says why',
      );
      await this.#close(state, step.run, step.seenSeq, 'failed', error);
      return 'more';
    }
  }

  /** Asks the model, if it may still be paid for. */
  async #turn(step: Ask, state: RunState, where: Surroundings, signals: TurnSignals): Promise<TurnOutcome> {
    const { modelTurn, compactor, presenter, budget } = this.#dependencies;
    const admission = await budget.admit(state, step, where, signals.signal);
    if (admission.type === 'closed') return { type: 'outdated' };
    try {
      presenter.showTaken(state.conversation, state.conversationId, messageIdsOf(state, step));
      const room = await compactor.beforeAsk(state, step, where.scope, signals.signal);
      if (room === 'changed') return { type: 'outdated' };
      return state.subRun === undefined
        ? await modelTurn.take(state, step, where, signals)
        : await this.#turnOfWorker(step, state, where, signals);
    } finally {
      admission.leave();
    }
  }

  /** Nobody watches a worker: if his model says nothing for long, he is given up. */
  async #turnOfWorker(step: Ask, state: RunState, where: Surroundings, signals: TurnSignals): Promise<TurnOutcome> {
    const { modelTurn, clock, subRuns } = this.#dependencies;
    const silence = new Silence(clock, subRuns.stall);
    const signal = AbortSignal.any([signals.signal, silence.signal]);
    try {
      const outcome = await modelTurn.take(state, step, where, { ...signals, signal, heard: silence.broken });
      return outcome.type === 'aborted' && silence.signal.aborted ? { type: 'silent' } : outcome;
    } finally {
      silence.end();
    }
  }

  async #close(state: RunState, run: RunOf, seenSeq: number, reason: ClosingReason, why?: Why): Promise<void> {
    const words = closingWords(why);
    const { store, presenter, clock, subRuns } = this.#dependencies;
    const { conversationId } = state;
    const messages: readonly OutboxDraft[] =
      words === undefined || state.subRun !== undefined
        ? []
        : [{ conversationId, message: { id: newId(20), kind: 'notice', markdown: words } }];
    await store.close({ conversationId, after: state.newestTurn, ...run, seenSeq, reason, messages, at: clock.now() });
    // What it failed of is known only now.
    if (state.subRun !== undefined && words !== undefined) await subRuns.end(state, state.subRun, words);
    presenter.closed(conversationId, reason, failureOf(why));
  }

  #surroundings(state: RunState, principal: string): Surroundings {
    const { workspaceOf, subRuns } = this.#dependencies;
    return surroundingsOf(state, principal, { workspaceOf, findWorker: (worker) => subRuns.workerOf(worker) });
  }

  async #showingWork<Result>(state: RunState, work: () => Promise<Result>): Promise<Result> {
    const done = this.#dependencies.presenter.showWorking(state.conversation, state.conversationId);
    try {
      return await work();
    } finally {
      done();
    }
  }
}

/** Rejects when all have ended, if one has failed. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((work) => work.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
