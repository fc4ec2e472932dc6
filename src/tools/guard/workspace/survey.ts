import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { contains, type PrivatePlaces, type WalkOptions } from './place.ts';
import { absent, unlessNow } from './workspace-error.ts';

/*
 * Looks at what is in a workspace without leaving access times, which tell who has read a file (`file-watch.ts`). No link is
 * followed: each folder is opened, and used only if it is where its path says. The calls of the system are synchronous,
 * since a whole workspace is looked at before a command and after it: 2,000 files take 20 ms so, and 150 ms one by one.
 */

/** What has a name in a workspace. */
export interface FileState {
  /** Relative to the workspace, separated by `/`. */
  readonly path: string;
  readonly type: 'directory' | 'file' | 'link' | 'other';
  /** In bytes. */
  readonly size: number;
  /** Its permission bits. */
  readonly mode: number;
  /** Its inode, size and change time. No program can set the change time. */
  readonly stamp: string;
  /** When it was changed last, in ms since 1970. */
  readonly changedAt: number;
}

/** Something that is there. */
export interface Surveyed {
  readonly state: FileState;
  /**
   * All of it. Undefined if it is no regular file, has a second hard link, is larger than `limit`, is Keyturn's own, or
   * cannot be read. Valid during the visit.
   */
  read(limit: number): Buffer | undefined;
}

export interface Survey {
  /** Ends the survey when there is more. */
  readonly most: number;
  /** These folders are not entered, and not visited. */
  readonly skips: (path: string) => boolean;
  readonly visit: (found: Surveyed) => void;
}

interface SurveyContext {
  readonly options: WalkOptions;
  readonly isPrivate: PrivatePlaces;
}

/** How long the process may be busy with it at a time, in ms. */
const stretch = 8;

/** Visits all that is in the workspace. False if there is more than `most`. */
export async function surveyTree(survey: Survey, context: SurveyContext): Promise<boolean> {
  const { root } = context.options;
  let count = 0;
  let since = performance.now();
  const folders = [root];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    using folder = openFolder(path, context);
    for (const entry of folder?.entries() ?? []) {
      if (performance.now() - since > stretch) {
        await setImmediate();
        since = performance.now();
      }
      const found = folder?.at(entry.name);
      if (found === undefined || survey.skips(found.state.path)) continue;
      count += 1;
      if (count > survey.most) return false;
      if (found.state.type === 'directory') folders.push(join(path, entry.name));
      survey.visit(found);
    }
  }
  return true;
}

/** What is at the path; undefined if nothing is, or if a link or a file is in the way. */
export function surveyAt(path: string, limit: number, context: SurveyContext): SurveyedFile | undefined {
  const absolute = join(context.options.root, path);
  if (absolute === context.options.root || !contains(context.options.root, absolute)) return undefined;
  using folder = openFolder(dirname(absolute), context);
  const found = folder?.at(basename(absolute));
  return found && { state: found.state, content: found.read(limit) };
}

/** Something that is there, and its content as `Surveyed` reads it. */
export interface SurveyedFile {
  readonly state: FileState;
  readonly content: Buffer | undefined;
}

interface OpenFolder extends Disposable {
  entries(): readonly Dirent[];
  at(name: string): Surveyed | undefined;
}

/** Undefined if it is gone, is no folder any more, is private, or is not where the path says. */
function openFolder(path: string, { options, isPrivate }: SurveyContext): OpenFolder | undefined {
  if (isPrivate.path(path)) return undefined;
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = unlessNow([...absent, 'EPERM'], () => openSync(path, flags));
  if (handle === undefined) return undefined;
  const self = options.byHandle ? `/proc/self/fd/${handle}` : path;
  const isThere = (options.byHandle ? readlinkSync(self) : realpathSync(path)) === path;
  if (!isThere || isPrivate.file(fstatSync(handle))) {
    closeSync(handle);
    return undefined;
  }
  const way = relative(options.root, path).replaceAll(sep, '/');
  const prefix = way === '' ? '' : `${way}/`;
  return {
    entries: () => readdirSync(self, { withFileTypes: true }),
    at(name) {
      const isOwn = isPrivate.path(`${path}${sep}${name}`);
      const stats = isOwn ? undefined : unlessNow(absent, () => lstatSync(`${self}/${name}`, bigint));
      if (stats === undefined) return undefined;
      const state = stateOf(`${prefix}${name}`, stats);
      return { state, read: (limit) => readQuietly(`${self}/${name}`, state, limit, isPrivate) };
    },
    [Symbol.dispose]: () => closeSync(handle),
  };
}

const bigint = { bigint: true } as const;

function stateOf(path: string, stats: BigIntStats): FileState {
  return {
    path,
    type: stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other',
    size: Number(stats.size),
    mode: Number(stats.mode) & 0o7777,
    stamp: `${stats.ino}:${stats.size}:${stats.ctimeNs}`,
    changedAt: Number(stats.ctimeMs),
  };
}

function readQuietly(path: string, { type, size }: FileState, limit: number, isPrivate: PrivatePlaces) {
  if (type !== 'file' || size > limit) return undefined;
  const handle = openQuietly(path);
  if (handle === undefined) return undefined;
  try {
    const found = fstatSync(handle);
    if (!found.isFile() || found.nlink > 1 || isPrivate.file(found) || found.size > limit) return undefined;
    const bytes = Buffer.allocUnsafe(found.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, null);
    // It grows while it is read.
    return length > found.size ? undefined : bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

/** Only a file's owner may read it without leaving an access time. */
function openQuietly(path: string): number | undefined {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const refused = [...absent, 'EPERM', 'ENXIO'];
  const quiet: unknown = Reflect.get(constants, 'O_NOATIME');
  const opened = typeof quiet === 'number' ? unlessNow(refused, () => openSync(path, flags | quiet)) : undefined;
  return opened ?? unlessNow(refused, () => openSync(path, flags));
}
