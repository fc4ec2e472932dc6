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
import { addSpending, spendForRun } from './spending.ts';
import type { Sql } from './sql.ts';

/** The steps of runs. Each is one transaction. A step based on an outdated state changes nothing. */
export function createRunStore(database: Database): RunStore & SubRunStore & ExtensionStore {
  return {
    load: (conversationId, contextTokens) => database.read(async (sql) => load(sql, conversationId, contextTokens)),

    /** Relaxed if no call began: after a power failure, the message is answered again. */
    storeTurn: (draft) => database.write((sql) => storeTurn(sql, draft), draft.calls.length === 0 ? 'relaxed' : 'full'),
    close: (draft) => database.write((sql) => closeRun(sql, draft)),
    keepSaid: ({ conversationId, after, said, messages, at }) =>
      database.write(async (sql) => {
        const isKept = await sql.changed(
          `UPDATE turns SET parts = ? WHERE kind = 'closing' AND parts = '[]'
             AND id = (SELECT min(id) FROM turns WHERE conversation_id = ? AND id > ?)`,
          ...[journal.saidParts(said), conversationId, after],
        );
        if (!isKept) return false;
        await outbox.addAll(sql, messages, at);
        return true;
      }, 'relaxed'),
    askToGoOn: (asked, after) =>
      database.write(async (sql) => {
        if ((await journal.newestTurnId(sql, asked.approval.conversationId)) !== after) return 'outdated';
        await addApproval(sql, asked);
        return 'stored';
      }),
    rest: (conversationId) =>
      database.write(async (sql) => {
        const row = await conversations.find(sql, conversationId);
        const newest = (await journal.newestTurns(sql, conversationId, row?.sinceTurn ?? 0, 1)).at(-1);
        await journal.endAttempts(sql, conversationId, 'run', 'wait');
        await conversations.settle(sql, conversationId, newest?.seenSeq ?? row?.sinceSeq ?? 0);
      }, 'relaxed'),

    begin: (callId, at) =>
      database.write(async (sql) => {
        const call = await journal.beginCall(sql, callId, at);
        if (call !== undefined) await note(sql, call, { at, kind: 'call-begun' });
        return call !== undefined;
      }),
    /** Relaxed: after a power failure, the call truthfully counts as unknown. Full if it has an effect in the store. */
    end: (end) => database.write((sql) => endCall(sql, end), end.effect === undefined ? 'relaxed' : 'full'),
    reopen: (callId, approval) =>
      database.write(async (sql) => {
        if (!(await journal.awaitCall(sql, callId))) return false;
        await addApproval(sql, approval);
        return true;
      }),
    defer: (callIds) =>
      database.write(async (sql) => {
        for (const id of callIds) await journal.deferCall(sql, id);
      }),

    beginSubRun: (draft) => database.write((sql) => beginSubRun(sql, draft)),
    endSubRun: (end) => database.write((sql) => endSubRun(sql, end)),
  };
}

/** Ends a run without an answer. */
async function closeRun(sql: Sql, draft: ClosingDraft): Promise<'stored' | 'outdated'> {
  const { conversationId, after, seenSeq, messages, at } = draft;
  if ((await journal.newestTurnId(sql, conversationId)) !== after) return 'outdated';
  await journal.addClosing(sql, draft);
  // A call may have been decided meanwhile: this run no longer reaches it.
  await sql.run(
    `UPDATE calls SET is_deferred = 1 WHERE conversation_id = ? AND state <> 'done' AND state IN ('ready', 'awaiting') AND is_deferred = 0`,
    conversationId,
  );
  // A failing summary must not be retried forever.
  await wishForSummary(sql, conversationId, undefined);
  await outbox.addAll(sql, messages, at);
  await callOffExtensions(sql, conversationId, 'keyturn', at);
  await journal.endAttempts(sql, conversationId, 'ask', 'wait', 'run');
  await conversations.settle(sql, conversationId, seenSeq);
  const run = draft.runId === anyRun ? undefined : draft;
  await tellRunEnded(sql, conversationId, run, { outcome: draft.reason, at });
  return 'stored';
}

async function storeTurn(sql: Sql, draft: TurnDraft): Promise<'stored' | 'outdated'> {
  const { conversationId, runId, seenSeq, countedIn, calls, usage, messages, at } = draft;
  if (!(await inbox.isAsAsked(sql, draft))) return 'outdated';
  await journal.addTurn(sql, draft);
  await addSpending(sql, { ...draft, conversationId: countedIn ?? conversationId });
  await outbox.addAll(sql, messages, at);
  if (calls.length > 0) await addCalls(sql, draft, await journal.newestTurnId(sql, conversationId));
  if (calls.length === 0) await journal.endAttempts(sql, conversationId, 'ask', 'wait', 'run');
  else await journal.endAttempts(sql, conversationId, 'ask', 'wait');
  // A call that runs now could kill the process, so progress counts once it has ended.
  if (calls.length > 0 && calls.every(({ state }) => state === 'awaiting' || state === 'done'))
    await journal.cameOn(sql, conversationId);
  if (countedIn !== undefined) await spendForRun(sql, conversationId, runId, spentOf(usage));
  else if (calls.length === 0) await conversations.settle(sql, conversationId, seenSeq);
  // A run that ends here needs no spending record.
  else await conversations.spend(sql, conversationId, runId, spentOf(usage));
  if (calls.length === 0) await tellRunEnded(sql, conversationId, draft, { outcome: 'answered', at });
  return 'stored';
}

async function addCalls(
  sql: Sql,
  { calls, conversationId, runId, principal, at }: TurnDraft,
  turnId: number,
): Promise<void> {
  const stored = await unlessAsked(sql, calls);
  for (const [position, call] of stored.entries()) {
    await journal.addCall(sql, call, { turnId, position, conversationId, runId, principal }, at);
    // The arguments are in the journal; their digest here says that they are the same.
    const { id, name, hash = null, state: verdict, grantId: grant = null, changedBy, why } = call;
    const changed: JsonObject = changedBy === undefined ? {} : { changedBy };
    const digest = hashOf('sha256', journal.argumentsColumn(call));
    const outcome = call.result?.outcome ?? null;
    const detail = { run: runId, hash, arguments: digest, verdict, grant, outcome, ...changed, ...why };
    await note(sql, { id, name, conversationId }, { at, kind: 'call-proposed', actor: principal, detail });
    if (grant !== null && verdict !== 'done') await useGrant(sql, grant);
    if (verdict === 'begun') await note(sql, { id, name, conversationId }, { at, kind: 'call-begun' });
    if (call.result !== undefined)
      await audit.addEnd(sql, { id, name, conversationId, runId, approvalId: undefined }, call.result, { at });
  }
  for (const { approval } of stored) if (approval !== undefined) await addApproval(sql, approval);
}

/** Adds to the audit what became of a call. */
async function note(
  sql: Sql,
  { id: callId, name: tool, conversationId }: Pick<journal.OpenCall, 'id' | 'name' | 'conversationId'>,
  { detail, ...done }: Pick<audit.AuditEntry, 'at' | 'kind'> & Partial<audit.AuditEntry>,
): Promise<void> {
  await audit.add(sql, { actor: 'keyturn', ...done, conversationId, callId, detail: { tool, ...detail } });
}

/** Ends a call and applies its effect, unless it has ended already. Returns where cards have changed. */
async function endCall(sql: Sql, end: CallEnd): Promise<readonly string[]> {
  const { callId, duration, at, effect } = end;
  // End it first: the effect of a cancelled call must not happen.
  const call = await journal.endCall(sql, callId, end.result, duration, at);
  if (call === undefined) return [];
  const { result, messages, cardNote, saysWhat, brought } = (await effect?.({ transaction: sql })) ?? end;
  if (effect !== undefined)
    await sql.run(
      'UPDATE calls SET outcome = ?, result = ?, pictures = ? WHERE id = ?',
      ...[result.outcome, result.text, journal.picturesColumn(result.pictures), callId],
    );
  await outbox.addAll(sql, messages, at, { callId });
  const { conversationId } = call;
  if (brought !== undefined) {
    const isAwaited = await sql.has(openTwins, call.turnId, callId);
    await conversations.addLabels(sql, conversationId, brought, isAwaited);
  }
  if (brought?.isTrusted === true) await sql.run('UPDATE calls SET trusted = 1 WHERE id = ?', callId);
  if (result.outcome !== 'unknown') await journal.cameOn(sql, conversationId);
  const cards = await addCardNote(sql, callId, cardNote, saysWhat);
  if (call.isDeferred) await tellLater(sql, call, result, at);
  await audit.addEnd(sql, call, result, { at, duration });
  return cards;
}

/** The other open calls of a turn. */
const openTwins = `SELECT 1 FROM calls WHERE turn_id = ? AND id <> ? AND state <> 'done'`;

async function beginSubRun(sql: Sql, draft: SubRunDraft): Promise<'begun' | 'outdated' | 'too-many'> {
  const { conversationId, subRun, principal, principalName: name, task, at } = draft;
  const { callId, parentId, rootId, worker, above } = subRun;
  const call = await journal.findCall(sql, callId);
  // For a deferred call, the parent run has already gone on.
  const isCurrent = call?.isDeferred === true || (await journal.newestTurnId(sql, parentId)) === call?.turnId;
  if (call === undefined || !isCurrent) return 'outdated';
  if ((await conversations.runningFor(sql, rootId)).length >= draft.mostRunning) return 'too-many';
  if (!(await journal.awaitCall(sql, callId))) return 'outdated';
  await conversations.beginSubRun(sql, draft);
  await conversations.copyLabels(sql, parentId, conversationId);
  await conversations.addLabels(sql, conversationId, { sources: draft.untrusted ?? [], isPrivate: false });
  const event = { key: `sub-run:${callId}`, conversationId, principal, name, text: task, wantsAnswer: true, at };
  await inbox.addEvent(sql, event);
  if (draft.inBackground) await journal.deferCall(sql, callId);
  const detail = { worker: worker.name, depth: above.length + 1 };
  await note(sql, call, { at, kind: 'sub-run-begun', actor: principal, detail });
  return 'begun';
}

async function endSubRun(
  sql: Sql,
  { conversationId, subRun, result, cardNote, at }: SubRunEnd,
): Promise<{ readonly toWake: readonly string[]; readonly cardConversationIds: readonly string[] }> {
  const { callId, parentId, rootId } = subRun;
  await conversations.endSubRun(sql, conversationId);
  await journal.endAttempts(sql, conversationId, 'run', 'wait');
  const cardConversationIds = await endBelow(sql, conversationId, rootId, at);
  const call = await journal.endUnbegun(sql, callId, result, at);
  if (call === undefined) return { toWake: [], cardConversationIds };
  await conversations.copyLabels(sql, conversationId, parentId);
  if (call.isDeferred) await tellLater(sql, call, result, at);
  else await conversations.setOpen(sql, parentId);
  await audit.addEnd(sql, call, result, { at });
  return {
    toWake: [parentId],
    cardConversationIds: [...cardConversationIds, ...(await addCardNote(sql, callId, cardNote))],
  };
}

/** Cancels the work below a finished sub-run, whose results nobody would read. Returns where cards have changed. */
async function endBelow(
  sql: Sql,
  conversationId: string,
  rootId: string,
  at: SubRunEnd['at'],
): Promise<readonly string[]> {
  const open = await journal.cancellable(sql, conversationId);
  if (open.length === 0) return [];
  const running = await conversations.findAll(sql, await conversations.runningFor(sql, rootId));
  const cardConversationIds: string[] = [];
  for (const { id } of open) cardConversationIds.push(...(await cancelCall(sql, id, 'keyturn', at)));
  for (const { id } of running.filter(({ subRun }) => subRun?.parentId === conversationId)) {
    await closeSubRun(sql, id, 'keyturn', at);
    await conversations.endSubRun(sql, id);
    cardConversationIds.push(...(await endBelow(sql, id, rootId, at)));
  }
  return cardConversationIds;
}

/** Closes the run of a sub-run, so that an answer in progress is outdated. */
export async function closeSubRun(sql: Sql, conversationId: string, principal: string, at: number): Promise<void> {
  const seenSeq = await inbox.newestSeq(sql, conversationId);
  await journal.addClosing(sql, { conversationId, runId: 'stop', principal, seenSeq, reason: 'stopped', at });
  await tellRunEnded(sql, conversationId, undefined, { outcome: 'stopped', at });
}

/** Reports a deferred result, unless the conversation was restarted. A cancelled call wants no answer. */
async function tellLater(sql: Sql, call: journal.OpenCall, result: CallResult, at: number): Promise<void> {
  const row = await conversations.find(sql, call.conversationId);
  if (row === undefined || call.turnId <= row.sinceTurn) return;
  const wantsAnswer = result.outcome !== 'cancelled';
  await inbox.addOutcome(sql, call, result, wantsAnswer, at);
  if (wantsAnswer) await conversations.setOpen(sql, call.conversationId);
}
