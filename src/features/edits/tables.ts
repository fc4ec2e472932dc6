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
  /** One line of markdown. Contains no secret. */
  readonly words: string;
  /** The effect on people's rights. */
  readonly effect: 'widens' | 'narrows' | 'other';
}

export interface NotedEdit extends ConfigEdit {
  readonly at: number;
}

/** The changes by config edits, stored only in the audit. */
export interface EditStore {
  add(edits: readonly ConfigEdit[], at: number): Promise<void>;
  /** Newest first: at most `most`. */
  newest(most: number): Promise<readonly NotedEdit[]>;
}

export function createEditStore(database: Transactions): EditStore {
  const { sql } = database;
  return {
    add: (edits, at) =>
      database.write(() => {
        for (const { path, words, effect } of edits) {
          const detail = { path, words, effect };
          add(sql, { at, kind: 'config-changed', conversationId: '', actor: 'keyturn', detail });
        }
      }),
    newest: async (most) =>
      sql
        .list(toNoted, `SELECT at, detail FROM audit WHERE kind = 'config-changed' ORDER BY seq DESC LIMIT ?`, most)
        .map(({ at, detail }) => ({ ...detail, at })),
  };
}

const toNoted = columns({ at: 'integer', detail: json<ConfigEdit>() });
