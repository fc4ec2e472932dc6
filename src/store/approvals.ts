import {
  type Approval,
  type ApprovalState,
  type AskedCall,
  type AskedQuestion,
  asksFor,
  closingReasonOf,
  type Extension,
  type ExtensionApproval,
  type Grant,
} from '../approval/approval.ts';
import { cancelledCard } from '../approval/cards.ts';
import type { RuledCall } from '../approval/rules/rule.ts';
import { approvalWords } from '../approval/words.ts';
import { laneOf } from '../delivery/outbox.ts';
import type { ApprovalDraft, ApprovalStore, CallDraft, Decision } from '../engine/journal.ts';
import type { JsonObject } from '../lib/json.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import type { CallResult } from '../transcript.ts';
import { alreadyAwaitingResult, callAgainResult, cancelledResult } from '../words/model-words.ts';
import { askedCalls, callOf, callsOf, rulesThatAsk, tellAsked, tellDecided } from './asked-calls.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import { addGrant, grantsFor } from './grants.ts';
import * as inbox from './inbox.ts';
import * as journal from './journal.ts';
import * as outbox from './outbox.ts';
import { tellRunEnded } from './run-ends.ts';
import { addCardNote, changeCards } from './shown-cards.ts';
import { columns, type Eventual, insertInto, integer, json, optional, type Row, type Sql, text } from './sql.ts';

/** Approvals, each decided once, and the grants that came with decisions. */
export function createApprovalStore(database: Database): ApprovalStore {
  const { sql } = database;
  return {
    find: async (id) => sql.find(toApproval, approvalOf, id),
    pending: (conversationId) =>
      database.read(async (sql) => (sql.approvals.isAny() ? await pending(sql, conversationId) : [])),
    cardAt: (conversationId, messageId) =>
      database.read(async (sql) => {
        const card = await sql.get(cardAt, { lane: laneOf(conversationId), messageId });
        const approval = card && (await sql.find(toApproval, approvalOf, text(card, 'approval_id')));
        const found = card && (await conversations.find(sql, text(card, 'conversation_id')));
        if (approval === undefined || found === undefined) return undefined;
        return { approval, conversationId: found.id, conversation: found.conversation };
      }),
    openAt: (conversationId) =>
      database.read(async (sql) => (sql.approvals.isAny() ? await sql.list(toApproval, openAt, conversationId) : [])),
    lastShown: async (approvalId, conversationId) => sql.find(toTime, lastShown, { approvalId, conversationId }),
    note: (approvalId, notice, at) => database.write((sql) => outbox.add(sql, notice, at, { approvalId })),
    grants: async (conversationId, requester, now) => grantsFor(sql, conversationId, requester, now),
    participants: async (conversationId) =>
      sql.texts('SELECT principal FROM participants WHERE conversation_id = ?', conversationId),
    directConversations: (principals) => database.read(async (sql) => conversations.directChatsOf(sql, principals)),
    conversations: (conversationIds) => database.read(async (sql) => conversations.findAll(sql, conversationIds)),

    decide: (decision) =>
      database.writeIncoming(async (sql) => {
        const { origin, approval, told, at } = decision;
        if (await inbox.has(sql, origin.key)) return 'repeated';
        // A late decision has no effect. If it was a command, its answer stores the event.
        const isFirst = await settle(sql, decision);
        if (isFirst) await inbox.addObeyed(sql, origin, 'press', approval.id, at);
        if (isFirst && told !== undefined) await outbox.add(sql, told, at);
        await outbox.addTwin(sql, 'approval', approval.id, origin);
        return isFirst ? 'decided' : 'late';
      }),
    ask: (question) => database.write((sql) => addApproval(sql, question)),
    callOff: (question, outcome, at) =>
      database.write(async (sql) => void (await cancel(sql, question, 'keyturn', at, outcome))),
    expire: async (endings, at, visible) => {
      const work = async (sql: Sql): Promise<readonly string[]> => {
        const toWake = new Set<string>();
        for (const { approval, outcome, result, notice } of endings) {
          if (!(await end(sql, approval.id, 'expired', 'keyturn', at))) continue;
          tellDecided(sql, approval, 'expired', { by: 'keyturn', at });
          await endCalls(sql, approval, { outcome: 'expired', text: result }, false, at);
          await endRun(sql, approval, at);
          if (notice !== undefined) await outbox.add(sql, notice, at);
          await changeCards(sql, approval.id, outcome);
          const waiting = approval.runsIn ?? approval.conversationId;
          await conversations.setOpen(sql, waiting);
          await note(sql, approval, { at, kind: 'approval-expired', actor: 'keyturn' });
          toWake.add(waiting);
        }
        return [...toWake];
      };
      await database.write(work, 'full', visible);
    },
    remind: (reminders, at) =>
      database.write(async (sql) => {
        for (const { approvalId, draft, since } of reminders) {
          if (!(await sql.changed(reminded, { at, id: approvalId, since }))) continue;
          const { message, conversationId } = draft;
          const replyTo = (await sql.texts(shownCard, approvalId, conversationId)).at(-1);
          await outbox.add(sql, { conversationId, message: { ...message, replyTo } }, at, { approvalId });
        }
      }),
  };
}

/** Once for each of its times, in all chats alike. */
const reminded = `UPDATE approvals SET reminded_at = @at WHERE id = @id AND state = 'pending'
  AND (reminded_at IS NULL OR reminded_at < @since OR reminded_at = @at)`;
/** The message of a card that has the buttons. */
const shownCard = `SELECT refs ->> '$[#-1].id' FROM outbox WHERE approval_id = ? AND conversation_id = ? AND kind = 'card'
  AND buttons IS NOT NULL AND json_array_length(refs) > 0 ORDER BY seq`;

const cardAt = `SELECT approval_id, conversation_id FROM outbox INDEXED BY outbox_cards WHERE lane = @lane
  AND approval_id IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(refs) WHERE value ->> 'id' = @messageId) ORDER BY seq DESC LIMIT 1`;
/** Of a decision that only counts for rules, what it was about is gone. */
const approvalOf = 'SELECT * FROM approvals WHERE id = ? AND coalesce(call_id, question, extension) IS NOT NULL';

const openAt = `SELECT * FROM approvals WHERE state = 'pending' AND EXISTS (SELECT 1 FROM json_each(places) WHERE value = ?)
  ORDER BY created_at, id`;

/**
 * Its reminders may stand below the card, and what shows the progress of calls; all else may ask something too, and what
 * people wrote since may be talk. A card with 1,000 messages of all conversations after it is no longer the last.
 */
const lastShown = `SELECT delivered_at AS at FROM outbox AS card
  WHERE seq = (SELECT max(seq) FROM outbox WHERE approval_id = @approvalId AND conversation_id = @conversationId AND kind = 'card')
    AND state = 'delivered' AND seq > (SELECT max(seq) FROM outbox) - 1000
    AND NOT EXISTS (SELECT 1 FROM outbox AS below WHERE below.seq BETWEEN card.seq + 1 AND card.seq + 1000 AND below.conversation_id = @conversationId
      AND below.kind <> 'status' AND below.approval_id IS NOT @approvalId)
    AND NOT EXISTS (SELECT 1 FROM inbox INDEXED BY inbox_to_read WHERE conversation_id = @conversationId AND kind IN ('message', 'event')
      AND kind = 'message' AND received_at > (SELECT shown_at FROM approvals WHERE id = @approvalId))`;
const toTime = (row: Row): number => integer(row, 'at');

/** Compare-and-set: true for the first caller. */
const end = (
  sql: Sql,
  id: string,
  state: Exclude<ApprovalState, 'pending'>,
  by: string,
  at: number,
): Eventual<boolean> =>
  sql.changed(
    `UPDATE approvals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ? AND state = 'pending'`,
    ...[state, by, at, id],
  );

/** Ends an approval with all that follows from its decision. False, and nothing changes, if it had ended before. */
export async function settle(sql: Sql, decision: Decision): Promise<boolean> {
  const { origin, approval, state, outcome, at } = decision;
  if (!(await end(sql, approval.id, state, origin.principal, at))) return false;
  tellDecided(sql, approval, state, { by: origin.principal, at });
  await carryOut(sql, decision);
  await changeCards(sql, approval.id, outcome);
  await conversations.setOpen(sql, approval.runsIn ?? approval.conversationId);
  return true;
}

/** What follows for the calls, the run and the grants. */
async function carryOut(sql: Sql, decision: Decision): Promise<void> {
  const { approval, state, grant, result, at } = decision;
  switch (state) {
    case 'approved':
      for (const callId of callsOf(approval))
        await sql.run(`UPDATE calls SET state = 'ready', ready_at = ? WHERE id = ? AND state = 'awaiting'`, at, callId);
      break;
    case 'denied':
      await endCalls(sql, approval, { outcome: 'denied', text: result }, true, at);
      await endRun(sql, approval, at);
      break;
    case 'answered':
      await endCalls(sql, approval, { outcome: 'success', text: result }, true, at);
      await note(sql, approval, { at, kind: 'question-answered', actor: decision.origin.principal });
      return;
  }
  if (grant !== undefined) await give(sql, grant, decision);
  await noteDecision(sql, decision);
}

/** Closes a run whose extension was not granted. */
async function endRun(sql: Sql, approval: Approval, at: number): Promise<void> {
  if (approval.type !== 'extension') return;
  const { conversationId, requester, extension } = approval;
  const { runId, seenSeq } = extension;
  const reason = closingReasonOf(extension);
  await journal.addClosing(sql, { conversationId, runId, principal: requester, seenSeq, reason, at });
  await conversations.settle(sql, conversationId, seenSeq);
  await tellRunEnded(sql, conversationId, { runId, principal: requester }, { outcome: reason, at });
}

/** Ends the calls. Deferred ones are reported by an event. */
async function endCalls(
  sql: Sql,
  approval: Approval,
  result: CallResult,
  wantsAnswer: boolean,
  at: number,
): Promise<void> {
  for (const callId of callsOf(approval)) {
    const call = await journal.endUnbegun(sql, callId, result, at);
    if (call !== undefined) await audit.addEnd(sql, call, result, { at });
    if (call?.isDeferred === true) await inbox.addOutcome(sql, call, result, wantsAnswer, at);
  }
}

async function give(sql: Sql, grant: Grant, { approval, origin, at }: Decision): Promise<void> {
  await addGrant(sql, grant);
  const { id, kind, requester, toolName: tool } = grant;
  const detail = { grant: id, kind, tool, requester };
  await note(sql, approval, { at, kind: 'grant-given', actor: origin.principal, detail });
}

async function noteDecision(sql: Sql, { approval, state, origin, reason, at }: Decision): Promise<void> {
  const what: JsonObject =
    approval.type === 'extension'
      ? { run: approval.extension.runId, bound: approval.extension.bound }
      : askedCalls(approval);
  const detail = { ...what, approved: state === 'approved', reason: reason ?? null, in: origin.conversationId };
  await note(sql, approval, { at, kind: 'approval-decided', actor: origin.principal, detail });
}

/** Adds to the audit. `detail` defaults to the tool. */
async function note(
  sql: Sql,
  approval: Approval,
  {
    detail = { tool: approval.toolName },
    ...done
  }: Pick<audit.AuditEntry, 'at' | 'kind' | 'actor'> & Partial<audit.AuditEntry>,
): Promise<void> {
  const { id: approvalId, conversationId } = approval;
  await audit.add(sql, { ...done, approvalId, conversationId, callId: callOf(approval), detail });
}

function toApproval(row: Row): Approval {
  const {
    callId,
    hash,
    grantable,
    ruled,
    asked,
    question,
    extension,
    places: cardConversationIds,
    ...own
  } = toFields(row);
  const fields = { ...own, cardConversationIds };
  if (extension !== undefined) return { ...fields, type: 'extension', extension };
  if (question !== undefined) return { ...fields, type: 'question', callId, hash, question };
  if (callId === undefined) throw new Error(`the approval ${fields.id} is about nothing`);
  return { ...fields, type: 'permission', callId, hash, grantable, ruled, asked };
}

const toFields = columns({
  id: 'text',
  callId: 'text?',
  conversationId: 'text',
  runsIn: 'text?',
  requester: 'text',
  requesterName: 'text',
  toolName: 'text',
  description: 'text',
  hash: 'text',
  grantable: 'flag',
  state: journal.approvalStateIn,
  places: 'texts',
  createdAt: 'integer',
  expiresAt: 'integer',
  shownAt: 'integer?',
  remindedAt: 'integer?',
  otherwise: optional(json<Partial<Record<Language, string>>>()),
  ruled: optional(json<RuledCall>()),
  asked: optional(json<AskedCall>()),
  question: optional(json<AskedQuestion>()),
  extension: optional(json<Extension>()),
});

async function pending(sql: Sql, conversationId?: string): Promise<readonly Approval[]> {
  if (conversationId === undefined)
    return await sql.list(toApproval, `SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at, id`);
  const here = `SELECT * FROM approvals WHERE state = 'pending' AND conversation_id = ? ORDER BY created_at, id`;
  return await sql.list(toApproval, here, conversationId);
}

/** Stores an approval and its cards. */
export async function addApproval(sql: Sql, { approval, cards }: ApprovalDraft): Promise<void> {
  const { id, conversationId, requester, createdAt: at } = approval;
  const callIds = callsOf(approval);
  const runId = approval.type === 'extension' ? approval.extension.runId : undefined;
  const { cardConversationIds: places } = approval;
  await insertApproval(sql, {
    hash: '',
    grantable: false,
    ...approval,
    state: 'pending',
    places,
    callId: callIds[0],
    runId,
  });
  for (const callId of callIds) await sql.run('UPDATE calls SET approval_id = ? WHERE id = ?', id, callId);
  await outbox.addAll(sql, cards, at, { approvalId: id, callId: callIds[0] });
  tellAsked(sql, approval);
  if (approval.type !== 'extension') {
    const detail = { ...askedCalls(approval), ...rulesThatAsk(approval) };
    await note(sql, approval, { at, kind: 'approval-asked', actor: requester, detail });
    return;
  }
  const { runId: run, bound, until } = approval.extension;
  await sql.run('UPDATE conversations SET asking_run = ? WHERE id = ?', run, conversationId);
  await note(sql, approval, { at, kind: 'extension-asked', actor: requester, detail: { run, bound, until } });
}

const insertApproval = insertInto(
  `approvals (id, call_id, conversation_id, requester, requester_name, tool_name, description, hash, grantable, state, places, created_at, expires_at, question, run_id, extension, runs_in, asked, ruled, otherwise)`,
);

/**
 * The calls. Refuses those that another run has requested meanwhile, and with them all others on their card, which the model
 * is told to call again.
 */
export async function unlessAsked(sql: Sql, calls: readonly CallDraft[]): Promise<readonly CallDraft[]> {
  const results = new Map<string, string>();
  for (const { approval: { approval } = {} } of calls) {
    if (approval?.type !== 'permission') continue;
    const others = (await pending(sql, approval.conversationId)).filter((one) => one.requester === approval.requester);
    const asked = [approval, ...(approval.asked?.others ?? [])];
    const twins = asked.map(({ hash }) => others.find((one) => asksFor(one, hash)));
    if (twins.every((twin) => twin === undefined)) continue;
    for (const [index, { callId }] of asked.entries()) {
      const twin = twins[index];
      results.set(callId, twin === undefined ? callAgainResult : alreadyAwaitingResult(twin.id));
    }
  }
  return calls.map((call) => {
    const text = results.get(call.id);
    if (text === undefined) return call;
    return { ...call, approval: undefined, state: 'done', result: { outcome: 'refused', text } };
  });
}

/** The result of a call that was cancelled before it began. */
export const cancelled: CallResult = { outcome: 'cancelled', text: cancelledResult(false) };

/** Cancels a call that has not begun, with its approval, or notes it on the approved card. Returns the conversations of its cards. */
export async function cancelCall(sql: Sql, callId: string, by: string, at: number): Promise<readonly string[]> {
  const call = await journal.endUnbegun(sql, callId, cancelled, at);
  if (call !== undefined) await audit.addEnd(sql, call, cancelled, { at });
  const of = `SELECT * FROM approvals WHERE state = 'pending' AND id = (SELECT approval_id FROM calls WHERE id = ?)`;
  const asked = await sql.find(toApproval, of, callId);
  return asked === undefined
    ? await addCardNote(sql, callId, (language) => approvalWords[language].stopped)
    : await cancel(sql, asked, by, at);
}

async function cancel(
  sql: Sql,
  approval: Approval,
  actor: string,
  at: number,
  outcome: InLanguage = (language) => cancelledCard(approval, language),
) {
  if (!(await end(sql, approval.id, 'cancelled', actor, at))) return [];
  tellDecided(sql, approval, 'withdrawn', { by: actor, at });
  await changeCards(sql, approval.id, outcome);
  await note(sql, approval, { at, kind: 'approval-cancelled', actor });
  return approval.cardConversationIds;
}

/** The run's extensions that are pending or approved. */
export async function approvalsOfRun(
  sql: Sql,
  conversationId: string,
  runId: string,
): Promise<readonly ExtensionApproval[]> {
  const ofRun = `SELECT * FROM approvals WHERE conversation_id = ? AND run_id = ? AND state IN ('pending', 'approved')`;
  return (await sql.list(toApproval, ofRun, conversationId, runId)).filter((approval) => approval.type === 'extension');
}

/** Cancels the pending extensions of the conversation's run. Returns the conversations of their cards. */
export async function callOffExtensions(
  sql: Sql,
  conversationId: string,
  by: string,
  at: number,
): Promise<readonly string[]> {
  const askingRun = (await conversations.find(sql, conversationId))?.askingRun;
  const asked = askingRun === undefined ? [] : await approvalsOfRun(sql, conversationId, askingRun);
  const places: string[] = [];
  for (const approval of asked) if (approval.state === 'pending') places.push(...(await cancel(sql, approval, by, at)));
  return places;
}
