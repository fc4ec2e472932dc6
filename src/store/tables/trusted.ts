import type { TrustEntry } from '../../conversation/trust-store.ts';
import { type TrustKind, type TrustSubject, trustKinds } from '../../tools/trust.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** One of its kind. */
export interface TrustName {
  readonly kind: TrustKind;
  readonly name: string;
}

/** What others have written, and whether it is trusted. Its methods belong inside a write. */
export class TrustedTable {
  readonly #all: Statement;
  readonly #find: Statement;
  readonly #ofId: Statement;
  readonly #trust: Statement;
  readonly #ask: Statement;
  readonly #refuse: Statement;
  readonly #unask: Statement;
  readonly #untrust: Statement;
  readonly #told: Statement;

  constructor(database: Database) {
    this.#all = database.prepare('SELECT * FROM trusted ORDER BY kind, name');
    this.#find = database.prepare('SELECT * FROM trusted WHERE kind = ? AND name = ?');
    this.#ofId = database.prepare('SELECT * FROM trusted WHERE asked_id = @id OR trusted_id = @id');
    this.#trust = database.prepare(
      `INSERT INTO trusted (kind, name, trusted_id, trusted_fingerprint, trusted_what, trusted_by, trusted_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, name) DO UPDATE SET trusted_id = excluded.trusted_id, trusted_fingerprint = excluded.trusted_fingerprint,
         trusted_what = excluded.trusted_what, trusted_by = excluded.trusted_by, trusted_at = excluded.trusted_at`,
    );
    this.#ask = database.prepare(
      `INSERT INTO trusted (kind, name, asked_id, asked_fingerprint, asked_what, asked_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, name) DO UPDATE SET asked_id = excluded.asked_id, asked_fingerprint = excluded.asked_fingerprint,
         asked_what = excluded.asked_what, asked_at = excluded.asked_at, is_told = 0, is_refused = 0`,
    );
    this.#refuse = database.prepare('UPDATE trusted SET is_refused = 1, is_told = 1 WHERE kind = ? AND name = ?');
    this.#unask = database.prepare(
      `UPDATE trusted SET asked_id = NULL, asked_fingerprint = NULL, asked_what = NULL, asked_at = NULL, is_told = 0, is_refused = 0
       WHERE kind = ? AND name = ?`,
    );
    this.#untrust = database.prepare(
      `UPDATE trusted SET trusted_id = NULL, trusted_fingerprint = NULL, trusted_what = NULL, trusted_by = NULL, trusted_at = NULL
       WHERE kind = ? AND name = ?`,
    );
    this.#told = database.prepare('UPDATE trusted SET is_told = 1 WHERE asked_id = ?');
  }

  /** Sorted by kind and name. */
  all(): readonly TrustEntry[] {
    return this.#all.all().map(toEntry);
  }

  find({ kind, name }: TrustName): TrustEntry | undefined {
    const found = this.#find.get(kind, name);
    return found === undefined ? undefined : toEntry(found);
  }

  /** The one of which a state has this id. */
  ofId(id: string): TrustEntry | undefined {
    const found = this.#ofId.get({ id });
    return found === undefined ? undefined : toEntry(found);
  }

  /** Trusts one state of it, in place of any other. `by` is null where the config's word is enough. */
  trust(
    { kind, name, fingerprint, what }: TrustSubject,
    { id, by, at }: { readonly id: string; readonly by: string | null; readonly at: number },
  ): void {
    this.#trust.run(kind, name, id, fingerprint, what, by, at);
  }

  /** Owners are asked for one state of it, in place of any other. */
  ask({ kind, name, fingerprint, what }: TrustSubject, id: string, at: number): void {
    this.#ask.run(kind, name, id, fingerprint, what, at);
  }

  /** What is asked for is refused. */
  refuse({ kind, name }: TrustName): void {
    this.#refuse.run(kind, name);
  }

  /** Nothing is asked for any more. */
  unask({ kind, name }: TrustName): void {
    this.#unask.run(kind, name);
  }

  /** Nothing of that name is trusted any more. */
  untrust({ kind, name }: TrustName): void {
    this.#untrust.run(kind, name);
  }

  told(id: string): void {
    this.#told.run(id);
  }
}

function toEntry(values: unknown): TrustEntry {
  const row = new Row(values);
  const [trustedId, askedId, by] = [
    row.optionalText('trusted_id'),
    row.optionalText('asked_id'),
    row.optionalText('trusted_by'),
  ];
  const trusted = trustedId !== undefined && {
    id: trustedId,
    fingerprint: row.text('trusted_fingerprint'),
    what: row.text('trusted_what'),
    ...(by === undefined ? {} : { by }),
    at: row.integer('trusted_at'),
  };
  const asked = askedId !== undefined && {
    id: askedId,
    fingerprint: row.text('asked_fingerprint'),
    what: row.text('asked_what'),
    at: row.integer('asked_at'),
    isTold: row.flag('is_told'),
    isRefused: row.flag('is_refused'),
  };
  return {
    kind: row.word('kind', trustKinds),
    name: row.text('name'),
    ...(trusted === false ? {} : { trusted }),
    ...(asked === false ? {} : { asked }),
  };
}
