import type { Effect } from '../conversation/effects.ts';
import type { JsonObject } from '../lib/json.ts';
import { readIn } from './conversations.ts';
import type { Database } from './database.ts';
import { columns, insertInto, json, type Sql, texts } from './sql.ts';

/** Composed tools made in chats. Call `add` inside the effect of a call: see `StoredEffect`. */
export function createComposedToolStore({ sql }: Database) {
  return {
    /** Sorted by name. */
    all: async () => sql.list(toTool, 'SELECT * FROM composed_tools ORDER BY name'),
    /** `taken`: the name exists · `full`: the limit is reached. Also stores what the conversation has read. */
    add: (tool: StoredComposedTool, most: number, conversationId: string): 'added' | 'taken' | 'full' => {
      if (sql.number('SELECT count(*) FROM composed_tools') >= most) return 'full';
      return insert(sql, { ...tool, taintSources: readIn(sql, conversationId).sources }) ? 'added' : 'taken';
    },
    remove: (name: string): Effect<void> => ({
      name: 'remove-composed',
      apply: () => void sql.run('DELETE FROM composed_tools WHERE name = ?', name),
    }),
  };
}

const insert =
  insertInto(`composed_tools (name, description, action, parameters, tools, author, created_at, taint_sources)
  ON CONFLICT (name) DO NOTHING`);

/** The untrusted sources read in the conversation that made the tool. */
export function sourcesOf(sql: Sql, name: string): readonly string[] {
  const row = sql.get('SELECT taint_sources FROM composed_tools WHERE name = ?', name);
  return row === undefined ? [] : texts(row, 'taint_sources');
}

const toTool = columns({
  name: 'text',
  description: 'text',
  /** The task in natural language. `{{name}}` is replaced by the parameter's value. */
  action: 'text',
  /** JSON Schema of an object. */
  parameters: json<JsonObject>(),
  /** Patterns of the tools it may use: at most those of its author. */
  tools: 'texts',
  /** The person who had it made. */
  author: 'text',
  createdAt: 'integer',
});

/** A composed tool made in a chat. */
export type StoredComposedTool = ReturnType<typeof toTool>;

/** A tool made from instructions. */
export type ComposedTool = Omit<StoredComposedTool, 'author' | 'createdAt'>;
