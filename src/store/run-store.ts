import type {
  CallEnd,
  ClosingDraft,
  RunState,
  RunStore,
  SubRunDraft,
  SubRunEnd,
  TurnDraft,
} from '../agent/run-store.ts';
import { spentOf } from '../agent/spending-store.ts';
import type { SubRun } from '../agent/sub-run.ts';
import type { Summary } from '../agent/summary.ts';
import type { ApprovalDraft } from '../approval/approval.ts';
import type { DaemonEvent, UserMessage } from '../transcript.ts';
import { addApproval, unlessAsked } from './approval-effects.ts';
import type { Database } from './database.ts';
import { addExtension, callOffExtensions } from './extension-effects.ts';
import { newestTurns } from './newest-turns.ts';
import { runAbove, spendForRun } from './run-spending.ts';
import { beginSubRun, endSubRun, tellLater } from './sub-run-effects.ts';
import type { OpenCall } from './tables/calls.ts';
import type { ReadRow } from './tables/read-row.ts';
import type { Tables } from './tables/tables.ts';
import { hasCalls } from './tables/turns.ts';
import { toTranscript } from './transcript-rows.ts';

/** How far back a transcript is read: enough for any request to a model, whatever the age of the conversation. */
const messagesToLoad = 200;

/** Runs in SQLite. */
export class SqliteRunStore implements RunStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async load(conversationId: string): Promise<RunState> {
    const { conversations, turns, inbox, calls, approvals } = this.#tables;
    const row = conversations.find(conversationId);
    if (row === undefined) throw new Error(`there is no conversation ${conversationId}`);
    const summary = this.#summaryOf(conversationId, row.summaryId);
    const { before, used } = newestTurns(turns, conversationId, summary?.upToTurn ?? row.sinceTurn);
    const beyond = before?.seenSeq ?? summary?.upToSeq ?? row.sinceSeq;
    const seenSeq = used.at(-1)?.seenSeq ?? row.sinceSeq;
    const read = this.#withAttachments(conversationId, [
      ...inbox.newestRead(conversationId, beyond, seenSeq, messagesToLoad + used.length),
      ...inbox.oldestUnread(conversationId, seenSeq, messagesToLoad),
    ]);
    const firstWithCalls = used.find(hasCalls);
    const entries = firstWithCalls === undefined ? [] : calls.ofTurns(conversationId, firstWithCalls.id);
    const newest = used.at(-1);
    return {
      conversationId,
      conversation: row.conversation,
      labels: row.labels,
      ...(row.model === undefined ? {} : { model: row.model }),
      pinned: row.pinned,
      ...(row.subRun === undefined ? {} : { subRun: row.subRun }),
      ...(summary === undefined ? {} : { summary }),
      ...(row.summaryFor === undefined ? {} : { summaryFor: row.summaryFor }),
      transcript: toTranscript({ read, turns: used, calls: entries }),
      journal: new Map(entries.map(({ entry }) => [entry.id, entry])),
      deferred: calls.deferredWorkable(conversationId),
      leftBehind: calls.leftBehind(conversationId, newest?.id ?? 0),
      newestTurn: newest?.id ?? turns.newestId(conversationId),
      turnsOfRun: newest === undefined ? 0 : turns.countOfRun(conversationId, newest.runId),
      spent: row.spent,
      ...this.#above(row.subRun),
      extensions: row.askingRun === undefined ? [] : approvals.ofRun(conversationId, row.askingRun),
      isOpen: row.isOpen,
    };
  }

  #above(subRun: SubRun | undefined): Pick<RunState, 'above'> {
    const above = subRun === undefined ? undefined : runAbove(this.#tables, subRun);
    return above === undefined ? {} : { above };
  }

  #summaryOf(conversationId: string, id: number | undefined): Summary | undefined {
    const { summaries, calls } = this.#tables;
    const summary = id === undefined ? undefined : summaries.find(id);
    if (summary === undefined) return undefined;
    return { ...summary, waiting: calls.waitingUpTo(conversationId, summary.upToTurn) };
  }

  /** Asks for attachments only where there are some. */
  #withAttachments(conversationId: string, rows: readonly ReadRow[]): readonly (UserMessage | DaemonEvent)[] {
    const seqs = rows.flatMap(({ entry, hasAttachments }) => (hasAttachments ? [entry.seq] : []));
    const [first, last = first] = [seqs[0], seqs.at(-1)];
    if (first === undefined || last === undefined) return rows.map(({ entry }) => entry);
    const found = this.#tables.attachments.between(conversationId, first, last);
    return rows.map(({ entry }) => {
      const attachments = found.get(entry.seq);
      return entry.type === 'user' && attachments !== undefined ? { ...entry, attachments } : entry;
    });
  }

  /** Relaxed where nothing was begun: should a power failure take the answer, the message is answered anew. */
  storeTurn(draft: TurnDraft): Promise<'stored' | 'outdated'> {
    return this.#database.write(
      () => {
        const { turns, outbox, conversations } = this.#tables;
        if (turns.newestId(draft.conversationId) !== draft.after) return 'outdated';
        const turnId = turns.addTurn(draft);
        this.#tables.spending.add({ ...draft, conversationId: draft.countedIn ?? draft.conversationId });
        for (const message of draft.messages) outbox.add(message, draft.at);
        this.#addCalls(draft, turnId);
        const { conversationId, runId, seenSeq } = draft;
        if (draft.countedIn !== undefined) spendForRun(this.#tables, conversationId, runId, spentOf(draft.usage));
        else if (draft.calls.length === 0) conversations.settle(conversationId, seenSeq);
        // Nothing of a run that ends here is asked for any more.
        else conversations.spend(conversationId, runId, spentOf(draft.usage));
        return 'stored';
      },
      draft.calls.length === 0 ? 'relaxed' : 'full',
    );
  }

  begin(callId: string, at: number): Promise<boolean> {
    return this.#database.write(() => {
      const begun = this.#tables.calls.begin(callId, at);
      const call = this.#tables.calls.find(callId);
      if (begun && call !== undefined) this.#auditBegun(call, at);
      return begun;
    });
  }

  /** Relaxed: should a power failure take it, the call is reported as unknown, which is true. */
  end(end: CallEnd): Promise<readonly string[]> {
    return this.#database.write(() => {
      const { calls, outbox } = this.#tables;
      const call = calls.find(end.callId);
      if (call === undefined || !calls.end(end.callId, end.result, end.duration, end.at)) return [];
      for (const message of end.messages) outbox.add(message, end.at, { callId: end.callId });
      const cards = outbox.addCardNote(end.callId, end.cardNote);
      if (call.isDeferred) tellLater(this.#tables, call, end);
      this.#tables.audit.add({
        at: end.at,
        kind: 'call-ended',
        conversationId: call.conversationId,
        actor: 'keyturn',
        callId: end.callId,
        detail: { tool: call.name, outcome: end.result.outcome, duration: end.duration },
      });
      return cards;
    }, 'relaxed');
  }

  beginSubRun(draft: SubRunDraft): Promise<'begun' | 'outdated' | 'too-many'> {
    return this.#database.write(() => beginSubRun(this.#tables, draft));
  }

  endSubRun(end: SubRunEnd): Promise<{ readonly toWake: readonly string[]; readonly places: readonly string[] }> {
    return this.#database.write(() => endSubRun(this.#tables, end));
  }

  reopen(callId: string, approval: ApprovalDraft): Promise<boolean> {
    return this.#database.write(() => {
      if (!this.#tables.calls.await(callId)) return false;
      addApproval(this.#tables, approval);
      return true;
    });
  }

  defer(callIds: readonly string[]): Promise<void> {
    return this.#database.write(() => {
      for (const id of callIds) this.#tables.calls.defer(id);
    });
  }

  close(draft: ClosingDraft): Promise<'stored' | 'outdated'> {
    return this.#database.write(() => {
      const { turns, outbox, conversations } = this.#tables;
      if (turns.newestId(draft.conversationId) !== draft.after) return 'outdated';
      turns.addClosing(draft);
      // A fault in writing a summary must not come again and again.
      this.#tables.summaries.wish(draft.conversationId, undefined);
      for (const message of draft.messages) outbox.add(message, draft.at);
      callOffExtensions(this.#tables, draft.conversationId, 'keyturn', draft.at);
      conversations.settle(draft.conversationId, draft.seenSeq);
      return 'stored';
    });
  }

  askToGoOn(asked: ApprovalDraft, after: number): Promise<'stored' | 'outdated'> {
    return this.#database.write(() => {
      if (this.#tables.turns.newestId(asked.approval.conversationId) !== after) return 'outdated';
      addExtension(this.#tables, asked);
      return 'stored';
    });
  }

  rest(conversationId: string): Promise<void> {
    return this.#database.write(() => {
      const { conversations, turns } = this.#tables;
      const row = conversations.find(conversationId);
      const seenSeq = turns.newest(conversationId, row?.sinceTurn ?? 0, 1).at(-1)?.seenSeq ?? row?.sinceSeq ?? 0;
      conversations.settle(conversationId, seenSeq);
    }, 'relaxed');
  }

  #addCalls({ calls, conversationId, runId, principal, at }: TurnDraft, turnId: number): void {
    for (const [position, drafted] of calls.entries()) {
      const call = unlessAsked(this.#tables, drafted);
      this.#tables.calls.add(call, { turnId, position, conversationId, runId, principal }, at);
      this.#tables.audit.add({
        at,
        kind: 'call-proposed',
        conversationId,
        actor: principal,
        callId: call.id,
        // The arguments stand in the journal, under the same id and hash.
        detail: {
          tool: call.name,
          hash: call.hash ?? null,
          verdict: call.state,
          grant: call.grantId ?? null,
          outcome: call.result?.outcome ?? null,
          ...(call.changedBy === undefined ? {} : { changedBy: call.changedBy }),
        },
      });
      if (call.approval !== undefined) addApproval(this.#tables, call.approval);
      if (call.state === 'begun') this.#auditBegun({ id: call.id, name: call.name, conversationId }, at);
    }
  }

  #auditBegun({ id, name, conversationId }: Pick<OpenCall, 'id' | 'name' | 'conversationId'>, at: number): void {
    this.#tables.audit.add({
      at,
      kind: 'call-begun',
      conversationId,
      actor: 'keyturn',
      callId: id,
      detail: { tool: name },
    });
  }
}
