import type { Link, LinksStore } from '../conversation/links-store.ts';
import type { Acquaintance } from '../conversation/people-store.ts';
import type { Tables } from './tables/tables.ts';

/** Which accounts people have linked, in SQLite. What changes them is a command: see `link-effects.ts`. */
export class SqliteLinksStore implements LinksStore {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  async links(): Promise<readonly Link[]> {
    return this.#tables.links.all();
  }

  async codeOf(code: string, now: number): Promise<Acquaintance | undefined> {
    const found = this.#tables.links.findCode(code, now);
    return found === undefined ? undefined : { principal: found.principal, name: found.name };
  }
}
