import { createHash } from 'node:crypto';
import { accountOf } from '../../conversation/devices/device-accounts.ts';
import type { Device, DeviceCode, StoredDevice } from '../../conversation/devices/device-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** Whom a code was shown to, and where. */
export interface CodeHolder extends Pick<DeviceCode, 'name'> {
  readonly principal: string;
  readonly personName: string;
  readonly conversationId: string;
}

/** The paired devices, and the codes that devices are paired with. Its methods belong inside a write. */
export class DevicesTable {
  readonly #all: Statement;
  readonly #add: Statement;
  readonly #revoke: Statement;
  readonly #seen: Statement;
  readonly #rename: Statement;
  readonly #openWith: Statement;
  readonly #takeCode: Statement;
  readonly #addCode: Statement;

  constructor(database: Database) {
    this.#all = database.prepare('SELECT * FROM devices WHERE revoked_at IS NULL ORDER BY created_at, id');
    this.#add = database.prepare(
      'INSERT INTO devices (id, name, principal, person_name, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#revoke = database.prepare(
      'UPDATE devices SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *',
    );
    this.#seen = database.prepare('UPDATE devices SET last_seen_at = ? WHERE id = ?');
    this.#rename = database.prepare('UPDATE devices SET name = ? WHERE id = ?');
    this.#openWith = database.prepare(
      `SELECT id FROM participants JOIN conversations ON conversations.id = participants.conversation_id
       WHERE participants.principal = ? AND is_open = 1`,
    );
    this.#takeCode = database.prepare('DELETE FROM device_codes WHERE digest = ? AND expires_at > ? RETURNING *');
    this.#addCode = database.prepare(
      `INSERT INTO device_codes (principal, person_name, digest, device_name, conversation_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (principal) DO UPDATE SET person_name = excluded.person_name, digest = excluded.digest,
         device_name = excluded.device_name, conversation_id = excluded.conversation_id, expires_at = excluded.expires_at`,
    );
  }

  /** Those that are not revoked, the oldest first. */
  all(): readonly StoredDevice[] {
    return this.#all.all().map(toDevice);
  }

  add({ id, name, principal, personName, tokenHash, createdAt }: StoredDevice): void {
    this.#add.run(id, name, principal, personName, tokenHash, createdAt);
  }

  /** The device that is paired no longer; undefined if it was not. */
  revoke(id: string, at: number): StoredDevice | undefined {
    const found = this.#revoke.get(at, id);
    return found === undefined ? undefined : toDevice(found);
  }

  seen(id: string, at: number): void {
    this.#seen.run(at, id);
  }

  rename(id: string, name: string): void {
    this.#rename.run(name, id);
  }

  /** The conversations in which it has talked, and in which something is left to do. */
  openWith(device: Pick<Device, 'id'>): readonly string[] {
    return this.#openWith.all(accountOf(device)).map((found) => new Row(found).text('id'));
  }

  /** In place of the code that he was shown before. */
  addCode({ code, expiresAt }: DeviceCode, { principal, personName, conversationId, name }: CodeHolder): void {
    this.#addCode.run(principal, personName, digestOf(code), name ?? null, conversationId, expiresAt);
  }

  /**
   * Uses up the code, if it is good. It is found by what is computed from it, so that how long it takes does not tell how
   * much of a wrong one is right.
   */
  takeCode(code: string, now: number): CodeHolder | undefined {
    const found = this.#takeCode.get(digestOf(code), now);
    return found === undefined ? undefined : toHolder(found);
  }
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

function toDevice(values: unknown): StoredDevice {
  const row = new Row(values);
  const lastSeenAt = row.optionalInteger('last_seen_at');
  return {
    id: row.text('id'),
    name: row.text('name'),
    principal: row.text('principal'),
    personName: row.text('person_name'),
    tokenHash: row.text('token_hash'),
    createdAt: row.integer('created_at'),
    ...(lastSeenAt === undefined ? {} : { lastSeenAt }),
  };
}

function toHolder(values: unknown): CodeHolder {
  const row = new Row(values);
  const name = row.optionalText('device_name');
  return {
    principal: row.text('principal'),
    personName: row.text('person_name'),
    conversationId: row.text('conversation_id'),
    ...(name === undefined ? {} : { name }),
  };
}
