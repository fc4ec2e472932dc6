import type { ComposedToolStore, StoredComposedTool } from '../tools/sources/composed/composed-store.ts';
import type { Database, Statement } from './database.ts';
import { Row } from './row.ts';

/** Composed tools in SQLite. */
export class SqliteComposedToolStore implements ComposedToolStore {
  readonly #database: Database;
  readonly #all: Statement;
  readonly #count: Statement;
  readonly #add: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#all = database.prepare('SELECT * FROM composed_tools ORDER BY name');
    this.#count = database.prepare('SELECT count(*) AS count FROM composed_tools');
    this.#add = database.prepare(
      `INSERT INTO composed_tools (name, description, action, parameters, tools, author, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
    );
  }

  async all(): Promise<readonly StoredComposedTool[]> {
    return this.#all.all().map((found) => toTool(new Row(found)));
  }

  add(tool: StoredComposedTool, most: number): Promise<'added' | 'taken' | 'full'> {
    const { name, description, action, parameters, tools, author, createdAt } = tool;
    return this.#database.write(() => {
      if (new Row(this.#count.get()).integer('count') >= most) return 'full';
      const values = [name, description, action, JSON.stringify(parameters), JSON.stringify(tools), author, createdAt];
      return this.#add.run(...values).changes === 1 ? 'added' : 'taken';
    });
  }
}

function toTool(row: Row): StoredComposedTool {
  return {
    name: row.text('name'),
    description: row.text('description'),
    action: row.text('action'),
    parameters: row.json('parameters'),
    tools: row.json('tools'),
    author: row.text('author'),
    createdAt: row.integer('created_at'),
  };
}
