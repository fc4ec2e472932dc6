import type { JsonObject } from '../../lib/json.ts';
import { type InLanguage, languages } from '../../lib/words.ts';
import { add } from '../../store/audit.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { columns, json } from '../../store/sql.ts';

/** Finds config edits without a scan of the audit. */
export const editTables: FeatureTables = {
  steps: [`CREATE INDEX config_changes ON audit (kind) WHERE kind = 'config-changed'`],
};

/** One change by an edit of the config. */
export interface ConfigEdit {
  /** As messages about the config spell it. Empty if it concerns several. */
  readonly path: string;
  /** One line of markdown. */
  readonly words: InLanguage;
  /** The effect on people's rights. */
  readonly effect: 'widens' | 'narrows' | 'other';
}

export interface NotedEdit extends ConfigEdit {
  readonly at: number;
}

/** As it is stored: in English, and in the other languages since there are some. */
interface StoredEdit extends Omit<ConfigEdit, 'words'> {
  readonly words: string;
  readonly otherwise?: Readonly<Record<string, string>>;
}

/** The changes by config edits, stored only in the audit. */
export interface EditStore {
  /** Their words contain no secret. */
  add(edits: readonly ConfigEdit[], at: number): Promise<void>;
  /** Newest first: at most `most`. */
  newest(most: number): Promise<readonly NotedEdit[]>;
}

export function createEditStore(database: Transactions): EditStore {
  const { sql } = database;
  return {
    add: (edits, at) =>
      database.write(async (sql) => {
        for (const edit of edits)
          await add(sql, { at, kind: 'config-changed', conversationId: '', actor: 'keyturn', detail: stored(edit) });
      }),
    newest: async (most) =>
      (
        await sql.list(
          toNoted,
          `SELECT at, detail FROM audit WHERE kind = 'config-changed' ORDER BY seq DESC LIMIT ?`,
          most,
        )
      ).map(({ at, detail }) => ({ ...detail, words: wordsOf(detail), at })),
  };
}

function stored({ path, words, effect }: ConfigEdit): JsonObject {
  const others = languages.filter((language) => language !== 'en');
  const otherwise = Object.fromEntries(others.map((language) => [language, words(language)]));
  return { path, words: words('en'), otherwise, effect };
}

function wordsOf({ words, otherwise }: StoredEdit): InLanguage {
  return (language) => otherwise?.[language] ?? words;
}

const toNoted = columns({ at: 'integer', detail: json<StoredEdit>() });
