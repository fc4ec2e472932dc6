import type { OutboxDraft } from '../approval/approval.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import { brokenResult, expiredResult, unknownResult } from '../approval/call-results.ts';
import { unreachableNotice } from '../approval/card.ts';
import type { Questions } from '../approval/questions.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { inlineCode } from '../lib/plain-text.ts';
import type { CallHooks } from '../tools/call-hooks.ts';
import { isRepeatable } from '../tools/category.ts';
import type { PersonQuestion } from '../tools/facets.ts';
import type { ToolRunner } from '../tools/runner.ts';
import { trackStatus } from '../tools/status.ts';
import type { SubRunRequest } from '../tools/sub-run-request.ts';
import type { PreparedCall, ToolContext } from '../tools/tool.ts';
import type { CallResult } from '../transcript.ts';
import { approvalRequest } from './approval-request.ts';
import { type CallEnding, endOf, neverBegun } from './call-ending.ts';
import type { CallJudge, Judgement, Surroundings } from './call-judge.ts';
import type { CallTools } from './call-tools.ts';
import type { Presenter } from './presenter.ts';
import type { JournalEntry, RunStore } from './run-store.ts';
import { isPersonsWish } from './stop-request.ts';
import type { SubRuns } from './sub-runs.ts';
import { hookedCall } from './through-hooks.ts';

export interface CallRunnerDependencies {
  readonly store: RunStore;
  readonly judge: CallJudge;
  readonly callTools: CallTools;
  readonly broker: ApprovalBroker;
  readonly runner: ToolRunner;
  readonly presenter: Presenter;
  readonly questions: Pick<Questions, 'ask'>;
  readonly subRuns: Pick<SubRuns, 'begin'>;
  readonly hooks: Pick<CallHooks, 'after'>;
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
  async settle(entry: JournalEntry, where: Surroundings, signal: AbortSignal): Promise<void> {
    if (entry.state === 'begun' && !(await this.#mayRunAgain(entry, where))) {
      await this.writeOff(entry, where.scope.conversationId);
      return;
    }
    const judgement = await this.#dependencies.judge.recheck({ ...entry, approved: this.#isApproved(entry) }, where);
    switch (judgement.type) {
      case 'reject': {
        const cardNote = '⚠️ It did not run: a rule forbids it now.';
        await this.#end(entry.id, where.scope.conversationId, { result: judgement.result, cardNote });
        return;
      }
      case 'ask':
        await this.#askAgain(entry, judgement, where);
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
    const observe = await this.#observer(call, where);
    crashPoint('call-begun');
    const status = trackStatus(call, (shown) => this.#dependencies.presenter.showStatus(conversationId, shown));
    const { toolName, arguments: args } = call.prepared;
    this.#dependencies.presenter.showCall(conversationId, { callId: call.id, toolName, arguments: args });
    status.doing(call.prepared.describe(where.scope));
    const { output, duration } = await runner.run(call.prepared, this.#context(call, where, signal, status.doing));
    crashPoint('call-executed');
    if (signal.aborted && !isPersonsWish(signal.reason)) return;
    if (output.subRun !== undefined && !signal.aborted) return this.#handOver(call, output.subRun, where, duration);
    status.end(!output.isError, duration);
    const ending = endOf(output, duration, { conversationId, isStopped: signal.aborted });
    const { text, outcome } = ending.result;
    const shown = { callId: call.id, toolName, text, succeeded: outcome === 'success' || outcome === 'completed' };
    this.#dependencies.presenter.showResult(conversationId, shown);
    await this.#end(call.id, conversationId, ending);
    crashPoint('call-done');
    observe(ending.result);
  }

  /** What tells the hooks that it concerns what became of a call. */
  async #observer({ id, prepared }: BegunCall, { scope }: Surroundings): Promise<(ended: CallResult) => void> {
    const { hooks, callTools } = this.#dependencies;
    const concerned = hooks.after.filter((hook) => hook.fits(prepared));
    const found = concerned.length === 0 ? undefined : await callTools.of(id, prepared.toolName, scope);
    if (found === undefined) return () => {};
    const call = hookedCall(id, { prepared, source: found.source }, scope);
    return (ended) => {
      for (const hook of concerned) hook.observe(call, ended);
    };
  }

  /** Somebody else works on it: the call is over when he is. */
  async #handOver(call: BegunCall, request: SubRunRequest, where: Surroundings, duration: number): Promise<void> {
    const { id, prepared } = call;
    const begun = await this.#dependencies.subRuns.begin({ id, toolName: prepared.toolName }, request, where);
    if (begun === 'begun') return;
    const { conversationId } = where.scope;
    const ending = begun === 'stopped' ? neverBegun : endOf(begun, duration, { conversationId, isStopped: false });
    await this.#end(id, conversationId, ending);
  }

  /** Whether a call that may have run can run: it changes nothing outside. */
  async #mayRunAgain(entry: JournalEntry, { scope }: Surroundings): Promise<boolean> {
    if (entry.category !== undefined && isRepeatable(entry.category)) return true;
    const found = await this.#dependencies.callTools.of(entry.id, entry.name, scope);
    const preparation = await found?.tool.prepare(entry.arguments);
    return preparation?.valid === true && preparation.call.facets.repeatable === true;
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
      ask: (question, called) => this.#ask(call, where, question, called ?? signal),
    };
  }

  /** What the tool wants to know of the person while it works. */
  #ask({ id, prepared }: BegunCall, where: Surroundings, question: PersonQuestion, signal: AbortSignal) {
    const { scope, runsIn } = where;
    const request = {
      callId: id,
      conversationId: scope.conversationId,
      ...(runsIn === undefined ? {} : { runsIn }),
      requester: scope.sender.principal,
      requesterName: scope.sender.name,
      toolName: prepared.toolName,
      // It is no permission: nothing is bound to it.
      hash: '',
      question,
    };
    return this.#dependencies.questions.ask(request, signal);
  }

  async #end(callId: string, conversationId: string, end: CallEnding): Promise<void> {
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
    where: Surroundings,
  ): Promise<void> {
    const { broker, store, presenter } = this.#dependencies;
    const { conversationId } = where.scope;
    const draft = await broker.draft(await approvalRequest(entry.id, judgement, where));
    if (draft.approval.places.length === 0) {
      const result: CallResult = { outcome: 'expired', text: expiredResult() };
      const cardNote = unreachableNotice(draft.approval);
      await this.#end(entry.id, conversationId, { result, cardNote });
      return;
    }
    if (await store.reopen(entry.id, draft)) presenter.deliver([...draft.approval.places, conversationId]);
  }
}
