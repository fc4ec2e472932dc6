import type { Button, MessageRef } from '../contract.ts';
import type { OutboxReports } from '../conversation/commands/reports/report-parts.ts';
import type { ChannelMessages } from '../conversation/inbox.ts';
import type { PreviewStore } from '../conversation/live/live-message.ts';
import type { CourierStore } from '../conversation/outbox-courier.ts';
import { laneOf, type NextRow, type OutboxRow, type OutboxStore, type Track } from '../delivery/outbox.ts';
import { type Origin, type OutboxDraft, quietNoticeIn } from '../engine/message.ts';
import { callSigns } from '../lib/call-signs.ts';
import { type InLanguage, languages } from '../lib/words.ts';
import type { KeptFile } from '../tools/output.ts';
import { stubWords } from '../words/words.ts';
import { placeOf } from './conversations.ts';
import type { Database } from './database.ts';
import { nextNumber } from './row-numbers.ts';
import {
  columns,
  flag,
  insertInto,
  integer,
  json,
  oneOf,
  optional,
  optionalText,
  type Row,
  type Sql,
  text,
  type Value,
} from './sql.ts';
import { createUndelivered, kindOf, placesOfHeld } from './undelivered.ts';

/** Outgoing messages. Deliveries are recorded in relaxed commits: if a record is lost, the message is sent again. */
export function createOutboxStore(
  database: Database,
): OutboxStore & PreviewStore & CourierStore & OutboxReports & ChannelMessages {
  const { sql } = database;
  const change = (statement: string, ...values: readonly Value[]): Promise<void> =>
    database.write(async (sql) => void (await sql.run(statement, ...values)), 'relaxed');

  return {
    ...createUndelivered(database),
    next: async (lane, track) => sql.find(toNextRow, next[track], lane),
    isAhead: async (lane, track, seq) => ((await sql.find(toSeq, next[track], lane)) ?? seq) < seq,

    openStream: (conversationId, id, kind, at) =>
      database.write(async (sql) => {
        const lane = laneOf(conversationId);
        const stream = { id, lane, conversationId, kind, createdAt: at, isSilent: true };
        await insertStream(sql, { ...stream, markdown: '', state: 'streaming' });
      }, 'relaxed'),
    previewed: (id, refs, markdown = '') =>
      change(
        `UPDATE outbox SET previews = ?, markdown = iif(state = 'streaming', ?, markdown)
         WHERE id = ? AND state IN ('streaming', 'queued')`,
        ...[refs, markdown, id],
      ),
    abandonStream: (id) => change(`UPDATE outbox SET state = 'abandoned' WHERE id = ? AND state = 'streaming'`, id),
    interruptStream: (id, at) => change(interruptOne, at, id),

    say: (conversationId, message, at) => database.write((sql) => add(sql, { conversationId, message }, at)),
    sayOnce: (conversationId, message, at) =>
      database.write((sql) => add(sql, { conversationId, message }, at, { atMostOnce: 'unsent' })),
    sending: (id) =>
      database.write(
        async (sql) => void (await sql.run(`UPDATE outbox SET at_most_once = 'sending' WHERE id = ?`, id)),
      ),
    notSent: (id) => change(notSent, id),
    fateOf: async (id) => {
      const row = await sql.one('SELECT state, at_most_once, failure FROM outbox WHERE id = ?', id);
      if (text(row, 'state') === 'delivered') return { type: 'delivered' };
      if (text(row, 'state') !== 'failed') return { type: 'waiting' };
      if (optionalText(row, 'at_most_once') === 'sending') return { type: 'unknown' };
      return { type: 'refused', reason: optionalText(row, 'failure') ?? '' };
    },

    partSent: (id, { index, ref, lateNote }, isNeeded) =>
      database.write(async (sql) => {
        if (isNeeded()) await sql.run(partSent, `$[${index}]`, JSON.stringify(ref), lateNote, id);
      }, 'relaxed'),
    filesRefused: (id, refused, refs) => change(filesRefused, refused, refs, id),
    delivered: (id, revision, refs, at) =>
      database.write(async (sql) => {
        const row = await sql.one(
          `UPDATE outbox SET refs = @refs, previews = NULL, delivered_revision = @revision, delivered_at = @at, state = iif(revision = @revision, 'delivered', state),
             failures = 0, failing_since = NULL WHERE id = @id
             RETURNING approval_id, buttons, EXISTS (SELECT 1 FROM outbox AS stub WHERE stub.stub_of = outbox.id) AS has_stubs`,
          { refs: JSON.stringify(refs), revision, at, id },
        );
        if (optionalText(row, 'buttons') !== undefined) await startClockOf(sql, optionalText(row, 'approval_id'), at);
        // Few messages ever have one.
        if (flag(row, 'has_stubs')) await endStubs(sql, id);
      }, 'relaxed'),
    failed: (id, revision, reason) => change(failed, reason, id, revision),
    abandon: (id, revision) =>
      database.write(async (sql) => {
        await sql.run(`UPDATE outbox SET state = 'abandoned' WHERE id = ? AND revision = ?`, id, revision);
        await endStubs(sql, id);
      }, 'relaxed'),

    withdraw: (id) =>
      database.write(async (sql) => {
        if (await sql.changed(withdrawUnshown, id)) await endStubs(sql, id);
      }, 'relaxed'),

    sendBegun: (id) => change('UPDATE outbox SET kills = kills + 1 WHERE id = ?', id),
    sendLasts: (id) => change('UPDATE outbox SET kills = kills - 1 WHERE id = ? AND kills > 0', id),
    sendEnded: (id) => change('UPDATE outbox SET kills = 0 WHERE id = ?', id),
    tried: (id, revision, reason, at) =>
      change(
        `UPDATE outbox SET failures = failures + 1, failures_alike = iif(failures > 0 AND failure = @reason, failures_alike + 1, 1),
           failing_since = coalesce(failing_since, @at), failure = @reason
         WHERE id = @id AND revision = @revision AND state = 'queued'`,
        { id, revision, reason, at },
      ),
    standIn: (messageId, stub, at) =>
      database.write(async (sql) => {
        const known = (await sql.texts(changeStub, stub.message.markdown, messageId)).at(-1);
        const id = known ?? stub.message.id;
        if (known === undefined) {
          await add(sql, stub, at);
          await sql.run('UPDATE outbox SET stub_of = ? WHERE id = ?', messageId, id);
        }
        return toOutboxRow(await sql.one(rowOfId, id));
      }),
    park: (id, revision, reason, at) =>
      database.write(async (sql) => {
        const row = await sql.get(
          `UPDATE outbox SET state = 'failed', failure = ?, parked_at = ? WHERE id = ? AND revision = ? AND state = 'queued'
             AND EXISTS (SELECT 1 FROM outbox AS stub WHERE stub.stub_of = outbox.id AND stub.buttons IS NOT NULL) RETURNING approval_id`,
          ...[reason, at, id, revision],
        );
        if (row !== undefined) await startClockOf(sql, optionalText(row, 'approval_id'), at);
      }),

    recover: (at, isSuspicious) =>
      database.write(async (sql) => {
        await sql.run(abandonUnseen);
        await sql.run(interruptCards, { at, ...linesCutOff });
        await sql.run(isSuspicious ? suspectFirst : acquitLast);
        return {
          undelivered: await sql.texts(placesOfQueued),
          previews: await sql.list(toPreview, leftStreams),
          held: await placesOfHeld(sql),
        };
      }, 'relaxed'),
    isQueued: async (id) =>
      sql.has(`SELECT 1 FROM outbox WHERE id = ? AND (state = 'queued' OR parked_at IS NOT NULL)`, id),
    undelivered: async (channel) => sql.texts(placesOfQueuedIn, channel),
    showCardsAgain: (channel, conversationId) =>
      database.write(async (sql) => {
        const where = { channel, conversationId };
        return [...(await sql.texts(showAgain, where)), ...(await sql.texts(showRequestsAgain, where))];
      }, 'relaxed'),
  };
}

/** SQLite takes the partial index `outbox_to_deliver` only where its own condition stands as it is; the second one narrows it. */
const isQueued = `state IN ('streaming', 'queued') AND state = 'queued'`;
const isStreaming = `state IN ('streaming', 'queued') AND state = 'streaming'`;
/** `isQueued`, beside a table that has a state, too. */
const isQueuedHere = `outbox.state IN ('streaming', 'queued') AND outbox.state = 'queued'`;

const abandonUnseen = `UPDATE outbox SET state = 'abandoned' WHERE ${isStreaming} AND previews IS NULL`;
const placesOfQueued = `SELECT DISTINCT conversation_id FROM outbox INDEXED BY outbox_to_deliver WHERE ${isQueued}`;
const placesOfQueuedIn = `${placesOfQueued} AND EXISTS (SELECT 1 FROM conversations WHERE id = outbox.conversation_id AND channel = ?)`;
const leftStreams = `SELECT id AS message_id, conversation_id, previews AS refs FROM outbox INDEXED BY outbox_to_deliver WHERE ${isStreaming} ORDER BY seq`;
const changeStub = `UPDATE outbox SET markdown = iif(delivered_revision = 0, ?, markdown) WHERE stub_of = ? AND buttons IS NOT NULL RETURNING id`;
const isIn = `EXISTS (SELECT 1 FROM conversations WHERE id = outbox.conversation_id AND channel = @channel AND id = coalesce(@conversationId, id))`;
const showAgain = `UPDATE outbox SET state = 'queued', delivered_revision = 0, refs = '[]'
  WHERE state = 'delivered' AND buttons IS NOT NULL AND approval_id IN (SELECT id FROM approvals WHERE state = 'pending')
    AND ${isIn} RETURNING conversation_id`;
const showRequestsAgain = `UPDATE outbox INDEXED BY outbox_requests SET state = 'queued', delivered_revision = 0, refs = '[]'
  WHERE state = 'delivered' AND buttons IS NOT NULL AND request_id IS NOT NULL AND ${isIn} RETURNING conversation_id`;

/** Starts the approval's time to decide, unless it runs already. */
export async function startClockOf(sql: Sql, approvalId: string | undefined, at: number): Promise<void> {
  if (approvalId === undefined) return;
  await sql.run(
    `UPDATE approvals SET expires_at = expires_at - created_at + @at, shown_at = @at
     WHERE id = @id AND shown_at IS NULL AND state = 'pending'`,
    { id: approvalId, at },
  );
}

/** Resolves the stubs of a message: visible ones get a text in their language, queued ones are dropped. */
export async function endStubs(
  sql: Sql,
  messageId: string,
  words: InLanguage = (language) => stubWords[language].shownAfterAll,
): Promise<void> {
  for (const language of languages)
    await sql.run(
      `UPDATE outbox SET markdown = ?, buttons = NULL, revision = revision + 1, state = 'queued'
       WHERE stub_of = ? AND buttons IS NOT NULL AND delivered_revision > 0 AND coalesce(language, ?) = ?`,
      ...[words(language), messageId, 'en', language],
    );
  await sql.run(
    `UPDATE outbox SET state = 'abandoned' WHERE stub_of = ? AND state IN ('queued', 'failed') AND delivered_revision = 0`,
    messageId,
  );
}

const columnsOfRow = `outbox.seq, outbox.id, outbox.conversation_id, outbox.kind AS message_kind, markdown, buttons, files, reply_to, private_to, is_silent, approval_id,
    revision, delivered_revision, refs, previews, late_note, refused_files, at_most_once, request_id, outbox.created_at, channel, tenant, chat_id, thread_id,
    conversations.kind AS kind, title, failures, failing_since, failures_alike, failure, kills, twins, stub_of, approvals.state AS approval_state,
    iif(approvals.state = 'pending' AND approvals.shown_at IS NULL AND buttons IS NOT NULL, approvals.expires_at - approvals.created_at, NULL) AS wait`;
const from = `FROM outbox JOIN conversations ON conversations.id = outbox.conversation_id LEFT JOIN approvals ON approvals.id = approval_id`;
const rowOfId = `SELECT ${columnsOfRow} ${from} WHERE outbox.id = ?`;

/** A stub is first sent by the code that failed to send its message; later, if that message is parked. */
const isToSend = `(stub_of IS NULL OR delivered_revision > 0 OR twins <> '[]'
  OR EXISTS (SELECT 1 FROM outbox AS parked WHERE parked.id = outbox.stub_of AND parked.parked_at IS NOT NULL))`;
/** The same of one that is earlier in its lane. */
const isEarlierToSend = `earlier.lane = outbox.lane AND earlier.seq < outbox.seq AND earlier.state IN ('streaming', 'queued') AND earlier.state = 'queued'
  AND (earlier.stub_of IS NULL OR earlier.delivered_revision > 0 OR earlier.twins <> '[]'
    OR EXISTS (SELECT 1 FROM outbox AS parked WHERE parked.id = earlier.stub_of AND parked.parked_at IS NOT NULL))`;
const behindContent = `EXISTS (SELECT 1 FROM outbox AS earlier INDEXED BY outbox_to_deliver WHERE ${isEarlierToSend} AND earlier.kind NOT IN ('card', 'notice')) AS is_behind`;
const behindControl = `EXISTS (SELECT 1 FROM outbox AS earlier INDEXED BY outbox_to_deliver WHERE ${isEarlierToSend} AND earlier.kind IN ('card', 'notice')) AS is_behind`;
const next: Readonly<Record<Track, string>> = {
  control: `SELECT ${columnsOfRow}, ${behindContent} ${from} WHERE lane = ? AND ${isQueuedHere} AND outbox.kind IN ('card', 'notice') AND ${isToSend} ORDER BY outbox.seq LIMIT 1`,
  content: `SELECT ${columnsOfRow}, ${behindControl} ${from} WHERE lane = ? AND ${isQueuedHere} AND outbox.kind NOT IN ('card', 'notice') AND ${isToSend} ORDER BY outbox.seq LIMIT 1`,
};
/** The message that was next in each lane may have killed the process. */
const suspectFirst = `UPDATE outbox SET kills = 1 WHERE kills = 0 AND seq IN (
  SELECT min(seq) FROM outbox INDEXED BY outbox_to_deliver WHERE ${isQueued} AND ${isToSend} GROUP BY lane, kind IN ('card', 'notice'))`;
/** Takes back what was counted for a last try in progress. */
const acquitLast = `UPDATE outbox SET kills = 2 WHERE kills > 2 AND ${isQueued}`;
const toSeq = (row: Row): number => integer(row, 'seq');
const failed = `UPDATE outbox SET state = 'failed', failure = ? WHERE id = ? AND revision = ?`;
const withdrawUnshown = `UPDATE outbox SET state = 'abandoned', parked_at = NULL WHERE id = ? AND (state = 'queued' OR parked_at IS NOT NULL)`;
/** A try with a known result is over. */
const unsent = `at_most_once = iif(at_most_once IS NULL, NULL, 'unsent')`;
const notSent = `UPDATE outbox SET ${unsent} WHERE id = ?`;
const partSent = `UPDATE outbox SET refs = json_set(refs, ?, json(?)), late_note = coalesce(?, late_note), ${unsent} WHERE id = ?`;
const filesRefused = `UPDATE outbox SET refused_files = ?, refs = ?, ${unsent} WHERE id = ?`;

/** Marks the shown text as interrupted and queues it for delivery. */
const interrupt = `UPDATE outbox SET state = 'queued', created_at = ?,
  markdown = ltrim(markdown || char(10) || char(10) || '*(interrupted)*', char(10)) WHERE state = 'streaming'`;
const interruptOne = `${interrupt} AND id = ?`;
/** Calls that had not ended get the sign of those that were cut off. */
const interruptCards = `UPDATE outbox SET state = 'queued', created_at = @at,
  markdown = ltrim(replace(replace(markdown, @waiting, @cutOff), @running, @cutOff) || char(10) || char(10) || '*(interrupted)*', char(10))
  WHERE ${isStreaming} AND kind = 'status'`;
/** How the line of a call begins. */
const beginning = (sign: string): string => [sign, '`'].join(' ');
const linesCutOff = {
  waiting: beginning(callSigns.waiting),
  running: beginning(callSigns.running),
  cutOff: beginning(callSigns.cutOff),
};

const refsIn = json<readonly MessageRef[]>();
const toPreview = columns({ messageId: 'text', conversationId: 'text', refs: refsIn });
const shownIn = columns({
  id: 'text',
  kind: kindOf,
  markdown: 'text',
  buttons: optional(json<readonly (readonly Button[])[]>()),
  files: optional(json<readonly KeptFile[]>()),
  replyTo: 'text?',
  privateTo: 'text?',
  isSilent: (row) => row.is_silent === 1 || undefined,
});
const toOutboxRow: (row: Row) => OutboxRow = columns({
  seq: 'integer',
  conversationId: 'text',
  revision: 'integer',
  deliveredRevision: 'integer',
  refs: refsIn,
  createdAt: 'integer',
  lateNote: 'text?',
  refusedFiles: json<OutboxRow['refusedFiles']>(),
  failures: 'integer',
  failuresAlike: 'integer',
  failure: 'text?',
  failingSince: 'integer?',
  kills: 'integer',
  twins: refsIn,
  stubOf: 'text?',
  atMostOnce: optional(oneOf('unsent', 'sending')),
  wait: 'integer?',
  kind: kindOf,
  message: shownIn,
  /** Only cards that ask have buttons. */
  approvalId: (row) => (row.buttons === null ? undefined : optionalText(row, 'approval_id')),
  conversation: placeOf,
  previews: (row, column) => optional(refsIn)(row, column) ?? [],
  isSettled,
  isMovedOn,
});

const toNextRow = (row: Row): NextRow => ({ ...toOutboxRow(row), isBehind: flag(row, 'is_behind') });

/** What ends a card without showing the outcome there takes its approval away: see `endCard`. */
function isMovedOn(row: Row): boolean {
  const isOver = text(row, 'message_kind') === 'card' && row.buttons === null && row.approval_id === null;
  return isOver && row.stub_of === null && row.request_id === null && integer(row, 'delivered_revision') > 0;
}

/** A reminder of a decided approval, or its card that nobody has seen. An expiry is still announced. */
function isSettled(row: Row): boolean {
  const isSeen = integer(row, 'delivered_revision') > 0 || text(row, 'refs') !== '[]' || text(row, 'twins') !== '[]';
  if (row.request_id !== null) return row.buttons === null && !isSeen;
  const state = optionalText(row, 'approval_state');
  if (state === undefined || state === 'pending') return false;
  return text(row, 'message_kind') === 'notice' || (!isSeen && state !== 'expired');
}

/** Links a message to a call and an approval, so that it can be edited with them. */
export interface OutboxTies {
  readonly callId?: string | undefined;
  readonly approvalId?: string;
  /** The request to the owners that it is a card of. */
  readonly requestId?: string;
  /** It is never sent twice. */
  readonly atMostOnce?: 'unsent';
}

/** A new revision starts without failures. */
const unparked = 'failures = 0, failing_since = NULL, parked_at = NULL';
const unfailed = `${unparked}, kills = 0`;

/** Queues a message. An open stream with the same id becomes this message. */
export async function add(
  sql: Sql,
  { conversationId, message }: OutboxDraft,
  at: number,
  ties: OutboxTies = {},
): Promise<void> {
  const row = { ...message, ...ties, conversationId, lane: laneOf(conversationId) };
  await insert(sql, { ...row, state: 'queued', createdAt: at });
}
const insert = insertInto(
  `outbox (id, lane, conversation_id, kind, markdown, buttons, files, reply_to, private_to, call_id, approval_id, request_id, at_most_once, state, created_at, language, is_silent)
  ON CONFLICT (id) DO UPDATE SET markdown = excluded.markdown, files = excluded.files, reply_to = excluded.reply_to,
     created_at = excluded.created_at, is_silent = excluded.is_silent, state = 'queued' WHERE state = 'streaming'`,
  nextNumber.outbox,
);

const insertStream = insertInto(
  `outbox (id, lane, conversation_id, kind, markdown, state, created_at, is_silent)`,
  nextNumber.outbox,
);

export async function addAll(sql: Sql, drafts: readonly OutboxDraft[], at: number, ties?: OutboxTies): Promise<void> {
  for (const draft of drafts) await add(sql, draft, at, ties);
}

/** Sends the text once per chat, however many threads it has. Returns the conversations. */
export async function sayTo(
  sql: Sql,
  directConversations: readonly string[],
  markdown: string,
  at: number,
): Promise<readonly string[]> {
  const newestFirst = directConversations.toSorted().reverse();
  const places = [...new Map(newestFirst.map((id) => [laneOf(id), id] as const)).values()];
  for (const place of places) await add(sql, quietNoticeIn(place, markdown), at);
  return places;
}

/**
 * The pressed button's message is a duplicate of a settled card or stub: it was sent twice because a response was lost.
 * Records it, so that it is edited too. Idempotent.
 */
export async function addTwin(
  sql: Sql,
  of: 'approval' | 'stub',
  id: string,
  { pressed, ...origin }: Origin,
): Promise<void> {
  if (pressed === undefined) return;
  const { conversationId: place, conversation } = origin;
  await sql.run(of === 'stub' ? twinOfStub : twinOfCard, { id, ref: pressed.id, place, chatId: conversation.chatId });
}
/** A message in a chat that has another id now can't be edited. */
const isThere = `EXISTS (SELECT 1 FROM conversations WHERE id = @place AND chat_id = @chatId)`;
const addPressed = `UPDATE outbox SET twins = json_insert(twins, '$[#]', json_object('id', @ref)), revision = revision + 1, state = 'queued', ${unfailed}
  WHERE kind = 'card' AND buttons IS NULL AND conversation_id = @place AND ${isThere} AND json_array_length(twins) < 20
    AND NOT EXISTS (SELECT 1 FROM json_each(refs) WHERE value ->> 'id' = @ref)
    AND NOT EXISTS (SELECT 1 FROM json_each(twins) WHERE value ->> 'id' = @ref)`;
const twinOfCard = `${addPressed} AND approval_id = @id`;
const twinOfStub = `${addPressed} AND id = @id AND stub_of IS NOT NULL`;
