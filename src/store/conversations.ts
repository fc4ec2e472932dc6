import { cleanLabels, isOfPerson, type Labels } from '../approval/verdict.ts';
import { type Conversation, conversationId } from '../contract.ts';
import { laneOf } from '../delivery/outbox.ts';
import type { Brought, PinnedFact, Spent, SubRun } from '../engine/journal.ts';
import type { Origin } from '../engine/message.ts';
import { oneLine } from '../lib/plain-text.ts';
import type { SubRunDraft } from '../runs/sub-runs.ts';
import type { Address } from '../tools/builtin/messages/message-tools.ts';
import type { Database } from './database.ts';
import { clearFileLabels } from './file-labels.ts';
import * as languages from './languages.ts';
import {
  columns,
  type Eventual,
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
  texts,
} from './sql.ts';
import * as timeZones from './time-zones.ts';

/** The place in a row of `conversations` or of a join with it. */
export const placeOf = columns({
  channel: 'text',
  tenant: 'text?',
  chatId: 'text',
  threadId: 'text?',
  kind: oneOf('direct', 'group'),
  title: 'text?',
});

const toConversation = columns({
  id: 'text',
  conversation: placeOf,
  /** Earlier entries are not read: the conversation was restarted. */
  sinceSeq: 'integer',
  sinceTurn: 'integer',
  isOpen: 'flag',
  /** The model chosen there. */
  model: 'text?',
  pinned: json<readonly PinnedFact[]>(),
  labels: (row) => ({
    tainted: flag(row, 'tainted'),
    // Pinned facts are part of every request, so they make a direct conversation private; a group knows them all.
    private: flag(row, 'private') || (text(row, 'kind') === 'direct' && text(row, 'pinned') !== '[]'),
    sources: texts(row, 'taint_sources'),
    reads: integer(row, 'taint_reads'),
  }),
  /** Spent so far by the current run. */
  spent: (row) => ({
    runId: optionalText(row, 'spent_run') ?? 'none',
    tokens: integer(row, 'spent_tokens'),
    cost: integer(row, 'spent_cost'),
  }),
  /** The run that asked for an extension. */
  askingRun: 'text?',
  /** The summary of its oldest part. */
  summaryId: 'integer?',
  /** The person who asked for a summary. */
  summaryFor: 'text?',
  /** Set for a sub-run's conversation, in which nobody talks. */
  subRun: optional(json<SubRun>()),
});

/** A chat's former or present id, and its conversation. */
interface MovedChat {
  readonly id: string;
  readonly conversationId: string;
}

/** The read-only queries on conversations. */
export interface ConversationStore {
  /** All chats whose id the platform has changed. */
  moves(): Promise<readonly MovedChat[]>;
  /** The people who claimed ownership. */
  owners(): Promise<readonly string[]>;
  unfinished(): Promise<readonly string[]>;
  conversationOf(id: string): Promise<Conversation | undefined>;
  isKnown(id: string | undefined): Promise<boolean>;
  modelOf(id: string): Promise<string | undefined>;
  labelsOf(id: string): Promise<Labels>;
  pinnedIn(id: string): Promise<readonly PinnedFact[]>;
  /**
   * At most `most` conversations of a channel, most recently used first: at most ten per chat, so that its threads do not
   * displace other chats. Looks at `most` * 20 rows.
   */
  latestConversations(channel: string, most: number): Promise<readonly Conversation[]>;
}

export function createConversationStore(database: Database): ConversationStore {
  const { sql } = database;
  return {
    moves: async () => sql.list(toMove, 'SELECT id, conversation_id FROM moves ORDER BY id'),
    owners: async () => sql.texts('SELECT principal FROM owners ORDER BY claimed_at'),
    unfinished: async () => sql.texts('SELECT id FROM conversations WHERE is_open = 1'),
    conversationOf: async (id) => (await find(sql, id))?.conversation,
    isKnown: async (id) => id !== undefined && (await find(sql, id)) !== undefined,
    modelOf: async (id) => (await find(sql, id))?.model,
    labelsOf: async (id) => (await find(sql, id))?.labels ?? cleanLabels,
    pinnedIn: async (id) => (await find(sql, id))?.pinned ?? [],
    latestConversations: async (channel, most) =>
      sql.list(
        placeOf,
        `SELECT * FROM (
             SELECT *, row_number() OVER (PARTITION BY tenant, chat_id ORDER BY seen_at DESC) AS place
             FROM (SELECT * FROM conversations WHERE channel = @channel AND seen_at > 0 ORDER BY seen_at DESC LIMIT @looked))
           WHERE place <= 10 ORDER BY seen_at DESC LIMIT @most`,
        { channel, most, looked: most * 20 },
      ),
  };
}

const toMove: (row: Row) => MovedChat = columns({ id: 'text', conversationId: 'text' });

export const find = (sql: Sql, id: string) => sql.find(toConversation, 'SELECT * FROM conversations WHERE id = ?', id);

/** Those of them that are known, in the same order. */
export async function findAll(sql: Sql, ids: readonly string[]) {
  const found = await sql.list(
    toConversation,
    'SELECT * FROM conversations WHERE id IN (SELECT value FROM json_each(?))',
    ids,
  );
  const known = new Map(found.map((one) => [one.id, one]));
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** Adds or updates the conversation and its participant, who was heard there. `isOpen`: what they said has to be worked on. */
export async function hear(sql: Sql, origin: Origin, at: number, isOpen: boolean): Promise<void> {
  await insertSeen(sql, { ...origin.conversation, id: origin.conversationId, seenAt: at, isOpen });
  await insertPerson(sql, { ...origin, roles: origin.roles ?? [] });
  const { principal, timeZone, language } = origin;
  if (timeZone !== undefined) await timeZones.note(sql, { principal, source: 'platform', timeZone }, at);
  if (language !== undefined) await languages.note(sql, { principal, source: 'platform', language }, at);
}

/** Adds the conversation of a person who may not talk. Where nobody was heard, nobody is listed as having talked. */
export const addUnheard = (sql: Sql, { conversationId: id, conversation }: Origin): Eventual<boolean> =>
  insertSeen(sql, { ...conversation, id, seenAt: 0, isOpen: false });

const insertSeen = insertInto(`conversations (id, channel, tenant, chat_id, thread_id, kind, title, seen_at, is_open)
  ON CONFLICT (id) DO UPDATE SET title = coalesce(excluded.title, title), seen_at = max(seen_at, excluded.seen_at), is_open = max(is_open, excluded.is_open)`);

const insertPerson = insertInto(`participants (conversation_id, principal, name, roles)
  ON CONFLICT (conversation_id, principal) DO UPDATE SET name = excluded.name, roles = excluded.roles
     WHERE name <> excluded.name OR roles <> excluded.roles`);

/** Whether this chat, or a thread in it, has had another id. Chats that moved are few. */
export async function hasMoved(sql: Sql, { threadId: _thread, ...chat }: Conversation): Promise<boolean> {
  const lane = conversationId(chat);
  return (await sql.texts('SELECT id FROM moves')).some((id) => laneOf(id) === lane);
}

/** Continues the conversation under another chat id. False if the move was known. */
export async function move(sql: Sql, id: string, from: Conversation, chatId: string): Promise<boolean> {
  const newName = conversationId({ ...from, chatId });
  if (newName === id) return false;
  await sql.run('UPDATE conversations SET chat_id = ? WHERE id = ?', chatId, id);
  return await sql.changed(
    `INSERT INTO moves (id, conversation_id) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET conversation_id = excluded.conversation_id WHERE conversation_id <> excluded.conversation_id`,
    ...[newName, id],
  );
}

/** Marks the conversation as having work left. */
export const setOpen = (sql: Sql, id: string): Eventual<number> =>
  sql.run('UPDATE conversations SET is_open = 1 WHERE id = ?', id);

/** Marks the conversation as finished, unless newer messages want an answer or calls are open. */
export const settle = (sql: Sql, id: string, seenSeq: number): Eventual<number> =>
  sql.run(
    `UPDATE conversations SET is_open = 0, asking_run = NULL WHERE id = @id AND summary_for IS NULL AND sub_run IS NULL
       AND NOT EXISTS (SELECT 1 FROM inbox WHERE conversation_id = @id AND seq > @seenSeq AND kind IN ('message', 'event') AND wants_answer = 1)
       AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation_id = @id AND state <> 'done')`,
    { id, seenSeq },
  );

/** Adds to the run's spending. The first amount of a new run replaces the old run's. */
export const spend = (sql: Sql, id: string, run: string, { tokens, cost }: Spent): Eventual<number> =>
  sql.run(
    `UPDATE conversations SET spent_tokens = iif(spent_run IS @run, spent_tokens, 0) + @tokens,
       spent_cost = iif(spent_run IS @run, spent_cost, 0) + @cost, spent_run = @run WHERE id = @id`,
    { id, run, tokens, cost },
  );

/** The direct conversations of these people, without duplicates. A device's session is no place to reach them in. */
export async function directConversationsOf(sql: Sql, principals: readonly string[]): Promise<readonly string[]> {
  return await sql.texts(
    `SELECT DISTINCT conversations.id AS id FROM participants JOIN conversations ON conversations.id = participants.conversation_id
     WHERE participants.principal IN (SELECT value FROM json_each(?))
       AND conversations.kind = 'direct' AND conversations.channel <> 'device'`,
    principals,
  );
}

/** The same, once per chat: a chat comes before its threads. */
export async function directChatsOf(sql: Sql, principals: readonly string[]): Promise<readonly string[]> {
  const byLane = Map.groupBy((await directConversationsOf(sql, principals)).toSorted(), laneOf);
  return [...byLane.values()].flatMap(([first]) => first ?? []);
}

/** Adds the conversation of a sub-run, unless it exists. */
export const beginSubRun = (
  sql: Sql,
  { conversationId: id, conversation, subRun, model }: SubRunDraft,
): Eventual<boolean> =>
  insertSubRun(sql, { ...conversation, id, seenAt: 0, isOpen: true, model, subRun, rootId: subRun.rootId });
const insertSubRun =
  insertInto(`conversations (id, channel, tenant, chat_id, thread_id, kind, title, seen_at, is_open, model, sub_run, root_id)
  ON CONFLICT (id) DO NOTHING`);

/** Marks the sub-run as finished. */
export const endSubRun = (sql: Sql, id: string): Eventual<number> =>
  sql.run('UPDATE conversations SET is_open = 0 WHERE id = ? AND sub_run IS NOT NULL', id);

/** The sub-runs in progress for the root. */
export const runningFor = (sql: Sql, rootId: string): Eventual<readonly string[]> =>
  sql.texts(
    'SELECT id FROM conversations WHERE root_id = ? AND root_id IS NOT NULL AND is_open = 1 ORDER BY id',
    rootId,
  );

/**
 * Adds to what the conversation has read. `isAwaited`: calls of the same turn are open; a source that is known already
 * does not make their cards stale.
 */
export async function addLabels(
  sql: Sql,
  id: string,
  { sources, isPrivate }: Brought,
  isAwaited = false,
): Promise<void> {
  if (isPrivate) await sql.run('UPDATE conversations SET private = 1 WHERE id = ? AND private = 0', id);
  if (sources.length === 0) return;
  const known = (await find(sql, id))?.labels.sources ?? [];
  const brought = sources.map((source) => oneLine(source, 200));
  const all = [...new Set([...known, ...brought])].slice(0, mostSources);
  // In a group, people go on talking while a card waits.
  const isNews = brought.some((source) => !known.includes(source) || !(isAwaited || isOfPerson(source)));
  await sql.run(
    'UPDATE conversations SET tainted = 1, taint_sources = ?, taint_reads = taint_reads + ? WHERE id = ?',
    ...[all, isNews, id],
  );
}

/** Nobody reads more of them, and the taint holds anyway. */
const mostSources = 50;

/** What was read in a conversation and in its current sub-runs. */
export async function readIn(sql: Sql, id: string): Promise<Brought> {
  const labels = (await findAll(sql, [id, ...(await runningFor(sql, id))])).map((one) => one.labels);
  const sources = [...new Set(labels.flatMap((one) => one.sources))];
  return { sources, isPrivate: labels.some((one) => one.private) };
}

/** Facts that the model keeps in mind there. */
export async function setPinned(sql: Sql, id: string, facts: readonly PinnedFact[]): Promise<void> {
  await sql.run('UPDATE conversations SET pinned = ? WHERE id = ?', facts, id);
}

/** Names the conversation, as its person does. */
export const setTitle = (sql: Sql, id: string, title: string): Eventual<boolean> =>
  sql.changed('UPDATE conversations SET title = ? WHERE id = ?', title, id);

/** Declares everything read so far trusted. Returns the sources. */
export async function clearTaint(sql: Sql, id: string): Promise<readonly string[]> {
  const sources = (await find(sql, id))?.labels.sources ?? [];
  await sql.run(`UPDATE conversations SET tainted = 0, taint_sources = '[]' WHERE id = ?`, id);
  await clearFileLabels(sql, id, sources);
  return sources;
}

/** Content read in one conversation may have reached the other. */
export async function copyLabels(sql: Sql, from: string, to: string): Promise<void> {
  const given = (await find(sql, from))?.labels;
  if (given !== undefined) await addLabels(sql, to, { sources: given.sources, isPrivate: given.private });
}

const address = `conversations.id, channel, thread_id, title, person.principal AS person, person.name AS person_name`;
/** A direct conversation has one person. */
const withPerson = `LEFT JOIN participants AS person ON conversations.kind = 'direct' AND person.conversation_id = conversations.id
  AND person.principal = (SELECT min(principal) FROM participants WHERE conversation_id = conversations.id)`;

const ofPerson = `SELECT ${address}, tenant, chat_id, conversations.kind AS kind, participants.name AS name, participants.roles AS roles, seen_at
  FROM participants JOIN conversations ON conversations.id = participants.conversation_id ${withPerson}
  WHERE participants.principal = ? AND seen_at > 0 ORDER BY seen_at DESC, conversations.id`;
const ofChannels = `WITH RECURSIVE known (channel) AS (
    SELECT min(channel) FROM conversations WHERE seen_at > 0
    UNION ALL
    SELECT (SELECT min(channel) FROM conversations WHERE seen_at > 0 AND channel > known.channel) FROM known WHERE channel IS NOT NULL)
  SELECT channel FROM known WHERE channel IS NOT NULL`;
/** Enough for a person to know them by name. */
const ofChannel = `SELECT ${address}, seen_at FROM conversations ${withPerson}
  WHERE channel = ? AND seen_at > 0 ORDER BY seen_at DESC LIMIT 2000`;
const ofId = `SELECT ${address}, seen_at FROM conversations ${withPerson} WHERE conversations.id = ? AND seen_at > 0`;

const toAddress: (row: Row) => Address = columns({
  id: 'text',
  channel: 'text',
  isThread: (row) => row.thread_id !== null,
  title: 'text?',
  person: (row) => (row.person === null ? undefined : toPerson(row)),
});
const toPerson = columns({ principal: (row) => text(row, 'person'), name: (row) => text(row, 'person_name') });

/** A conversation in which a person took part, with their latest name and roles there. */
export interface Acquaintance {
  readonly address: Address;
  readonly conversation: Conversation;
  readonly name: string;
  readonly roles: readonly string[];
  /** When somebody was last heard there. */
  readonly seenAt: number;
}

const toAcquaintance: (row: Row) => Acquaintance = columns({
  address: toAddress,
  conversation: placeOf,
  name: 'text',
  roles: 'texts',
  seenAt: 'integer',
});

const toDated = columns({ address: toAddress, seenAt: 'integer' });

/** The conversations that can be written to: those in which somebody was heard, latest first. */
export interface AddressBook {
  /** Those in which the person took part. */
  acquaintancesOf(principal: string): Promise<readonly Acquaintance[]>;
  /** The latest 2,000 of each channel, and the one with this id. */
  all(id: string): Promise<readonly Address[]>;
}

export function createAddressBook(database: Database): AddressBook {
  const { sql } = database;
  return {
    acquaintancesOf: async (principal) => sql.list(toAcquaintance, ofPerson, principal),
    all: (id) =>
      database.read(async (sql) => {
        const rows = [...(await sql.all(ofId, id))];
        for (const channel of await sql.texts(ofChannels)) rows.push(...(await sql.all(ofChannel, channel)));
        const found = [...new Map(rows.map((row) => [text(row, 'id'), row])).values()].map(toDated);
        found.sort((a, b) => b.seenAt - a.seenAt || (a.address.id < b.address.id ? -1 : 1));
        return found.map((one) => one.address);
      }),
  };
}
