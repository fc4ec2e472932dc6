import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { syncFolderNow } from '../../../lib/sync-folder.ts';
import type { Version } from './installation.ts';

/** What an update has begun. It stands beside the code, and is gone when the update is over. */
export interface UpdateNote {
  readonly from: Version;
  readonly to: Version;
  /** The config that the update works with, absolute. Undefined: the one of the home folder. */
  readonly config: string | undefined;
  /** The archive with the data from before. Undefined until it is made, or if there is no data. */
  readonly backup: string | undefined;
  /** Whether a service ran, and is to run again. */
  readonly hadService: boolean;
  /** Whether the code may be another one than before: what is needed to go back is kept then. */
  readonly replaced: boolean;
  /** Whether the newer version may have changed the data. */
  readonly touchedData: boolean;
  /** Whether all is as it should be, and only what was kept is still to be removed. */
  readonly isOver: boolean;
  /** The process that updates, or goes back. */
  readonly pid: number;
}

/** On disk before what it says begins. Only for the process whose note it is. */
export function writeNote(file: string, note: UpdateNote): void {
  replaceNote(file, draftOf(file, note));
}

/**
 * Writes the first note of a process, in the place of what it has seen there: none, or that of a process that is gone. Of
 * several processes one does. Gives the note of the other one if it was faster.
 */
export function claimNote(file: string, note: UpdateNote, seen: UpdateNote | undefined): UpdateNote | undefined {
  const draft = draftOf(file, note);
  const turn = `${file}.turn`;
  try {
    const other = takeTurn(draft, turn);
    if (other !== undefined) return other;
    try {
      const now = readNote(file);
      if (now?.pid !== seen?.pid) return now ?? seen;
      replaceNote(file, draft);
      return undefined;
    } finally {
      rmSync(turn, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link is made whole, or not at all if the name is taken. Gives who has it. */
function takeTurn(draft: string, turn: string): UpdateNote | undefined {
  try {
    linkSync(draft, turn);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const other = readNote(turn);
  if (other !== undefined && isUnderWay(other)) return other;
  // It was killed at this.
  rmSync(turn, { force: true });
  linkSync(draft, turn);
  return undefined;
}

/** The whole note, on disk under a name that no other process uses. */
function draftOf(file: string, note: UpdateNote): string {
  const draft = `${file}.${process.pid}`;
  const opened = openSync(draft, 'w', 0o600);
  try {
    writeSync(opened, JSON.stringify(note));
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  return draft;
}

function replaceNote(file: string, draft: string): void {
  renameSync(draft, file);
  syncFolderNow(dirname(file));
}

/** Undefined if no update was interrupted. */
export function readNote(file: string): UpdateNote | undefined {
  const read = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  if (!isJsonObject(read)) return undefined;
  const [from, to] = [versionIn(read.from), versionIn(read.to)];
  if (from === undefined || to === undefined) return undefined;
  return {
    from,
    to,
    config: typeof read.config === 'string' ? read.config : undefined,
    backup: typeof read.backup === 'string' ? read.backup : undefined,
    hadService: read.hadService === true,
    replaced: read.replaced !== false,
    touchedData: read.touchedData === true,
    isOver: read.isOver === true,
    pid: typeof read.pid === 'number' ? read.pid : 0,
  };
}

/** Whether the process that wrote it is still at work. After a start of the machine, its number may be another's. */
export function isUnderWay({ pid }: UpdateNote): boolean {
  if (pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const file = `/proc/${pid}/cmdline`;
  return !existsSync(file) || readFileSync(file, 'utf8').split('\0').includes('update');
}

/** On disk when it returns. */
export function removeNote(file: string): void {
  rmSync(file, { force: true });
  syncFolderNow(dirname(file));
}

function versionIn(value: JsonValue | undefined): Version | undefined {
  if (!isJsonObject(value)) return undefined;
  const { version, id } = value;
  return typeof version === 'string' && typeof id === 'string' ? { version, id } : undefined;
}
