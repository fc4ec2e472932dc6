import type { StorageTrouble } from '../conversation/health/storage.ts';
import { type InLanguage, wordsIn } from '../lib/words.ts';
import { type StorageCause, storageWords } from './words.ts';

/** Whether incoming events can be stored. */
export interface StorageState {
  readonly trouble: StorageTrouble | undefined;
  /** Nothing may be stored until the next start. */
  readonly isLost: boolean;
  /** The watcher is told of each change. */
  watch(watcher: (trouble: StorageTrouble | undefined) => void): void;
  /** A write failed. Ignored unless the storage is the cause. */
  failed(error: unknown): void;
  /** The lock of another program is gone. */
  unlocked(): void;
  /** Whether a write failed because of the storage, which a later try may find in order. */
  isAtFault(error: unknown): boolean;
  /** What is wrong with the storage, by the error of a write: `the disk is full`. */
  briefOf(error: unknown): InLanguage | undefined;
  /** A write is on disk. */
  stored(): void;
  /** Nothing is stored from now on: it would end up where nobody finds it. */
  lose(lost: StorageTrouble): void;
}

export function createStorageState(): StorageState {
  const current = new CurrentTrouble();
  return {
    get trouble(): StorageTrouble | undefined {
      return current.trouble;
    },
    get isLost() {
      return current.isLost;
    },
    watch: (watcher) => current.watch(watcher),
    failed: (error) => current.failed(error),
    unlocked: () => current.unlocked(),
    isAtFault: (error) => current.isLost || causeOf(error) !== undefined,
    briefOf: (error) => {
      const cause = causeOf(error);
      return cause && briefFor(cause);
    },
    stored: () => current.stored(),
    lose: (lost) => current.lose(lost),
  };
}

class CurrentTrouble {
  #trouble: StorageTrouble | undefined;
  /** Why writes fail; undefined where they do not, or are not tried any more. */
  #cause: StorageCause | undefined;
  #isLost = false;
  readonly #watchers: ((trouble: StorageTrouble | undefined) => void)[] = [];

  get trouble(): StorageTrouble | undefined {
    return this.#trouble;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  watch(watcher: (trouble: StorageTrouble | undefined) => void): void {
    this.#watchers.push(watcher);
  }

  failed(error: unknown): void {
    if (this.#isLost || !(error instanceof Error)) return;
    const cause = causeOf(error);
    if (cause !== undefined) this.#change(troubleOf(cause, error.message), cause);
  }

  unlocked(): void {
    if (this.#cause === 'locked') this.#change(undefined, undefined);
  }

  stored(): void {
    if (!this.#isLost) this.#change(undefined, undefined);
  }

  lose(lost: StorageTrouble): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#change(lost, undefined);
  }

  /** Nobody is told the same again. */
  #change(next: StorageTrouble | undefined, cause: StorageCause | undefined): void {
    if (inEnglish(next) === inEnglish(this.#trouble)) return;
    this.#trouble = next;
    this.#cause = cause;
    for (const watcher of this.#watchers) watcher(next);
  }
}

function inEnglish(trouble: StorageTrouble | undefined): string | undefined {
  return trouble && wordsIn('en', trouble.words);
}

function troubleOf(cause: StorageCause, reason: string): StorageTrouble {
  return {
    brief: briefFor(cause),
    words: (language) =>
      cause === 'locked'
        ? storageWords[language].cannotStoreLocked
        : storageWords[language].cannotStore({ cause, reason }),
  };
}

function briefFor(cause: StorageCause): InLanguage {
  return (language) => storageWords[language].brief(cause);
}

/** By the error code of SQLite or the system; undefined if it is not the disk. */
function causeOf(error: unknown): StorageCause | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) return 'locked';
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return 'full';
  if (/^(?:SQLITE_IOERR_WRITE|EFBIG)/.test(code)) return 'fullOrFailing';
  if (/^(?:SQLITE_IOERR|EIO)/.test(code)) return 'failing';
  if (/^(?:SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES)/.test(code)) return 'readOnly';
  return undefined;
}
