import type { Effect } from '../../conversation/effects.ts';
import type { JsonObject } from '../../lib/json.ts';
import { readIn } from '../../store/conversations.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { columns, insertInto, json, type Row, sqlIn } from '../../store/sql.ts';
import type { Within } from '../../tools/output.ts';

/** Tools made in chats. */
export const composedTables: FeatureTables = {
  steps: [
    `
  -- Tools made in chats, with patterns of the tools that each may use.
  CREATE TABLE composed_tools (
    name TEXT PRIMARY KEY, description TEXT NOT NULL, action TEXT NOT NULL, parameters TEXT NOT NULL,
    tools TEXT NOT NULL, author TEXT NOT NULL, created_at INTEGER NOT NULL,
    -- The untrusted sources that had been read where it was made.
    taint_sources TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;
`,
  ],
};

/** Composed tools made in chats. Call `add` inside the effect of a call: see `StoredEffect`. */
export interface ComposedToolStore {
  /** Sorted by name. */
  all(): Promise<readonly StoredComposedTool[]>;
  /**
   * `taken`: the name exists · `full`: the limit is reached. Otherwise the tool, with what the conversation has read.
   */
  add(
    tool: ComposedToolDraft,
    most: number,
    within: WithinConversation,
  ): Promise<StoredComposedTool | 'taken' | 'full'>;
  remove(name: string): Effect<void>;
}

interface WithinConversation extends Within {
  readonly conversationId: string;
}

export function createComposedToolStore(database: Transactions): ComposedToolStore {
  const { sql } = database;
  return {
    all: async () => sql.list(toTool, 'SELECT *, taint_sources AS untrusted FROM composed_tools ORDER BY name'),
    async add(tool, most, within) {
      const sql = sqlIn(within);
      if ((await sql.number('SELECT count(*) FROM composed_tools')) >= most) return 'full';
      const { sources } = await readIn(sql, within.conversationId);
      return (await insert(sql, { ...tool, taintSources: sources })) ? { ...tool, untrusted: sources } : 'taken';
    },
    remove: (name) => ({
      name: 'remove-composed',
      apply: async (doing) => void (await sqlIn(doing).run('DELETE FROM composed_tools WHERE name = ?', name)),
    }),
  };
}

const insert =
  insertInto(`composed_tools (name, description, action, parameters, tools, author, created_at, taint_sources)
  ON CONFLICT (name) DO NOTHING`);

/** A tool made from instructions. */
export interface ComposedTool {
  readonly name: string;
  readonly description: string;
  /** The task in natural language. `{{name}}` is replaced by the parameter's value. */
  readonly action: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Patterns of the tools it may use: at most those of its author. */
  readonly tools: readonly string[];
  /** The untrusted sources that had been read where it was made. Omitted for those of the config. */
  readonly untrusted?: readonly string[];
}

/** A composed tool made in a chat. */
export interface StoredComposedTool extends ComposedTool {
  /** The person who had it made. */
  readonly author: string;
  readonly createdAt: number;
}

export type ComposedToolDraft = Omit<StoredComposedTool, 'untrusted'>;

const toTool: (row: Row) => StoredComposedTool = columns({
  name: 'text',
  description: 'text',
  action: 'text',
  parameters: json<JsonObject>(),
  tools: 'texts',
  untrusted: 'texts',
  author: 'text',
  createdAt: 'integer',
});
