import * as audit from './audit.ts';
import type { Database } from './database.ts';
import { columns, json } from './sql.ts';

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

export interface EditStore {
  add(edits: readonly ConfigEdit[], at: number): Promise<void>;
  /** Newest first: at most `most`. */
  newest(most: number): Promise<readonly NotedEdit[]>;
}

/** The changes by config edits, stored only in the audit. */
export function createEditStore(database: Database): EditStore {
  const { sql } = database;
  return {
    add: (edits, at) =>
      database.write(() => {
        for (const { path, words, effect } of edits)
          audit.add(sql, {
            ...{ at, kind: 'config-changed', conversationId: '', actor: 'keyturn' },
            detail: { path, words, effect },
          });
      }),
    newest: async (most) =>
      sql
        .all(newest, most)
        .map(toNoted)
        .map(({ at, detail }) => ({ ...detail, at })),
  };
}

const newest = `SELECT at, detail FROM audit WHERE kind = 'config-changed' ORDER BY seq DESC LIMIT ?`;

const toNoted = columns({ at: 'integer', detail: json<ConfigEdit>() });
