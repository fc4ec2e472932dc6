import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isJsonObject, parseJson } from '../../../lib/json.ts';

/** The file that a process writes its log to: the file itself, whatever its name is by now. */
export interface LogFile {
  /** The last whole lines from this level on, at most so many. What is read next begins behind them. */
  end(least: number, most: number): readonly string[];
  /** The lines that came since. Of a file that was emptied, all. */
  more(least: number): readonly string[];
  /** Whether the process still writes to this file. */
  isOf(pid: number): boolean;
  close(): void;
}

interface OpenLog {
  readonly file: number;
  /** How far it is read, in bytes. */
  offset: number;
  /** A line that has no end yet. */
  unread: Buffer;
}

/** The most that is read at once, in bytes. */
const mostRead = 8 * 2 ** 20;

/** Undefined if the process does not write its errors to a file, or the system does not tell. */
export function openLog(pid: number): LogFile | undefined {
  const target = errorsOf(pid);
  if (statOf(target)?.isFile() !== true) return undefined;
  const log: OpenLog = { file: openSync(target, 'r'), offset: 0, unread: Buffer.alloc(0) };
  return {
    end: (least, most) => endOf(log, least, most),
    more: (least) => linesSince(log).filter((line) => isAtLeast(line, least)),
    isOf: (other) => isSame(log, other),
    close: () => closeSync(log.file),
  };
}

function errorsOf(pid: number): string {
  return `/proc/${pid}/fd/2`;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Of another user.
    return undefined;
  }
}

function isSame({ file }: OpenLog, pid: number): boolean {
  const [own, now] = [fstatSync(file), statOf(errorsOf(pid))];
  return now !== undefined && own.dev === now.dev && own.ino === now.ino;
}

function endOf(log: OpenLog, least: number, most: number): readonly string[] {
  const { size } = fstatSync(log.file);
  log.offset = Math.max(0, size - mostRead);
  const isCut = log.offset > 0;
  const lines = linesSince(log).slice(isCut ? 1 : 0);
  return lines.filter((line) => isAtLeast(line, least)).slice(-most);
}

/** The whole lines that it has from where it is read. */
function linesSince(log: OpenLog): readonly string[] {
  const { size } = fstatSync(log.file);
  if (size < log.offset) Object.assign(log, { offset: 0, unread: Buffer.alloc(0) });
  const bytes = Buffer.alloc(Math.min(size - log.offset, mostRead));
  const read = readSync(log.file, bytes, 0, bytes.length, log.offset);
  log.offset += read;
  const text = Buffer.concat([log.unread, bytes.subarray(0, read)]);
  const whole = text.lastIndexOf('\n') + 1;
  log.unread = text.subarray(whole);
  return text
    .toString('utf8', 0, whole)
    .split('\n')
    .filter((line) => line !== '');
}

/** Lines that are no JSON, such as the first ones, have no level. */
export function isAtLeast(line: string, least: number): boolean {
  if (least === 0) return true;
  const entry = parseJson(line);
  return isJsonObject(entry) && typeof entry.level === 'number' && entry.level >= least;
}
