/*
 * Tracks which files hold text that strangers may have written, and which calls read them. A file gets a label if a
 * call writes it in a conversation that has read untrusted content, or after reading a labelled file. A call that reads
 * a labelled file taints its conversation, whatever the tool. Tools report nothing: the file system's times tell, also
 * where a program sets the access time back, since that changes a time that no program can set.
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, lutimes, open, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { absent, errorCode, unless } from './guard/workspace/workspace-error.ts';
import { keptPath, type ToolOutput } from './output.ts';
import { fileFrom, taintSource } from './taint-sources.ts';
import { isPlainWord } from './text.ts';
import { isRepeatable, type ToolCategory } from './tool.ts';

/** A file with content from untrusted sources. */
export interface FileLabel {
  /** Relative to the workspace, with slashes; empty for the whole workspace. */
  readonly path: string;
  readonly inode: string;
  /** For people: `notes.txt (example.com)`. */
  readonly source: string;
}

/** A call that has begun and may write. */
export interface WatchedCall {
  readonly callId: string;
  readonly workspace: string;
  readonly conversationId: string;
  /** The untrusted sources of what it may write. */
  readonly sources: readonly string[];
}

/** What a call changed. `gone`: paths that lose their labels. */
interface FileChanges {
  readonly labelled: readonly FileLabel[];
  readonly gone: readonly string[];
}

/** Stores file labels. Each method is one transaction. */
export interface FileLabelStore {
  labelsIn(workspace: string): Promise<readonly FileLabel[]>;
  /** `newest`: the latest change in the workspace, in ns since 1970. After a kill, newer files get a label. */
  began(call: WatchedCall, newest: bigint): Promise<void>;
  ended(call: WatchedCall, changes: FileChanges): Promise<void>;
  /** The file's inode, if the conversation wrote it last, after it had read untrusted content; else undefined. */
  writtenBy(conversationId: string, workspace: string, path: string): Promise<string | undefined>;
  /** The calls that a killed process left. */
  left(): Promise<readonly (WatchedCall & { readonly newest: bigint })[]>;
}

/** A call that begins. */
export interface BeginningCall extends WatchedCall {
  readonly category: ToolCategory;
  /** The source of what it saves, if strangers may have written that. */
  readonly brings?: string | undefined;
  /** See `CallFacets`. */
  readonly untraced?: readonly string[] | undefined;
}

/** What watches a call that runs. */
interface Watch {
  /** An untrusted file is in the workspace: a read there must leave an access time. */
  readonly tracesReads: boolean;
  /** To be called once, at the end of the call. Resolves with the untrusted files that were read. */
  end(output: Pick<ToolOutput, 'forLlm' | 'untrusted'>): Promise<readonly string[]>;
}

/** Tracks which files hold text that strangers may have written. */
export interface FileWatch {
  begin(call: BeginningCall): Promise<Watch>;
  /** Whether the conversation itself wrote what is in this file, after it had read untrusted content. */
  isItsOwn(conversationId: string, workspace: string, path: string): Promise<boolean>;
  /** Labels what a killed process was writing. Call it before anything runs. */
  recover(): Promise<void>;
}

interface WatchContext {
  readonly store: FileLabelStore;
  /** The workspaces of running calls: how many, and what shows which files are read there. */
  readonly working: Map<string, { readonly calls: number; readonly armed: Armed | undefined }>;
}

export function createFileWatch(store: FileLabelStore): FileWatch {
  const context: WatchContext = { store, working: new Map() };
  return {
    begin: (call) => begin(call, context),
    isItsOwn: (conversationId, workspace, path) => isItsOwn(conversationId, workspace, path, store),
    recover: () => recover(store),
  };
}

/** What is known of a call when it has begun. */
interface WatchedWork {
  readonly call: WatchedCall;
  readonly category: ToolCategory;
  readonly untraced: readonly string[];
  /** The labels in its workspace. */
  readonly labels: readonly FileLabel[];
  readonly changes: FileChanges;
  readonly armed: Armed | undefined;
  /** Whether what it writes gets labels, and where. */
  readonly writes: boolean;
  readonly folder: string;
  readonly before: readonly Entry[] | undefined;
}

async function begin(
  { category, brings, untraced = [], ...call }: BeginningCall,
  context: WatchContext,
): Promise<Watch> {
  const { store, working } = context;
  const { workspace } = call;
  const isElsewhere = category === 'memory' || category === 'messaging';
  const { labels, changes } = await stand(workspace, isElsewhere ? [] : await store.labelsIn(workspace));
  const mayWrite = !isElsewhere && !isRepeatable(category);
  const origins = [...call.sources, ...labels.map(({ source }) => source), ...(brings === undefined ? [] : [brings])];
  // A call that only reads may save what it received, in our own folder.
  const folder = mayWrite ? '' : ownFolder;
  const writes = mayWrite ? origins.length > 0 : brings !== undefined;
  const before = writes ? await snapshotOf(workspace, folder) : undefined;
  if (writes && mayWrite) {
    const sources = [...new Set(origins)];
    await store.began({ ...call, sources }, newestOf(before));
  }
  const beside = working.get(workspace);
  // Resetting the times would hide what a parallel call has read.
  const armed = beside === undefined ? await arm(workspace, labels) : beside.armed;
  working.set(workspace, { calls: (beside?.calls ?? 0) + 1, armed });
  const work: WatchedWork = { call, category, untraced, labels, changes, armed, writes, folder, before };
  return { tracesReads: labels.length > 0, end: (output) => end(output, work, context) };
}

async function end(
  { forLlm, untrusted }: Pick<ToolOutput, 'forLlm' | 'untrusted'>,
  { call, category, untraced, labels, changes, armed, writes, folder, before }: WatchedWork,
  { store, working }: WatchContext,
): Promise<readonly string[]> {
  const { workspace, callId } = call;
  const read = await readOf(workspace, labels, { armed, category, forLlm, untraced });
  const calls = (working.get(workspace)?.calls ?? 1) - 1;
  if (calls === 0) working.delete(workspace);
  else working.set(workspace, { calls, armed });
  const sources = [...new Set([...call.sources, ...(untrusted === undefined ? [] : [untrusted]), ...read])];
  const written = writes ? changedSince(before, await snapshotOf(workspace, folder)) : [];
  const kept = await entryOf(workspace, keptPath(callId));
  const tainted = sources.length === 0 ? [] : [...written, ...(kept === undefined ? [] : [kept])];
  const copies = sources.length === 0 ? await copiesOf(workspace, labels, written) : [];
  const labelled = [...changes.labelled, ...tainted.map((entry) => labelOf(entry, sources)), ...copies];
  if (writes || labelled.length + changes.gone.length > 0) await store.ended(call, { ...changes, labelled });
  return read;
}

async function recover(store: FileLabelStore): Promise<void> {
  for (const { newest, ...call } of await store.left()) {
    const now = await snapshotOf(call.workspace);
    const changed = now === undefined ? [whole] : now.filter(({ changedAt }) => changedAt > newest);
    await store.ended(call, { labelled: changed.map((entry) => labelOf(entry, call.sources)), gone: [] });
  }
}

async function isItsOwn(
  conversationId: string,
  workspace: string,
  path: string,
  store: FileLabelStore,
): Promise<boolean> {
  const inode = await store.writtenBy(conversationId, workspace, posix.normalize(path));
  return inode !== undefined && (await entryOf(workspace, path))?.inode === inode;
}

/** Anything in a workspace but folders whose names cannot carry a message. */
interface Entry {
  readonly path: string;
  readonly inode: string;
  /** In ns. Programs cannot set it. */
  readonly changedAt: bigint;
  /** In bytes. */
  readonly size: bigint;
}

const whole: Entry = { path: '', inode: '', changedAt: 0n, size: 0n };

/** The label of a file that is there. Undefined if it is not. */
export async function labelFor(workspace: string, path: string, source: string): Promise<FileLabel | undefined> {
  const entry = await entryOf(workspace, path);
  return entry && labelOf(entry, [source]);
}

function labelOf({ path, inode }: Entry, sources: readonly string[]): FileLabel {
  return { path, inode, source: fileFrom(path === '' ? taintSource('workspaceFiles') : path, sources) };
}

/** Larger folders are not compared file by file. */
const mostEntries = 50_000;

/** Where tools save what they received. */
const ownFolder = '.keyturn';

/** All files in a folder of the workspace; undefined if there are too many. */
async function snapshotOf(workspace: string, top = ''): Promise<readonly Entry[] | undefined> {
  const found: Entry[] = [];
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const children = await unless(absent, readdir(join(workspace, folder), { withFileTypes: true }));
    if (children === undefined) continue;
    if (found.length + folders.length + children.length > mostEntries) return undefined;
    const entries = children.map(async (child) => {
      const path = folder === '' ? child.name : `${folder}/${child.name}`;
      if (child.isDirectory()) folders.push(path);
      return child.isDirectory() && isPlainWord(child.name) ? undefined : entryOf(workspace, path);
    });
    found.push(...(await Promise.all(entries)).filter((entry) => entry !== undefined));
  }
  return found;
}

async function entryOf(workspace: string, path: string): Promise<Entry | undefined> {
  const stats = await unless(absent, lstat(join(workspace, path), { bigint: true }));
  if (stats === undefined) return undefined;
  const inode = String(stats.ino);
  // A folder changes with what is in it: only its name counts.
  if (stats.isDirectory()) return { path, inode, changedAt: stats.birthtimeNs, size: 0n };
  return { path, inode, changedAt: stats.ctimeNs, size: stats.size };
}

function newestOf(entries: readonly Entry[] = []): bigint {
  return entries.reduce((newest, { changedAt }) => (changedAt > newest ? changedAt : newest), 0n);
}

function changedSince(before: readonly Entry[] | undefined, now: readonly Entry[] | undefined): readonly Entry[] {
  if (before === undefined || now === undefined) return [whole];
  const stateOf = ({ path, inode, changedAt }: Entry): string => `${changedAt} ${inode} ${path}`;
  const former = new Set(before.map(stateOf));
  return now.filter((entry) => !former.has(stateOf(entry)));
}

/** Finds the labelled files again, even moved ones. A deleted file loses its label. */
async function stand(workspace: string, labels: readonly FileLabel[]) {
  const there = await Promise.all(labels.map(({ path }) => (path === '' ? whole : entryOf(workspace, path))));
  const known = labels.map((label, index) => ({ ...label, ...there[index] }));
  const missing = labels.filter((_, index) => there[index] === undefined);
  const now = missing.length === 0 ? undefined : await snapshotOf(workspace);
  if (now === undefined) return { labels: known, changes: { labelled: [], gone: [] } };
  const byInode = new Map(now.map((entry) => [entry.inode, entry]));
  const moved = missing.flatMap((label) => {
    const entry = byInode.get(label.inode);
    return entry === undefined ? [] : [{ ...label, path: entry.path }];
  });
  return {
    labels: [...known.filter((_, index) => there[index] !== undefined), ...moved],
    changes: { labelled: moved, gone: missing.map(({ path }) => path) },
  };
}

/** The change times of labelled files, by their paths, since their access times were set to 1970. */
type Armed = ReadonlyMap<string, bigint>;

/** How many files are prepared at a time. */
const atOnce = 32;

/**
 * Sets the files' access times to 1970, so that the next access shows, even with `relatime`. Undefined if the system
 * does not record each access (`noatime`, also of a single file), or does not let us set the times.
 */
async function arm(workspace: string, labels: readonly FileLabel[]): Promise<Armed | undefined> {
  const paths = labels.flatMap(({ path }) => (path === '' ? [] : [path]));
  const armed = new Map<string, bigint>();
  try {
    for (let start = 0; start < paths.length; start += atOnce) {
      const some = paths.slice(start, start + atOnce);
      const times = await Promise.all(some.map((path) => armFile(join(workspace, path))));
      if (times.includes('silent')) return undefined;
      for (const [index, time] of times.entries()) if (typeof time === 'bigint') armed.set(some[index] ?? '', time);
    }
    const newest = [...armed.values()].reduce((last, time) => (time > last ? time : last), 0n);
    return armed.size === 0 || (await clockPasses(workspace, newest)) ? armed : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Its change time; `silent` if reading it leaves no trace, undefined if it is gone. */
async function armFile(path: string): Promise<bigint | 'silent' | undefined> {
  const stats = await unless(absent, lstat(path));
  if (stats === undefined) return undefined;
  const forgetAccess = (): Promise<void> => lutimes(path, 0, stats.mtimeMs / 1000);
  await forgetAccess();
  if (stats.isFile() && stats.size > 0) {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    await file.read(Buffer.alloc(1), 0, 1, 0);
    if ((await lstat(path)).atimeMs === 0) return 'silent';
    await forgetAccess();
  }
  return (await lstat(path, { bigint: true })).ctimeNs;
}

/** Change times are as coarse as a tick of the kernel, at most 10 ms: more than enough tries for that. */
const mostTries = 2_000;

/** Waits until a change shows in the change time, however soon it comes. False if the file system records none. */
async function clockPasses(workspace: string, newest: bigint): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { ctimeNs, mode } = await lstat(workspace, { bigint: true });
    if (ctimeNs > newest) return true;
    // Changes nothing but the change time. In a folder of another user, a tick is the time that a command takes to begin.
    const isOurs = await unless(
      ['EPERM', 'EROFS'],
      chmod(workspace, Number(mode) & 0o7777).then(() => true),
    );
    if (isOurs === undefined) return true;
  }
  return false;
}

interface EndedCall {
  readonly armed: Armed | undefined;
  readonly category: ToolCategory;
  readonly forLlm: string;
  readonly untraced: readonly string[];
}

/** The sources of the labelled files that a call has read. */
async function readOf(workspace: string, labels: readonly FileLabel[], call: EndedCall): Promise<readonly string[]> {
  const read = await Promise.all(labels.map((label) => wasRead(workspace, label, call)));
  return [...new Set(labels.flatMap(({ source }, index) => (read[index] === true ? [source] : [])))];
}

async function wasRead(
  workspace: string,
  { path, inode }: FileLabel,
  { armed, category, forLlm, untraced }: EndedCall,
): Promise<boolean> {
  const couldRead = category !== 'network_read' && category !== 'network_write';
  if (path === '' || armed === undefined) return couldRead;
  // The name of the file or of a folder in its path may carry a message to a model.
  if (path.split('/').some((name) => !isPlainWord(name) && forLlm.includes(name))) return true;
  if (untraced.some((name) => isNamed(path, name))) return true;
  // A tool that only writes replaces the file, or changes it.
  const reads = category !== 'filesystem_write';
  const stats = await unless(absent, lstat(join(workspace, path), { bigint: true }));
  if (stats === undefined || String(stats.ino) !== inode) return reads;
  if (stats.isDirectory()) return false;
  return stats.atimeNs !== 0n || (reads && stats.ctimeNs !== armed.get(path));
}

/** Whether the path is this file, or in this folder, wherever it is below the workspace. */
function isNamed(path: string, name: string): boolean {
  const [full, wanted] = [`/${path}`, `/${posix.normalize(name)}`];
  return name.endsWith('/') ? full.includes(wanted) : full.endsWith(wanted);
}

/** A larger file counts as a copy if it has the size of the original. In bytes. */
const longest = 64n * 2n ** 20n;

/**
 * The labels of what a call wrote that is the same as a labelled file, although it read none: a clone shares the blocks
 * of a file without reading them.
 */
async function copiesOf(
  workspace: string,
  labels: readonly FileLabel[],
  written: readonly Entry[],
): Promise<readonly FileLabel[]> {
  if (written.length === 0) return [];
  const copies = labels.map(async ({ path, source }): Promise<readonly FileLabel[]> => {
    const original = await entryOf(workspace, path);
    const alike = written.filter((entry) => entry.path !== path && entry.size !== 0n && entry.size === original?.size);
    if (original === undefined || alike.length === 0) return [];
    const content = await contentOf(workspace, original);
    const contents = await Promise.all(alike.map((entry) => contentOf(workspace, entry)));
    return alike.filter((_, at) => contents[at] === content).map((entry) => labelOf(entry, [source]));
  });
  return (await Promise.all(copies)).flat();
}

/** A hash of it; empty if it is too long or cannot be read. */
async function contentOf(workspace: string, { path, size }: Entry): Promise<string> {
  if (size > longest) return '';
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(workspace, path), flags).catch(() => undefined);
  if (file === undefined) return '';
  const hash = createHash('sha256');
  await pipeline(file.createReadStream(), hash);
  return hash.digest('hex');
}
