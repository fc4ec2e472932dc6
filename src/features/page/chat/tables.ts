/* What people see in conversations, as the core has stored it. */

import type { Button } from '../../../contract.ts';
import type { JsonValue } from '../../../lib/json.ts';
import * as conversations from '../../../store/conversations.ts';
import type { Transactions } from '../../../store/database.ts';
import { columns, json, oneOf, optional, type Row, type Sql, text } from '../../../store/sql.ts';
import type { KeptFile } from '../../../tools/output.ts';
import { titleIn } from '../tables.ts';
import { type Cursor, newestOf } from './newest.ts';
import type { StoredCall, StoredEntry, StoredMessage, StoredShown } from './stored.ts';

/** Whose conversations are meant. */
export interface Whose {
  readonly accounts: readonly string[];
  /** The sessions that belong to the person. */
  readonly sessions: readonly string[];
  /** Groups belong to the owners. */
  readonly isOwner: boolean;
}

/** A conversation as its row says it. */
export interface StoredConversation {
  readonly id: string;
  readonly channel: string;
  readonly chatId: string;
  readonly kind: 'direct' | 'group';
  readonly title: string | undefined;
  readonly seenAt: number;
  readonly isOpen: boolean;
}

/** Where a list goes on. */
export interface ListPlace {
  readonly seenAt: number;
  readonly id: string;
}

/** A file that came with a message. */
export interface StoredAttachment {
  readonly kind: 'image' | 'voice' | 'audio' | 'video' | 'file';
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly size: number | undefined;
  readonly transcript: string | undefined;
  readonly note: string | undefined;
  /** Its index in the message. */
  readonly position: number;
  readonly isSaved: boolean;
}

/** A picture in the workspace of the conversation that it was sent in. */
export interface SentPicture {
  readonly conversationId: string;
  readonly principal: string;
  readonly path: string;
}

/** How much of what came of a call stands in a list. */
export const mostOutput = 2_000;

/** A conversation as a list tells of it. */
export interface OutlinedConversation extends StoredConversation {
  readonly lastText: string | undefined;
  /** How many decisions wait there. */
  readonly waiting: number;
}

export interface ChatTables {
  /** The person's conversations behind a place, the latest first. */
  list(whose: Whose, after: ListPlace | undefined, most: number): Promise<readonly StoredConversation[]>;
  /** Undefined: there is none, or it is somebody else's. */
  find(id: string, whose: Whose): Promise<StoredConversation | undefined>;
  /** By the id of the conversation. */
  titlesOf(conversations: readonly StoredConversation[]): Promise<ReadonlyMap<string, string | undefined>>;
  outlinesOf(conversations: readonly StoredConversation[]): Promise<readonly OutlinedConversation[]>;
  /** The newest entries before a place, the oldest first: all as of one moment. */
  entries(of: StoredConversation, before: Cursor, most: number): Promise<readonly StoredEntry[]>;
  /** By the key of the message. */
  attachmentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, readonly StoredAttachment[]>>;
  /** One that came with a message there. */
  picture(conversationId: string, seq: number, position: number): Promise<SentPicture | undefined>;
  /** All that came of a call in this conversation. */
  outputOf(conversationId: string, callId: string): Promise<string | undefined>;
  rename(id: string, title: string): Promise<void>;
}

export function createChatTables(database: Transactions): ChatTables {
  const { sql } = database;
  return {
    list: (whose, after, most) => database.read((sql) => listOf(sql, whose, after, most)),
    find: (id, whose) => database.read(async (sql) => findOf(sql, id, whose)),
    titlesOf: (conversations) => database.read(async (sql) => titlesOf(sql, conversations)),
    outlinesOf: (conversations) => database.read(async (sql) => outlinesOf(sql, conversations)),
    entries: (of, before, most) => database.read((sql) => entriesIn(sql, of, before, most)),
    picture: async (conversationId, seq, position) => sql.find(toPicture, sentPicture, seq, conversationId, position),
    attachmentsOf: (keys) => database.read(async (sql) => attachmentsOf(sql, keys)),
    outputOf: async (conversationId, callId) => (await sql.texts(output, conversationId, callId))[0],
    rename: (id, title) =>
      database.write(async (sql) => void (await conversations.setTitle(sql, id, title)), 'relaxed'),
  };
}

const columnsOf = `conversations.id AS id, conversations.channel AS channel, conversations.chat_id AS chat_id, conversations.kind AS kind,
  conversations.title AS title, conversations.seen_at AS seen_at, conversations.is_open AS is_open`;
const behind = `conversations.seen_at > 0 AND conversations.sub_run IS NULL
  AND (conversations.seen_at, conversations.id) < (@seenAt, @id)`;
const latest = 'ORDER BY conversations.seen_at DESC, conversations.id DESC LIMIT @most';

/** Sessions of devices belong to who has begun them, whatever device was used. */
const ofPerson = `SELECT DISTINCT ${columnsOf} FROM participants CROSS JOIN conversations ON conversations.id = participants.conversation_id
  WHERE participants.principal IN (SELECT value FROM json_each(@accounts)) AND conversations.kind = 'direct'
    AND conversations.channel <> 'device' AND ${behind} ${latest}`;
const ofSessions = `SELECT ${columnsOf} FROM conversations
  WHERE conversations.id IN (SELECT 'device:' || value FROM json_each(@sessions)) AND ${behind} ${latest}`;
const ofGroups = `WITH RECURSIVE known (channel) AS (
    SELECT min(channel) FROM conversations WHERE seen_at > 0
    UNION ALL
    SELECT (SELECT min(channel) FROM conversations WHERE seen_at > 0 AND channel > known.channel) FROM known WHERE channel IS NOT NULL)
  SELECT ${columnsOf} FROM known CROSS JOIN conversations ON conversations.channel = known.channel
  WHERE conversations.kind = 'group' AND ${behind} ${latest}`;
const oneOfPerson = `SELECT ${columnsOf} FROM conversations WHERE conversations.id = @id AND conversations.sub_run IS NULL
  AND conversations.kind = 'direct' AND conversations.channel <> 'device' AND EXISTS (
    SELECT 1 FROM participants WHERE participants.conversation_id = @id AND participants.principal IN (SELECT value FROM json_each(@accounts)))`;
const oneById = `SELECT ${columnsOf} FROM conversations WHERE conversations.id = @id AND conversations.sub_run IS NULL AND conversations.kind = @kind`;

const toConversation: (row: Row) => StoredConversation = columns({
  id: 'text',
  channel: 'text',
  chatId: 'text',
  kind: oneOf('direct', 'group'),
  title: 'text?',
  seenAt: 'integer',
  isOpen: 'flag',
});

async function listOf(
  sql: Sql,
  { accounts, sessions, isOwner }: Whose,
  after: ListPlace = { seenAt: Number.MAX_SAFE_INTEGER, id: '' },
  most: number,
): Promise<readonly StoredConversation[]> {
  const found = [
    ...(await sql.list(toConversation, ofPerson, { ...after, most, accounts: JSON.stringify(accounts) })),
    ...(await sql.list(toConversation, ofSessions, { ...after, most, sessions: JSON.stringify(sessions) })),
    ...(isOwner ? await sql.list(toConversation, ofGroups, { ...after, most }) : []),
  ];
  return found.toSorted((one, other) => other.seenAt - one.seenAt || (one.id < other.id ? 1 : -1)).slice(0, most);
}

async function findOf(
  sql: Sql,
  id: string,
  { accounts, sessions, isOwner }: Whose,
): Promise<StoredConversation | undefined> {
  if (sessions.some((session) => `device:${session}` === id))
    return await sql.find(toConversation, oneById, { id, kind: 'direct' });
  const own = await sql.find(toConversation, oneOfPerson, { id, accounts: JSON.stringify(accounts) });
  return own ?? (isOwner ? await sql.find(toConversation, oneById, { id, kind: 'group' }) : undefined);
}

const ofMessages = `FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event') AND kind = 'message'`;
const lastMessage = `SELECT received_at AS at, coalesce(edited_text, text) AS text ${ofMessages} ORDER BY seq DESC LIMIT 1`;
const lastShown = `SELECT created_at AS at, markdown AS text FROM outbox WHERE conversation_id = ?
  AND kind IN ('reply', 'for_user', 'card', 'notice') AND kind IN ('reply', 'for_user') AND state IN ('queued', 'delivered')
  ORDER BY seq DESC LIMIT 1`;
const toLast = columns({ at: 'integer', text: 'text' });
const waiting = `SELECT count(*) FROM approvals WHERE conversation_id = ? AND state = 'pending'`;

async function outlined(sql: Sql, conversation: StoredConversation): Promise<OutlinedConversation> {
  const { id } = conversation;
  const title = await titleIn(sql, conversation);
  return { ...conversation, title, lastText: await lastTextIn(sql, id), waiting: await sql.number(waiting, id) };
}

async function titlesOf(
  sql: Sql,
  conversations: readonly StoredConversation[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const titles = new Map<string, string | undefined>();
  for (const one of conversations) titles.set(one.id, await titleIn(sql, one));
  return titles;
}

async function outlinesOf(
  sql: Sql,
  conversations: readonly StoredConversation[],
): Promise<readonly OutlinedConversation[]> {
  const outlines: OutlinedConversation[] = [];
  for (const one of conversations) outlines.push(await outlined(sql, one));
  return outlines;
}

async function lastTextIn(sql: Sql, id: string): Promise<string | undefined> {
  const found = [await sql.find(toLast, lastShown, id), await sql.find(toLast, lastMessage, id)];
  return found.flatMap((one) => one ?? []).toSorted((one, other) => other.at - one.at)[0]?.text;
}

const messageColumns = `seq, key, received_at AS at, principal, name, coalesce(edited_text, text) AS text, quote, attachments`;
const messagesBefore = `SELECT 'message' AS of, ${messageColumns} FROM inbox
  WHERE conversation_id = @id AND kind IN ('message', 'event') AND kind = 'message' AND seq < @message ORDER BY seq DESC LIMIT @most`;
const commandsBefore = `SELECT 'command' AS of, ${messageColumns} FROM inbox
  WHERE conversation_id = @id AND kind = 'command' AND seq < @command ORDER BY seq DESC LIMIT @most`;

/** In a group, what only one person was shown is left out. */
const shownBefore = `SELECT 'shown' AS of, outbox.seq AS seq, outbox.created_at AS at, outbox.id AS id, outbox.kind AS kind, markdown,
    buttons, files, approval_id, approvals.state AS approval_state
  FROM outbox LEFT JOIN approvals ON approvals.id = outbox.approval_id
  WHERE outbox.conversation_id = @id AND outbox.kind IN ('reply', 'for_user', 'card', 'notice') AND outbox.seq < @shown
    AND outbox.state IN ('queued', 'delivered') AND (@isGroup = 0 OR private_to IS NULL) ORDER BY outbox.seq DESC LIMIT @most`;

const callsBefore = `SELECT 'call' AS of, calls.id AS id, turn_id, position, turns.created_at AS at, calls.run_id AS run_id, name, category,
    arguments, calls.state AS state, outcome, duration, substr(result, 1, ${mostOutput}) AS output, length(result) AS size,
    approvals.state AS approval_state, approvals.decided_by AS decided_by
  FROM calls JOIN turns ON turns.id = calls.turn_id LEFT JOIN approvals ON approvals.id = calls.approval_id
  WHERE calls.conversation_id = @id AND (turn_id, position) < (@turn, @position) ORDER BY turn_id DESC, position DESC LIMIT @most`;

const toMessage: (row: Row) => StoredMessage = columns({
  of: oneOf('message', 'command'),
  seq: 'integer',
  key: 'text',
  at: 'integer',
  principal: 'text',
  name: 'text',
  text: 'text',
  quote: optional(json<{ readonly name?: string; readonly text?: string }>()),
  attachments: 'integer',
});

const toShown: (row: Row) => StoredShown = columns({
  of: oneOf('shown'),
  seq: 'integer',
  at: 'integer',
  id: 'text',
  kind: oneOf('reply', 'for_user', 'card', 'notice'),
  markdown: 'text',
  buttons: optional(json<readonly (readonly Button[])[]>()),
  files: optional(json<readonly KeptFile[]>()),
  approvalId: 'text?',
  approvalState: 'text?',
});

const toCall: (row: Row) => StoredCall = columns({
  of: oneOf('call'),
  id: 'text',
  turnId: 'integer',
  position: 'integer',
  at: 'integer',
  runId: 'text',
  name: 'text',
  category: 'text?',
  arguments: json<JsonValue>(),
  state: oneOf('ready', 'awaiting', 'begun', 'done'),
  outcome: 'text?',
  duration: 'integer?',
  output: 'text?',
  size: 'integer?',
  approvalState: 'text?',
  decidedBy: 'text?',
});

async function entriesIn(
  sql: Sql,
  { id, kind }: StoredConversation,
  before: Cursor,
  most: number,
): Promise<readonly StoredEntry[]> {
  const asked = { ...before, id, most };
  return newestOf(
    [
      await sql.list(toMessage, messagesBefore, { id, most, message: before.message }),
      await sql.list(toMessage, commandsBefore, { id, most, command: before.command }),
      await sql.list(toShown, shownBefore, { id, most, shown: before.shown, isGroup: Number(kind === 'group') }),
      await sql.list(toCall, callsBefore, { id, most, turn: asked.turn, position: asked.position }),
    ],
    most,
  );
}

const attachments = `SELECT inbox_key, kind, name, media_type, size, transcript, note, position, state = 'saved' AS is_saved FROM attachments
  WHERE inbox_key IN (SELECT value FROM json_each(?)) ORDER BY inbox_key, position`;
const toAttachment: (row: Row) => StoredAttachment = columns({
  kind: oneOf('image', 'voice', 'audio', 'video', 'file'),
  name: 'text?',
  mediaType: 'text?',
  size: 'integer?',
  transcript: 'text?',
  note: 'text?',
  position: 'integer',
  isSaved: 'flag',
});
async function attachmentsOf(
  sql: Sql,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredAttachment[]>> {
  const byKey = Map.groupBy(await sql.all(attachments, keys), (row) => text(row, 'inbox_key'));
  return new Map(keys.map((key) => [key, (byKey.get(key) ?? []).map(toAttachment)]));
}

const sentPicture = `SELECT conversation_id, principal, path FROM inbox JOIN attachments ON inbox_key = inbox.key
  WHERE inbox.seq = ? AND conversation_id = ? AND inbox.kind IN ('message', 'command') AND position = ?
    AND attachments.kind = 'image' AND state = 'saved' AND path IS NOT NULL`;
const toPicture: (row: Row) => SentPicture = columns({ conversationId: 'text', principal: 'text', path: 'text' });
const output = `SELECT coalesce(result, '') FROM calls WHERE conversation_id = ? AND id = ?`;
