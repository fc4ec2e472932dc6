import { createHash } from 'node:crypto';
import { newId } from '../lib/ids.ts';
import { indexedText, searchTerms } from '../lib/search-terms.ts';
import { readIn } from './conversations.ts';
import type { Database } from './database.ts';
import { columns, integer, oneOf, type Sql, text } from './sql.ts';

/**
 * What is remembered for people, with the index of its words. Every statement names the person, or their accounts.
 * `remember` and `forget` belong inside a write.
 */
export function createMemoryStore({ sql }: Database): MemoryStore {
  return {
    remember: (draft) => {
      const { of, scope, tags, text: words, maxEntries, at } = draft;
      const former = removeSame(sql, draft);
      const count = former === undefined ? sql.count(countOf, JSON.stringify(of.accounts)) : 0;
      if (count >= maxEntries) return { status: 'full', count };
      const id = former ?? newId(8);
      const added = sql.one(
        `INSERT INTO memories (id, principal, conversation_id, scope, digest, tags, stored_at, text, taint_sources)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
        ...[id, of.principal, of.conversationId, scope, digestOf(words), JSON.stringify(tags), at, words],
        JSON.stringify(readIn(sql, of.conversationId).sources),
      );
      const indexed = indexedText([words, ...tags].join('\n'));
      sql.run('INSERT INTO memory_words (rowid, words) VALUES (?, ?)', integer(added, 'seq'), indexed);
      return { status: former === undefined ? 'stored' : 'renewed', id };
    },
    search: async ({ of: { accounts, conversationId }, scope, query, limit, at }) => {
      const within = [JSON.stringify(accounts), conversationId, scope === 'everywhere', limit];
      const terms = searchTerms(query);
      const rows = terms.length === 0 ? sql.all(newest, ...within) : sql.all(matching, at, anyOf(terms), ...within);
      return rows.map(toMemory);
    },
    forget: (id, { accounts, conversationId }) => {
      const row = sql.get(removeOne, id, JSON.stringify(accounts), conversationId);
      if (row === undefined) return false;
      sql.run(removeWords, integer(row, 'seq'));
      return true;
    },
  };
}

/** Where something remembered is found: in all conversations of its person, or only where it was stored. */
export const memoryScopes = ['everywhere', 'here'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** Something that was remembered for one person. */
export type Memory = ReturnType<typeof toMemory>;

const toMemory = columns({
  id: 'text',
  text: 'text',
  tags: 'texts',
  scope: oneOf(...memoryScopes),
  /** When it was stored last, in milliseconds since 1970. */
  storedAt: 'integer',
  /** Where the untrusted content came from that the conversation had read in which it was stored. */
  untrusted: 'texts',
});

/** Whose memory it is, and in which conversation they speak. */
export interface Rememberer {
  /** The account that they speak with: what is remembered for them is stored with it. */
  readonly principal: string;
  /** All of their accounts, this one included: what is stored with any of them is theirs. */
  readonly accounts: readonly string[];
  readonly conversationId: string;
}

export interface MemoryDraft extends Omit<Memory, 'id' | 'storedAt' | 'untrusted'> {
  readonly of: Rememberer;
  /** How many one person may have. */
  readonly maxEntries: number;
  readonly at: number;
}

/** `full`: nothing was stored, since the person has as many as they may have. */
export type Remembered =
  | { readonly status: 'stored' | 'renewed'; readonly id: string }
  | { readonly status: 'full'; readonly count: number };

export interface MemoryQuestion {
  readonly of: Rememberer;
  /** `here`: only what was stored in the conversation · `everywhere`: also what is found in all of the person's. */
  readonly scope: MemoryScope;
  /** Any text: the memories that share words with it are found. Without a word in it, the newest are. */
  readonly query: string;
  readonly limit: number;
  readonly at: number;
}

/** What is remembered for each person, and for nobody else. `remember` and `forget` belong inside the effect of a call: see `StoredEffect`. */
export interface MemoryStore {
  /** The same text again, with the same account, renews what is there: its place, scope, tags and date are the draft's. */
  remember(draft: MemoryDraft): Remembered;
  /** The best first. */
  search(question: MemoryQuestion): Promise<readonly Memory[]>;
  /** False if there is none with this id that is theirs, and is found in the conversation or everywhere. */
  forget(id: string, of: Rememberer): boolean;
}

/** Thirty days in milliseconds. What was stored just now counts for half as much again, what is a month old for a quarter more. */
const month = 2_592_000_000;
/** Of the accounts that stand in a list. */
const theirs = 'principal IN (SELECT value FROM json_each(?))';
const reach = `${theirs} AND (conversation_id = ? OR (scope = 'everywhere' AND ?))`;
const countOf = `SELECT count(*) AS count FROM memories WHERE ${theirs}`;
const newest = `SELECT *, taint_sources AS untrusted FROM memories WHERE ${reach} ORDER BY seq DESC LIMIT ?`;
// Better matches have a lower rank. Texts are read only of those that are shown.
const matching = `SELECT memories.*, taint_sources AS untrusted FROM (
    SELECT seq, bm25(memory_words) * (1 + 0.5 * ${month} / (${month} + max(0, ? - stored_at))) AS rank
    FROM memory_words JOIN memories ON memories.seq = memory_words.rowid
    WHERE memory_words MATCH ? AND ${reach} ORDER BY rank, seq DESC LIMIT ?) AS best
  JOIN memories ON memories.seq = best.seq ORDER BY best.rank, best.seq DESC`;
const removeOne = `DELETE FROM memories WHERE id = ? AND ${theirs} AND (conversation_id = ? OR scope = 'everywhere') RETURNING seq`;
const removeWords = 'DELETE FROM memory_words WHERE rowid = ?';

/** Removes what the same account has stored that says the same and would be found with the draft. Tells the id that one of them had. */
function removeSame(sql: Sql, { of: { principal, conversationId }, scope, text: words }: MemoryDraft) {
  const rows = sql.all(
    `DELETE FROM memories WHERE principal = ? AND digest = ? AND (conversation_id = ? OR (scope = 'everywhere' AND ?))
     RETURNING seq, id`,
    ...[principal, digestOf(words), conversationId, scope === 'everywhere'],
  );
  for (const row of rows) sql.run(removeWords, integer(row, 'seq'));
  return rows.map((row) => text(row, 'id'))[0];
}

/** In the index's own language. The terms are of letters and digits alone; in quotes, they are no words of that language. */
function anyOf(terms: readonly string[]): string {
  return terms.map((term) => `"${term}"`).join(' OR ');
}

function digestOf(words: string): string {
  return createHash('sha256').update(words).digest('base64');
}
