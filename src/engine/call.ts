/*
 * A call, from verdict to end. The beginning is on disk before anything runs; the end is one transaction with the result,
 * what people see, and the effects on our own store. A call that had begun when a process died runs again only if it has no
 * outside effects; for any other, the model and the person are told that the outcome is unknown.
 */

import { unreachableNotice } from '../approval/cards.ts';
import { readsPrivate } from '../approval/verdict.ts';
import { backOff, sleep } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { firstLineCode, inlineCode } from '../lib/plain-text.ts';
import type { InLanguage } from '../lib/words.ts';
import { CallStatus } from '../tools/call-status.ts';
import { hookedCall } from '../tools/operator-rules.ts';
import { error, type StoredEffect, type ToolOutput } from '../tools/output.ts';
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
import { watchFiles } from './call-files.ts';
import type { Approvals } from './decide.ts';
import { isPersonsWish, type RunScope, type Runtime } from './feature.ts';
import type { CallEnd, JournalEntry } from './journal.ts';
import { askedOf, type BegunCall, type Judgement, recheckCall } from './judge.ts';
import { quietly, quietNoticeIn } from './message.ts';
import { asAnswer, plainIn } from './request.ts';
import { engineWords } from './words.ts';

/** The result of a call, for the journal, its card and people. */
type CallEnding = Pick<CallEnd, 'result' | 'cardNote'> &
  Partial<Pick<CallEnd, 'duration' | 'messages' | 'effect' | 'brought' | 'saysWhat'>>;

/** What brings calls to their end. */
export interface CallContext {
  readonly runtime: Runtime;
  readonly approvals: Approvals;
  /** When this process began to run calls. */
  readonly startedAt: number;
}

/** Where and for whom a call works, and what stops it. */
interface CallWork {
  readonly where: RunScope;
  readonly signal: AbortSignal;
}

/** A call, and the conversation in which people see it. */
interface SeenCall {
  readonly callId: string;
  readonly conversationId: string;
}

/**
 * Continues a call that is ready, or that an earlier process began. People see it in the conversation of the scope; a
 * sub-run's own is `where.runsIn`.
 */
export async function settleCall(entry: JournalEntry, work: CallWork, context: CallContext): Promise<void> {
  const { id: callId, runId } = entry;
  const { where } = work;
  const { runtime, approvals } = context;
  const seen = { callId, conversationId: where.scope.conversationId };
  if (entry.state === 'begun' && !(await mayRunAgain(entry, where, context))) return endUnknown(entry, seen, context);
  const approval = isApproved(entry, context) ? entry.approval : undefined;
  const judgement = await recheckCall(entry, approval, { runtime, approvals, where });
  switch (judgement.type) {
    case 'reject': {
      const { changed, result } = judgement;
      const cardNote: InLanguage = (language) =>
        changed === undefined ? engineWords[language].forbiddenNow : engineWords[language].filesChanged(changed);
      return endCall(seen, { result, cardNote }, context);
    }
    case 'ask':
      return askAgain(seen, judgement, where, context);
    case 'run': {
      const hasBegun = entry.state === 'begun' || (await runtime.runs.begin(callId, runtime.clock.now()));
      if (hasBegun) await executeCall({ id: callId, runId, prepared: judgement.call.prepared }, work, context);
    }
  }
}

/** Whether a call that may have run can run again: it has no outside effects. */
async function mayRunAgain(entry: JournalEntry, where: RunScope, context: CallContext): Promise<boolean> {
  if (entry.category !== undefined && isRepeatable(entry.category)) return true;
  const { repeatable = false, leavesNothing = false } = await facetsOf(entry, where, context);
  return repeatable || leavesNothing;
}

async function facetsOf(entry: JournalEntry, { scope }: RunScope, { runtime }: CallContext): Promise<CallFacets> {
  const found = await runtime.callTools.of(entry.id, entry.name, scope);
  const preparation = await found?.tool.prepare(entry.arguments);
  return preparation?.valid === true ? preparation.call.facets : {};
}

/** A decision from before this process counts only for a while: its person may no longer expect the call. */
function isApproved({ approval }: JournalEntry, { runtime, startedAt }: CallContext): boolean {
  if (approval?.state !== 'approved' || approval.decidedAt === undefined) return false;
  const { clock, settings } = runtime;
  return approval.decidedAt >= startedAt || clock.now() - approval.decidedAt <= settings.executeWithin;
}

async function askAgain(
  seen: SeenCall,
  judgement: Extract<Judgement, { type: 'ask' }>,
  where: RunScope,
  context: CallContext,
): Promise<void> {
  const { runtime, approvals } = context;
  const { callId, conversationId } = seen;
  const draft = await approvals.draftPermission([askedOf(callId, judgement)], where);
  const { cardConversationIds } = draft.approval;
  if (cardConversationIds.length === 0) {
    const result: CallResult = { outcome: 'expired', text: unreachableResult };
    const cardNote: InLanguage = (language) => unreachableNotice(draft.approval, language);
    return endCall(seen, { result, cardNote }, context);
  }
  if (await runtime.runs.reopen(callId, draft)) runtime.deliver([...cardConversationIds, conversationId]);
}

/** Ends a call whose process died and whose run is over. `where`: undefined if its workspace is broken. */
export async function writeOffCall(
  entry: JournalEntry,
  conversationId: string,
  where: RunScope | undefined,
  context: CallContext,
): Promise<void> {
  const seen = { callId: entry.id, conversationId };
  return (await leftNothing(entry, where, context))
    ? endCall(seen, stoppedBeforeEffect, context)
    : endUnknown(entry, seen, context);
}

/** Whether a call has done nothing, since it has not ended. */
async function leftNothing(entry: JournalEntry, where: RunScope | undefined, context: CallContext): Promise<boolean> {
  return where !== undefined && (await facetsOf(entry, where, context)).leavesNothing === true;
}

/** The person learns it from the card, or from a notice if there was none. */
function endUnknown({ name, approval }: JournalEntry, seen: SeenCall, context: CallContext): Promise<void> {
  const words = engineWords[context.runtime.readerIn(seen.conversationId).language];
  const notice = quietNoticeIn(seen.conversationId, words.unknownOutcomeOf(inlineCode(name)));
  const ending: CallEnding = {
    result: { outcome: 'unknown', text: unknownResult },
    cardNote: (language) => engineWords[language].unknownOutcome,
    messages: approval === undefined ? [notice] : [],
  };
  return endCall(seen, ending, context);
}

/** Ends a call after a fault of ours. A call that awaits a person stays open. */
export async function failCall(
  entry: JournalEntry,
  conversationId: string,
  where: RunScope | undefined,
  context: CallContext,
): Promise<void> {
  if (entry.state !== 'begun' && entry.state !== 'ready') return;
  const seen = { callId: entry.id, conversationId };
  if (entry.state === 'begun' && !(await leftNothing(entry, where, context))) return endUnknown(entry, seen, context);
  const result: CallResult = { outcome: 'error', text: brokenResult };
  const cardNote: InLanguage = (language) => engineWords[language].broken;
  await endCall(seen, { result, cardNote }, context);
}

/** Runs a call that has begun, and stores the outcome. If the process is ending, the call stays begun. */
export async function executeCall(call: BegunCall, work: CallWork, context: CallContext): Promise<void> {
  const { id: callId, prepared } = call;
  const { toolName } = prepared;
  const { where, signal } = work;
  const { runner, subRuns, view, crashPoint, readerIn } = context.runtime;
  const { conversationId } = where.scope;
  const observe = await observerOf(call, where, context);
  crashPoint?.('call-begun');
  const plain = plainIn(where);
  const status = new CallStatus(call, ({ tip, ...shown }) =>
    view.showStatus(where.scope, { ...shown, tip: tip && plain(tip) }),
  );
  view.showCall(where.scope, { callId, toolName, arguments: prepared.arguments });
  status.doing(prepared.describe(readerIn(conversationId).language));
  const files = await watchFiles(call, where, context.runtime);
  const toolContext = { ...contextOf(call, work, context, (tip) => status.doing(tip)), tracesReads: files.tracesReads };
  const { output, duration } = await runner.run(prepared, toolContext);
  crashPoint?.('call-executed');
  const read = await files.read(output);
  const isStopped = signal.aborted;
  if (isStopped && !isPersonsWish(signal.reason)) return;
  await files.changed(output);
  const { withoutLinks } = where;
  const facts: EndFacts = { callId, conversationId, prepared, duration, read, signal, isStopped, withoutLinks };
  if (output.subRun !== undefined && !isStopped) {
    // A sub-run works on it, and ends the call.
    const begun = await subRuns.begin({ id: callId, toolName }, output.subRun, where);
    if (begun === 'begun') return;
    return endCall(facts, begun === 'stopped' ? stoppedBeforeEffect : endOf(begun, facts), context);
  }
  const stored = output.effect && (await endWithEffect(output.effect, facts, context));
  const ending = stored ?? endOf(output, facts);
  const { text, outcome } = ending.result;
  const succeeded = outcome === 'success' || outcome === 'completed';
  status.end(stored === undefined ? !output.isError : succeeded, duration, isStopped);
  view.showResult(where.scope, { callId, toolName, text, succeeded });
  if (stored === undefined) await endForSure(facts, ending, context);
  crashPoint?.('call-done');
  observe(ending.result);
}

/** Returns what tells the matching hooks the result. */
async function observerOf(
  { id, prepared }: BegunCall,
  { scope }: RunScope,
  { runtime }: CallContext,
): Promise<(ended: CallResult) => void> {
  const concerned = runtime.hooks.after.filter((hook) => hook.fits(prepared));
  const found = concerned.length === 0 ? undefined : await runtime.callTools.of(id, prepared.toolName, scope);
  if (found === undefined) return () => {};
  const call = hookedCall(id, { prepared, source: found.source }, scope);
  return (ended) => {
    for (const hook of concerned) hook.observe(call, ended);
  };
}

function contextOf(
  { id: callId, runId, prepared: { toolName } }: BegunCall,
  { where, signal }: CallWork,
  { runtime, approvals }: CallContext,
  progress: (tip: string) => void,
): ToolContext {
  const { log, say } = runtime;
  const { conversationId } = where.scope;
  return {
    ...where.scope,
    runId,
    callId,
    signal,
    log: log.child({ call: callId, tool: toolName }),
    reply: (text) =>
      say({ conversationId, message: quietly({ id: newId(20), kind: 'for_user', markdown: plainIn(where)(text) }) }),
    asAnswer: (text) => asAnswer(text, where),
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
  { apply, stored }: StoredEffect,
  facts: EndFacts,
  context: CallContext,
): Promise<CallEnding> {
  const { log } = context.runtime;
  const { toolName } = facts.prepared;
  if (facts.isStopped) {
    await endCall(facts, stoppedBeforeEffect, context);
    return stoppedBeforeEffect;
  }
  const failed = endOf(error(`${toolName} failed, and has changed nothing.`), facts);
  let ending = failed;
  const effect: NonNullable<CallEnd['effect']> = async (within) => {
    ending = endOf(await apply(within), facts);
    return { ...ending, messages: ending.messages ?? [] };
  };
  try {
    await endCall(facts, { ...failed, effect }, context);
  } catch (cause) {
    log.error({ err: cause, tool: toolName }, 'what a call does could not be stored');
    await endForSure(facts, failed, context);
    return failed;
  }
  try {
    stored?.();
  } catch (cause) {
    log.error({ err: cause, tool: toolName }, 'a tool threw once what it does was stored');
  }
  return ending;
}

/** Tries again until it is stored: what a call has done is known here alone. */
async function endForSure(facts: EndFacts, ending: CallEnding, context: CallContext): Promise<void> {
  const { clock, log } = context.runtime;
  for (let failures = 1; ; failures += 1) {
    // If another end can be stored, the fault is in this one: the conversation must not wait for it for ever.
    for (const one of failures % 9 === 0 ? [ending, endUnstored] : [ending]) {
      try {
        return await endCall(facts, one, context);
      } catch (cause) {
        if (untilOf(facts, context).aborted) throw cause;
        log.error({ err: cause, call: facts.callId }, 'the end of a call could not be stored; trying again');
      }
    }
    await sleep(clock, backOff(failures), untilOf(facts, context));
  }
}

/** What ends the tries to store the end of a call: not a person's stop, or what is known of the call would be lost. */
function untilOf({ signal }: EndFacts, { runtime }: CallContext): AbortSignal {
  return isPersonsWish(signal.reason) ? runtime.ending : signal;
}

async function endCall(
  { callId, conversationId }: SeenCall,
  ending: CallEnding,
  { runtime }: CallContext,
): Promise<void> {
  const { callTools, runs, clock, deliver } = runtime;
  callTools.release(callId);
  const cards = await runs.end({ callId, duration: 0, messages: [], ...ending, at: clock.now() });
  deliver([conversationId, ...cards]);
}

interface EndFacts extends SeenCall {
  readonly prepared: PreparedCall;
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
  const { isError, forLlm, forUser, files, pictures = [], completes, untrusted, did } = output;
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
  const why = firstLineCode(forLlm, 100);
  const outcome = isError ? 'error' : completes === true ? 'completed' : 'success';
  const result: CallResult = { outcome, text: forLlm, ...(pictures.length === 0 ? {} : { pictures }) };
  const saysWhat = !isError && did !== undefined;
  const cardNote: InLanguage = (language) => {
    const words = engineWords[language];
    if (isError) return words.failed({ ...took, why });
    return did === undefined ? words.done(took) : words.did({ ...took, did: did(language) });
  };
  if (forUser === undefined && files === undefined) return { result, cardNote, saysWhat, duration, brought };
  const id = files?.messageId ?? newId(20);
  const markdown = withoutLinks?.(forUser ?? '') ?? forUser ?? '';
  const message = { id, kind: 'for_user', markdown, files: files?.files } as const;
  // The result of the whole work is the last that people hear of it.
  const shown = completes === true ? message : quietly(message);
  return { result, cardNote, saysWhat, duration, brought, messages: [{ conversationId, message: shown }] };
}
