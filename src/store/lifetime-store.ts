import type { OutboundMessage } from '../contract.ts';
import type { Absence, LifetimeStore } from '../conversation/health/downtime.ts';
import type { LateMessages } from '../conversation/health/downtime-words.ts';
import type { DirectChat } from '../conversation/own-chats.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';
import { toConversation } from './tables/conversations.ts';
import type { Tables } from './tables/tables.ts';

type Span = Omit<Absence, 'unanswered'>;

const place = 'conversations.id AS id, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title';

/** When processes were alive, in SQLite. */
export class SqliteLifetimeStore implements LifetimeStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #find: Statement;
  readonly #began: Statement;
  readonly #alive: Statement;
  readonly #findHeard: Statement;
  readonly #heard: Statement;
  readonly #told: Statement;
  readonly #newestSeq: Statement;
  readonly #late: Statement;
  readonly #unanswered: Statement;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
    this.#find = database.prepare('SELECT alive_at, away_from, away_until, away_seq FROM lifetime');
    this.#began = database.prepare(
      `INSERT INTO lifetime (id, alive_at, away_from, away_until, away_seq) VALUES (1, @at, @from, @until, @seq)
       ON CONFLICT (id) DO UPDATE SET alive_at = @at, away_from = @from, away_until = @until, away_seq = @seq`,
    );
    this.#alive = database.prepare('UPDATE lifetime SET alive_at = ?');
    this.#findHeard = database.prepare('SELECT channel, heard_at FROM heard');
    this.#heard = database.prepare(
      `INSERT INTO heard (channel, heard_at) VALUES (?, ?) ON CONFLICT (channel) DO UPDATE SET heard_at = excluded.heard_at`,
    );
    this.#told = database.prepare('UPDATE lifetime SET away_from = NULL, away_until = NULL, away_seq = NULL');
    this.#newestSeq = database.prepare('SELECT max(seq) AS newest_seq FROM inbox');
    // The words "IN ('message', 'event')" and "<> 'done'" are those of the indexes: without them, everything would be read.
    const messages = `SELECT ${place}, max(inbox.name) AS name, count(*) AS count
       FROM inbox JOIN conversations ON conversations.id = inbox.conversation_id
       WHERE inbox.kind IN ('message', 'event') AND inbox.kind = 'message' AND wants_answer = 1`;
    this.#late = database.prepare(
      `${messages} AND inbox.seq > @seq AND sent_at < @until AND received_at >= @from GROUP BY conversations.id`,
    );
    // What the last answer has not seen. Where a person's decision is awaited, that is no fault of ours.
    this.#unanswered = database.prepare(
      `${messages} AND is_open = 1 AND inbox.seq <= ? AND inbox.seq > coalesce(
         (SELECT seen_seq FROM turns WHERE turns.conversation_id = conversations.id AND (
            NOT EXISTS (SELECT 1 FROM calls WHERE calls.conversation_id = turns.conversation_id AND turn_id = turns.id)
            OR EXISTS (SELECT 1 FROM calls WHERE calls.conversation_id = conversations.id AND state <> 'done' AND state = 'awaiting'))
          ORDER BY turns.id DESC LIMIT 1), 0)
       GROUP BY conversations.id`,
    );
  }

  async absence(at: number, longerThan: number): Promise<Absence | undefined> {
    const span = this.#span(at, longerThan);
    return span && { ...span, unanswered: this.#unanswered.all(span.seq).map(toLate) };
  }

  async aliveAt(): Promise<number | undefined> {
    const found = this.#find.get();
    return found === undefined ? undefined : new Row(found).integer('alive_at');
  }

  began(at: number, absence: Absence | undefined): Promise<void> {
    const { from = null, until = null, seq = null } = absence ?? {};
    return this.#database.write(() => {
      this.#began.run({ at, from, until, seq });
    }, 'relaxed');
  }

  async heardAt(): Promise<ReadonlyMap<string, number>> {
    const rows = this.#findHeard.all().map((found) => new Row(found));
    return new Map(rows.map((row) => [row.text('channel'), row.integer('heard_at')]));
  }

  alive(at: number, heardAt: ReadonlyMap<string, number>): Promise<void> {
    return this.#database.write(() => {
      this.#alive.run(at);
      for (const [channel, instant] of heardAt) this.#heard.run(channel, instant);
    }, 'relaxed');
  }

  async late({ from, until, seq }: Absence): Promise<readonly LateMessages[]> {
    return this.#late.all({ from, until, seq }).map(toLate);
  }

  async directChats(principals: readonly string[]): Promise<readonly DirectChat[]> {
    const { conversations } = this.#tables;
    const ids = new Set(principals.flatMap((principal) => conversations.directConversationsOf(principal)));
    return [...ids].sort().flatMap((conversationId) => {
      const found = conversations.find(conversationId);
      return found === undefined ? [] : [{ conversationId, conversation: found.conversation }];
    });
  }

  told(
    notices: readonly { readonly conversationId: string; readonly message: OutboundMessage }[],
    at: number,
  ): Promise<void> {
    return this.#database.write(() => {
      for (const notice of notices) this.#tables.outbox.add(notice, at);
      this.#told.run();
    }, 'relaxed');
  }

  /** The absence that just ended, together with one before it that nobody was told of. */
  #span(at: number, longerThan: number): Span | undefined {
    const found = this.#find.get();
    if (found === undefined || longerThan === 0) return undefined;
    const row = new Row(found);
    const aliveAt = row.integer('alive_at');
    const untold = toSpan(row);
    if (at - aliveAt <= longerThan) return untold;
    const seq = untold?.seq ?? new Row(this.#newestSeq.get()).optionalInteger('newest_seq') ?? 0;
    return { from: untold?.from ?? aliveAt, until: at, seq };
  }
}

function toSpan(row: Row): Span | undefined {
  if (row.optionalInteger('away_seq') === undefined) return undefined;
  return { from: row.integer('away_from'), until: row.integer('away_until'), seq: row.integer('away_seq') };
}

function toLate(found: unknown): LateMessages {
  const row = new Row(found);
  return { conversation: toConversation(row), name: row.text('name'), count: row.integer('count') };
}
