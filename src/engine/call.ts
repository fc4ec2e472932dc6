/*
 * A call, from verdict to end. The beginning is on disk before anything runs; the end is one transaction with the result,
 * what people see, and the effects on our own store. A call that had begun when a process died runs again only if it has no
 * outside effects; for any other, the model and the person are told that the outcome is unknown.
 */

import { unreachableNotice } from '../approval/cards.ts';
import { messagesOf, readsPrivate } from '../approval/verdict.ts';
import { backOff, sleep } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { inlineCode } from '../lib/plain-text.ts';
import type { InLanguage } from '../lib/words.ts';
import { hookedCall } from '../tools/operator-rules.ts';
import { error, type StoredEffect, type ToolOutput } from '../tools/output.ts';
import { trackStatus } from '../tools/runner.ts';
import { isListOfNames } from '../tools/text.ts';
import { type CallFacets, isRepeatable, type PreparedCall, type ToolContext } from '../tools/tool.ts';
import type { CallResult } from '../transcript.ts';
import {
  brokenResult,
  cancelledResult,
  unknownResult,
  unreachableResult,
  unstoredResult,
} from '../words/model-words.ts';
import type { Approvals } from './decide.ts';
import { isPersonsWish, type RunScope, type Runtime } from './feature.ts';
import type { CallEnd, JournalEntry } from './journal.ts';
import { askedOf, type BegunCall, type CallJudge, type Judgement } from './judge.ts';
import { noticeIn } from './message.ts';
import { plainIn } from './request.ts';
import { engineWords } from './words.ts';

/** The result of a call, for the journal, its card and people. */
type CallEnding = Pick<CallEnd, 'result' | 'cardNote'> &
  Partial<Pick<CallEnd, 'duration' | 'messages' | 'effect' | 'brought'>>;

export type CallRunner = ReturnType<typeof createCallRunner>;

/** Brings stored calls to their end: runs them, asks again, or says why not. Writes to the journal before and after. */
export function createCallRunner(runtime: Runtime, approvals: Approvals, judgeIn: CallJudge) {
  const { runs, runner, callTools, fileWatch, hooks, subRuns, view, say, settings, clock, log, crashPoint, deliver } =
    runtime;
  const { ending, readerIn } = runtime;
  const startedAt = clock.now();

  async function end(callId: string, conversationId: string, ending: CallEnding): Promise<void> {
    callTools.release(callId);
    const cards = await runs.end({ callId, duration: 0, messages: [], ...ending, at: clock.now() });
    deliver([conversationId, ...cards]);
  }

  /** Tries again until it is stored: what a call has done is known here alone. */
  async function endForSure(callId: string, ending: CallEnding, { conversationId, signal }: EndFacts): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      // If another end can be stored, the fault is in this one: the conversation must not wait for it for ever.
      for (const one of failures % 9 === 0 ? [ending, endUnstored] : [ending]) {
        try {
          return await end(callId, conversationId, one);
        } catch (cause) {
          if (untilOf(signal).aborted) throw cause;
          log.error({ err: cause, call: callId }, 'the end of a call could not be stored; trying again');
        }
      }
      await sleep(clock, backOff(failures), untilOf(signal));
    }
  }

  /** What ends the tries to store the end of a call: not a person's stop, or what is known of the call would be lost. */
  function untilOf(signal: AbortSignal): AbortSignal {
    return isPersonsWish(signal.reason) ? ending : signal;
  }

  /**
   * Continues a call that is ready, or that an earlier process began. `conversationId` is where people see it; a sub-run's
   * own is `where.runsIn`.
   */
  async function settle(entry: JournalEntry, where: RunScope, signal: AbortSignal): Promise<void> {
    const { id, runId } = entry;
    const { conversationId } = where.scope;
    if (entry.state === 'begun' && !(await mayRunAgain(entry, where))) return endUnknown(entry, conversationId);
    const judgement = await judgeIn(where).recheck(entry, isApproved(entry) ? entry.approval : undefined);
    switch (judgement.type) {
      case 'reject': {
        const { changed, result } = judgement;
        const cardNote: InLanguage = (language) =>
          changed === undefined ? engineWords[language].forbiddenNow : engineWords[language].filesChanged(changed);
        return end(id, conversationId, { result, cardNote });
      }
      case 'ask':
        return askAgain(id, judgement, where);
      case 'run': {
        const hasBegun = entry.state === 'begun' || (await runs.begin(id, clock.now()));
        if (hasBegun) await execute({ id, runId, prepared: judgement.call.prepared }, where, signal);
      }
    }
  }

  /** Whether a call that may have run can run again: it has no outside effects. */
  async function mayRunAgain(entry: JournalEntry, where: RunScope): Promise<boolean> {
    if (entry.category !== undefined && isRepeatable(entry.category)) return true;
    const { repeatable = false, leavesNothing = false } = await facetsOf(entry, where);
    return repeatable || leavesNothing;
  }

  async function facetsOf(entry: JournalEntry, { scope }: RunScope): Promise<CallFacets> {
    const found = await callTools.of(entry.id, entry.name, scope);
    const preparation = await found?.tool.prepare(entry.arguments);
    return preparation?.valid === true ? preparation.call.facets : {};
  }

  /** A decision from before this process counts only for a while: its person may no longer expect the call. */
  function isApproved({ approval }: JournalEntry): boolean {
    if (approval?.state !== 'approved' || approval.decidedAt === undefined) return false;
    return approval.decidedAt >= startedAt || clock.now() - approval.decidedAt <= settings.executeWithin;
  }

  async function askAgain(callId: string, judgement: Extract<Judgement, { type: 'ask' }>, where: RunScope) {
    const { conversationId } = where.scope;
    const draft = await approvals.draftPermission([askedOf(callId, judgement)], where);
    const { places } = draft.approval;
    if (places.length === 0) {
      const result: CallResult = { outcome: 'expired', text: unreachableResult };
      const cardNote: InLanguage = (language) => unreachableNotice(draft.approval, language);
      return end(callId, conversationId, { result, cardNote });
    }
    if (await runs.reopen(callId, draft)) deliver([...places, conversationId]);
  }

  /** Ends a call whose process died and whose run is over. `where`: undefined if its workspace is broken. */
  async function writeOff(entry: JournalEntry, conversationId: string, where: RunScope | undefined): Promise<void> {
    return (await leftNothing(entry, where))
      ? end(entry.id, conversationId, stoppedBeforeEffect)
      : endUnknown(entry, conversationId);
  }

  /** Whether a call has done nothing, since it has not ended. */
  async function leftNothing(entry: JournalEntry, where: RunScope | undefined): Promise<boolean> {
    return where !== undefined && (await facetsOf(entry, where)).leavesNothing === true;
  }

  /** The person learns it from the card, or from a notice if there was none. */
  function endUnknown({ id, name, approval }: JournalEntry, conversationId: string): Promise<void> {
    const result: CallResult = { outcome: 'unknown', text: unknownResult };
    const words = engineWords[readerIn(conversationId).language];
    const notice = noticeIn(conversationId, words.unknownOutcomeOf(inlineCode(name)));
    const messages = approval === undefined ? [notice] : [];
    return end(id, conversationId, {
      result,
      cardNote: (language) => engineWords[language].unknownOutcome,
      messages,
    });
  }

  /** Ends a call after a fault of ours. A call that awaits a person stays open. */
  async function failCall(entry: JournalEntry, conversationId: string, where: RunScope | undefined): Promise<void> {
    if (entry.state !== 'begun' && entry.state !== 'ready') return;
    if (entry.state === 'begun' && !(await leftNothing(entry, where))) return endUnknown(entry, conversationId);
    const result: CallResult = { outcome: 'error', text: brokenResult };
    const cardNote: InLanguage = (language) => engineWords[language].broken;
    await end(entry.id, conversationId, { result, cardNote });
  }

  /** Runs a call that has begun, and stores the outcome. If the process is ending, the call stays begun. */
  async function execute(call: BegunCall, where: RunScope, signal: AbortSignal): Promise<void> {
    const { id: callId, prepared } = call;
    const { toolName } = prepared;
    const { conversationId } = where.scope;
    const observe = await observerOf(call, where);
    crashPoint?.('call-begun');
    const plain = plainIn(where);
    const status = trackStatus(call, ({ tip, ...shown }) =>
      view.showStatus(where.scope, { ...shown, tip: tip && plain(tip) }),
    );
    view.showCall(where.scope, { callId, toolName, arguments: prepared.arguments });
    status.doing(prepared.describe(readerIn(conversationId).language));
    const brings = prepared.facets.trusted === true ? undefined : prepared.facets.brings;
    const watch = await fileWatch.begin({
      ...{ callId, conversationId: where.runsIn ?? conversationId, category: prepared.category, brings },
      untraced: prepared.facets.untraced,
      ...{ workspace: where.scope.workspace, sources: writersIn(where) },
    });
    const context = { ...contextOf(call, where, signal, status.doing), tracesReads: watch.tracesReads };
    const { output, duration } = await runner.run(prepared, context);
    crashPoint?.('call-executed');
    const read = await watch.end(output);
    const isStopped = signal.aborted;
    if (isStopped && !isPersonsWish(signal.reason)) return;
    const { withoutLinks } = where;
    const facts = { prepared, duration, read, conversationId, signal, isStopped, withoutLinks };
    if (output.subRun !== undefined && !isStopped) {
      // A sub-run works on it, and ends the call.
      const begun = await subRuns.begin({ id: callId, toolName }, output.subRun, where);
      if (begun === 'begun') return;
      return end(callId, conversationId, begun === 'stopped' ? stoppedBeforeEffect : endOf(begun, facts));
    }
    const stored = output.effect && (await endWithEffect(call, output.effect, facts));
    const ending = stored ?? endOf(output, facts);
    const { text, outcome } = ending.result;
    const succeeded = outcome === 'success' || outcome === 'completed';
    status.end(stored === undefined ? !output.isError : succeeded, duration, isStopped);
    view.showResult(where.scope, { callId, toolName, text, succeeded });
    if (stored === undefined) await endForSure(callId, ending, facts);
    crashPoint?.('call-done');
    observe(ending.result);
  }

  /** The sources of what the call writes: what was read, and the person it works for unless they are an owner. */
  function writersIn({ labels, scope: { sender } }: RunScope): readonly string[] {
    return settings.isOwner(sender.principal) ? labels.sources : [...labels.sources, messagesOf(sender.principal)];
  }

  /** Returns what tells the matching hooks the result. */
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
      reply: (text) =>
        say({ conversationId, message: { id: newId(20), kind: 'for_user', markdown: plainIn(where)(text) } }),
      progress,
      // A question is no permission: it has no hash.
      ask: (question, called) => approvals.ask({ callId, toolName, hash: '', question }, where, called ?? signal),
    };
  }

  /**
   * Ends a call and applies its effect on our store in one transaction. Resolves with the outcome: if storing fails, the
   * call failed and nothing of it is stored.
   */
  async function endWithEffect(
    { id, prepared: { toolName } }: BegunCall,
    { apply, stored }: StoredEffect,
    facts: EndFacts,
  ): Promise<CallEnding> {
    const { conversationId } = facts;
    if (facts.isStopped) {
      await end(id, conversationId, stoppedBeforeEffect);
      return stoppedBeforeEffect;
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
      await endForSure(id, failed, facts);
      return failed;
    }
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
  /** In ms. */
  readonly duration: number;
  /** Untrusted files that the call read. */
  readonly read: readonly string[];
  readonly signal: AbortSignal;
  /** A person stopped the call. */
  readonly isStopped: boolean;
  readonly withoutLinks?: RunScope['withoutLinks'];
}

/** The end of a call that was stopped before it did anything. */
const stoppedBeforeEffect: CallEnding = {
  result: { outcome: 'cancelled', text: cancelledResult(false) },
  cardNote: (language) => engineWords[language].stopped,
};

/** The end of a call whose own end cannot be stored. */
const endUnstored: CallEnding = {
  result: { outcome: 'unknown', text: unstoredResult },
  cardNote: (language) => engineWords[language].brokenOutcome,
};

/** The end of a call that ran. */
function endOf(
  output: ToolOutput,
  { prepared, conversationId, duration, read, isStopped, withoutLinks }: EndFacts,
): CallEnding {
  const { isError, forLlm, forUser, files, pictures = [], completes, untrusted } = output;
  const { category, facets } = prepared;
  // An error message may contain anybody's words.
  const isListed = facets.trusted === true || (facets.trusted === 'names' && isListOfNames(forLlm));
  const isOwn = untrusted === undefined || (isListed && !isError);
  const sources = isOwn ? read : [untrusted, ...read];
  const isTrusted = isListed && sources.length === 0 && !isError && !isStopped;
  const brought = { sources, isPrivate: readsPrivate(category, facets), isTrusted };
  const took = { seconds: duration / 1000 };
  if (isStopped) {
    const result: CallResult = { outcome: 'cancelled', text: `${cancelledResult(true)}\n${forLlm}` };
    return { result, cardNote: (language) => engineWords[language].stoppedAfter(took), duration, brought };
  }
  const outcome = isError ? 'error' : completes === true ? 'completed' : 'success';
  const result: CallResult = { outcome, text: forLlm, ...(pictures.length === 0 ? {} : { pictures }) };
  const cardNote: InLanguage = (language) =>
    isError ? engineWords[language].failed(took) : engineWords[language].done(took);
  if (forUser === undefined && files === undefined) return { result, cardNote, duration, brought };
  const id = files?.messageId ?? newId(20);
  const markdown = withoutLinks?.(forUser ?? '') ?? forUser ?? '';
  const message = { id, kind: 'for_user', markdown, files: files?.files } as const;
  return { result, cardNote, duration, brought, messages: [{ conversationId, message }] };
}
