/* All that was said and done, a window at a time, the newest first: for a search in it. */

import type { Transactions } from '../../../../store/database.ts';
import { columns, optional, type Row, type Sql } from '../../../../store/sql.ts';
import { type Seer, seenBy } from '../seer.ts';

/** A message, or the daemon's notice. */
export interface SearchedMessage {
  readonly seq: number;
  readonly at: number;
  readonly conversationId: string;
  readonly name: string;
  readonly text: string;
}

/** What the model said at once. */
export interface SearchedTurn {
  readonly id: number;
  readonly at: number;
  readonly conversationId: string;
  readonly runId: string;
  readonly model: string | undefined;
  readonly text: string;
}

export interface SearchedCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  readonly result: string | undefined;
}

/** A window of rows: what this person may see of it, and where it ends. `end` is undefined if there is nothing before. */
export interface Window<Found> {
  readonly found: readonly Found[];
  readonly end: number | undefined;
}

/** Reads only. A window is read as of one moment, so that nothing stands between two of them. */
export interface SearchStore {
  messagesBefore(seq: number, size: number, seer: Seer): Promise<Window<SearchedMessage>>;
  turnsBefore(id: number, size: number, seer: Seer): Promise<Window<SearchedTurn>>;
  callsOf(turn: Pick<SearchedTurn, 'conversationId' | 'id'>): Promise<readonly SearchedCall[]>;
  /** The run that read this message. Undefined: none has. */
  runThatRead(message: Pick<SearchedMessage, 'conversationId' | 'seq'>): Promise<string | undefined>;
}

export function createSearchStore(database: Pick<Transactions, 'sql' | 'read'>): SearchStore {
  const { sql } = database;
  return {
    messagesBefore: (before, window, seer) =>
      database.read(async (sql) => ({
        end: (await sql.find(toEnd, endOfMessages, { before, window }))?.end,
        found: await sql.list(toMessage, messagesOfWindow, { before, window, ...seenBy(seer) }),
      })),
    turnsBefore: (before, window, seer) =>
      database.read(async (sql) => ({
        end: (await sql.find(toEnd, endOfTurns, { before, window }))?.end,
        found: await sql.list(toTurn, turnsOfWindow, { before, window, ...seenBy(seer) }),
      })),
    callsOf: async ({ conversationId, id }) => sql.list(toCall, callsOfTurn, conversationId, id),
    runThatRead: (message) => database.read((sql) => runThatRead(sql, message)),
  };
}

const endOfMessages =
  'SELECT min(seq) AS end FROM (SELECT seq FROM inbox WHERE seq < @before ORDER BY seq DESC LIMIT @window)';
const endOfTurns =
  'SELECT min(id) AS end FROM (SELECT id FROM turns WHERE id < @before ORDER BY id DESC LIMIT @window)';
const toEnd = columns({ end: optional((row, column) => Number(row[column])) });

/** Whether what was found may be seen. */
const isSeen = `(@isOwner = 1 OR found.principal IN (SELECT value FROM json_each(@accounts))
  OR coalesce((SELECT root_id FROM conversations WHERE conversations.id = found.conversation_id), found.conversation_id) IN (SELECT value FROM json_each(@sessions)))`;

const messagesOfWindow = `SELECT seq, at, conversation_id, name, text FROM (
    SELECT seq, received_at AS at, conversation_id, principal, kind, name, coalesce(edited_text, text) AS text FROM inbox
      WHERE seq < @before ORDER BY seq DESC LIMIT @window) AS found
  WHERE kind IN ('message', 'event') AND ${isSeen}
  ORDER BY seq DESC`;
const toMessage: (row: Row) => SearchedMessage = columns({
  seq: 'integer',
  at: 'integer',
  conversationId: 'text',
  name: 'text',
  text: 'text',
});

const turnsOfWindow = `SELECT id, at, conversation_id, run_id, model,
    coalesce((SELECT group_concat(value ->> 'text', '') FROM json_each(parts) WHERE value ->> 'type' = 'text'), '') AS text
  FROM (SELECT id, created_at AS at, conversation_id, run_id, principal, model, parts FROM turns
    WHERE id < @before ORDER BY id DESC LIMIT @window) AS found
  WHERE ${isSeen}
  ORDER BY id DESC`;
const toTurn: (row: Row) => SearchedTurn = columns({
  id: 'integer',
  at: 'integer',
  conversationId: 'text',
  runId: 'text',
  model: 'text?',
  text: 'text',
});

const callsOfTurn = `SELECT id, name, arguments, result FROM calls WHERE conversation_id = ? AND turn_id = ? ORDER BY position DESC`;
const toCall: (row: Row) => SearchedCall = columns({ id: 'text', name: 'text', arguments: 'text', result: 'text?' });

const nextTurn = `SELECT id, run_id, seen_seq FROM turns WHERE conversation_id = ? AND id >= ? ORDER BY id LIMIT 1`;
const lastTurn = `SELECT id, run_id, seen_seq FROM turns WHERE conversation_id = ? ORDER BY id DESC LIMIT 1`;
const toSeen = columns({ id: 'integer', runId: 'text', seenSeq: 'integer' });

/** The first turn that has seen it. What a turn has seen never becomes less: the place is found by halves. */
async function runThatRead(sql: Sql, { conversationId, seq }: Pick<SearchedMessage, 'conversationId' | 'seq'>) {
  let found = await sql.find(toSeen, lastTurn, conversationId);
  if (found === undefined || found.seenSeq < seq) return undefined;
  let [low, high] = [0, found.id];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const turn = await sql.find(toSeen, nextTurn, conversationId, middle);
    if (turn === undefined || turn.seenSeq < seq) low = middle + 1;
    else {
      found = turn;
      high = middle;
    }
  }
  return found.runId;
}
