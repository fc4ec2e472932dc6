import type {
  AnswerDraft,
  Approval,
  ApprovalDraft,
  ApprovalStore,
  Decision,
  DecisionResult,
  Ending,
  OutboxDraft,
} from '../approval/approval.ts';
import { closingReasonOf } from '../approval/extension.ts';
import type { Grant } from '../approval/grants.ts';
import type { CallResult } from '../transcript.ts';
import { addApproval, callOf } from './approval-effects.ts';
import type { Database } from './database.ts';
import type { ConversationRow } from './tables/conversations.ts';
import type { Tables } from './tables/tables.ts';

/** Approvals and grants in SQLite. */
export class SqliteApprovalStore implements ApprovalStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async find(id: string): Promise<Approval | undefined> {
    return this.#tables.approvals.find(id);
  }

  async pending(conversationId?: string): Promise<readonly Approval[]> {
    return this.#tables.approvals.pending(conversationId);
  }

  async unreminded(): Promise<readonly Approval[]> {
    return this.#tables.approvals.unreminded();
  }

  async grants(conversationId: string, requester: string, now: number): Promise<readonly Grant[]> {
    return this.#tables.grants.ofRequester(conversationId, requester, now);
  }

  async standingCards(approvalId: string): Promise<number> {
    return this.#tables.outbox.standingCards(approvalId);
  }

  async participants(conversationId: string): Promise<readonly string[]> {
    return this.#tables.conversations.participants(conversationId);
  }

  async directConversations(principals: readonly string[]): Promise<readonly string[]> {
    return [...new Set(principals.flatMap((principal) => this.#tables.conversations.directConversationsOf(principal)))];
  }

  async places(conversationIds: readonly string[]): Promise<readonly ConversationRow[]> {
    return conversationIds.flatMap((id) => this.#tables.conversations.find(id) ?? []);
  }

  decide(decision: Decision): Promise<DecisionResult> {
    return this.#database.write(() => {
      const { approvals, inbox, outbox, conversations } = this.#tables;
      const { origin, approval, approved, at } = decision;
      if (inbox.has(origin.key)) return 'repeated';
      // What comes late is not obeyed: a command of it is still to be answered, and stored with that.
      if (!approvals.end(approval.id, approved ? 'approved' : 'denied', origin.principal, at)) return 'late';
      inbox.addObeyed(origin, 'press', approval.id, at);
      this.#settleCall(decision);
      if (decision.grant !== undefined) this.#give(decision.grant, decision);
      outbox.changeCards(approval.id, decision.outcome);
      conversations.setOpen(approval.runsIn ?? approval.conversationId);
      this.#auditDecision(decision);
      return 'decided';
    });
  }

  answer({ origin, approval, outcome, result, at }: AnswerDraft): Promise<DecisionResult> {
    return this.#database.write(() => {
      const { approvals, inbox, outbox, conversations, audit } = this.#tables;
      if (inbox.has(origin.key)) return 'repeated';
      if (!approvals.end(approval.id, 'answered', origin.principal, at)) return 'late';
      const { id: approvalId, conversationId, toolName } = approval;
      inbox.addObeyed(origin, 'press', approvalId, at);
      this.#endCall(approval, { outcome: 'success', text: result }, true, at);
      outbox.changeCards(approvalId, outcome);
      conversations.setOpen(approval.runsIn ?? conversationId);
      const what = { ...callOf(approval), approvalId, detail: { tool: toolName } };
      audit.add({ at, kind: 'question-answered', conversationId, actor: origin.principal, ...what });
      return 'decided';
    });
  }

  ask(question: ApprovalDraft): Promise<void> {
    return this.#database.write(() => addApproval(this.#tables, question));
  }

  callOff(question: Approval, outcome: string, at: number): Promise<void> {
    return this.#database.write(() => {
      const { approvals, outbox, audit } = this.#tables;
      const { id: approvalId, conversationId, toolName } = question;
      if (!approvals.end(approvalId, 'cancelled', 'keyturn', at)) return;
      outbox.changeCards(approvalId, outcome);
      const what = { ...callOf(question), approvalId, detail: { tool: toolName } };
      audit.add({ at, kind: 'approval-cancelled', conversationId, actor: 'keyturn', ...what });
    });
  }

  expire(endings: readonly Ending[], at: number): Promise<readonly string[]> {
    return this.#database.write(() => {
      const toWake = new Set<string>();
      for (const ending of endings) {
        if (!this.#tables.approvals.end(ending.approval.id, 'expired', 'keyturn', at)) continue;
        const { id: approvalId, conversationId, toolName } = ending.approval;
        this.#endCall(ending.approval, { outcome: 'expired', text: ending.result }, false, at);
        this.#endRun(ending.approval, at);
        if (ending.notice !== undefined) this.#tables.outbox.add(ending.notice, at);
        this.#tables.outbox.changeCards(approvalId, ending.outcome);
        this.#tables.conversations.setOpen(ending.approval.runsIn ?? conversationId);
        this.#tables.audit.add({
          at,
          kind: 'approval-expired',
          conversationId,
          actor: 'keyturn',
          ...callOf(ending.approval),
          approvalId,
          detail: { tool: toolName },
        });
        toWake.add(ending.approval.runsIn ?? conversationId);
      }
      return [...toWake];
    });
  }

  remind(
    reminders: readonly { readonly approvalId: string; readonly draft: OutboxDraft }[],
    at: number,
  ): Promise<void> {
    return this.#database.write(() => {
      for (const { approvalId, draft } of reminders) {
        if (this.#tables.approvals.remind(approvalId, at)) this.#tables.outbox.add(draft, at);
      }
    });
  }

  #settleCall({ approval, approved, result, at }: Decision): void {
    if (!approved) {
      this.#endCall(approval, { outcome: 'denied', text: result }, true, at);
      this.#endRun(approval, at);
    } else if (approval.callId !== undefined) {
      this.#tables.calls.approve(approval.callId, at);
    }
  }

  /** A run that may not go on is over, and so is what it was about. */
  #endRun({ conversationId, requester, extension }: Approval, at: number): void {
    if (extension === undefined) return;
    const { turns, conversations } = this.#tables;
    const { runId, seenSeq } = extension;
    const reason = closingReasonOf(extension);
    turns.addClosing({ conversationId, runId, principal: requester, seenSeq, reason, at });
    conversations.settle(conversationId, seenSeq);
  }

  /** A call that the run did not wait for tells its end by an event; the others by their result. */
  #endCall({ callId }: Approval, result: CallResult, wantsAnswer: boolean, at: number): void {
    if (callId === undefined) return;
    const { calls, inbox } = this.#tables;
    const call = calls.find(callId);
    if (calls.endUnbegun(callId, result, at) && call?.isDeferred === true)
      inbox.addOutcome(call, result, wantsAnswer, at);
  }

  #give(grant: Grant, { approval, origin, at }: Decision): void {
    this.#tables.grants.add(grant);
    const detail = { grant: grant.id, kind: grant.kind, tool: grant.toolName, requester: grant.requester };
    const { conversationId, id: approvalId } = approval;
    this.#tables.audit.add({
      at,
      kind: 'grant-given',
      conversationId,
      actor: origin.principal,
      ...callOf(approval),
      approvalId,
      detail,
    });
  }

  #auditDecision({ approval, approved, origin, reason, at }: Decision): void {
    const { conversationId, id: approvalId, toolName, hash, extension } = approval;
    const what = extension === undefined ? { tool: toolName, hash } : { run: extension.runId, bound: extension.bound };
    const detail = { ...what, approved, reason: reason ?? null };
    this.#tables.audit.add({
      at,
      kind: 'approval-decided',
      conversationId,
      actor: origin.principal,
      ...callOf(approval),
      approvalId,
      detail,
    });
  }
}
