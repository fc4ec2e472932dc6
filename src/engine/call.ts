/*
 * A call from its verdict to its end. Beginning is written down before anything is done, and on disk; the end is one
 * transaction with the result, what people see of it, and what it changes in our own store. A call that had begun when
 * a process died runs again only if it changes nothing outside; of any other the model and the person are told that
 * nobody knows what became of it.
 */

import { unreachableNotice } from '../approval/cards.ts';
import { messagesOf, readsPrivate } from '../approval/verdict.ts';
import { newId } from '../lib/ids.ts';
import { inlineCode } from '../lib/plain-text.ts';
import { isRepeatable } from '../tools/category.ts';
import { error, type StoredEffect, type ToolOutput } from '../tools/output.ts';
import { trackStatus } from '../tools/status.ts';
import { isListOfNames } from '../tools/text.ts';
import type { PreparedCall, ToolContext } from '../tools/tool.ts';
import type { CallResult } from '../transcript.ts';
import { brokenResult, cancelledResult, expiredResult, unknownResult } from '../words/model-words.ts';
import type { Approvals } from './decide.ts';
import { isPersonsWish, type RunScope, type Runtime } from './feature.ts';
import type { CallEnd, JournalEntry } from './journal.ts';
import { askedOf, type BegunCall, type CallJudge, hookedCall, type Judgement } from './judge.ts';
import { noticeIn } from './message.ts';

/** What became of a call, for its journal, its card and for people. */
type CallEnding = Pick<CallEnd, 'result' | 'cardNote'> &
  Partial<Pick<CallEnd, 'duration' | 'messages' | 'effect' | 'brought'>>;

export type CallRunner = ReturnType<typeof createCallRunner>;

/** Brings stored calls to their end: runs them, asks for them again, or says why not. Journals before and after. */
export function createCallRunner(runtime: Runtime, approvals: Approvals, judge: CallJudge) {
  const { runs, runner, callTools, fileWatch, hooks, subRuns, view, say, settings, clock, log, crashPoint } = runtime;
  const startedAt = clock.now();

  async function end(callId: string, conversationId: string, ending: CallEnding): Promise<void> {
    callTools.release(callId);
    const cards = await runs.end({ callId, duration: 0, messages: [], ...ending, at: clock.now() });
    view.deliver([conversationId, ...cards]);
  }

  /** Goes on with a call that is ready, or that a former process had begun. */
  async function settle(entry: JournalEntry, where: RunScope, signal: AbortSignal): Promise<void> {
    const { id, runId } = entry;
    const { conversationId } = where.scope;
    if (entry.state === 'begun' && !(await mayRunAgain(entry, where))) return writeOff(entry, conversationId);
    const judgement = await judge.recheck(entry, isApproved(entry) ? entry.approval : undefined, where);
    switch (judgement.type) {
      case 'reject': {
        const { changed, result } = judgement;
        const why = changed === undefined ? 'a rule forbids it now' : `${changed} changed after this was approved`;
        return end(id, conversationId, { result, cardNote: `⚠️ It did not run: ${why}.` });
      }
      case 'ask':
        return askAgain(id, judgement, where);
      case 'run': {
        const hasBegun = entry.state === 'begun' || (await runs.begin(id, clock.now()));
        if (hasBegun) await execute({ id, runId, prepared: judgement.call.prepared }, where, signal);
      }
    }
  }

  /** Whether a call that may have run can run: it changes nothing outside. */
  async function mayRunAgain(entry: JournalEntry, { scope }: RunScope): Promise<boolean> {
    if (entry.category !== undefined && isRepeatable(entry.category)) return true;
    const found = await callTools.of(entry.id, entry.name, scope);
    const preparation = await found?.tool.prepare(entry.arguments);
    return preparation?.valid === true && preparation.call.facets.repeatable === true;
  }

  /** A decision that this process has not seen opens the call only for a while: its person may no longer expect it. */
  function isApproved({ approval }: JournalEntry): boolean {
    if (approval?.state !== 'approved' || approval.decidedAt === undefined) return false;
    return approval.decidedAt >= startedAt || clock.now() - approval.decidedAt <= settings.executeWithin;
  }

  async function askAgain(callId: string, judgement: Extract<Judgement, { type: 'ask' }>, where: RunScope) {
    const { conversationId } = where.scope;
    const draft = await approvals.draftPermission([askedOf(callId, judgement)], where);
    const { places } = draft.approval;
    if (places.length === 0) {
      const result: CallResult = { outcome: 'expired', text: expiredResult() };
      return end(callId, conversationId, { result, cardNote: unreachableNotice(draft.approval) });
    }
    if (await runs.reopen(callId, draft)) view.deliver([...places, conversationId]);
  }

  /**
   * Ends a call whose end nobody knows. The person is told on its card, or in words of its own where there was no need to
   * ask.
   */
  function writeOff({ id, name, approval }: JournalEntry, conversationId: string): Promise<void> {
    const result: CallResult = { outcome: 'unknown', text: unknownResult() };
    const notice = noticeIn(conversationId, `⚠️ Outcome unknown: Keyturn was stopped while ${inlineCode(name)} ran.`);
    const messages = approval === undefined ? [notice] : [];
    return end(id, conversationId, {
      result,
      cardNote: '⚠️ Outcome unknown: Keyturn was stopped while it ran.',
      messages,
    });
  }

  /** Ends a call that could not be brought to its end because of a fault of ours. One that awaits a person is left to them. */
  async function failCall(entry: JournalEntry, conversationId: string): Promise<void> {
    if (entry.state === 'begun') return writeOff(entry, conversationId);
    if (entry.state !== 'ready') return;
    const result: CallResult = { outcome: 'error', text: brokenResult() };
    const cardNote = '⚠️ It did not run: something went wrong inside Keyturn.';
    await end(entry.id, conversationId, { result, cardNote });
  }

  /** Runs a call that has begun, and journals what came of it. A process that is ending leaves it begun. */
  async function execute(call: BegunCall, where: RunScope, signal: AbortSignal): Promise<void> {
    const { id: callId, prepared } = call;
    const { toolName } = prepared;
    const { conversationId } = where.scope;
    const observe = await observerOf(call, where);
    crashPoint('call-begun');
    const status = trackStatus(call, (shown) => view.showStatus(conversationId, shown));
    view.showCall(conversationId, { callId, toolName, arguments: prepared.arguments });
    status.doing(prepared.describe(where.scope));
    const brings = prepared.facets.trusted === true ? undefined : prepared.facets.brings;
    const endWatch = await fileWatch.begin({
      ...{ callId, conversationId: where.runsIn ?? conversationId, category: prepared.category, brings },
      ...{ workspace: where.scope.workspace, sources: writersIn(where) },
    });
    const { output, duration } = await runner.run(prepared, contextOf(call, where, signal, status.doing));
    crashPoint('call-executed');
    const read = await endWatch(output);
    const isStopped = signal.aborted;
    if (isStopped && !isPersonsWish(signal.reason)) return;
    if (output.subRun !== undefined && !isStopped) {
      // Somebody else works on it: the call is over when they are.
      const begun = await subRuns.begin({ id: callId, toolName }, output.subRun, where);
      if (begun === 'begun') return;
      const ending =
        begun === 'stopped' ? neverBegun : endOf(begun, { prepared, duration, read, conversationId, isStopped: false });
      return end(callId, conversationId, ending);
    }
    const facts = { prepared, duration, read, conversationId, isStopped, withoutLinks: where.withoutLinks };
    const stored = output.effect && (await endWithEffect(call, output.effect, facts));
    const ending = stored ?? endOf(output, facts);
    const { text, outcome } = ending.result;
    const succeeded = outcome === 'success' || outcome === 'completed';
    status.end(stored === undefined ? !output.isError : succeeded, duration);
    view.showResult(conversationId, { callId, toolName, text, succeeded });
    if (stored === undefined) await end(callId, conversationId, ending);
    crashPoint('call-done');
    observe(ending.result);
  }

  /** Where what a call writes comes from: what was read, and the person whom it works for, if that is no owner. */
  function writersIn({ labels, scope: { sender } }: RunScope): readonly string[] {
    return settings.isOwner(sender.principal) ? labels.sources : [...labels.sources, messagesOf(sender.principal)];
  }

  /** What tells the hooks that it concerns what became of a call. */
  async function observerOf({ id, prepared }: BegunCall, { scope }: RunScope): Promise<(ended: CallResult) => void> {
    const concerned = hooks.after.filter((hook) => hook.fits(prepared));
    const found = concerned.length === 0 ? undefined : await callTools.of(id, prepared.toolName, scope);
    if (found === undefined) return () => {};
    const call = hookedCall(id, { prepared, source: found.source }, scope);
    return (ended) => {
      for (const hook of concerned) hook.observe(call, ended);
    };
  }

  function contextOf(
    { id: callId, runId, prepared: { toolName } }: BegunCall,
    where: RunScope,
    signal: AbortSignal,
    progress: (tip: string) => void,
  ): ToolContext {
    const { conversationId } = where.scope;
    return {
      ...where.scope,
      runId,
      callId,
      signal,
      log: log.child({ call: callId, tool: toolName }),
      reply: (text) => say({ conversationId, message: { id: newId(20), kind: 'for_user', markdown: text } }),
      progress,
      // It is no permission: nothing is bound to it.
      ask: (question, called) => approvals.ask({ callId, toolName, hash: '', question }, where, called ?? signal),
    };
  }

  /**
   * Ends a call together with what it does in our own store, in one transaction. Resolves with what came of it: what could
   * not be stored is the call's failure, and nothing of it is there.
   */
  async function endWithEffect(
    { id, prepared: { toolName } }: BegunCall,
    { apply, stored }: StoredEffect,
    facts: EndFacts,
  ): Promise<CallEnding> {
    const { conversationId } = facts;
    if (facts.isStopped) {
      await end(id, conversationId, neverBegun);
      return neverBegun;
    }
    const failed = endOf(error(`${toolName} failed, and has changed nothing.`), facts);
    let ending = failed;
    const effect = (): ReturnType<NonNullable<CallEnd['effect']>> => {
      ending = endOf(apply(), facts);
      return { ...ending, messages: ending.messages ?? [] };
    };
    try {
      await end(id, conversationId, { ...failed, effect });
    } catch (cause) {
      log.error({ err: cause, tool: toolName }, 'what a call does could not be stored');
      await end(id, conversationId, failed);
      return failed;
    }
    // A call that was called off meanwhile has done nothing.
    if (ending === failed) return failed;
    try {
      stored?.();
    } catch (cause) {
      log.error({ err: cause, tool: toolName }, 'a tool threw once what it does was stored');
    }
    return ending;
  }

  return { settle, writeOff, failCall, execute };
}

interface EndFacts {
  readonly prepared: PreparedCall;
  readonly conversationId: string;
  /** In milliseconds. */
  readonly duration: number;
  /** The untrusted files that the call has read. */
  readonly read: readonly string[];
  /** A person has stopped the call. */
  readonly isStopped: boolean;
  readonly withoutLinks?: RunScope['withoutLinks'];
}

/** What became of a call whose run was stopped before anything came of it. */
const neverBegun: CallEnding = {
  result: { outcome: 'cancelled', text: cancelledResult(false) },
  cardNote: '🚫 Stopped.',
};

/** What became of a call that has run. */
function endOf(
  output: ToolOutput,
  { prepared, conversationId, duration, read, isStopped, withoutLinks }: EndFacts,
): CallEnding {
  const { isError, forLlm, forUser, files, pictures = [], completes, untrusted } = output;
  const { category, facets } = prepared;
  // What a tool says of its own failure may be anybody's words.
  const isListed = facets.trusted === true || (facets.trusted === 'names' && isListOfNames(forLlm));
  const isOwn = untrusted === undefined || (isListed && !isError);
  const sources = isOwn ? read : [untrusted, ...read];
  const isTrusted = isListed && sources.length === 0 && !isError && !isStopped;
  const brought = { sources, isPrivate: readsPrivate(category, facets), isTrusted };
  const seconds = `${(duration / 1000).toFixed(1)} s`;
  if (isStopped) {
    const result: CallResult = { outcome: 'cancelled', text: `${cancelledResult(true)}\n${forLlm}` };
    return { result, cardNote: `🚫 Stopped after ${seconds}.`, duration, brought };
  }
  const outcome = isError ? 'error' : completes === true ? 'completed' : 'success';
  const result: CallResult = { outcome, text: forLlm, ...(pictures.length === 0 ? {} : { pictures }) };
  const cardNote = isError ? `⚠️ Failed after ${seconds}.` : `✔️ Done in ${seconds}.`;
  if (forUser === undefined && files === undefined) return { result, cardNote, duration, brought };
  const id = files?.messageId ?? newId(20);
  const markdown = withoutLinks?.(forUser ?? '') ?? forUser ?? '';
  const message = { id, kind: 'for_user', markdown, files: files?.files } as const;
  return { result, cardNote, duration, brought, messages: [{ conversationId, message }] };
}
