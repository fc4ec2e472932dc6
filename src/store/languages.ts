import type { NotedLanguage } from '../conversation/access/languages.ts';
import { languages } from '../lib/words.ts';
import type { Database } from './database.ts';
import { columns, type Eventual, insertInto, oneOf, type Sql } from './sql.ts';

/** The languages that people have set, that their platforms tell, or that they write in. */
export interface LanguageStore {
  all(): Promise<readonly NotedLanguage[]>;
  /** Stores what somebody writes in. */
  note(language: NotedLanguage, at: number): Promise<void>;
}

export function createLanguageStore(database: Database): LanguageStore {
  const { sql } = database;
  return {
    all: async () => sql.list(toNoted, 'SELECT * FROM languages ORDER BY noted_at'),
    async note(language, at) {
      await database.write((sql) => note(sql, language, at), 'relaxed');
    },
  };
}

const toNoted = columns({
  principal: 'text',
  source: oneOf('set', 'platform', 'written'),
  language: oneOf(...languages),
});

/** Notes a person's language, if it has changed. */
export const note = (sql: Sql, language: NotedLanguage, at: number): Eventual<boolean> =>
  insert(sql, { ...language, notedAt: at });

const insert = insertInto(`languages (principal, source, language, noted_at)
  ON CONFLICT (principal, source) DO UPDATE SET language = excluded.language, noted_at = excluded.noted_at
     WHERE language <> excluded.language OR source = 'set'`);

/** Forgets what these accounts have set. */
export async function forget(sql: Sql, accounts: readonly string[]): Promise<void> {
  for (const account of accounts)
    await sql.run(`DELETE FROM languages WHERE principal = ? AND source = 'set'`, account);
}
