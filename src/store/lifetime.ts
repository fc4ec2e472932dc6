import type { Absence, LifetimeStore } from '../conversation/health/downtime.ts';
import type { DirectChat } from '../conversation/inbox.ts';
import { directChatsOf, placeOf } from './conversations.ts';
import type { Database } from './database.ts';
import * as outbox from './outbox.ts';
import { columns, insertInto, integer, type Row, type Sql, text } from './sql.ts';

/** When processes were alive. */
export function createLifetimeStore(database: Database): LifetimeStore {
  const { sql } = database;
  return {
    absence: (at, longerThan) =>
      database.read(async (sql) => {
        const span = await spanUntil(sql, at, longerThan);
        return span && { ...span, unanswered: await sql.list(toLate, unanswered, span.seq) };
      }),
    aliveAt: async () => sql.find((row) => integer(row, 'alive_at'), lifetime),
    began: (at, absence) =>
      database.write(async (sql) => {
        const { from, until, seq } = absence ?? {};
        await insertLifetime(sql, { id: 1, aliveAt: at, awayFrom: from, awayUntil: until, awaySeq: seq });
      }, 'relaxed'),
    heardAt: async () => {
      const rows = await sql.all('SELECT channel, heard_at FROM heard');
      return new Map(rows.map((row) => [text(row, 'channel'), integer(row, 'heard_at')]));
    },
    alive: async (at, heardAt) => {
      await database.look();
      await database.write(async (sql) => {
        await sql.run('UPDATE lifetime SET alive_at = ?', at);
        for (const [channel, instant] of heardAt) await insertHeard(sql, { channel, heardAt: instant });
      }, 'relaxed');
    },
    late: async ({ from, until, seq }) => sql.list(toLate, late, { from, until, seq }),
    directChats: (principals) => database.read(async (sql) => directChats(sql, principals)),
    told: (notices, at) =>
      database.write(async (sql) => {
        await outbox.addAll(sql, notices, at);
        await sql.run('UPDATE lifetime SET away_from = NULL, away_until = NULL, away_seq = NULL');
      }, 'relaxed'),
  };
}

async function directChats(sql: Sql, principals: readonly string[]): Promise<readonly DirectChat[]> {
  const chats: DirectChat[] = [];
  for (const principal of new Set(principals)) {
    for (const conversationId of await directChatsOf(sql, [principal])) {
      const found = await sql.find(toPlace, 'SELECT * FROM conversations WHERE id = ?', conversationId);
      if (found !== undefined) chats.push({ ...found, conversationId, principal });
    }
  }
  return chats;
}

const toPlace = columns({ conversation: placeOf, seenAt: 'integer' });

const insertLifetime = insertInto(`lifetime (id, alive_at, away_from, away_until, away_seq)
  ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at, away_from = excluded.away_from,
     away_until = excluded.away_until, away_seq = excluded.away_seq`);
const insertHeard = insertInto(`heard (channel, heard_at)
  ON CONFLICT (channel) DO UPDATE SET heard_at = excluded.heard_at`);
const lifetime = 'SELECT alive_at, away_from AS "from", away_until AS until, away_seq AS seq FROM lifetime';

type Span = Omit<Absence, 'unanswered'>;
const toSpan: (row: Row) => Span = columns({ from: 'integer', until: 'integer', seq: 'integer' });

/** The absence that just ended, merged with an earlier one that was not announced yet. */
async function spanUntil(sql: Sql, at: number, longerThan: number): Promise<Span | undefined> {
  const row = await sql.get(lifetime);
  if (row === undefined || longerThan === 0) return undefined;
  const aliveAt = integer(row, 'alive_at');
  const untold = row.seq === null ? undefined : toSpan(row);
  if (at - aliveAt <= longerThan) return untold;
  const seq = untold?.seq ?? (await sql.number('SELECT coalesce(max(seq), 0) FROM inbox'));
  return { from: untold?.from ?? aliveAt, until: at, seq };
}

const place = 'conversations.id AS id, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title';
// The conditions IN ('message', 'event') and <> 'done' match the partial indexes; without them SQLite scans the tables.
const counted = `SELECT ${place}, max(inbox.name) AS name, count(*) AS count`;
const ofMessages = `ON conversations.id = inbox.conversation_id
  WHERE inbox.kind IN ('message', 'event') AND inbox.kind = 'message' AND wants_answer = 1`;
// CROSS JOIN starts from the few new messages instead of probing every conversation.
const late = `${counted} FROM inbox CROSS JOIN conversations ${ofMessages}
  AND inbox.seq > @seq AND sent_at < @until AND received_at >= @from GROUP BY conversations.id`;
// Messages that the last answer has not seen. Runs that await a person's decision do not count.
const isUnanswered = `is_open = 1 AND inbox.seq > coalesce(
    (SELECT seen_seq FROM turns WHERE turns.conversation_id = conversations.id AND (
       NOT EXISTS (SELECT 1 FROM calls WHERE calls.conversation_id = turns.conversation_id AND turn_id = turns.id)
       OR EXISTS (SELECT 1 FROM calls WHERE calls.conversation_id = conversations.id AND state <> 'done' AND state = 'awaiting'))
     ORDER BY turns.id DESC LIMIT 1), 0)`;
const unanswered = `${counted} FROM inbox JOIN conversations ${ofMessages} AND inbox.seq <= ? AND ${isUnanswered}
  GROUP BY conversations.id`;
const newest = `SELECT conversations.id AS id, max(inbox.seq) AS seq FROM inbox JOIN conversations ${ofMessages} AND ${isUnanswered}
  GROUP BY conversations.id`;

/** The newest message of each conversation in which people wait for an answer. */
export async function newestUnanswered(sql: Sql): Promise<ReadonlyMap<string, number>> {
  return new Map((await sql.all(newest)).map((row) => [text(row, 'id'), integer(row, 'seq')]));
}

const toLate = columns({ conversation: placeOf, name: 'text', count: 'integer' });
