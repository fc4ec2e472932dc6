import { conversationId } from '../../../contract.ts';
import { deviceChannel } from '../../../conversation/access/access.ts';
import * as conversations from '../../../store/conversations.ts';
import type { Transactions } from '../../../store/database.ts';
import * as inbox from '../../../store/inbox.ts';
import { columns, type Eventual, insertInto, integer, oneOf, type Row, type Sql } from '../../../store/sql.ts';

/** Messages from and to people; cards and statuses are transient. The conditions match the partial indexes. */
const inbound = `FROM inbox WHERE conversation_id = @id AND kind = 'message'
  AND conversation_id >= 'device:' AND conversation_id < 'device;'`;
const outbound = `FROM outbox WHERE conversation_id = @id AND kind IN ('reply', 'for_user') AND state IN ('queued', 'delivered')
  AND conversation_id >= 'device:' AND conversation_id < 'device;'`;
const messages = `SELECT * FROM (SELECT received_at AS at, seq, 'user' AS role, coalesce(edited_text, text) AS content ${inbound} ORDER BY seq DESC LIMIT @most)
  UNION ALL
  SELECT * FROM (SELECT created_at AS at, seq, 'assistant' AS role, markdown AS content ${outbound} ORDER BY seq DESC LIMIT @most)
  ORDER BY at DESC, role, seq DESC LIMIT @most`;
const counted = `SELECT (SELECT count(*) ${inbound}) + (SELECT count(*) ${outbound})`;
const toMessage: (row: Row) => SessionMessage = columns({
  role: oneOf('user', 'assistant'),
  content: 'text',
  at: 'integer',
});

/** A chat of a device. It belongs to the person who has first chosen its name. */
export interface SessionSummary extends StoredSession {
  readonly messageCount: number;
}

interface StoredSession {
  readonly id: string;
  readonly createdAt: number;
  /** When the last message came or went. */
  readonly lastActivity: number;
}

const toSession: (row: Row) => StoredSession = columns({ id: 'text', createdAt: 'integer', lastActivity: 'integer' });

/** A wish for another answer to the last message. `key`: of the same wish always the same. `text`: for the model. */
export type AnotherAnswer = Omit<inbox.EventDraft, 'pictures' | 'wantsAnswer'>;

export interface SessionMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly at: number;
}

/** Whose a session becomes. */
export interface SessionClaim {
  readonly id: string;
  readonly principal: string;
  /** All accounts of the person. */
  readonly principals: readonly string[];
  /** How many sessions the person may have. */
  readonly most: number;
  readonly at: number;
}

/** The sessions of devices, and whose they are. Each method is one transaction. */
export interface SessionStore {
  /** The account that owns the session; undefined where nobody has talked in it. */
  ownerOf(id: string): Promise<string | undefined>;
  /**
   * Gives the session to the account unless it, or one whose name differs in capitals only, belongs to another person.
   * Resolves with the owner's; undefined if it is nobody's, and the person has as many as they may have.
   */
  claim(claim: SessionClaim): Promise<string | undefined>;
  /** The sessions that belong to one of these accounts, the latest first, that many at most. */
  list(principals: readonly string[], most: number): Promise<readonly SessionSummary[]>;
  /** The ids of all of them. */
  ids(principals: readonly string[]): Promise<readonly string[]>;
  /** The newest messages in it that are not taken back, the oldest of them first. */
  messages(id: string, most: number): Promise<readonly SessionMessage[]>;
  /** How many there are. */
  count(id: string): Promise<number>;
  /** Has the model answer once more. False if nobody has said anything since the conversation began. */
  answerAgain(event: AnotherAnswer): Promise<boolean>;
}

export function createSessionStore(database: Transactions): SessionStore {
  const { sql } = database;
  return {
    ownerOf: (id) => database.read(async (sql) => ownerOf(sql, id)),
    claim: (claim) => database.writeIncoming((sql) => claimSession(sql, claim)),
    list: (principals, most) => database.read(async (sql) => sessionsOf(sql, principals, most)),
    ids: async (principals) =>
      sql.texts('SELECT id FROM device_sessions WHERE principal IN (SELECT value FROM json_each(?))', principals),
    messages: async (id, most) => (await sql.list(toMessage, messages, { id: conversationOf(id), most })).toReversed(),
    count: async (id) => countIn(sql, id),
    answerAgain: (event) => database.writeIncoming((sql) => answerAgain(sql, event)),
  };
}

async function sessionsOf(sql: Sql, principals: readonly string[], most: number): Promise<readonly SessionSummary[]> {
  const found = await sql.list(
    toSession,
    `SELECT device_sessions.id AS id, created_at, coalesce(max(conversations.seen_at, created_at), created_at) AS last_activity
     FROM device_sessions LEFT JOIN conversations ON conversations.id = 'device:' || device_sessions.id
     WHERE principal IN (SELECT value FROM json_each(?)) ORDER BY last_activity DESC LIMIT ?`,
    ...[principals, most],
  );
  const sessions: SessionSummary[] = [];
  for (const session of found) sessions.push({ ...session, messageCount: await countIn(sql, session.id) });
  return sessions;
}

const ownerOf = async (sql: Sql, id: string): Promise<string | undefined> =>
  (await sql.texts('SELECT principal FROM device_sessions WHERE id = ?', id))[0];

const countIn = (sql: Sql, id: string): Eventual<number> => sql.number(counted, { id: conversationOf(id) });

async function claimSession(
  sql: Sql,
  { id, principal, principals, most, at }: SessionClaim,
): Promise<string | undefined> {
  // Owned by another person. Ignores case, because file systems may.
  const [foreign] = await sql.texts(
    `SELECT principal FROM device_sessions
     WHERE id = ? COLLATE NOCASE AND principal NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
    ...[id, principals],
  );
  if (foreign !== undefined) return foreign;
  const owned = await sql.number(
    'SELECT count(*) FROM device_sessions WHERE principal IN (SELECT value FROM json_each(?))',
    principals,
  );
  if (owned < most) await insertSession(sql, { id, principal, createdAt: at });
  return await ownerOf(sql, id);
}

async function answerAgain(sql: Sql, event: AnotherAnswer): Promise<boolean> {
  const { conversationId: id } = event;
  const sinceSeq = (await conversations.find(sql, id))?.sinceSeq;
  if (sinceSeq === undefined || (await inbox.newestSeq(sql, id)) <= sinceSeq) return false;
  await inbox.addEvent(sql, { ...event, wantsAnswer: true });
  await conversations.setOpen(sql, id);
  return true;
}

const insertSession = insertInto(`device_sessions (id, principal, created_at)
  ON CONFLICT (id) DO NOTHING`);

function conversationOf(sessionId: string): string {
  return conversationId({ channel: deviceChannel, chatId: sessionId, kind: 'direct' });
}

/** A file that was shown in a session. */
export interface ShownFile {
  /** One segment of paths, of `[a-z0-9]`. */
  readonly id: string;
  readonly sessionId: string;
  /** As people see it: one path segment. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly at: number;
}

/** How long shown files are kept, in ms, and how many bytes of them in total. */
const keptFor = 7 * 86_400_000;
const mostKept = 2 ** 30;

/** The files of sessions: which are known. They themselves are beside the database. */
export interface DeviceFileStore {
  find(id: string): Promise<ShownFile | undefined>;
  /** The files that were shown in a session, the oldest first. */
  shownIn(sessionId: string): Promise<readonly ShownFile[]>;
  ids(): Promise<readonly string[]>;
  /** Adds one, and forgets those that are too old or too many. Resolves with the ids of these. */
  add(file: ShownFile): Promise<readonly string[]>;
  /** Forgets those that are too old or too many. Resolves with their ids. */
  forget(now: number): Promise<readonly string[]>;
  /** The handles of received files that are not fetched yet. */
  awaited(): Promise<readonly string[]>;
}

export function createDeviceFileStore(database: Transactions): DeviceFileStore {
  const { sql } = database;
  return {
    find: async (id) => sql.find(toFile, 'SELECT * FROM device_files WHERE id = ?', id),
    shownIn: async (sessionId) =>
      sql.list(toFile, 'SELECT * FROM device_files WHERE session_id = ? ORDER BY created_at, id', sessionId),
    ids: async () => sql.texts('SELECT id FROM device_files'),
    add: (file) =>
      database.write(async (sql) => {
        await insertFile(sql, { ...file, createdAt: file.at });
        return await forgetFiles(sql, file.at);
      }),
    forget: (now) => database.write((sql) => forgetFiles(sql, now)),
    awaited: async () => sql.texts(awaited),
  };
}

const insertFile = insertInto(`device_files (id, session_id, name, media_type, size, created_at)
  ON CONFLICT (id) DO NOTHING`);

// The range covers all keys of the device channel.
const awaited = `SELECT handle FROM attachments WHERE inbox_key >= 'device:' AND inbox_key < 'device;' AND state = 'pending'`;

const forgetFiles = (sql: Sql, now: number): Eventual<readonly string[]> =>
  sql.texts(
    `DELETE FROM device_files WHERE id IN (
       SELECT id FROM (
         SELECT id, created_at, sum(size) OVER (ORDER BY created_at DESC, id DESC) AS total FROM device_files)
       WHERE created_at < @before OR total > @most)
     RETURNING id`,
    { before: now - keptFor, most: mostKept },
  );

const toFile: (row: Row) => ShownFile = columns({
  id: 'text',
  sessionId: 'text',
  name: 'text',
  mediaType: 'text',
  size: 'integer',
  at: (row) => integer(row, 'created_at'),
});
