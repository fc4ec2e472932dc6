import { hash } from 'node:crypto';
import type { Doing, Effect } from '../../conversation/effects.ts';
import type { PinnedFact } from '../../engine/journal.ts';
import { newId } from '../../lib/ids.ts';
import { indexedText, searchTerms } from '../../lib/search-terms.ts';
import * as conversations from '../../store/conversations.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { columns, integer, json, oneOf, type Row, type Sql, sqlIn, text } from '../../store/sql.ts';
import type { Within } from '../../tools/output.ts';

/** Memories and the index of their words. */
export const memoryTables: FeatureTables = {
  steps: [
    `
  CREATE TABLE memories (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, principal TEXT NOT NULL, conversation_id TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('everywhere', 'here')),
    -- Of the text: finds the same text again.
    digest TEXT NOT NULL,
    tags TEXT NOT NULL, stored_at INTEGER NOT NULL, text TEXT NOT NULL,
    -- The untrusted sources that had been read where it was stored.
    taint_sources TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX memories_by_person ON memories (principal);
  CREATE INDEX memories_by_text ON memories (principal, digest);

  -- The words of texts and tags, by seq. Written together with the memories.
  CREATE VIRTUAL TABLE memory_words USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
`,
  ],
  ofPeople: {
    forgets: [
      `DELETE FROM memory_words WHERE rowid IN (
         SELECT seq FROM memories WHERE principal IN (SELECT value FROM json_each(@accounts)))`,
      // Else the index keeps the words of what is gone until it is merged by itself.
      `INSERT INTO memory_words (memory_words) VALUES ('optimize')`,
    ],
  },
};

/**
 * Memories and their word index, per person: every statement names the person or their accounts. Call `remember` and
 * `forget` inside the effect of a call: see `StoredEffect`.
 */
export interface MemoryStore {
  /** The same text by the same account renews the entry, with the draft's conversation, scope, tags and date. */
  remember(draft: MemoryDraft, within: Within): Promise<Remembered>;
  /** Best first. */
  search(question: MemoryQuestion): Promise<readonly Memory[]>;
  /** False if the person has no such memory that is found in this conversation. */
  forget(id: string, of: Rememberer, within: Within): Promise<boolean>;
  /** All that a person has had remembered, wherever it is found: the best first or, without words, the newest. */
  browse(browsing: Browsing): Promise<readonly KeptMemory[]>;
  /** Gives a memory of the person another text. It stays as untrusted as it was. Call it inside the effect of a command. */
  change(id: string, change: MemoryChange, within: Within): Promise<Memory | undefined>;
  /** Forgets a memory of the person, wherever it is found. Call it inside the effect of a command. */
  remove(id: string, accounts: readonly string[], within: Within): Promise<Memory | undefined>;
}

export function createMemoryStore(database: Transactions): MemoryStore {
  const { sql } = database;
  return {
    remember: (draft, within) => remember(draft, sqlIn(within)),
    async search({ of: { accounts, conversationId }, scope, query, limit, at }) {
      const within = [accounts, conversationId, scope === 'everywhere', limit];
      const terms = searchTerms(query);
      const rows =
        terms.length === 0 ? await sql.all(newest, ...within) : await sql.all(matching, at, anyOf(terms), ...within);
      return rows.map(toMemory);
    },
    async forget(id, { accounts, conversationId }, within) {
      const sql = sqlIn(within);
      const row = await sql.get(removeOne, id, accounts, conversationId);
      if (row === undefined) return false;
      await sql.run(removeWords, integer(row, 'seq'));
      return true;
    },
    browse: (browsing) => database.read(async (sql) => browse(browsing, sql)),
    change: (id, change, within) => changeMemory(id, change, sqlIn(within)),
    async remove(id, accounts, within) {
      const sql = sqlIn(within);
      const removed = await sql.find(toKept, removeTheirs, id, accounts);
      if (removed !== undefined) await sql.run(removeWords, removed.seq);
      return removed;
    },
  };
}

async function browse({ accounts, query, before, most, at }: Browsing, sql: Sql): Promise<readonly KeptMemory[]> {
  const terms = searchTerms(query);
  if (terms.length === 0)
    return await sql.list(toKept, newestTheirs, accounts, before ?? Number.MAX_SAFE_INTEGER, most);
  return await sql.list(toKept, matchingTheirs, at, anyOf(terms), accounts, most);
}

async function changeMemory(
  id: string,
  { accounts, text: words, at }: MemoryChange,
  sql: Sql,
): Promise<Memory | undefined> {
  const changed = await sql.find(toKept, changeTheirs, words, digestOf(words), at, id, accounts);
  if (changed === undefined) return undefined;
  await sql.run(removeWords, changed.seq);
  await insertWords(sql, changed);
  return changed;
}

async function insertWords(
  sql: Sql,
  { seq, text: words, tags }: Pick<KeptMemory, 'seq' | 'text' | 'tags'>,
): Promise<void> {
  const indexed = indexedText([words, ...tags].join('\n'));
  await sql.run('INSERT INTO memory_words (rowid, words) VALUES (?, ?)', seq, indexed);
}

/** Call it inside a transaction. */
export async function remember(draft: MemoryDraft, sql: Sql): Promise<Remembered> {
  const { of, scope, tags, text: words, maxEntries, at, untrusted = [] } = draft;
  const former = await removeSame(sql, draft);
  const count = former === undefined ? await sql.number(countOf, of.accounts) : 0;
  if (count >= maxEntries) return { status: 'full', count };
  const id = former ?? newId(8);
  const added = await sql.one(
    `INSERT INTO memories (id, principal, conversation_id, scope, digest, tags, stored_at, text, taint_sources)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    ...[id, of.principal, of.conversationId, scope, digestOf(words), tags, at, words],
    [...new Set([...(await conversations.readIn(sql, of.conversationId)).sources, ...untrusted])],
  );
  await insertWords(sql, { seq: integer(added, 'seq'), text: words, tags });
  return { status: former === undefined ? 'stored' : 'renewed', id };
}

/** Whether the person remembers this text in all of their conversations. The accounts are all of theirs. */
export async function isRemembered(sql: Sql, accounts: readonly string[], words: string): Promise<boolean> {
  return await sql.has(
    `SELECT 1 FROM memories WHERE ${theirsSql} AND digest = ? AND scope = 'everywhere'`,
    ...[accounts, digestOf(words)],
  );
}

/** Where a memory is found: in all conversations of its person, or only where it was stored. */
export const memoryScopes = ['everywhere', 'here'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

export interface Memory {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly scope: MemoryScope;
  /** When it was last stored, in ms since 1970. */
  readonly storedAt: number;
  /** The untrusted sources that the conversation had read when it was stored. */
  readonly untrusted: readonly string[];
}

const memoryShape = {
  id: 'text',
  text: 'text',
  tags: 'texts',
  scope: oneOf(...memoryScopes),
  storedAt: 'integer',
  untrusted: 'texts',
} as const;

const toMemory: (row: Row) => Memory = columns(memoryShape);

/** A memory with its place in the table, from which a list goes on. */
export interface KeptMemory extends Memory {
  readonly seq: number;
}

const toKept: (row: Row) => KeptMemory = columns({ ...memoryShape, seq: 'integer' });

export interface Browsing {
  /** All accounts of the person. */
  readonly accounts: readonly string[];
  /** Words that it shares; empty: all. */
  readonly query: string;
  /** Only what was remembered before this one. Without words only. */
  readonly before: number | undefined;
  readonly most: number;
  readonly at: number;
}

export interface MemoryChange {
  readonly accounts: readonly string[];
  readonly text: string;
  readonly at: number;
}

/** The person, and the conversation in which they speak. */
export interface Rememberer {
  /** The account that they speak with. New memories are stored under it. */
  readonly principal: string;
  /** All of their accounts, this one included. Memories of any of them are theirs. */
  readonly accounts: readonly string[];
  readonly conversationId: string;
}

export interface MemoryDraft extends Omit<Memory, 'id' | 'storedAt' | 'untrusted'> {
  readonly of: Rememberer;
  /** Untrusted sources besides those that were read in the conversation. */
  readonly untrusted?: readonly string[];
  /** The limit per person. */
  readonly maxEntries: number;
  readonly at: number;
}

/** `full`: the limit is reached, and nothing was stored. */
export type Remembered =
  | { readonly status: 'stored' | 'renewed'; readonly id: string }
  | { readonly status: 'full'; readonly count: number };

export interface MemoryQuestion {
  readonly of: Rememberer;
  /** `here`: only memories of this conversation · `everywhere`: also the person's global ones. */
  readonly scope: MemoryScope;
  /** Matches memories that share words with it. Without words, returns the newest. */
  readonly query: string;
  readonly limit: number;
  readonly at: number;
}

/** 30 days in ms. Recency boosts the score by 50 % when new, and by 25 % after a month. */
const month = 2_592_000_000;
/** The accounts are a JSON array. */
const theirsSql = 'principal IN (SELECT value FROM json_each(?))';
const reach = `${theirsSql} AND (conversation_id = ? OR (scope = 'everywhere' AND ?))`;
const countOf = `SELECT count(*) FROM memories WHERE ${theirsSql}`;
const newest = `SELECT *, taint_sources AS untrusted FROM memories WHERE ${reach} ORDER BY seq DESC LIMIT ?`;
// Better matches have a lower rank. Texts are read for the shown rows only.
const matching = `SELECT memories.*, taint_sources AS untrusted FROM (
    SELECT seq, bm25(memory_words) * (1 + 0.5 * ${month} / (${month} + max(0, ? - stored_at))) AS rank
    FROM memory_words JOIN memories ON memories.seq = memory_words.rowid
    WHERE memory_words MATCH ? AND ${reach} ORDER BY rank, seq DESC LIMIT ?) AS best
  JOIN memories ON memories.seq = best.seq ORDER BY best.rank, best.seq DESC`;
const removeOne = `DELETE FROM memories WHERE id = ? AND ${theirsSql} AND (conversation_id = ? OR scope = 'everywhere') RETURNING seq`;
const newestTheirs = `SELECT *, taint_sources AS untrusted FROM memories WHERE ${theirsSql} AND seq < ? ORDER BY seq DESC LIMIT ?`;
const matchingTheirs = `SELECT memories.*, taint_sources AS untrusted FROM (
    SELECT seq, bm25(memory_words) * (1 + 0.5 * ${month} / (${month} + max(0, ? - stored_at))) AS rank
    FROM memory_words JOIN memories ON memories.seq = memory_words.rowid
    WHERE memory_words MATCH ? AND ${theirsSql} ORDER BY rank, seq DESC LIMIT ?) AS best
  JOIN memories ON memories.seq = best.seq ORDER BY best.rank, best.seq DESC`;
const removeTheirs = `DELETE FROM memories WHERE id = ? AND ${theirsSql} RETURNING *, taint_sources AS untrusted`;
const changeTheirs = `UPDATE memories SET text = ?, digest = ?, stored_at = ? WHERE id = ? AND ${theirsSql} RETURNING *, taint_sources AS untrusted`;
const removeWords = 'DELETE FROM memory_words WHERE rowid = ?';

/** Removes entries of the account with the same text that the draft would duplicate. Returns the id of one of them. */
async function removeSame(
  sql: Sql,
  { of: { principal, conversationId }, scope, text: words }: MemoryDraft,
): Promise<string | undefined> {
  const rows = await sql.all(
    `DELETE FROM memories WHERE principal = ? AND digest = ? AND (conversation_id = ? OR (scope = 'everywhere' AND ?))
     RETURNING seq, id`,
    ...[principal, digestOf(words), conversationId, scope === 'everywhere'],
  );
  for (const row of rows) await sql.run(removeWords, integer(row, 'seq'));
  return rows.map((row) => text(row, 'id'))[0];
}

/** An FTS5 query. Terms are alphanumeric; quoted, they are not taken for operators. */
function anyOf(terms: readonly string[]): string {
  return terms.map((term) => `"${term}"`).join(' OR ');
}

const digestOf = (words: string): string => hash('sha256', words, 'base64');

/** `known`: the same text is already pinned, under this number · `full`: the limit is reached. */
export type Pinning =
  | { readonly type: 'pinned'; readonly number: number }
  | { readonly type: 'known'; readonly number: number }
  | { readonly type: 'full' };

/** The facts pinned in conversations, whose rows they stand in. */
export interface PinStore {
  /** Pins a fact for the person, unless it is pinned already or the limit is reached. */
  pin(text: string): Effect<Pinning>;
  /** Unpins the fact with this number, or all if no number is given. Results in what was unpinned. */
  unpin(number: number | undefined): Effect<readonly PinnedFact[]>;
}

export function createPinStore(): PinStore {
  return {
    pin: (text) => ({ name: 'pin', apply: (doing) => pin(sqlIn(doing), text, doing) }),
    unpin: (number) => ({ name: 'unpin', apply: (doing) => unpin(sqlIn(doing), number, doing) }),
  };
}

async function pin(sql: Sql, text: string, { origin, at }: Doing): Promise<Pinning> {
  const { conversationId, principal, name } = origin;
  const facts = await pinnedIn(sql, conversationId);
  const pinning = pinningOf(text, facts);
  if (pinning.type === 'pinned')
    await conversations.setPinned(sql, conversationId, [
      ...facts,
      { number: pinning.number, text, principal, name, at },
    ]);
  return pinning;
}

async function unpin(sql: Sql, number: number | undefined, { origin }: Doing): Promise<readonly PinnedFact[]> {
  const { conversationId } = origin;
  const { unpinned = [], kept = [] } = Object.groupBy(await pinnedIn(sql, conversationId), (fact) =>
    number === undefined || fact.number === number ? 'unpinned' : 'kept',
  );
  if (unpinned.length > 0) await conversations.setPinned(sql, conversationId, kept);
  return unpinned;
}

async function pinnedIn(sql: Sql, conversationId: string): Promise<readonly PinnedFact[]> {
  return (await conversations.find(sql, conversationId))?.pinned ?? [];
}

/** The limit of pinned facts per conversation. */
export const mostPinned = 20;

/** Decides whether a further fact can be pinned. Its number is higher than all existing ones. */
function pinningOf(text: string, facts: readonly PinnedFact[]): Pinning {
  const known = facts.find((fact) => fact.text === text);
  if (known !== undefined) return { type: 'known', number: known.number };
  if (facts.length >= mostPinned) return { type: 'full' };
  return { type: 'pinned', number: Math.max(0, ...facts.map(({ number }) => number)) + 1 };
}

/** A conversation with its pinned facts. */
export interface PinnedPlace {
  readonly conversationId: string;
  readonly channel: string;
  readonly kind: 'direct' | 'group';
  readonly title: string | undefined;
  readonly pinned: readonly PinnedFact[];
}

const toPinned: (row: Row) => PinnedPlace = columns({
  conversationId: 'text',
  channel: 'text',
  kind: oneOf('direct', 'group'),
  title: 'text?',
  pinned: json<readonly PinnedFact[]>(),
});

const pinnedOf = `SELECT DISTINCT conversations.id AS conversation_id, channel, kind, title, pinned
  FROM participants JOIN conversations ON conversations.id = participants.conversation_id
  WHERE participants.principal IN (SELECT value FROM json_each(?)) AND pinned <> '[]'
  ORDER BY seen_at DESC, conversations.id`;

/** The conversations with pinned facts in which these accounts were heard, the latest first. */
export async function pinnedPlaces(
  { sql }: Transactions,
  accounts: readonly string[],
): Promise<readonly PinnedPlace[]> {
  return await sql.list(toPinned, pinnedOf, accounts);
}
