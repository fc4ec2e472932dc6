import type { OutboxDraft } from '../approval/approval.ts';
import type { Conversation } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { escapeMarkdown, inlineCode } from '../lib/plain-text.ts';
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
import type { JournalEntry, RunState, RunStore } from './run-store.ts';
import type { Stuck, StuckLimits } from './stuck.ts';
import { messageIdsOf } from './taken-messages.ts';

export interface LoopDependencies {
  readonly store: RunStore;
  readonly modelTurn: ModelTurn;
  readonly callRunner: CallRunner;
  readonly budget: Budget;
  readonly compactor: Compactor;
  readonly attachments: AttachmentFetcher;
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
    const { store, presenter, budget, limits } = this.#dependencies;
    while (!signals.signal.aborted && !signals.ending.aborted) {
      const state = await store.load(conversationId);
      const step = nextStep(state, limits);
      if (step.type === 'park') return step.waiting === undefined ? undefined : budget.tellWaiting(step.waiting);
      if (step.type === 'rest') {
        presenter.settled(conversationId);
        return state.isOpen ? store.rest(conversationId) : undefined;
      }
      if ((await this.#take(step, state, signals)) === 'answered') return presenter.settled(conversationId);
    }
  }

  /**
   * Ends the newest run because of a fault of ours, with words for the person. Its calls get results, or are deferred, so
   * that the conversation can go on.
   */
  async giveUp(conversationId: string, words: string): Promise<void> {
    const { store, callRunner } = this.#dependencies;
    const state = await store.load(conversationId);
    const step = nextStep({ ...state, wantsSummary: false }, { maxFailures: 0, maxRepeats: 0 });
    const open = openCalls(state.transcript).flatMap(({ id }) => state.journal.get(id) ?? []);
    for (const call of step.type === 'settle' ? [...step.calls, ...open] : open) {
      await callRunner.giveUp(call, conversationId);
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
        await this.#showingWork(state, () => this.#summarise(state, signals));
        return 'more';
      case 'settle': {
        const settle = (call: JournalEntry): Promise<void> =>
          callRunner.settle(call, state, this.#surroundings(state, call.principal), signals.signal);
        await this.#showingWork(state, () => allEnded(step.calls.map(settle)));
        return 'more';
      }
      case 'write-off':
        await callRunner.writeOff(step.call, state.conversationId);
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

  async #summarise(state: RunState, { signal, ending }: RunSignals): Promise<void> {
    const { scope } = this.#surroundings(state, lastPrincipal(state));
    await this.#dependencies.compactor.now(state, scope, AbortSignal.any([signal, ending]));
  }

  async #ask(step: Ask, state: RunState, { signal, ending, news }: RunSignals): Promise<'answered' | 'more'> {
    const { callRunner } = this.#dependencies;
    const where = this.#surroundings(state, step.run.principal);
    try {
      const outcome = await this.#turn(step, state, where, { signal: AbortSignal.any([signal, ending]), news });
      if (outcome.type === 'empty') {
        await this.#close(
          state,
          step.run,
          step.seenSeq,
          'failed',
          '⚠️ The model gave an empty answer. Please ask again, or in other words.',
        );
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
      await this.#close(state, step.run, step.seenSeq, 'failed', `⚠️ ${escapeMarkdown(error.message)}`);
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
      return room === 'changed' ? { type: 'outdated' } : await modelTurn.take(state, step, where, signals);
    } finally {
      admission.leave();
    }
  }

  async #close(state: RunState, run: RunOf, seenSeq: number, reason: ClosingReason, words?: string): Promise<void> {
    const { store, presenter, clock } = this.#dependencies;
    const { conversationId } = state;
    const messages: readonly OutboxDraft[] =
      words === undefined ? [] : [{ conversationId, message: { id: newId(20), kind: 'notice', markdown: words } }];
    await store.close({ conversationId, after: state.newestTurn, ...run, seenSeq, reason, messages, at: clock.now() });
    presenter.deliver([conversationId]);
  }

  #surroundings(state: RunState, principal: string): Surroundings {
    const { conversationId, labels } = state;
    const { title: _title, ...place } = state.conversation;
    const workspace = this.#dependencies.workspaceOf(state.conversation);
    const sender = { principal, name: nameOf(principal, state) };
    return { place: placeName(state), scope: { ...place, conversationId, workspace, sender }, labels };
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

function stuckWords({ type, toolName, times }: Stuck): string {
  const tool = inlineCode(toolName);
  const what =
    type === 'failing'
      ? `${tool} has failed ${times} times in a row`
      : `the same call of ${tool} gave the same result ${times} times`;
  return `⏸️ I stopped here: ${what}. Say "go on" if I should try further, or tell me what to do instead.`;
}

/** Whose tools a request would tell of now. */
function lastPrincipal({ transcript }: RunState): string {
  return transcript.entries.findLast((entry) => 'principal' in entry)?.principal ?? 'keyturn';
}

/** Rejects when all have ended, if one has failed. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((work) => work.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function placeName({ conversation, conversationId }: RunState): string {
  const { kind, channel, title = conversationId } = conversation;
  return kind === 'direct' ? `a direct chat on ${channel}` : title;
}

function nameOf(principal: string, { transcript, deferred }: RunState): string {
  const name = transcript.entries
    .flatMap((entry) =>
      (entry.type === 'user' || entry.type === 'event') && entry.principal === principal ? entry : [],
    )
    .findLast((entry) => entry.name !== undefined)?.name;
  if (name !== undefined) return name;
  return deferred.find((call) => call.principal === principal)?.principalName ?? principal;
}
