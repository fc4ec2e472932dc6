import type { OutboxDraft, StoredMessage } from '../approval/approval.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import { brokenResult, cancelledResult, expiredResult, unknownResult } from '../approval/call-results.ts';
import { unreachableNotice } from '../approval/card.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { inlineCode } from '../lib/plain-text.ts';
import { isRepeatable } from '../tools/category.ts';
import type { ToolOutput } from '../tools/output.ts';
import type { ToolRunner } from '../tools/runner.ts';
import { trackStatus } from '../tools/status.ts';
import type { PreparedCall, ToolContext } from '../tools/tool.ts';
import type { CallResult } from '../transcript.ts';
import { approvalRequest } from './approval-request.ts';
import type { CallJudge, Judgement, Surroundings } from './call-judge.ts';
import type { CallTools } from './call-tools.ts';
import type { Presenter } from './presenter.ts';
import type { CallEnd, JournalEntry, RunState, RunStore } from './run-store.ts';
import { isPersonsWish } from './stop-request.ts';

export interface CallRunnerDependencies {
  readonly store: RunStore;
  readonly judge: CallJudge;
  readonly callTools: CallTools;
  readonly broker: ApprovalBroker;
  readonly runner: ToolRunner;
  readonly presenter: Presenter;
  /** Stores something to say in the conversation. */
  readonly say: (draft: OutboxDraft) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** How old an approval of a former process may be when its call begins, in milliseconds. */
  readonly executeWithin: number;
}

/** A call whose beginning is on disk. */
export interface BegunCall {
  readonly id: string;
  readonly runId: string;
  readonly prepared: PreparedCall;
}

/** Brings stored calls to their end: runs them, asks for them again, or says why not. Journals before and after. */
export class CallRunner {
  readonly #dependencies: CallRunnerDependencies;
  readonly #startedAt: number;

  constructor(dependencies: CallRunnerDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock.now();
  }

  /** Goes on with a call that is ready, or that a former process had begun. */
  async settle(entry: JournalEntry, state: RunState, where: Surroundings, signal: AbortSignal): Promise<void> {
    if (entry.state === 'begun' && !(entry.category !== undefined && isRepeatable(entry.category))) {
      await this.writeOff(entry, state.conversationId);
      return;
    }
    const judgement = await this.#dependencies.judge.recheck({ ...entry, approved: this.#isApproved(entry) }, where);
    switch (judgement.type) {
      case 'reject': {
        const cardNote = '⚠️ It did not run: a rule forbids it now.';
        await this.#end(entry.id, state.conversationId, { result: judgement.result, cardNote });
        return;
      }
      case 'ask':
        await this.#askAgain(entry, judgement, state, where);
        return;
      case 'run': {
        const { store, clock } = this.#dependencies;
        const begun = entry.state === 'begun' || (await store.begin(entry.id, clock.now()));
        if (begun)
          await this.execute({ id: entry.id, runId: entry.runId, prepared: judgement.call.prepared }, where, signal);
      }
    }
  }

  /**
   * Ends a call whose end nobody knows. The person is told on its card, or in words of its own where there was no need to
   * ask.
   */
  writeOff({ id, name, approval }: JournalEntry, conversationId: string): Promise<void> {
    const notice = (): OutboxDraft => {
      const markdown = `⚠️ Outcome unknown: Keyturn was stopped while ${inlineCode(name)} ran.`;
      return { conversationId, message: { id: newId(20), kind: 'notice', markdown } };
    };
    const result: CallResult = { outcome: 'unknown', text: unknownResult() };
    const cardNote = '⚠️ Outcome unknown: Keyturn was stopped while it ran.';
    return this.#end(id, conversationId, { result, cardNote, messages: approval === undefined ? [notice()] : [] });
  }

  /** Ends a call that could not be brought to its end because of a fault of ours. One that awaits a person is left to him. */
  async giveUp(entry: JournalEntry, conversationId: string): Promise<void> {
    switch (entry.state) {
      case 'begun':
        return this.writeOff(entry, conversationId);
      case 'ready': {
        const result: CallResult = { outcome: 'error', text: brokenResult() };
        const cardNote = '⚠️ It did not run: something went wrong inside Keyturn.';
        return this.#end(entry.id, conversationId, { result, cardNote });
      }
      case 'awaiting':
      case 'done':
        return;
    }
  }

  /** Runs a call that has begun, and journals what came of it. A process that is ending leaves it begun. */
  async execute(call: BegunCall, where: Surroundings, signal: AbortSignal): Promise<void> {
    const { runner, crashPoint } = this.#dependencies;
    const { conversationId } = where.scope;
    crashPoint('call-begun');
    const status = trackStatus(call, (shown) => this.#dependencies.presenter.showStatus(conversationId, shown));
    status.doing(call.prepared.describe(where.scope));
    const { output, duration } = await runner.run(call.prepared, this.#context(call, where, signal, status.doing));
    crashPoint('call-executed');
    if (signal.aborted && !isPersonsWish(signal.reason)) return;
    status.end(!output.isError, duration);
    await this.#end(call.id, conversationId, endOf(output, duration, { conversationId, isStopped: signal.aborted }));
    crashPoint('call-done');
  }

  #context(call: BegunCall, where: Surroundings, signal: AbortSignal, progress: (tip: string) => void): ToolContext {
    const { say, log } = this.#dependencies;
    const { conversationId } = where.scope;
    return {
      ...where.scope,
      runId: call.runId,
      callId: call.id,
      signal,
      log: log.child({ call: call.id, tool: call.prepared.toolName }),
      reply: (text) => say({ conversationId, message: { id: newId(20), kind: 'for_user', markdown: text } }),
      progress,
    };
  }

  async #end(callId: string, conversationId: string, end: Ending): Promise<void> {
    const { store, clock, presenter, callTools } = this.#dependencies;
    callTools.release(callId);
    const cards = await store.end({ callId, duration: 0, messages: [], ...end, at: clock.now() });
    presenter.deliver([conversationId, ...cards]);
  }

  /** A decision that this process has not seen opens the call only for a while: who decided may no longer expect it. */
  #isApproved({ approval }: JournalEntry): boolean {
    if (approval?.state !== 'approved' || approval.decidedAt === undefined) return false;
    const { clock, executeWithin } = this.#dependencies;
    return approval.decidedAt >= this.#startedAt || clock.now() - approval.decidedAt <= executeWithin;
  }

  async #askAgain(
    entry: JournalEntry,
    judgement: Extract<Judgement, { type: 'ask' }>,
    state: RunState,
    where: Surroundings,
  ): Promise<void> {
    const { broker, store, presenter } = this.#dependencies;
    const draft = await broker.draft(await approvalRequest(entry.id, judgement, where));
    if (draft.approval.places.length === 0) {
      const result: CallResult = { outcome: 'expired', text: expiredResult() };
      const cardNote = unreachableNotice(draft.approval);
      await this.#end(entry.id, state.conversationId, { result, cardNote });
      return;
    }
    if (await store.reopen(entry.id, draft)) presenter.deliver([...draft.approval.places, state.conversationId]);
  }
}

/** What became of a call, for its journal, its card and for people. */
type Ending = Pick<CallEnd, 'result' | 'cardNote'> & Partial<Pick<CallEnd, 'duration' | 'messages'>>;

/** What became of a call that has run. */
function endOf(
  { isError, forLlm, forUser, files }: ToolOutput,
  duration: number,
  { conversationId, isStopped }: { readonly conversationId: string; readonly isStopped: boolean },
): Ending {
  const result: CallResult = isStopped
    ? { outcome: 'cancelled', text: `${cancelledResult(true)}\n${forLlm}` }
    : { outcome: isError ? 'error' : 'success', text: forLlm };
  const message: StoredMessage = {
    id: files?.messageId ?? newId(20),
    kind: 'for_user',
    markdown: forUser ?? '',
    ...(files === undefined ? {} : { files: files.files }),
  };
  const hasNews = forUser !== undefined || files !== undefined;
  const messages = hasNews && !isStopped ? [{ conversationId, message }] : [];
  return { result, cardNote: executedNote(result, duration), duration, messages };
}

function executedNote(result: CallResult, duration: number): string {
  const seconds = `${(duration / 1000).toFixed(1)} s`;
  switch (result.outcome) {
    case 'success':
      return `✔️ Done in ${seconds}.`;
    case 'cancelled':
      return `🚫 Stopped after ${seconds}.`;
    default:
      return `⚠️ Failed after ${seconds}.`;
  }
}
