import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { programOnPath } from '../../../src/lib/programs.ts';

/** What processes did to files, and told others. All numbers are bytes. */
export type Deed =
  /** A file is there, and empty if it was cut. */
  | { readonly type: 'opened'; readonly path: string; readonly isNew: boolean; readonly isCut: boolean }
  | { readonly type: 'folder'; readonly path: string }
  /** `at`: undefined behind what is there. */
  | { readonly type: 'written'; readonly path: string; readonly at: number | undefined; readonly bytes: Buffer }
  | { readonly type: 'copied'; readonly path: string; readonly from: string; readonly size: number }
  | { readonly type: 'cut'; readonly path: string; readonly size: number }
  | { readonly type: 'renamed'; readonly path: string; readonly to: string }
  /** One more name of a file. */
  | { readonly type: 'linked'; readonly path: string; readonly to: string }
  | { readonly type: 'removed'; readonly path: string }
  /** `isWhole`: with what the file system notes of the file. */
  | { readonly type: 'synced'; readonly path: string; readonly isWhole: boolean }
  /** Over a socket or a pipe. */
  | { readonly type: 'told'; readonly bytes: Buffer };

/** A deed, and between which instants it happened: places in the recording. */
export interface Recorded {
  readonly deed: Deed;
  readonly began: number;
  readonly ended: number;
}

const calls = [
  ...['openat', 'open', 'creat', 'mkdir', 'mkdirat', 'rmdir', 'unlink', 'unlinkat', 'rename', 'renameat', 'renameat2'],
  ...['link', 'linkat'],
  ...['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'sendmsg', 'sendto', 'copy_file_range', 'sendfile'],
  ...['ftruncate', 'truncate', 'fsync', 'fdatasync'],
];

/** Why nothing can be recorded here; undefined if it can. */
export function lackOfRecorder(): string | undefined {
  if (process.platform !== 'linux') return 'strace is for Linux';
  if (programOnPath('strace', process.env.PATH) === undefined) return 'strace is not installed';
  const trial = spawnSync('strace', [...flags, '-o', '/dev/null', '-e', 'trace=fsync', 'true'], { encoding: 'utf8' });
  return trial.status === 0 ? undefined : `strace is unfit: ${trial.stderr.trim()}`;
}

// The program stays our child, and its signals are ours; all names and bytes are hexadecimal, with the path of each descriptor.
const flags = ['-D', '-f', '-y', '-xx', '-s', '16777216', '--absolute-timestamps=format:unix,precision:ns'];

/** What runs a program so that all its deeds, and those of the processes that it starts, are added to this file. */
export function recordingInto(file: string): readonly string[] {
  return ['strace', ...flags, '--seccomp-bpf', '-A', '-o', file, '-e', `trace=${calls.join(',')}`, '-e', 'signal=none'];
}

/** All that was recorded in these files, in its order. */
export function readRecordings(files: readonly string[]): readonly Recorded[] {
  const lines = files.flatMap((file) => linesOf(readFileSync(file, 'latin1')));
  // Stable: what one recorder wrote stays in its order.
  const ordered = lines.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const begun = new Map<string, { readonly text: string; readonly place: number }>();
  const opened = new OpenedFolders();
  const found: Recorded[] = [];
  for (const [place, { process, text }] of ordered.entries()) {
    if (text.endsWith(' <unfinished ...>')) {
      begun.set(process, { text: text.slice(0, -' <unfinished ...>'.length), place });
      continue;
    }
    const start = /^<\.\.\. \w+ resumed>/.exec(text) === null ? undefined : begun.get(process);
    const whole = start === undefined ? text : start.text + text.slice(text.indexOf('>') + 1);
    begun.delete(process);
    for (const deed of deedsOf(opened.named(whole))) found.push({ deed, began: start?.place ?? place, ended: place });
  }
  // A process that was killed in a call may have done it.
  for (const { text, place } of begun.values())
    for (const deed of deedsOf(`${text}) = ?`)) found.push({ deed, began: place, ended: ordered.length });
  return found.toSorted((one, other) => one.began - other.began);
}

/** Where each descriptor leads that a path may begin with: `/proc/self/fd/17/name`. */
class OpenedFolders {
  readonly #paths = new Map<string, string>();

  /** The call with such paths spelled out. Calls come in their order. */
  named(call: string): string {
    const [, number, path] = /= (\d+)<((?:\\x[0-9a-f]{2})+)>$/.exec(call) ?? [];
    if (number !== undefined && path !== undefined) this.#paths.set(number, path);
    return call.replaceAll(descriptorPath, (whole, digits: string) => {
      const named = this.#paths.get(unhex(digits).toString());
      return named === undefined ? whole : `"${named}`;
    });
  }
}

const descriptorPath = new RegExp(`"${hex('/proc/self/fd/').replaceAll('\\', '\\\\')}((?:\\\\x3[0-9])+)`, 'g');

function hex(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

interface Line {
  readonly process: string;
  readonly at: bigint;
  readonly text: string;
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const [, process, seconds, fraction, rest] = /^(\d+)\s+(\d+)\.(\d{9}) (.*)$/s.exec(line) ?? [];
    if (process === undefined || rest === undefined || /^(?:\+\+\+|---|\?\?\?)/.test(rest)) return [];
    return [{ process, at: BigInt(`${seconds}${fraction}`), text: rest }];
  });
}

/** Nothing of a call that failed, and of a sync whose end nobody saw. */
function deedsOf(call: string): readonly Deed[] {
  const [, name = '', given = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+|\?)/s.exec(call) ?? [];
  if (result === '' || result.startsWith('-')) return [];
  const isSeen = result !== '?';
  const path = pathOf(given);
  switch (name) {
    case 'openat':
    case 'open':
    case 'creat': {
      const isNew = name === 'creat' || given.includes('O_CREAT');
      const isCut = name === 'creat' || given.includes('O_TRUNC');
      return isNew || isCut ? [{ type: 'opened', path: named(given)[0] ?? '', isNew, isCut }] : [];
    }
    case 'mkdir':
    case 'mkdirat':
      return named(given).map((folder) => ({ type: 'folder', path: folder }));
    case 'rmdir':
    case 'unlink':
    case 'unlinkat':
      return named(given).map((gone) => ({ type: 'removed', path: gone }));
    case 'rename':
    case 'renameat':
    case 'renameat2': {
      const [from = '', to = ''] = named(given);
      return [{ type: 'renamed', path: from, to }];
    }
    case 'link':
    case 'linkat': {
      const [from = '', to = ''] = named(given);
      return [{ type: 'linked', path: from, to }];
    }
    case 'write':
    case 'writev':
    case 'pwrite64':
    case 'pwritev':
    case 'pwritev2':
    case 'sendmsg':
    case 'sendto':
      return written(name, given, isSeen ? Number(result) : undefined);
    case 'copy_file_range':
    case 'sendfile':
      return isSeen ? copied(name, given, Number(result)) : [];
    case 'truncate':
      return [{ type: 'cut', path: named(given)[0] ?? '', size: lastNumber(given) }];
    case 'ftruncate':
      return path === undefined ? [] : [{ type: 'cut', path, size: lastNumber(given) }];
    case 'fsync':
    case 'fdatasync':
      return path === undefined || !isSeen ? [] : [{ type: 'synced', path, isWhole: name === 'fsync' }];
    default:
      throw new Error(`The recording has a call that nobody plays: ${name}`);
  }
}

function written(name: string, given: string, size: number | undefined): readonly Deed[] {
  const path = pathOf(given);
  const all = Buffer.concat(quoted(given));
  const bytes = size === undefined ? all : all.subarray(0, size);
  if (path === undefined) return [{ type: 'told', bytes }];
  return [{ type: 'written', path, at: name.startsWith('pwrite') ? lastNumber(given) : undefined, bytes }];
}

function copied(name: string, given: string, size: number): readonly Deed[] {
  const [one, other] = [...given.matchAll(/\d+<((?:\\x[0-9a-f]{2})+)>/g)].map(([, hex = '']) => unhex(hex).toString());
  const [from, path] = name === 'sendfile' ? [other, one] : [one, other];
  if (from === undefined || path === undefined || size === 0) return [];
  return [{ type: 'copied', path, from, size }];
}

/** The file or folder of the first descriptor; undefined if that is something else, or gone. */
function pathOf(given: string): string | undefined {
  const [, hex, state] = /^\d+<((?:\\x[0-9a-f]{2})+)>(\(deleted\))?/.exec(given) ?? [];
  const path = hex === undefined ? '' : unhex(hex).toString();
  return path.startsWith('/') && state === undefined ? path : undefined;
}

/** The paths that a call names, each after the folder that it counts from. */
function named(given: string): readonly string[] {
  return [...given.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"/g)].map(([, folder = '', name = '']) => {
    const path = unhex(name).toString();
    return isAbsolute(path) ? path : join(unhex(folder).toString(), path);
  });
}

function quoted(given: string): readonly Buffer[] {
  return [...given.matchAll(/"([^"]*)"/g)].map(([, hex = '']) => unhex(hex));
}

function lastNumber(given: string): number {
  return Number(/(\d+)$/.exec(given)?.[1]);
}

function unhex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
