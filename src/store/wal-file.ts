import { closeSync, fdatasyncSync, openSync } from 'node:fs';

/**
 * The write-ahead log of a database file. SQLite itself is told to leave it to the operating system when what was committed
 * reaches the disk: this waits for it. (SQLite's locks are on other files, so that closing this one frees none of them.)
 */
export class WalFile {
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(databaseFile: string) {
    this.#path = `${databaseFile}-wal`;
  }

  /** Returns when all that was committed so far is on disk. Throws what the file system throws. */
  sync(): void {
    this.#descriptor ??= openSync(this.#path, 'r+');
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
