/** What a run is made of, as the store has it: the transcript since the last summary, and the open work. */
import type { SharedText } from '../contract.ts';
import type { JournalEntry, RunState, SubRun } from '../engine/journal.ts';
import type { KeptQuote } from '../engine/message.ts';
import type { SummaryStore } from '../runs/context/compactor.ts';
import { toolCategories } from '../tools/tool.ts';
import type {
  Attachment,
  Call,
  CallResult,
  DaemonEvent,
  Summary,
  TranscriptEntry,
  UserMessage,
  WaitingCall,
} from '../transcript.ts';
import { deferredResult, goesOnResult, handCallIn, hookChangedNote } from '../words/model-words.ts';
import { approvalsOfRun } from './approvals.ts';
import { attachmentsBetween } from './attachments.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as journal from './journal.ts';
import type { KeptPart } from './kept-transcripts.ts';
import * as outbox from './outbox.ts';
import { isNearlyUsed, type Rations, rationsFor, unreadToLoad, usedOf } from './rations.ts';
import { fewBehind, fitting, lengthOf, newestOfRead, oldestUnread } from './rows-to-read.ts';
import {
  columns,
  type Eventual,
  flag,
  integer,
  json,
  oneOf,
  optional,
  optionalText,
  type Row,
  type Sql,
  text,
  texts,
} from './sql.ts';

/**
 * Loads a run: the transcript after the summary, in the order in which the model saw it, and the open work. Of a transcript
 * that no window of `contextTokens` can hold, only the newest part is read; the newest run is always complete, however
 * long, because its beginning holds the task.
 */
export async function load(sql: Sql, conversationId: string, contextTokens = 0): Promise<RunState> {
  const row = await conversations.find(sql, conversationId);
  if (row === undefined) throw new Error(`there is no conversation ${conversationId}`);
  const summary = row.summaryId === undefined ? undefined : await summaryOf(sql, conversationId, row.summaryId);
  const read = await transcriptOf(sql, { row, summary, contextTokens });
  const { newest } = read;
  const newestTurn = newest?.id ?? (await journal.newestTurnId(sql, conversationId));
  const work = toOpenWork(await sql.one(openWork, { id: conversationId, run: newest?.runId, turn: newest?.id ?? 0 }));
  return {
    ...row,
    conversationId,
    summary,
    transcript: { entries: read.entries },
    isNearlyFull: read.isNearlyFull,
    journal: new Map(read.calls.map((entry) => [entry.id, entry])),
    lateCalls: work.hasWorkable ? await sql.list(toEntry, workableCalls, conversationId) : [],
    leftBehind: work.hasBegun ? await sql.list(toEntry, begunCalls, conversationId, newest?.id ?? 0) : [],
    newestTurn,
    turnsOfRun: work.turnsOfRun,
    above: row.subRun && (await runAbove(sql, row.subRun)),
    extensions: row.askingRun === undefined ? [] : await approvalsOfRun(sql, conversationId, row.askingRun),
    wait: work.hasWait ? await journal.waitAfter(sql, conversationId, newestTurn) : undefined,
    isBegun: work.isBegun,
  };
}

/** Whose transcript is read. */
interface ReadWish {
  readonly row: {
    readonly id: string;
    readonly sinceSeq: number;
    readonly sinceTurn: number;
    readonly summaryId?: number | undefined;
  };
  readonly summary: Summary | undefined;
  readonly contextTokens: number;
}

/** What is loaded of a transcript. */
interface ReadTranscript {
  readonly entries: readonly TranscriptEntry[];
  readonly calls: readonly JournalEntry[];
  readonly newest: KeptPart['newest'] | undefined;
  readonly isNearlyFull: boolean;
}

/** What was kept of it, and what is stored behind that; all of it if nothing was kept, or it no longer takes all. */
async function transcriptOf(sql: Sql, wish: ReadWish): Promise<ReadTranscript> {
  const { row, summary, contextTokens } = wish;
  const { id, sinceTurn, summaryId, sinceSeq } = row;
  const keptFor = { sinceTurn, summaryId, contextTokens };
  const kept = sql.kept.find(id, keptFor);
  const rations = rationsFor(contextTokens, kept?.used);
  const beyondTurn = kept?.newest.id ?? summary?.upToTurn ?? sinceTurn;
  const { before, used, calls } = await turnsToRead(sql, id, beyondTurn, rations);
  const since = before?.seenSeq ?? summary?.upToSeq ?? sinceSeq;
  const beyond = Math.max(since, kept?.newest.seenSeq ?? since);
  const newest = used.at(-1) ?? kept?.newest;
  const seenSeq = newest?.seenSeq ?? sinceSeq;
  const messages = kept === undefined ? undefined : await fewBehind(sql, id, { beyond, seenSeq, rations });
  const seen = messages?.seen ?? (await sql.takeWhile(fitting(rations), newestOfRead, id, beyond, seenSeq));
  const isNearlyFull = isNearlyUsed(rations);
  if (kept !== undefined && (isNearlyFull || seenSeq < kept.newest.seenSeq)) {
    sql.kept.drop(id);
    return await transcriptOf(sql, wish);
  }
  const unread = messages?.unread ?? (await oldestUnread(sql, id, seenSeq, unreadToLoad));
  const read = await withAttachments(sql, id, [...seen.toReversed(), ...unread]);
  const entries = [...(kept?.entries ?? []), ...toEntries(read, used, calls)];
  const allCalls = [...(kept?.calls ?? []), ...calls.map(({ entry }) => entry)];
  const isSettled = calls.every(({ entry }) => entry.state === 'done') && used.every((turn) => turn.seenSeq <= seenSeq);
  if (newest !== undefined && used.length > 0 && isSettled && !isNearlyFull) {
    const end = entries.findLastIndex((entry) => entry.type === 'turn' || entry.type === 'closing') + 1;
    sql.kept.keep(id, { ...keptFor, entries: entries.slice(0, end), calls: allCalls, newest, used: usedOf(rations) });
  }
  return { entries, calls: allCalls, newest, isNearlyFull };
}

const entries = `SELECT calls.*, is_deferred AS deferred, trusted AS is_trusted, approvals.id AS approval_id, approvals.state AS approval_state, approvals.decided_at AS decided_at, approvals.asked ->> '$.readBefore' AS read_before,
    approvals.asked ->> '$.reads' AS reads,
    coalesce(participants.name, calls.principal) AS principal_name
  FROM calls
  LEFT JOIN approvals ON approvals.id = calls.approval_id
  LEFT JOIN participants ON participants.conversation_id = calls.conversation_id AND participants.principal = calls.principal`;
const callsOfTurns = `${entries} WHERE calls.conversation_id = ? AND calls.turn_id >= ? ORDER BY calls.turn_id DESC, calls.position DESC`;
// The condition `state <> 'done'` matches the index; without it SQLite scans all calls.
const workableCalls = `${entries} WHERE calls.conversation_id = ? AND calls.is_deferred = 1 AND calls.state <> 'done' AND calls.state IN ('ready', 'begun')
  ORDER BY calls.ready_at, calls.turn_id, calls.position`;
const begunCalls = `${entries} WHERE calls.conversation_id = ? AND calls.state <> 'done' AND calls.state = 'begun' AND calls.is_deferred = 0 AND calls.turn_id <> ?
  ORDER BY calls.id`;

/** Looks once at all that few conversations have. */
const openWork = `SELECT EXISTS (SELECT 1 FROM calls WHERE conversation_id = @id AND is_deferred = 1 AND state <> 'done' AND state IN ('ready', 'begun')) AS has_workable,
  EXISTS (SELECT 1 FROM calls WHERE conversation_id = @id AND state <> 'done' AND state = 'begun' AND is_deferred = 0 AND turn_id <> @turn) AS has_begun,
  EXISTS (SELECT 1 FROM attempts WHERE kind = 'wait' AND key = @id) AS has_wait,
  EXISTS (SELECT 1 FROM attempts WHERE kind = 'run' AND key = @id AND begun_at IS NOT NULL) AS is_begun,
  (SELECT count(*) FROM turns WHERE conversation_id = @id AND run_id = @run AND kind = 'turn') AS turns_of_run`;
const toOpenWork = columns({
  hasWorkable: 'flag',
  hasBegun: 'flag',
  hasWait: 'flag',
  isBegun: 'flag',
  turnsOfRun: 'integer',
});

const toResult = columns({
  outcome: oneOf('success', 'error', 'refused', 'denied', 'expired', 'cancelled', 'unknown', 'deferred', 'completed'),
  text: (row) => text(row, 'result'),
  pictures: journal.picturesIn,
});

const toApproval = columns({
  id: (row) => text(row, 'approval_id'),
  state: (row) => journal.approvalStateIn(row, 'approval_state'),
  decidedAt: 'integer?',
  readBefore: optional(texts),
  reads: 'integer?',
});

const toEntry = columns({
  id: 'text',
  name: 'text',
  arguments: json<JournalEntry['arguments']>(),
  state: oneOf('ready', 'awaiting', 'begun', 'done'),
  runId: 'text',
  principal: 'text',
  principalName: 'text',
  hash: 'text?',
  category: optional(oneOf(...toolCategories)),
  changedBy: 'text?',
  deferred: 'flag',
  isTrusted: 'flag',
  result: (row) => (text(row, 'state') === 'done' ? toResult(row) : undefined),
  approval: (row) => (row.approval_id === null ? undefined : toApproval(row)),
});

/**
 * The newest turns beyond an id with their calls, as many as belong to the rations, and all of the newest run. `before` is
 * the turn ahead of them: it marks up to where the inbox is skipped.
 */
async function turnsToRead(sql: Sql, conversationId: string, beyond: number, rations: Rations) {
  let [newestRun, isCut]: [string | undefined, boolean] = [undefined, false];
  const found = await journal.turnsWhile(sql, conversationId, beyond, (runId, length) => {
    if (isCut) return false;
    newestRun ??= runId;
    isCut = !rations.turns.add(length) && runId !== newestRun;
    return true;
  });
  const turns = isCut ? found.slice(1) : found;
  const firstWithCalls = turns.find(journal.hasCalls);
  let cutAt = isCut ? (found[0]?.id ?? 0) : 0;
  const fits = (call: Row): boolean => {
    if (rations.calls.add(lengthOf(call, 'arguments', 'result')) || text(call, 'run_id') === newestRun) return true;
    cutAt = integer(call, 'turn_id');
    return false;
  };
  const rows =
    firstWithCalls === undefined
      ? []
      : (await sql.takeWhile(fits, callsOfTurns, conversationId, firstWithCalls.id)).toReversed();
  const calls = rows.map((call) => ({ turnId: integer(call, 'turn_id'), entry: toEntry(call) }));
  return {
    before: found.findLast(({ id }) => id <= cutAt),
    used: turns.filter(({ id }) => id > cutAt),
    calls: calls.filter(({ turnId }) => turnId > cutAt),
  };
}

/** Queries attachments only if any message has some. */
async function withAttachments(
  sql: Sql,
  conversationId: string,
  rows: readonly Row[],
): Promise<readonly (UserMessage | DaemonEvent)[]> {
  const having = rows.filter((row) => integer(row, 'attachments') > 0).map((row) => integer(row, 'seq'));
  const [first, last = first] = [having[0], having.at(-1)];
  if (first === undefined || last === undefined) return rows.map(toReadEntry);
  const found = await attachmentsBetween(sql, conversationId, first, last);
  return rows
    .map(toReadEntry)
    .map((entry) => (entry.type === 'user' && found.has(entry.seq) ? withFiles(entry, found.get(entry.seq)) : entry));
}

/** The last files are those of the quoted message. */
function withFiles({ quote, ...entry }: UserMessage, files: readonly Attachment[] = []): UserMessage {
  const { files: count = 0, ...quoted }: KeptQuote = quote ?? { name: '', text: '', isOwn: false };
  const own = Math.max(0, files.length - count);
  return {
    ...entry,
    attachments: own === 0 ? undefined : files.slice(0, own),
    quote: quote && (count === 0 ? quote : { ...quoted, attachments: files.slice(own) }),
  };
}

const readKindIn = oneOf('message', 'event');
const quoteIn = optional(json<KeptQuote>());
const sharedIn = optional(json<readonly SharedText[]>());

/** Attachments are read separately. Without `columns`: each request to a model reads hundreds of these rows. */
export function toReadEntry(row: Row): UserMessage | DaemonEvent {
  const fields = { seq: integer(row, 'seq'), principal: text(row, 'principal'), text: text(row, 'text') };
  const [type, name] = [readKindIn(row, 'kind'), text(row, 'name')];
  switch (type) {
    case 'message':
      return {
        type: 'user',
        ...fields,
        name,
        isByProgram: flag(row, 'is_person') ? undefined : true,
        sentAt: integer(row, 'sent_at'),
        receivedAt: integer(row, 'received_at'),
        messageId: optionalText(row, 'message_id'),
        quote: quoteIn(row, 'quote'),
        shared: sharedIn(row, 'shared'),
      };
    case 'event': {
      const [wantsAnswer, pictures] = [flag(row, 'wants_answer'), journal.picturesIn(row, 'pictures')];
      const handCall = wantsAnswer ? handCallIn(fields.text) : undefined;
      return { type, ...fields, wantsAnswer, pictures, name: name || undefined, handCall };
    }
  }
}

/**
 * Merges the rows in the order in which the model saw them: each message precedes the first turn that saw it, whatever
 * its time of storage; unseen ones come last.
 */
function toEntries(
  read: readonly (UserMessage | DaemonEvent)[],
  used: readonly journal.TurnRow[],
  calls: readonly { readonly turnId: number; readonly entry: JournalEntry }[],
): readonly TranscriptEntry[] {
  const callsOf = Map.groupBy(calls, ({ turnId }) => turnId);
  const entries: TranscriptEntry[] = [];
  let next = 0;
  for (const turn of used) {
    for (let message = read[next]; message !== undefined && message.seq <= turn.seenSeq; message = read[next]) {
      entries.push(message);
      next += 1;
    }
    const { id, seenSeq } = turn;
    if (turn.type === 'closing') {
      entries.push({ type: 'closing', id, seenSeq, reason: turn.reason, said: turn.said || undefined });
      continue;
    }
    const callsHere = (callsOf.get(id) ?? []).map(({ entry }) => asTranscriptCall(entry));
    entries.push({ ...turn, calls: callsHere });
  }
  return [...entries, ...read.slice(next)];
}

/** A deferred call keeps its placeholder in the transcript. Its outcome follows as an event. */
function asTranscriptCall(entry: JournalEntry): Call {
  const { id, name, arguments: args, state, deferred, isTrusted } = entry;
  return { id, name, arguments: args, state, deferred, isTrusted, result: resultToRead(entry) };
}

/** The result that the model reads; undefined if there is none yet. */
function resultToRead({ id, deferred, approval, result, changedBy }: JournalEntry): CallResult | undefined {
  const placeholder = approval === undefined ? goesOnResult : deferredResult;
  const read: CallResult | undefined = deferred ? { outcome: 'deferred', text: placeholder(id) } : result;
  if (read === undefined || changedBy === undefined) return read;
  return { ...read, text: `${read.text}\n${hookChangedNote}` };
}

/** The spending of the person's run above the sub-run; undefined if that run is over. */
async function runAbove(sql: Sql, { callId, parentId, rootId }: SubRun): Promise<RunState['above']> {
  const above = await conversations.find(sql, parentId);
  if (above?.subRun !== undefined) return await runAbove(sql, above.subRun);
  if (above === undefined || above.spent.runId !== (await journal.findCall(sql, callId))?.runId) return undefined;
  const extensions = above.askingRun === undefined ? [] : await approvalsOfRun(sql, rootId, above.askingRun);
  return { spent: above.spent, extensions };
}

const toSummary = columns({ id: 'integer', text: 'text', upToTurn: 'integer', upToSeq: 'integer', kept: 'text' });

async function summaryOf(sql: Sql, conversationId: string, id: number): Promise<Summary> {
  const summary = toSummary(await sql.one('SELECT * FROM summaries WHERE id = ?', id));
  // The plus keeps SQLite from scanning all calls up to that turn.
  const waiting = await sql.list(
    toWaitingCall,
    `SELECT id, name, arguments FROM calls WHERE conversation_id = ? AND state <> 'done' AND state = 'awaiting' AND +turn_id <= ? ORDER BY id`,
    ...[conversationId, summary.upToTurn],
  );
  const kept = summary.kept === '[]' ? [] : await sql.list(toKeptWords, keptMessages, summary.kept);
  return { ...summary, waiting, kept };
}
const toKeptWords = columns({ seq: 'integer', principal: 'text', name: 'text', text: 'text' });
/** Without what its sender has deleted since. Of a message that was spoken, what was said. */
const keptMessages = `SELECT seq, principal, name, coalesce(nullif(trim(coalesce(edited_text, text)), ''),
    (SELECT transcript FROM attachments WHERE inbox_key = key AND position = 0 AND is_shared = 0 AND kind = 'voice'), '') AS text
  FROM inbox WHERE seq IN (SELECT value FROM json_each(?)) AND kind = 'message' AND is_person = 1
    AND NOT EXISTS (SELECT 1 FROM inbox AS deletion WHERE deletion.key = 'deletion:' || inbox.key) ORDER BY seq`;
const toWaitingCall = columns({ id: 'text', name: 'text', arguments: json<WaitingCall['arguments']>() });

/** Summaries replace the oldest parts of conversations. */
export function createSummaryStore(database: Database): SummaryStore {
  return {
    /** Relaxed: after a power failure, the next request writes it again. */
    store: ({ conversationId, after, text: words, upToTurn, upToSeq, kept, isWanted, messages, at }) =>
      database.write(async (sql) => {
        const added = await sql.one(
          'INSERT INTO summaries (conversation_id, text, up_to_turn, up_to_seq, kept, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
          ...[conversationId, words, upToTurn, upToSeq, kept, at],
        );
        const isPlaced = await sql.changed(
          'UPDATE conversations SET summary_id = ? WHERE id = ? AND summary_id IS ? AND since_turn < ?',
          ...[integer(added, 'id'), conversationId, after, upToTurn],
        );
        if (!isPlaced) return 'outdated';
        if (isWanted) await wishForSummary(sql, conversationId, undefined);
        await outbox.addAll(sql, messages, at);
        return 'stored';
      }, 'relaxed'),
    decline: ({ conversationId, messages, at }) =>
      database.write(async (sql) => {
        await wishForSummary(sql, conversationId, undefined);
        await outbox.addAll(sql, messages, at);
      }),
  };
}

/** Sets or clears the person who waits for a summary. */
export const wishForSummary = (sql: Sql, conversationId: string, principal: string | undefined): Eventual<number> =>
  sql.run(
    'UPDATE conversations SET summary_for = ? WHERE id = ? AND summary_for IS NOT ?',
    ...[principal, conversationId, principal],
  );
