import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import type { Version } from './installation.ts';

/** What an update has begun. It stands beside the code, and is gone when the update is over. */
export interface UpdateNote {
  readonly from: Version;
  readonly to: Version;
  /** The archive with the data from before. Undefined until it is made, or if there is no data. */
  readonly backup: string | undefined;
  /** Whether a service ran, and is to run again. */
  readonly hadService: boolean;
  /** Whether the newer version may have changed the data. */
  readonly touchedData: boolean;
  /** The process that updates, or goes back. */
  readonly pid: number;
}

/** On disk before what it says begins. */
export function writeNote(file: string, note: UpdateNote): void {
  const draft = `${file}.new`;
  const opened = openSync(draft, 'w', 0o600);
  try {
    writeSync(opened, JSON.stringify(note));
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(draft, file);
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
    backup: typeof read.backup === 'string' ? read.backup : undefined,
    hadService: read.hadService === true,
    touchedData: read.touchedData === true,
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

export function removeNote(file: string): void {
  rmSync(file, { force: true });
}

function versionIn(value: JsonValue | undefined): Version | undefined {
  if (!isJsonObject(value)) return undefined;
  const { version, id } = value;
  return typeof version === 'string' && typeof id === 'string' ? { version, id } : undefined;
}
