import {
  type Approval,
  type ApprovalState,
  type AskedCall,
  type AskedQuestion,
  closingReasonOf,
  type Extension,
  type ExtensionApproval,
  type Grant,
  type PermissionApproval,
  type QuestionApproval,
} from '../approval/approval.ts';
import { cancelledCard } from '../approval/cards.ts';
import type { ApprovalDraft, ApprovalStore, CallDraft, Decision } from '../engine/journal.ts';
import type { Origin } from '../engine/message.ts';
import type { JsonObject } from '../lib/json.ts';
import type { CallResult } from '../transcript.ts';
import { alreadyAwaitingResult } from '../words/model-words.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as inbox from './inbox.ts';
import * as outbox from './outbox.ts';
import { columns, integer, json, jsonOf, oneOf, optional, type Row, type Sql, text, texts } from './sql.ts';
import * as turns from './turns.ts';

/** Questions to people, each decided once, and the permissions that came with the decisions. */
export function createApprovalStore(database: Database): ApprovalStore {
  const { sql } = database;
  return {
    find: async (id) => sql.all('SELECT * FROM approvals WHERE id = ?', id).map(toApproval)[0],
    pending: async (conversationId) => pending(sql, conversationId),
    unreminded: async () =>
      sql.all(`SELECT * FROM approvals WHERE state = 'pending' AND reminded_at IS NULL`).map(toApproval),
    grants: async (conversationId, requester, now) => sql.all(grantsOf, conversationId, requester, now).map(toGrant),
    standingCards: async (approvalId) => outbox.standingCards(sql, approvalId),
    participants: async (conversationId) =>
      sql
        .all('SELECT principal FROM participants WHERE conversation_id = ?', conversationId)
        .map((row) => text(row, 'principal')),
    directConversations: async (principals) => conversations.directConversationsOf(sql, principals),
    places: async (conversationIds) => conversationIds.flatMap((id) => conversations.find(sql, id) ?? []),

    decide: (decision) =>
      database.write(() => {
        const { origin, approval, approved, at } = decision;
        if (inbox.has(sql, origin.key)) return 'repeated';
        // A late decision is not obeyed. If it was a command, its answer stores the event.
        if (!end(sql, approval.id, approved ? 'approved' : 'denied', origin.principal, at)) {
          outbox.addTwin(sql, 'approval', approval.id, origin);
          return 'late';
        }
        inbox.addObeyed(sql, origin, 'press', approval.id, at);
        if (!approved) {
          endCall(sql, approval, { outcome: 'denied', text: decision.result }, true, at);
          endRun(sql, approval, at);
        } else if (approval.type === 'permission') {
          sql.run(
            `UPDATE calls SET state = 'ready', ready_at = ? WHERE id = ? AND state = 'awaiting'`,
            at,
            approval.callId,
          );
        }
        if (decision.grant !== undefined) give(sql, decision.grant, decision);
        outbox.changeCards(sql, approval.id, decision.outcome);
        outbox.addTwin(sql, 'approval', approval.id, origin);
        conversations.setOpen(sql, approval.runsIn ?? approval.conversationId);
        auditDecision(sql, decision);
        return 'decided';
      }),
    answer: ({ origin, approval, outcome, result, at }) =>
      database.write(() => {
        if (inbox.has(sql, origin.key)) return 'repeated';
        if (!end(sql, approval.id, 'answered', origin.principal, at)) {
          outbox.addTwin(sql, 'approval', approval.id, origin);
          return 'late';
        }
        const { id: approvalId, conversationId, toolName } = approval;
        inbox.addObeyed(sql, origin, 'press', approvalId, at);
        endCall(sql, approval, { outcome: 'success', text: result }, true, at);
        outbox.changeCards(sql, approvalId, outcome);
        outbox.addTwin(sql, 'approval', approvalId, origin);
        conversations.setOpen(sql, approval.runsIn ?? conversationId);
        const by = { actor: origin.principal, detail: { tool: toolName } };
        audit.add(sql, { at, kind: 'question-answered', ...subjectOf(approval), ...by });
        return 'decided';
      }),
    ask: (question) => database.write(() => addApproval(sql, question)),
    callOff: (question, outcome, at) =>
      database.write(() => {
        if (!end(sql, question.id, 'cancelled', 'keyturn', at)) return;
        outbox.changeCards(sql, question.id, outcome);
        const by = { actor: 'keyturn', detail: { tool: question.toolName } };
        audit.add(sql, { at, kind: 'approval-cancelled', ...subjectOf(question), ...by });
      }),
    expire: async (endings, at, visible) => {
      const work = (): readonly string[] => {
        const toWake = new Set<string>();
        for (const { approval, outcome, result, notice } of endings) {
          if (!end(sql, approval.id, 'expired', 'keyturn', at)) continue;
          endCall(sql, approval, { outcome: 'expired', text: result }, false, at);
          endRun(sql, approval, at);
          if (notice !== undefined) outbox.add(sql, notice, at);
          outbox.changeCards(sql, approval.id, outcome);
          const waiting = approval.runsIn ?? approval.conversationId;
          conversations.setOpen(sql, waiting);
          const by = { actor: 'keyturn', detail: { tool: approval.toolName } };
          audit.add(sql, { at, kind: 'approval-expired', ...subjectOf(approval), ...by });
          toWake.add(waiting);
        }
        return [...toWake];
      };
      await database.write(work, 'full', visible);
    },
    remind: (reminders, at) =>
      database.write(() => {
        for (const { approvalId, draft } of reminders) {
          const isFirst = sql.run(
            `UPDATE approvals SET reminded_at = ? WHERE id = ? AND state = 'pending' AND (reminded_at IS NULL OR reminded_at = ?)`,
            ...[at, approvalId, at],
          );
          if (isFirst === 1) outbox.add(sql, draft, at, { approvalId });
        }
      }),
  };
}

/** True for the one that ended it. */
const end = (sql: Sql, id: string, state: Exclude<ApprovalState, 'pending'>, by: string, at: number): boolean =>
  sql.changed(
    `UPDATE approvals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ? AND state = 'pending'`,
    ...[state, by, at, id],
  );

/** A run that may not go on is over, and so is what it was about. */
function endRun(sql: Sql, approval: Approval, at: number): void {
  if (approval.type !== 'extension') return;
  const { conversationId, requester, extension } = approval;
  const { runId, seenSeq } = extension;
  const reason = closingReasonOf(extension);
  turns.addClosing(sql, { conversationId, runId, principal: requester, seenSeq, reason, at });
  conversations.settle(sql, conversationId, seenSeq);
}

/** A call that the run did not wait for tells its end by an event; the others by their result. */
function endCall(sql: Sql, approval: Approval, result: CallResult, wantsAnswer: boolean, at: number): void {
  const callId = callOf(approval);
  if (callId === undefined) return;
  const call = turns.findCall(sql, callId);
  if (turns.endUnbegun(sql, callId, result, at) && call?.isDeferred === true)
    inbox.addOutcome(sql, call, result, wantsAnswer, at);
}

function give(sql: Sql, grant: Grant, { approval, origin, at }: Decision): void {
  const { id, kind, conversationId, requester, toolName, description, grantedBy, createdAt } = grant;
  sql.run(
    `INSERT INTO grants (id, kind, conversation_id, requester, tool_name, description, hash, granted_by, created_at, expires_at, targets)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, kind, conversationId, requester, toolName, description],
    ...[
      grant.kind === 'always' ? grant.hash : null,
      grantedBy,
      createdAt,
      ...(grant.kind === 'window' ? [grant.expiresAt, jsonOf(grant.targets)] : [null, null]),
    ],
  );
  const by = { actor: origin.principal, detail: { grant: id, kind, tool: toolName, requester } };
  audit.add(sql, { at, kind: 'grant-given', ...subjectOf(approval), ...by });
}

function auditDecision(sql: Sql, { approval, approved, origin, reason, at }: Decision): void {
  const what: JsonObject =
    approval.type === 'extension'
      ? { run: approval.extension.runId, bound: approval.extension.bound }
      : { tool: approval.toolName, hash: approval.hash };
  const by = { actor: origin.principal, detail: { ...what, approved, reason: reason ?? null } };
  audit.add(sql, { at, kind: 'approval-decided', ...subjectOf(approval), ...by });
}

/** The approval, its conversation, and the call that it is about, as the audit names them. */
function subjectOf(approval: Approval) {
  const { id: approvalId, conversationId } = approval;
  const during = approval.type === 'question' ? approval.question.duringCall : undefined;
  return { approvalId, conversationId, callId: callOf(approval) ?? during };
}

/** The call that ends with it. */
function callOf(approval: Approval): string | undefined {
  return approval.type === 'extension' ? undefined : approval.callId;
}

function toApproval(row: Row): Approval {
  const { callId, hash, grantable, asked, question, extension, ...fields } = toFields(row);
  if (extension !== undefined) return { ...fields, type: 'extension', extension };
  if (question !== undefined) return { ...fields, type: 'question', callId, hash, question };
  if (callId === undefined) throw new Error(`the approval ${fields.id} is about nothing`);
  return { ...fields, type: 'permission', callId, hash, grantable, asked };
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
  state: turns.approvalStateIn,
  places: 'texts',
  createdAt: 'integer',
  expiresAt: 'integer',
  shownAt: 'integer?',
  asked: optional(json<AskedCall>()),
  question: optional(json<AskedQuestion>()),
  extension: optional(json<Extension>()),
});

function pending(sql: Sql, conversationId?: string): readonly Approval[] {
  if (conversationId === undefined)
    return sql.all(`SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at, id`).map(toApproval);
  const here = `SELECT * FROM approvals WHERE state = 'pending' AND conversation_id = ? ORDER BY created_at, id`;
  return sql.all(here, conversationId).map(toApproval);
}

function insert(sql: Sql, approval: Approval): void {
  const { id, conversationId, requester, requesterName, toolName, description } = approval;
  const { places, createdAt, expiresAt, runsIn } = approval;
  const hash = approval.type === 'extension' ? '' : approval.hash;
  const grantable = approval.type === 'permission' && approval.grantable;
  const question = approval.type === 'question' ? approval.question : undefined;
  const extension = approval.type === 'extension' ? approval.extension : undefined;
  const asked = approval.type === 'permission' ? approval.asked : undefined;
  sql.run(
    `INSERT INTO approvals (id, call_id, conversation_id, requester, requester_name, tool_name, description, hash, grantable,
       state, places, created_at, expires_at, question, run_id, extension, runs_in, asked)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, callOf(approval), conversationId, requester, requesterName, toolName, description, hash, grantable],
    ...[JSON.stringify(places), createdAt, expiresAt, jsonOf(question), extension?.runId, jsonOf(extension)],
    ...[runsIn, jsonOf(asked)],
  );
  const callId = callOf(approval);
  if (callId !== undefined) sql.run('UPDATE calls SET approval_id = ? WHERE id = ?', id, callId);
}

/** Stores a question to people, and the cards that ask it. */
export function addApproval(sql: Sql, { approval, cards }: ApprovalDraft<PermissionApproval | QuestionApproval>): void {
  const { id: approvalId, callId, createdAt: at, toolName, hash } = approval;
  insert(sql, approval);
  outbox.addAll(sql, cards, at, { approvalId, callId });
  const by = { actor: approval.requester, detail: { tool: toolName, hash } };
  audit.add(sql, { at, kind: 'approval-asked', ...subjectOf(approval), ...by });
}

/** The call; not asked for once more if another run has asked for the very same since it was judged. */
export function unlessAsked(sql: Sql, call: CallDraft): CallDraft {
  const asked = call.approval?.approval;
  if (asked?.type !== 'permission') return call;
  const { conversationId, hash, requester } = asked;
  const twin = pending(sql, conversationId).find(
    (one) => one.type !== 'extension' && one.hash === hash && one.requester === requester,
  );
  if (twin === undefined) return call;
  const result = { outcome: 'refused', text: alreadyAwaitingResult(twin.id) } as const;
  return { ...call, approval: undefined, state: 'done', result };
}

/** Takes back the question about a call. Tells where its cards stand. */
export function cancelApproval(sql: Sql, callId: string, by: string, at: number): readonly string[] {
  const row = sql.get(`SELECT * FROM approvals WHERE state = 'pending' AND call_id = ?`, callId);
  return row === undefined ? [] : cancel(sql, toApproval(row), by, at);
}

function cancel(sql: Sql, approval: Approval, by: string, at: number): readonly string[] {
  if (!end(sql, approval.id, 'cancelled', by, at)) return [];
  outbox.changeCards(sql, approval.id, cancelledCard(approval));
  const detail = { tool: approval.toolName };
  audit.add(sql, { at, kind: 'approval-cancelled', ...subjectOf(approval), actor: by, detail });
  return approval.places;
}

/** A run asks to go on beyond one of its bounds. */
export function addExtension(sql: Sql, { approval, cards }: ApprovalDraft<ExtensionApproval>): void {
  const { id: approvalId, conversationId, requester: actor, createdAt: at, extension } = approval;
  const { runId, bound, until } = extension;
  insert(sql, approval);
  outbox.addAll(sql, cards, at, { approvalId });
  conversations.ask(sql, conversationId, runId);
  const detail = { run: runId, bound, until };
  audit.add(sql, { at, kind: 'extension-asked', ...subjectOf(approval), actor, detail });
}

/** The extensions that a run has asked for and that were not refused. */
export function approvalsOfRun(sql: Sql, conversationId: string, runId: string): readonly ExtensionApproval[] {
  const rows = sql.all(
    `SELECT * FROM approvals WHERE conversation_id = ? AND run_id = ? AND state IN ('pending', 'approved')`,
    ...[conversationId, runId],
  );
  return rows.map(toApproval).filter((approval) => approval.type === 'extension');
}

/** Calls off what the run of a conversation has asked for, to go on, and nobody has decided yet. Tells where its cards stand. */
export function callOffExtensions(sql: Sql, conversationId: string, by: string, at: number): readonly string[] {
  const askingRun = conversations.find(sql, conversationId)?.askingRun;
  const asked = askingRun === undefined ? [] : approvalsOfRun(sql, conversationId, askingRun);
  return asked.flatMap((approval) => (approval.state === 'pending' ? cancel(sql, approval, by, at) : []));
}

const standing = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)';
const grantsOf = `SELECT * FROM grants WHERE conversation_id = ? AND requester = ? AND ${standing}`;
const grantsIn = `SELECT * FROM grants WHERE conversation_id = ? AND ${standing} ORDER BY created_at, id`;

/** All grants that hold in the conversation. */
export const grantsHere = (sql: Sql, conversationId: string, now: number): readonly Grant[] =>
  sql.all(grantsIn, conversationId, now).map(toGrant);

/** Takes back those of the grants that hold there. Tells how many there were. */
export function revokeGrants(
  sql: Sql,
  ids: readonly string[],
  { conversationId, principal }: Origin,
  at: number,
): number {
  const revoked = ids.filter((id) =>
    sql.changed(
      'UPDATE grants SET revoked_at = ? WHERE id = ? AND conversation_id = ? AND revoked_at IS NULL',
      ...[at, id, conversationId],
    ),
  );
  for (const grant of revoked)
    audit.add(sql, { at, kind: 'grant-revoked', conversationId, actor: principal, detail: { grant } });
  return revoked.length;
}

export const endWindows = (sql: Sql, conversationId: string, at: number): number =>
  sql.run(
    `UPDATE grants SET revoked_at = ? WHERE conversation_id = ? AND kind = 'window' AND revoked_at IS NULL`,
    ...[at, conversationId],
  );

const fieldsOfGrant = columns({
  id: 'text',
  conversationId: 'text',
  requester: 'text',
  toolName: 'text',
  description: 'text',
  grantedBy: 'text',
  createdAt: 'integer',
});
const grantKindIn = oneOf('window', 'always');
const targetsIn = optional(texts);

function toGrant(row: Row): Grant {
  const kind = grantKindIn(row, 'kind');
  switch (kind) {
    case 'window':
      return { ...fieldsOfGrant(row), kind, targets: targetsIn(row, 'targets'), expiresAt: integer(row, 'expires_at') };
    case 'always':
      return { ...fieldsOfGrant(row), kind, hash: text(row, 'hash') };
  }
}
