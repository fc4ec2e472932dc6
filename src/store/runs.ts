import { hash as hashOf } from 'node:crypto';
import { anyRun, type CallEnd, type ClosingDraft, type RunStore, spentOf, type TurnDraft } from '../engine/journal.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ExtensionStore } from '../runs/run-budget.ts';
import type { SubRunDraft, SubRunEnd, SubRunStore } from '../runs/sub-runs.ts';
import type { CallResult } from '../transcript.ts';
import { addApproval, callOffExtensions, cancelCall, unlessAsked } from './approvals.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import { useGrant } from './grants.ts';
import * as inbox from './inbox.ts';
import * as journal from './journal.ts';
import * as outbox from './outbox.ts';
import { tellRunEnded } from './run-ends.ts';
import { load, wishForSummary } from './run-state.ts';
import { addCardNote } from './shown-cards.ts';
import type { Sql } from './sql.ts';

/** The steps of runs. Each is one transaction. A step based on an outdated state changes nothing. */
export function createRunStore(database: Database): RunStore & SubRunStore & ExtensionStore {
  const { sql } = database;
  return {
    load: async (conversationId, contextTokens) => load(sql, conversationId, contextTokens),

    /** Relaxed if no call began: after a power failure, the message is answered again. */
    storeTurn: (draft) => database.write(() => storeTurn(sql, draft), draft.calls.length === 0 ? 'relaxed' : 'full'),
    close: (draft) => database.write(() => closeRun(sql, draft)),
    keepSaid: ({ conversationId, after, said, messages, at }) =>
      database.write(() => {
        const isKept = sql.changed(
          `UPDATE turns SET parts = ? WHERE kind = 'closing' AND parts = '[]'
             AND id = (SELECT min(id) FROM turns WHERE conversation_id = ? AND id > ?)`,
          ...[journal.saidParts(said), conversationId, after],
        );
        if (!isKept) return false;
        outbox.addAll(sql, messages, at);
        return true;
      }, 'relaxed'),
    askToGoOn: (asked, after) =>
      database.write(() => {
        if (journal.newestTurnId(sql, asked.approval.conversationId) !== after) return 'outdated';
        addApproval(sql, asked);
        return 'stored';
      }),
    rest: (conversationId) =>
      database.write(() => {
        const row = conversations.find(sql, conversationId);
        const newest = journal.newestTurns(sql, conversationId, row?.sinceTurn ?? 0, 1).at(-1);
        journal.endAttempts(sql, conversationId, 'run', 'wait');
        conversations.settle(sql, conversationId, newest?.seenSeq ?? row?.sinceSeq ?? 0);
      }, 'relaxed'),

    begin: (callId, at) =>
      database.write(() => {
        const call = journal.beginCall(sql, callId, at);
        if (call !== undefined) note(sql, call, { at, kind: 'call-begun' });
        return call !== undefined;
      }),
    /** Relaxed: after a power failure, the call truthfully counts as unknown. Full if it has an effect in the store. */
    end: (end) => database.write(() => endCall(sql, end), end.effect === undefined ? 'relaxed' : 'full'),
    reopen: (callId, approval) =>
      database.write(() => {
        if (!journal.awaitCall(sql, callId)) return false;
        addApproval(sql, approval);
        return true;
      }),
    defer: (callIds) =>
      database.write(() => {
        for (const id of callIds) journal.deferCall(sql, id);
      }),

    beginSubRun: (draft) => database.write(() => beginSubRun(sql, draft)),
    endSubRun: (end) => database.write(() => endSubRun(sql, end)),
  };
}

/** Ends a run without an answer. */
function closeRun(sql: Sql, draft: ClosingDraft): 'stored' | 'outdated' {
  const { conversationId, after, seenSeq, messages, at } = draft;
  if (journal.newestTurnId(sql, conversationId) !== after) return 'outdated';
  journal.addClosing(sql, draft);
  // A call may have been decided meanwhile: this run no longer reaches it.
  sql.run(
    `UPDATE calls SET is_deferred = 1 WHERE conversation_id = ? AND state <> 'done' AND state IN ('ready', 'awaiting') AND is_deferred = 0`,
    conversationId,
  );
  // A failing summary must not be retried forever.
  wishForSummary(sql, conversationId, undefined);
  outbox.addAll(sql, messages, at);
  callOffExtensions(sql, conversationId, 'keyturn', at);
  journal.endAttempts(sql, conversationId, 'ask', 'wait', 'run');
  conversations.settle(sql, conversationId, seenSeq);
  const run = draft.runId === anyRun ? undefined : draft;
  tellRunEnded(sql, conversationId, run, { outcome: draft.reason, at });
  return 'stored';
}

function storeTurn(sql: Sql, draft: TurnDraft): 'stored' | 'outdated' {
  const { conversationId, runId, seenSeq, countedIn, calls, usage, messages, at } = draft;
  if (!inbox.isAsAsked(sql, draft)) return 'outdated';
  journal.addTurn(sql, draft);
  journal.addSpending(sql, { ...draft, conversationId: countedIn ?? conversationId });
  outbox.addAll(sql, messages, at);
  if (calls.length > 0) addCalls(sql, draft, journal.newestTurnId(sql, conversationId));
  if (calls.length === 0) journal.endAttempts(sql, conversationId, 'ask', 'wait', 'run');
  else journal.endAttempts(sql, conversationId, 'ask', 'wait');
  // A call that runs now could kill the process, so progress counts once it has ended.
  if (calls.length > 0 && calls.every(({ state }) => state === 'awaiting' || state === 'done'))
    journal.cameOn(sql, conversationId);
  if (countedIn !== undefined) journal.spendForRun(sql, conversationId, runId, spentOf(usage));
  else if (calls.length === 0) conversations.settle(sql, conversationId, seenSeq);
  // A run that ends here needs no spending record.
  else conversations.spend(sql, conversationId, runId, spentOf(usage));
  if (calls.length === 0) tellRunEnded(sql, conversationId, draft, { outcome: 'answered', at });
  return 'stored';
}

function addCalls(sql: Sql, { calls, conversationId, runId, principal, at }: TurnDraft, turnId: number): void {
  const stored = unlessAsked(sql, calls);
  for (const [position, call] of stored.entries()) {
    journal.addCall(sql, call, { turnId, position, conversationId, runId, principal }, at);
    // The arguments are in the journal; their digest here says that they are the same.
    const { id, name, hash = null, state: verdict, grantId: grant = null, changedBy, why } = call;
    const changed: JsonObject = changedBy === undefined ? {} : { changedBy };
    const digest = hashOf('sha256', journal.argumentsColumn(call));
    const outcome = call.result?.outcome ?? null;
    const detail = { run: runId, hash, arguments: digest, verdict, grant, outcome, ...changed, ...why };
    note(sql, { id, name, conversationId }, { at, kind: 'call-proposed', actor: principal, detail });
    if (grant !== null && verdict !== 'done') useGrant(sql, grant);
    if (verdict === 'begun') note(sql, { id, name, conversationId }, { at, kind: 'call-begun' });
    if (call.result !== undefined)
      audit.addEnd(sql, { id, name, conversationId, runId, approvalId: undefined }, call.result, { at });
  }
  for (const { approval } of stored) if (approval !== undefined) addApproval(sql, approval);
}

/** Adds to the audit what became of a call. */
function note(
  sql: Sql,
  { id: callId, name: tool, conversationId }: Pick<journal.OpenCall, 'id' | 'name' | 'conversationId'>,
  { detail, ...done }: Pick<audit.AuditEntry, 'at' | 'kind'> & Partial<audit.AuditEntry>,
): void {
  audit.add(sql, { actor: 'keyturn', ...done, conversationId, callId, detail: { tool, ...detail } });
}

/** Ends a call and applies its effect, unless it has ended already. Returns where cards have changed. */
function endCall(sql: Sql, end: CallEnd): readonly string[] {
  const { callId, duration, at, effect } = end;
  // End it first: the effect of a cancelled call must not happen.
  const call = journal.endCall(sql, callId, end.result, duration, at);
  if (call === undefined) return [];
  const { result, messages, cardNote, saysWhat, brought } = effect?.({ transaction: sql }) ?? end;
  if (effect !== undefined)
    sql.run(
      'UPDATE calls SET outcome = ?, result = ?, pictures = ? WHERE id = ?',
      ...[result.outcome, result.text, journal.picturesColumn(result.pictures), callId],
    );
  outbox.addAll(sql, messages, at, { callId });
  const { conversationId } = call;
  if (brought !== undefined) {
    const isAwaited = sql.has(openTwins, call.turnId, callId);
    conversations.addLabels(sql, conversationId, brought, isAwaited);
  }
  if (brought?.isTrusted === true) sql.run('UPDATE calls SET trusted = 1 WHERE id = ?', callId);
  if (result.outcome !== 'unknown') journal.cameOn(sql, conversationId);
  const cards = addCardNote(sql, callId, cardNote, saysWhat);
  if (call.isDeferred) tellLater(sql, call, result, at);
  audit.addEnd(sql, call, result, { at, duration });
  return cards;
}

/** The other open calls of a turn. */
const openTwins = `SELECT 1 FROM calls WHERE turn_id = ? AND id <> ? AND state <> 'done'`;

function beginSubRun(sql: Sql, draft: SubRunDraft): 'begun' | 'outdated' | 'too-many' {
  const { conversationId, subRun, principal, principalName: name, task, at } = draft;
  const { callId, parentId, rootId, worker, above } = subRun;
  const call = journal.findCall(sql, callId);
  // For a deferred call, the parent run has already gone on.
  const isCurrent = call?.isDeferred === true || journal.newestTurnId(sql, parentId) === call?.turnId;
  if (call === undefined || !isCurrent) return 'outdated';
  if (conversations.runningFor(sql, rootId).length >= draft.mostRunning) return 'too-many';
  if (!journal.awaitCall(sql, callId)) return 'outdated';
  conversations.beginSubRun(sql, draft);
  conversations.copyLabels(sql, parentId, conversationId);
  conversations.addLabels(sql, conversationId, { sources: draft.untrusted ?? [], isPrivate: false });
  const event = { key: `sub-run:${callId}`, conversationId, principal, name, text: task, wantsAnswer: true, at };
  inbox.addEvent(sql, event);
  if (draft.inBackground) journal.deferCall(sql, callId);
  const detail = { worker: worker.name, depth: above.length + 1 };
  note(sql, call, { at, kind: 'sub-run-begun', actor: principal, detail });
  return 'begun';
}

function endSubRun(
  sql: Sql,
  { conversationId, subRun, result, cardNote, at }: SubRunEnd,
): { readonly toWake: readonly string[]; readonly cardConversationIds: readonly string[] } {
  const { callId, parentId, rootId } = subRun;
  conversations.endSubRun(sql, conversationId);
  journal.endAttempts(sql, conversationId, 'run', 'wait');
  const cardConversationIds = endBelow(sql, conversationId, rootId, at);
  const call = journal.endUnbegun(sql, callId, result, at);
  if (call === undefined) return { toWake: [], cardConversationIds };
  conversations.copyLabels(sql, conversationId, parentId);
  if (call.isDeferred) tellLater(sql, call, result, at);
  else conversations.setOpen(sql, parentId);
  audit.addEnd(sql, call, result, { at });
  return {
    toWake: [parentId],
    cardConversationIds: [...cardConversationIds, ...addCardNote(sql, callId, cardNote)],
  };
}

/** Cancels the work below a finished sub-run, whose results nobody would read. Returns where cards have changed. */
function endBelow(sql: Sql, conversationId: string, rootId: string, at: SubRunEnd['at']): readonly string[] {
  const open = journal.cancellable(sql, conversationId);
  if (open.length === 0) return [];
  const running = conversations.findAll(sql, conversations.runningFor(sql, rootId));
  const cardConversationIds: string[] = [];
  for (const { id } of open) cardConversationIds.push(...cancelCall(sql, id, 'keyturn', at));
  for (const { id } of running.filter(({ subRun }) => subRun?.parentId === conversationId)) {
    closeSubRun(sql, id, 'keyturn', at);
    conversations.endSubRun(sql, id);
    cardConversationIds.push(...endBelow(sql, id, rootId, at));
  }
  return cardConversationIds;
}

/** Closes the run of a sub-run, so that an answer in progress is outdated. */
export function closeSubRun(sql: Sql, conversationId: string, principal: string, at: number): void {
  const seenSeq = inbox.newestSeq(sql, conversationId);
  journal.addClosing(sql, { conversationId, runId: 'stop', principal, seenSeq, reason: 'stopped', at });
  tellRunEnded(sql, conversationId, undefined, { outcome: 'stopped', at });
}

/** Reports a deferred result, unless the conversation was restarted. A cancelled call wants no answer. */
function tellLater(sql: Sql, call: journal.OpenCall, result: CallResult, at: number): void {
  const row = conversations.find(sql, call.conversationId);
  if (row === undefined || call.turnId <= row.sinceTurn) return;
  const wantsAnswer = result.outcome !== 'cancelled';
  inbox.addOutcome(sql, call, result, wantsAnswer, at);
  if (wantsAnswer) conversations.setOpen(sql, call.conversationId);
}
