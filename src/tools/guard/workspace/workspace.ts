import { createHash } from 'node:crypto';
import { type Dirent, existsSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Conversation } from '../../../contract.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { formatSize } from '../../text.ts';
import { addFile, putBack, readWhole, removeEntry, withOpenFile, writeFile } from './open-file.ts';
import {
  astray,
  contains,
  type Directory,
  enter,
  findPrivatePlaces,
  type Place,
  type PrivatePlaces,
  privateRefusal,
  realPathOf,
  type WalkOptions,
  withPlace,
} from './place.ts';
import { type Survey, type SurveyedFile, surveyAt, surveyTree } from './survey.ts';
import { workspaceWords } from './words.ts';
import { explain, unless, WorkspaceError, workspaceError } from './workspace-error.ts';

/** Rules for every workspace. Plain data, for workers too. */
export interface WorkspaceRules {
  /** In bytes. Default 10 MB. */
  readonly maxRead?: number;
  /** In bytes. Default 10 MB. */
  readonly maxWrite?: number;
  /** Absolute paths of files and folders that no tool may use, even in a workspace. */
  readonly privatePaths?: readonly string[];
}

/** A folder that confines tools. Every method throws `WorkspaceError` in words for the model. */
export interface Workspace {
  /** The largest file that can be written, in bytes. */
  readonly maxWrite: number;
  /** Creates the folder if it is missing. */
  prepare(): Promise<void>;
  /** The whole file. Only regular files are read. */
  read(path: string): Promise<Buffer>;
  /**
   * Holds a regular file of at most `maxBytes` open for the work. The path leads to exactly this file, even if
   * another takes its name; by name if the system has no such paths. `size`: in bytes, at the time of opening.
   */
  withFile<Result>(path: string, maxBytes: number, work: (file: OpenFile) => Promise<Result>): Promise<Result>;
  /** The target of the path, links followed, relative to the folder. */
  locate(path: string): Promise<string>;
  /** At most `limit` entries, sorted by name, and the total number. */
  list(path: string, limit: number): Promise<Listing>;
  /** Removes the oldest files until `most` are left. Nothing if the folder is missing (those above it are made) or a link. */
  keepNewest(path: string, most: number): Promise<void>;
  /**
   * Visits everything below the path, one entry after another, in the order of names, folders before their content; or only
   * the path if it is a file. Links are visited, but not followed; private entries are skipped. Throws the signal's reason
   * when it aborts.
   */
  walk(path: string, visit: Visit, signal: AbortSignal): Promise<Walked>;
  /** Adds a file that only its owner can read, without overwriting: see `addFile`. Resolves with its path. */
  add(path: string, bytes: Uint8Array): Promise<string>;
  /** Replaces or creates the file atomically. Creates missing directories on the way. A text is written as UTF-8. */
  write(path: string, content: string | Buffer): Promise<{ readonly created: boolean; readonly size: number }>;
  /** Looks at all that is in it, and leaves no access time: see `survey.ts`. False if there is more than the most. */
  survey(survey: Survey): Promise<boolean>;
  /** The same for single paths, in their order. Contents up to `limit` bytes. */
  look(paths: readonly string[], limit: number): Promise<readonly (SurveyedFile | undefined)[]>;
  /** As `write`, with these permission bits, and also where the file is read-only or large. No link is followed. */
  putBack(path: string, content: Buffer, mode: number): Promise<void>;
  /** Removes a file, or an empty folder. No link is followed. */
  remove(path: string): Promise<void>;
}

interface OpenFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

interface Listing {
  readonly entries: readonly { readonly name: string; readonly type: EntryType; readonly size: number }[];
  readonly total: number;
}

/** `ended`: a visit ended the walk; `unopened`: how many folders could not be opened or are too deep. */
interface Walked {
  readonly ended: boolean;
  readonly unopened: number;
}

/** Makes the guard of a folder: an absolute path without links. */
export type WorkspaceFactory = (root: string) => Workspace;

/** Guards with these rules. No approval overrides what they refuse. */
export function workspaces(
  { maxRead = 10 * 2 ** 20, maxWrite = 10 * 2 ** 20, privatePaths = [] }: WorkspaceRules = {},
  byHandle: boolean = process.platform === 'linux' && existsSync('/proc/self/fd'),
): WorkspaceFactory {
  return (root) => workspaceAt({ root, byHandle, privatePaths }, maxRead, maxWrite);
}

function workspaceAt(options: WalkOptions, maxRead: number, maxWrite: number): Workspace {
  const at = <Result>(path: string, work: (place: Place) => Promise<Result>, create = false) =>
    withPlace(path, options, create, work);
  const shown = ({ directory, name }: Pick<Place, 'directory' | 'name'>): string =>
    relative(options.root, join(directory.path, name)).replaceAll(sep, '/');
  return {
    maxWrite,
    prepare: () => at('.', async () => {}),
    read: (path) => at(path, (place) => readWhole(place, maxRead)),
    withFile: (path, maxBytes, work) => at(path, (place) => workWith(place, maxBytes, work)),
    locate: (path) => at(path, async (place) => shown(place)),
    list: (path, limit) => at(path, (place) => list(place, limit)),
    keepNewest: (path, most) =>
      at(path, async (place) => (shown(place) === path ? keepNewest(place, most) : undefined), true),
    walk: (path, visit, signal) => at(path, (place) => walkTree(place, { shown, signal }, visit)),
    add: (path, bytes) => at(path, async (place) => shown({ ...place, name: await addFile(place, bytes) }), true),
    async write(path, content) {
      const bytes = bytesWithin(content, maxWrite);
      return at(path, (place) => writeFile(place, bytes), true);
    },
    async survey(survey) {
      return surveyTree(survey, { options, isPrivate: await findPrivatePlaces(options) });
    },
    async look(paths, limit) {
      const context = { options, isPrivate: await findPrivatePlaces(options) };
      return paths.map((path) => surveyAt(path, limit, context));
    },
    putBack: (path, content, mode) => at(path, (place) => putBack(onlyAt(path, place, shown), content, mode), true),
    remove: (path) => at(path, (place) => removeEntry(onlyAt(path, place, shown))),
  };
}

/** Throws if a link is on the way. */
function onlyAt(path: string, place: Place, shown: (place: Place) => string): Place {
  if (shown(place) !== path) throw astray(path);
  return place;
}

function workWith<Result>(place: Place, maxBytes: number, work: (file: OpenFile) => Promise<Result>): Promise<Result> {
  const { directory, name } = place;
  return withOpenFile(place, maxBytes, (file, size) => work({ path: directory.pathOf(name, file), name, size }));
}

function bytesWithin(content: string | Buffer, most: number): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length <= most) return bytes;
  const limits = { size: formatSize(bytes.length), most: formatSize(most) };
  throw workspaceError((say) => say.tooLargeToWrite(limits));
}

async function keepNewest({ directory, name: folder }: Place, most: number): Promise<void> {
  await using opened = await unless(['ENOENT'], enter(directory, folder));
  const entries = (await opened?.entries()) ?? [];
  if (opened === undefined || entries.length <= most) return;
  const found = await Promise.all(
    entries.map(async ({ name }) => ({ name, stats: await unless(['ENOENT'], lstat(opened.at(name))) })),
  );
  const files = found.flatMap(({ name, stats }) => (stats?.isFile() === true ? [{ name, at: stats.mtimeMs }] : []));
  const oldestFirst = files.toSorted((one, other) => one.at - other.at);
  for (const { name } of oldestFirst.slice(0, Math.max(0, files.length - most)))
    await unless(['ENOENT'], unlink(opened.at(name)));
}

async function list({ directory, name: folder, path, isPrivate }: Place, limit: number): Promise<Listing> {
  await using opened = await enter(directory, folder);
  if (opened === undefined) throw workspaceError((say) => say.notAFolder({ path: `"${folder}"` }));
  if (isPrivate.file(await opened.stat())) throw privateRefusal(path);
  const names = (await opened.entries()).map(({ name }) => name);
  const entries = await Promise.all(names.slice(0, limit).map((name) => unless(['ENOENT'], described(name, opened))));
  return { entries: entries.filter((entry) => entry !== undefined), total: names.length };
}

async function described(name: string, directory: Directory): Promise<Listing['entries'][number]> {
  const found = await lstat(directory.at(name));
  return { name, type: entryType(found), size: found.size };
}

/** An entry that a walk finds. Valid until its visit ends. */
export interface TreeEntry {
  /** Relative to the workspace, separated by `/`. */
  readonly path: string;
  /** The names from the start of the walk. */
  readonly way: readonly string[];
  readonly type: EntryType;
  /** In bytes; undefined if it is gone. */
  size(): Promise<number | undefined>;
  /** The whole file, as from `Workspace.read`. Throws `WorkspaceError`. */
  read(maxBytes: number): Promise<Buffer>;
}

/** Continue, into a folder too; skip what is in it; or end the walk. */
export type Onward = 'on' | 'over' | 'end';

export type Visit = (entry: TreeEntry) => Promise<Onward> | Onward;

/** Each level keeps a directory open. */
const mostLevels = 64;
/** The number of entries between turns of the event loop. */
const stride = 50;

async function walkTree(
  { directory, name, isPrivate }: Place,
  way: Pick<TreeWalk, 'shown' | 'signal'>,
  visit: Visit,
): Promise<Walked> {
  const walk: TreeWalk = { ...way, visit, isPrivate, counts: { met: 0, unopened: 0 } };
  const type = entryType(await lstat(directory.at(name)));
  const wentOn = await (type === 'directory'
    ? meetInside(directory, name, [], walk)
    : meet({ directory, way: [name], type }, walk));
  return { ended: !wentOn, unopened: walk.counts.unopened };
}

interface TreeWalk {
  readonly shown: (entry: Pick<Place, 'directory' | 'name'>) => string;
  readonly signal: AbortSignal;
  readonly visit: Visit;
  readonly isPrivate: PrivatePlaces;
  /** What was met so far, and how much of it could not be opened. */
  readonly counts: { met: number; unopened: number };
}

/** An entry that the walk has come to. `way`: the names from its start. */
interface MetEntry {
  readonly directory: Directory;
  readonly way: readonly string[];
  readonly type: EntryType;
}

/** Whether the walk goes on after this entry. */
async function meet({ directory, way, type }: MetEntry, walk: TreeWalk): Promise<boolean> {
  const { shown, signal, visit, isPrivate, counts } = walk;
  if (counts.met++ % stride === 0) await setImmediate();
  signal.throwIfAborted();
  const name = way.at(-1) ?? '.';
  if (isPrivate.path(join(directory.path, name))) return true;
  const path = shown({ directory, name });
  const onward = await visit({
    path,
    way,
    type,
    size: async () => (await unless(['ENOENT'], lstat(directory.at(name))))?.size,
    read: (limit) =>
      readWhole({ directory, name, path, isPrivate }, limit).catch((cause: unknown) => {
        throw explain(cause, path);
      }),
  });
  return onward === 'on' && type === 'directory' ? meetInside(directory, name, way, walk) : onward !== 'end';
}

async function meetInside(
  directory: Directory,
  name: string,
  way: readonly string[],
  walk: TreeWalk,
): Promise<boolean> {
  await using inner = way.length < mostLevels ? await orNothing(enter(directory, name)) : undefined;
  if (inner !== undefined && walk.isPrivate.file(await inner.stat())) return true;
  const entries = inner && (await orNothing(inner.entries()));
  if (inner === undefined || entries === undefined) {
    walk.counts.unopened += 1;
    return true;
  }
  for (const entry of entries)
    if (!(await meet({ directory: inner, way: [...way, entry.name], type: entryType(entry) }, walk))) return false;
  return true;
}

/** Undefined if it can't be opened, is gone, or was swapped meanwhile. */
async function orNothing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await unless(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], work);
  } catch (cause) {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  }
}

export type EntryType = 'directory' | 'file' | 'link' | 'other';

/** The type of the entry itself: links are not followed. */
function entryType(found: Stats | Dirent): EntryType {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}

/** The workspace folder can't be used. The message says which, and why; `saidIn` says it in the reader's language. */
export class WorkspaceFolderError extends Error {
  override readonly name = 'WorkspaceFolderError';
  readonly saidIn: InLanguage;

  constructor(saidIn: InLanguage, options?: ErrorOptions) {
    super(saidIn('en'), options);
    this.saidIn = saidIn;
  }
}

/**
 * Finds the folder of a conversation's tools, and creates it if it is missing. The template is an absolute path that
 * may contain `{channel}`, `{chat_id}`, `{thread_id}` and `{sender}`, the person that a run serves (`telegram:123456`).
 * Only its owner can enter a new folder. Returns a path without symlinks, always the same: a folder that was swapped
 * for a link is refused. Throws `WorkspaceFolderError`.
 */
export function workspaceFinder(template: string | (() => string)) {
  const known = new Map<string, string>();
  return (conversation: Conversation, sender?: string): string => {
    const folder = fill(typeof template === 'string' ? template : template(), conversation, sender);
    const real = openFolder(folder);
    const before = known.get(folder) ?? real;
    if (before !== real)
      throw new WorkspaceFolderError((language) =>
        workspaceWords[language].folderExchanged({ folder, now: real, before }),
      );
    known.set(folder, real);
    return real;
  };
}

/**
 * Whether a folder, an absolute path without links, is in a workspace or contains one. The template is an absolute path
 * with placeholders such as `{channel}`.
 */
export async function liesInWorkspace(folder: string, template: string): Promise<boolean> {
  const [fixed = '', ...variable] = template.split(/\{[^}]*\}/);
  if (variable.length === 0) {
    const workspace = await realPathOf(fixed);
    return contains(workspace, folder) || contains(folder, workspace);
  }
  // A name that begins with fixed text may have any end, so only the folders above it are known.
  const above = dirname(`${fixed}x`);
  const real = await realPathOf(above);
  if (contains(folder, real)) return true;
  const literally = (text: string): string => text.replaceAll(/[^\w/]/g, '\\$&');
  const rest = [fixed.slice(above.length).replace(/^\//, ''), ...variable].map(literally).join('[^/]*');
  return contains(real, folder) && new RegExp(`^${rest}(?:/|$)`).test(relative(real, folder));
}

function openFolder(folder: string): string {
  try {
    makeFolder(folder);
    return realpathSync.native(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WorkspaceFolderError((language) => workspaceWords[language].folderUnusable({ folder, reason }), {
      cause: error,
    });
  }
}

function fill(template: string, { channel, tenant, chatId, threadId }: Conversation, sender = 'nobody'): string {
  const chat = tenant === undefined ? asFolder(chatId) : `${asFolder(tenant)}+${asFolder(chatId)}`;
  return template
    .replaceAll('{channel}', () => asFolder(channel))
    .replaceAll('{chat_id}', () => chat)
    .replaceAll('{thread_id}', () => asFolder(threadId ?? 'main'))
    .replaceAll('{sender}', () => asFolder(sender));
}

/** Platform ids may contain anything: each becomes one folder name, different from any other. */
function asFolder(id: string): string {
  const safe = encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
  if (safe === '') return '+';
  if (safe.length <= longestName && id.isWellFormed()) return safe;
  const digest = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex');
  return `${safe.slice(0, longestName)}+${digest.slice(0, 32)}`;
}

/** File systems allow 255 bytes. */
const longestName = 80;

/**
 * Makes a folder and its missing parents, for this user only. Throws where the system refuses, as below /proc: there
 * `mkdirSync` with `recursive` of Node 24 tries forever.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(path)) throw error; // Otherwise another process has just made it.
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
