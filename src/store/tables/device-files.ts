import type { ShownFile } from '../../conversation/devices/device-files.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** The files that were shown in sessions, and those of devices that wait to be fetched. Its methods that write belong inside a write. */
export class DeviceFilesTable {
  readonly #add: Statement;
  readonly #find: Statement;
  readonly #inSession: Statement;
  readonly #all: Statement;
  readonly #forget: Statement;
  readonly #awaited: Statement;

  constructor(database: Database) {
    this.#add = database.prepare(
      `INSERT INTO device_files (id, session_id, name, media_type, size, created_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    );
    this.#find = database.prepare('SELECT * FROM device_files WHERE id = ?');
    this.#inSession = database.prepare('SELECT * FROM device_files WHERE session_id = ? ORDER BY created_at, id');
    this.#all = database.prepare('SELECT id FROM device_files');
    this.#forget = database.prepare(
      `DELETE FROM device_files WHERE id IN (
         SELECT id FROM (
           SELECT id, created_at, sum(size) OVER (ORDER BY created_at DESC, id DESC) AS total FROM device_files)
         WHERE created_at < @before OR total > @most)
       RETURNING id`,
    );
    // Between the names of the channel's messages, which begin with it.
    this.#awaited = database.prepare(
      `SELECT handle FROM attachments WHERE inbox_key >= 'device:' AND inbox_key < 'device;' AND state = 'pending'`,
    );
  }

  add({ id, sessionId, name, mediaType, size, at }: ShownFile): void {
    this.#add.run(id, sessionId, name, mediaType, size, at);
  }

  find(id: string): ShownFile | undefined {
    const found = this.#find.get(id);
    return found === undefined ? undefined : toFile(found);
  }

  /** The oldest first. */
  inSession(sessionId: string): readonly ShownFile[] {
    return this.#inSession.all(sessionId).map(toFile);
  }

  ids(): readonly string[] {
    return this.#all.all().map((found) => new Row(found).text('id'));
  }

  /** Forgets the older ones, and the oldest of those that have more than `most` bytes together. Returns their ids. */
  forget(before: number, most: number): readonly string[] {
    return this.#forget.all({ before, most }).map((found) => new Row(found).text('id'));
  }

  /** The handles of what devices have sent and nobody has fetched yet. */
  awaited(): readonly string[] {
    return this.#awaited.all().map((found) => new Row(found).text('handle'));
  }
}

function toFile(values: unknown): ShownFile {
  const row = new Row(values);
  return {
    id: row.text('id'),
    sessionId: row.text('session_id'),
    name: row.text('name'),
    mediaType: row.text('media_type'),
    size: row.integer('size'),
    at: row.integer('created_at'),
  };
}
