import { createHash } from 'node:crypto';
import type { Link } from '../../conversation/links-store.ts';
import type { Acquaintance } from '../../conversation/people-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** Who has asked for a code, and where. */
export interface LinkCode extends Acquaintance {
  readonly conversationId: string;
}

/** Which accounts people have linked, and the codes to do so. Its methods belong inside a write. */
export class LinksTable {
  readonly #all: Statement;
  readonly #find: Statement;
  readonly #ofPerson: Statement;
  readonly #add: Statement;
  readonly #remove: Statement;
  readonly #findCode: Statement;
  readonly #addCode: Statement;
  readonly #removeCode: Statement;
  readonly #removeCodeOf: Statement;
  readonly #removeLate: Statement;

  constructor(database: Database) {
    this.#all = database.prepare('SELECT * FROM links ORDER BY linked_at, principal');
    this.#find = database.prepare('SELECT * FROM links WHERE principal = ?');
    this.#ofPerson = database.prepare('SELECT * FROM links WHERE person = ?');
    this.#add = database.prepare('INSERT INTO links (principal, person, name, linked_at) VALUES (?, ?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM links WHERE principal = ?');
    this.#findCode = database.prepare('SELECT * FROM link_codes WHERE digest = ? AND expires_at > ?');
    this.#addCode = database.prepare(
      `INSERT INTO link_codes (principal, digest, name, conversation_id, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (principal) DO UPDATE SET digest = excluded.digest, name = excluded.name,
         conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`,
    );
    this.#removeCode = database.prepare('DELETE FROM link_codes WHERE digest = ?');
    this.#removeCodeOf = database.prepare('DELETE FROM link_codes WHERE principal = ?');
    this.#removeLate = database.prepare('DELETE FROM link_codes WHERE expires_at <= ?');
  }

  all(): readonly Link[] {
    return this.#all.all().map(toLink);
  }

  find(principal: string): Link | undefined {
    const found = this.#find.get(principal);
    return found === undefined ? undefined : toLink(found);
  }

  ofPerson(person: string): readonly Link[] {
    return this.#ofPerson.all(person).map(toLink);
  }

  add({ principal, person, name, linkedAt }: Link): void {
    this.#add.run(principal, person, name, linkedAt);
  }

  remove(principal: string): void {
    this.#remove.run(principal);
  }

  /** By what is computed from it, so that how long it takes does not tell how much of a wrong one is right. */
  findCode(code: string, now: number): LinkCode | undefined {
    const found = this.#findCode.get(digestOf(code), now);
    if (found === undefined) return undefined;
    const row = new Row(found);
    return { principal: row.text('principal'), name: row.text('name'), conversationId: row.text('conversation_id') };
  }

  /** In place of the one that he has. Those of others that are good no more are forgotten. */
  addCode(code: string, { principal, name, conversationId }: LinkCode, at: number, expiresAt: number): void {
    this.#removeLate.run(at);
    this.#addCode.run(principal, digestOf(code), name, conversationId, expiresAt);
  }

  removeCode(code: string): boolean {
    return this.#removeCode.run(digestOf(code)).changes === 1;
  }

  /** The code that he has asked for is good no more. */
  removeCodeOf(principal: string): void {
    this.#removeCodeOf.run(principal);
  }
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}

function toLink(values: unknown): Link {
  const row = new Row(values);
  return {
    principal: row.text('principal'),
    person: row.text('person'),
    name: row.text('name'),
    linkedAt: row.integer('linked_at'),
  };
}
