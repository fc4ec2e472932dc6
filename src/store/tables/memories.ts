import { createHash } from 'node:crypto';
import { indexedText, searchTerms } from '../../lib/search-terms.ts';
import type { Memory, MemoryDraft, MemoryQuestion, Rememberer } from '../../tools/builtin/memory/memory-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** In milliseconds. What was stored just now counts for half as much again, what is a month old for a quarter more. */
const month = 30 * 86_400_000;

/** Of the accounts that stand in a list. */
const his = 'principal IN (SELECT value FROM json_each(?))';

const reach = `${his} AND (conversation_id = ? OR (scope = 'everywhere' AND ?))`;

/** What is remembered for people, with the index of its words. Every method names the person, or his accounts. They belong inside a write. */
export class MemoriesTable {
  readonly #insert: Statement;
  readonly #insertWords: Statement;
  readonly #removeSame: Statement;
  readonly #remove: Statement;
  readonly #removeWords: Statement;
  readonly #count: Statement;
  readonly #newest: Statement;
  readonly #matching: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO memories (id, principal, conversation_id, scope, digest, tags, stored_at, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    );
    this.#insertWords = database.prepare('INSERT INTO memory_words (rowid, words) VALUES (?, ?)');
    this.#removeSame = database.prepare(
      `DELETE FROM memories WHERE principal = ? AND digest = ? AND (conversation_id = ? OR (scope = 'everywhere' AND ?))
       RETURNING seq, id`,
    );
    this.#remove = database.prepare(
      `DELETE FROM memories WHERE id = ? AND ${his} AND (conversation_id = ? OR scope = 'everywhere') RETURNING seq`,
    );
    this.#removeWords = database.prepare('DELETE FROM memory_words WHERE rowid = ?');
    this.#count = database.prepare(`SELECT count(*) AS count FROM memories WHERE ${his}`);
    this.#newest = database.prepare(`SELECT * FROM memories WHERE ${reach} ORDER BY seq DESC LIMIT ?`);
    // Better matches have a lower rank. Texts are read only of those that are shown.
    this.#matching = database.prepare(
      `SELECT memories.* FROM (
         SELECT seq, bm25(memory_words) * (1 + 0.5 * ${month} / (${month} + max(0, ? - stored_at))) AS rank
         FROM memory_words JOIN memories ON memories.seq = memory_words.rowid
         WHERE memory_words MATCH ? AND ${reach} ORDER BY rank, seq DESC LIMIT ?) AS best
       JOIN memories ON memories.seq = best.seq ORDER BY best.rank, best.seq DESC`,
    );
  }

  count({ accounts }: Rememberer): number {
    return new Row(this.#count.get(JSON.stringify(accounts))).integer('count');
  }

  add(id: string, { of: { principal, conversationId }, scope, tags, text, at }: MemoryDraft): void {
    const values = [id, principal, conversationId, scope, digestOf(text), JSON.stringify(tags), at, text];
    const seq = new Row(this.#insert.get(...values)).integer('seq');
    this.#insertWords.run(seq, indexedText([text, ...tags].join('\n')));
  }

  /** Removes what the same account has stored that says the same and would be found with the draft. Tells the id that one of them had. */
  removeSame({ of: { principal, conversationId }, scope, text }: MemoryDraft): string | undefined {
    const same = this.#removeSame.all(principal, digestOf(text), conversationId, scope === 'everywhere' ? 1 : 0);
    const rows = same.map((found) => new Row(found));
    for (const row of rows) this.#removeWords.run(row.integer('seq'));
    return rows[0]?.text('id');
  }

  remove(id: string, { accounts, conversationId }: Rememberer): boolean {
    const found = this.#remove.get(id, JSON.stringify(accounts), conversationId);
    if (found === undefined) return false;
    this.#removeWords.run(new Row(found).integer('seq'));
    return true;
  }

  search({ of: { accounts, conversationId }, scope, query, limit, at }: MemoryQuestion): readonly Memory[] {
    const within = [JSON.stringify(accounts), conversationId, scope === 'everywhere' ? 1 : 0, limit];
    const terms = searchTerms(query);
    const found = terms.length === 0 ? this.#newest.all(...within) : this.#matching.all(at, anyOf(terms), ...within);
    return found.map(toMemory);
  }
}

/** In the index's own language. The terms are of letters and digits alone; in quotes, they are no words of that language. */
function anyOf(terms: readonly string[]): string {
  return terms.map((term) => `"${term}"`).join(' OR ');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function toMemory(values: unknown): Memory {
  const row = new Row(values);
  return {
    id: row.text('id'),
    text: row.text('text'),
    tags: row.json<readonly string[]>('tags'),
    scope: row.word('scope', ['everywhere', 'here']),
    storedAt: row.integer('stored_at'),
  };
}
