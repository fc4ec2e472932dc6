import type { SubRunDraft, SubRunEnd } from '../agent/run-store.ts';
import { cancelledResult } from '../approval/call-results.ts';
import { cancelApproval } from './approval-effects.ts';
import type { OpenCall } from './tables/calls.ts';
import type { Tables } from './tables/tables.ts';

/** Lets a call wait for a run of its own, which begins. Belongs inside a write. */
export function beginSubRun(tables: Tables, draft: SubRunDraft): 'begun' | 'outdated' | 'too-many' {
  const { calls, turns, subRuns, inbox, audit } = tables;
  const { conversationId, subRun, principal, principalName, at } = draft;
  const call = calls.find(subRun.callId);
  // A call that is deferred has a run behind it that went on.
  const isCurrent = call?.isDeferred === true || turns.newestId(subRun.parentId) === call?.turnId;
  if (call === undefined || !isCurrent) return 'outdated';
  if (subRuns.running(subRun.rootId).length >= draft.mostRunning) return 'too-many';
  if (!calls.await(call.id)) return 'outdated';
  subRuns.begin(draft);
  copyLabels(tables, subRun.parentId, conversationId);
  const event = { conversationId, principal, name: principalName, text: draft.task, wantsAnswer: true, at };
  inbox.addEvent({ key: `sub-run:${call.id}`, ...event });
  if (draft.inBackground) calls.defer(call.id);
  const detail = { tool: call.name, worker: subRun.worker.name, depth: subRun.above.length + 1 };
  audit.add({ at, kind: 'sub-run-begun', conversationId: subRun.parentId, actor: principal, callId: call.id, detail });
  return 'begun';
}

/** Ends a run that a call has waited for, and the call with it, unless it had ended before. Belongs inside a write. */
export function endSubRun(
  tables: Tables,
  { conversationId, subRun, result, cardNote, at }: SubRunEnd,
): { readonly toWake: readonly string[]; readonly places: readonly string[] } {
  const { calls, conversations, subRuns, outbox, audit } = tables;
  const { callId, parentId } = subRun;
  subRuns.end(conversationId);
  const places = endBelow(tables, { conversationId, rootId: subRun.rootId, at });
  const call = calls.find(callId);
  if (call === undefined || !calls.endUnbegun(callId, result, at)) return { toWake: [], places };
  copyLabels(tables, conversationId, parentId);
  if (call.isDeferred) tellLater(tables, call, { result, at });
  else conversations.setOpen(parentId);
  const detail = { tool: call.name, outcome: result.outcome };
  audit.add({ at, kind: 'call-ended', conversationId: parentId, actor: 'keyturn', callId, detail });
  return { toWake: [parentId], places: [...places, ...outbox.addCardNote(callId, cardNote)] };
}

/** Calls off what goes on for a sub-run that is over: nobody would be told of it. Tells where cards have changed. */
function endBelow(
  tables: Tables,
  { conversationId, rootId, at }: Pick<SubRunEnd, 'conversationId' | 'at'> & { readonly rootId: string },
): readonly string[] {
  const { calls, conversations, subRuns, turns, inbox } = tables;
  const open = calls.cancellable(conversationId);
  if (open.length === 0) return [];
  const below = subRuns.running(rootId).filter((id) => conversations.find(id)?.subRun?.parentId === conversationId);
  const places = open.flatMap(({ id }) => {
    calls.endUnbegun(id, { outcome: 'cancelled', text: cancelledResult(false) }, at);
    return cancelApproval(tables, id, { by: 'keyturn', at });
  });
  for (const id of below) {
    const closing = { conversationId: id, runId: 'stop', principal: 'keyturn', reason: 'stopped', at } as const;
    turns.addClosing({ ...closing, seenSeq: inbox.newestSeq(id) });
    subRuns.end(id);
    places.push(...endBelow(tables, { conversationId: id, rootId, at }));
  }
  return places;
}

/** Not into a conversation that was begun anew since; and nobody waits to hear of what he has stopped himself. */
export function tellLater(
  { inbox, conversations }: Tables,
  call: OpenCall,
  { result, at }: Pick<SubRunEnd, 'result' | 'at'>,
): void {
  const row = conversations.find(call.conversationId);
  if (row === undefined || call.turnId <= row.sinceTurn) return;
  const wantsAnswer = result.outcome !== 'cancelled';
  inbox.addOutcome(call, result, wantsAnswer, at);
  if (wantsAnswer) conversations.setOpen(call.conversationId);
}

/** What the one has read, the other may have read from it. */
function copyLabels({ conversations, subRuns }: Tables, from: string, to: string): void {
  const [given, own] = [conversations.find(from)?.labels, conversations.find(to)?.labels];
  if (given === undefined || own === undefined || (!given.tainted && !given.private)) return;
  subRuns.inheritLabels(from, to, [...new Set([...own.sources, ...given.sources])]);
}
