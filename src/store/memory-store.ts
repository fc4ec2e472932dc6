import { newId } from '../lib/ids.ts';
import type {
  Memory,
  MemoryDraft,
  MemoryQuestion,
  MemoryStore,
  Remembered,
  Rememberer,
} from '../tools/builtin/memory/memory-store.ts';
import type { Database } from './database.ts';
import { MemoriesTable } from './tables/memories.ts';

/** What is remembered for people, in SQLite. */
export class SqliteMemoryStore implements MemoryStore {
  readonly #database: Database;
  readonly #memories: MemoriesTable;

  constructor(database: Database) {
    this.#database = database;
    this.#memories = new MemoriesTable(database);
  }

  remember(draft: MemoryDraft): Promise<Remembered> {
    return this.#database.write((): Remembered => {
      const { of, maxEntries } = draft;
      const former = this.#memories.removeSame(draft);
      const count = former === undefined ? this.#memories.count(of) : 0;
      if (count >= maxEntries) return { status: 'full', count };
      const id = former ?? newId(8);
      this.#memories.add(id, draft);
      return { status: former === undefined ? 'stored' : 'renewed', id };
    });
  }

  async search(question: MemoryQuestion): Promise<readonly Memory[]> {
    return this.#memories.search(question);
  }

  forget(id: string, of: Rememberer): Promise<boolean> {
    return this.#database.write(() => this.#memories.remove(id, of));
  }
}
