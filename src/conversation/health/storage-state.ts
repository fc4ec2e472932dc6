/** Why nothing can be stored. */
export interface StorageTrouble {
  /** In a word or two that tell nothing of the machine: `the disk is full`. */
  readonly brief: string;
  /** For owners, with what to do. */
  readonly words: string;
}

/** Whether what comes in can be stored. Its watchers are told when that changes. */
export class StorageState {
  #trouble: StorageTrouble | undefined;
  #isLost = false;
  readonly #listeners: ((trouble: StorageTrouble | undefined) => void)[] = [];

  get trouble(): StorageTrouble | undefined {
    return this.#trouble;
  }

  /** Whether nothing may be stored any more until the next start. */
  get isLost(): boolean {
    return this.#isLost;
  }

  watch(listener: (trouble: StorageTrouble | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Something could not be stored. Where that was its own fault, nothing is wrong with the storage. */
  failed(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const brief = briefOf(code);
    if (brief === undefined || this.#isLost || !(error instanceof Error)) return;
    const what = brief === 'the disk is full' ? '' : ` (${error.message})`;
    const words = `I cannot store anything: ${brief}${what}. What you write meanwhile is not lost: it stays with the platform, and I take it up when I can store it.`;
    this.#change({ brief, words });
  }

  /** Something was stored, and is on disk. */
  stored(): void {
    if (this.#trouble !== undefined && !this.#isLost) this.#change(undefined);
  }

  /** From now on nothing is stored: it would go where nobody finds it. */
  lose(trouble: StorageTrouble): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#change(trouble);
  }

  #change(trouble: StorageTrouble | undefined): void {
    if (trouble?.words === this.#trouble?.words) return;
    this.#trouble = trouble;
    for (const listener of this.#listeners) listener(trouble);
  }
}

/** What SQLite's code, or the system's, says of the disk. */
function briefOf(code: string): string | undefined {
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return 'the disk is full';
  if (/^(?:SQLITE_IOERR_WRITE|EFBIG)/.test(code)) return 'the disk is full, or fails';
  if (/^(?:SQLITE_IOERR|EIO)/.test(code)) return 'the disk fails';
  if (/^(?:SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES)/.test(code))
    return 'the database may not be written';
  return undefined;
}
