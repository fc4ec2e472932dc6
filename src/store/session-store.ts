import { conversationId } from '../contract.ts';
import type {
  AnotherAnswer,
  SessionClaim,
  SessionLimit,
  SessionMessage,
  SessionStore,
  SessionSummary,
} from '../conversation/devices/session-store.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import type { Tables } from './tables/tables.ts';

/** What people have said, and what was said to them: cards and tools' statuses are of their moment. */
const said = `
  SELECT received_at AS at, seq, 'user' AS role, coalesce(edited_text, text) AS content FROM inbox
    WHERE conversation_id = @id AND kind = 'message'
  UNION ALL
  SELECT created_at AS at, seq, 'assistant' AS role, markdown AS content FROM outbox
    WHERE conversation_id = @id AND kind IN ('reply', 'for_user') AND state IN ('queued', 'delivered')`;

/** The chats of devices, in SQLite. */
export class SqliteSessionStore implements SessionStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #ownerOf: Statement;
  readonly #claim: Statement;
  readonly #alike: Statement;
  readonly #owned: Statement;
  readonly #list: Statement;
  readonly #messages: Statement;
  readonly #count: Statement;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
    this.#ownerOf = database.prepare('SELECT principal FROM device_sessions WHERE id = ?');
    this.#claim = database.prepare(
      'INSERT INTO device_sessions (id, principal, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
    );
    // By whoever else: where files are kept, capitals may count for nothing.
    this.#alike = database.prepare(
      `SELECT principal FROM device_sessions
       WHERE id = ? COLLATE NOCASE AND principal NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
    );
    this.#owned = database.prepare(
      'SELECT count(*) AS count FROM device_sessions WHERE principal IN (SELECT value FROM json_each(?))',
    );
    this.#list = database.prepare(
      `SELECT device_sessions.id AS id, created_at, coalesce(max(conversations.seen_at, created_at), created_at) AS seen_at
       FROM device_sessions LEFT JOIN conversations ON conversations.id = 'device:' || device_sessions.id
       WHERE principal IN (SELECT value FROM json_each(?)) ORDER BY seen_at DESC LIMIT ?`,
    );
    this.#messages = database.prepare(`SELECT * FROM (${said}) ORDER BY at DESC, role, seq DESC LIMIT @most`);
    this.#count = database.prepare(`SELECT count(*) AS count FROM (${said})`);
  }

  async ownerOf(id: string): Promise<string | undefined> {
    return this.#owner(id);
  }

  claim({ id, principal, at }: SessionClaim, { principals, most }: SessionLimit): Promise<string | undefined> {
    return this.#database.write(() => {
      const person = JSON.stringify(principals);
      const foreign = this.#alike.get(id, person);
      if (foreign !== undefined) return new Row(foreign).text('principal');
      const owned = new Row(this.#owned.get(person)).integer('count');
      if (owned < most) this.#claim.run(id, principal, at);
      return this.#owner(id);
    });
  }

  async list(principals: readonly string[], most: number): Promise<readonly SessionSummary[]> {
    return this.#list.all(JSON.stringify(principals), most).map((found) => {
      const row = new Row(found);
      const id = row.text('id');
      const [createdAt, lastActivity] = [row.integer('created_at'), row.integer('seen_at')];
      return { id, createdAt, lastActivity, messageCount: this.#counted(id) };
    });
  }

  async messages(id: string, most: number): Promise<readonly SessionMessage[]> {
    const found = this.#messages.all({ id: conversationOf(id), most });
    return found.reverse().map((values) => {
      const row = new Row(values);
      return {
        role: row.word('role', ['user', 'assistant']),
        content: row.text('content'),
        at: row.integer('at'),
      };
    });
  }

  async count(id: string): Promise<number> {
    return this.#counted(id);
  }

  answerAgain({ conversationId: id, ...event }: AnotherAnswer): Promise<boolean> {
    return this.#database.write(() => {
      const { inbox, conversations } = this.#tables;
      const sinceSeq = conversations.find(id)?.sinceSeq;
      if (sinceSeq === undefined || inbox.newestSeq(id) <= sinceSeq) return false;
      inbox.addEvent({ ...event, conversationId: id, wantsAnswer: true });
      conversations.setOpen(id);
      return true;
    });
  }

  #owner(id: string): string | undefined {
    const found = this.#ownerOf.get(id);
    return found === undefined ? undefined : new Row(found).text('principal');
  }

  #counted(id: string): number {
    return new Row(this.#count.get({ id: conversationOf(id) })).integer('count');
  }
}

function conversationOf(sessionId: string): string {
  return conversationId({ channel: 'device', chatId: sessionId, kind: 'direct' });
}
