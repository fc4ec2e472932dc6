import type { CodeHolder, GivenCode, PairedPerson } from '../../conversation/people-store.ts';
import { sameSecret } from '../../lib/same-secret.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** A code with its holder, and where he was told of it. */
export interface PairingCode extends CodeHolder, GivenCode {
  readonly conversationId: string;
}

/** Who was let in, who has a code, and what was said to whom lately. Its methods belong inside a write. */
export class PeopleTable {
  readonly #paired: Statement;
  readonly #addPaired: Statement;
  readonly #removePaired: Statement;
  readonly #codes: Statement;
  readonly #addCode: Statement;
  readonly #removeCode: Statement;
  readonly #forgetHint: Statement;
  readonly #forgetLateHints: Statement;
  readonly #removeLate: Statement;
  readonly #hint: Statement;

  constructor(database: Database) {
    this.#paired = database.prepare('SELECT * FROM paired ORDER BY paired_at, principal');
    this.#addPaired = database.prepare(
      'INSERT INTO paired (principal, name, paired_by, paired_at) VALUES (?, ?, ?, ?) ON CONFLICT (principal) DO NOTHING',
    );
    this.#removePaired = database.prepare('DELETE FROM paired WHERE principal = ? RETURNING *');
    this.#codes = database.prepare('SELECT * FROM pairing_codes WHERE expires_at > ? ORDER BY created_at, principal');
    this.#addCode = database.prepare(
      'INSERT INTO pairing_codes (principal, code, name, conversation_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#removeCode = database.prepare('DELETE FROM pairing_codes WHERE principal = ?');
    this.#forgetHint = database.prepare('DELETE FROM hints WHERE subject = ?');
    this.#forgetLateHints = database.prepare(
      'DELETE FROM hints WHERE subject IN (SELECT principal FROM pairing_codes WHERE expires_at <= ?)',
    );
    this.#removeLate = database.prepare('DELETE FROM pairing_codes WHERE expires_at <= ?');
    this.#hint = database.prepare(
      `INSERT INTO hints (subject, said_at) VALUES (@subject, @at)
       ON CONFLICT (subject) DO UPDATE SET said_at = @at WHERE said_at <= @before`,
    );
  }

  paired(): readonly PairedPerson[] {
    return this.#paired.all().map(toPaired);
  }

  letIn({ principal, name, pairedBy, pairedAt }: PairedPerson): void {
    this.#addPaired.run(principal, name, pairedBy, pairedAt);
  }

  /** Who is let in no longer; undefined if he was not. */
  putOut(principal: string): PairedPerson | undefined {
    const found = this.#removePaired.get(principal);
    return found === undefined ? undefined : toPaired(found);
  }

  /** The codes that are good, the oldest first. */
  codes(now: number): readonly PairingCode[] {
    return this.#codes.all(now).map((values) => toCode(new Row(values)));
  }

  /** The code that reads so, if it is good. All are looked at, each for as long as the others. */
  findCode(code: string, now: number): PairingCode | undefined {
    const [found] = this.codes(now).filter((open) => sameSecret(code, open.code));
    return found;
  }

  addCode({ principal, code, name, conversationId, expiresAt }: PairingCode, at: number): void {
    this.#addCode.run(principal, code, name, conversationId, at, expiresAt);
  }

  /** Takes his code away, if he has one. He counts as somebody to whom nothing was said. */
  removeCode(principal: string): void {
    this.#removeCode.run(principal);
    this.#forgetHint.run(principal);
  }

  /** The same for all codes that are good no more. */
  removeLateCodes(now: number): void {
    this.#forgetLateHints.run(now);
    this.#removeLate.run(now);
  }

  /** Whether the subject may be spoken of again; from now on, it was. */
  mayHint(subject: string, at: number, again: number): boolean {
    return this.#hint.run({ subject, at, before: at - again }).changes === 1;
  }
}

function toPaired(values: unknown): PairedPerson {
  const row = new Row(values);
  return {
    principal: row.text('principal'),
    name: row.text('name'),
    pairedBy: row.text('paired_by'),
    pairedAt: row.integer('paired_at'),
  };
}

function toCode(row: Row): PairingCode {
  return {
    principal: row.text('principal'),
    code: row.text('code'),
    name: row.text('name'),
    conversationId: row.text('conversation_id'),
    expiresAt: row.integer('expires_at'),
  };
}
