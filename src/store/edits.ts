import * as audit from './audit.ts';
import type { Database } from './database.ts';
import { columns, json } from './sql.ts';

/** One thing that an edit of the config has changed. */
export interface ConfigEdit {
  /** As messages about the config spell it. Empty where it is about several. */
  readonly path: string;
  /** What that means, as markdown on one line. Holds no secret. */
  readonly words: string;
  /** What it does to who may do what. */
  readonly effect: 'widens' | 'narrows' | 'other';
}

/** One that was noted. */
export interface NotedEdit extends ConfigEdit {
  readonly at: number;
}

export interface EditStore {
  add(edits: readonly ConfigEdit[], at: number): Promise<void>;
  /** The newest first: at most so many. */
  newest(most: number): Promise<readonly NotedEdit[]>;
}

/** What edits of the config have changed: rows of the audit, and nothing else. */
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
