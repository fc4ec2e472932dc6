/*
 * The one way in which a file that people also write is replaced: all of it, from one instant to the next, or not at all.
 * What is not complete yet stands in a folder of its own beside the file, which tools cannot see and others cannot open: a kill
 * leaves nothing elsewhere, and the next one that writes removes it.
 */

import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { newId } from './ids.ts';
import { isRunning } from './is-running.ts';
import { syncFolder } from './sync-folder.ts';

export interface ReplaceOptions {
  /** Of a file that is new. Others may not even read it, unless this says so. */
  readonly newMode?: number;
  /** What it may have of the mode that it had. */
  readonly mostMode?: number;
  /** What must still stand there: nothing is written otherwise. `bytes` undefined: there must be no file. */
  readonly unchangedFrom?: { readonly bytes: Uint8Array | undefined };
}

export type Replaced =
  /** On disk, its name too. `formerMode` is undefined if it is new. */
  | { readonly type: 'written'; readonly formerMode: number | undefined }
  /** It is not what it was to be unchanged from. */
  | { readonly type: 'changed' };

/**
 * Replaces the file, or what a link leads to, with its mode and its owner; a new one belongs to the owner of its folder if
 * root writes it. Makes its folder. Rejects with the system's error, and the file is then as it was.
 */
export async function replaceWhole(
  path: string,
  bytes: Uint8Array | string,
  options: ReplaceOptions = {},
): Promise<Replaced> {
  const { newMode = 0o600, mostMode = 0o777, unchangedFrom } = options;
  const target = await behindLinks(path);
  const former = await unlessAbsent(stat(target));
  const owner = former ?? (await ownerAbove(target));
  await makeFolders(dirname(target), passable(newMode), owner);
  const draft = await openDraft(target, owner);
  try {
    {
      await using file = draft.file;
      await file.writeFile(bytes);
      if (isRoot()) await file.chown(owner.uid, owner.gid);
      await file.chmod((former?.mode ?? newMode) & mostMode & 0o777);
      await file.sync();
    }
    if (unchangedFrom !== undefined && !(await isUnchanged(target, unchangedFrom.bytes))) return { type: 'changed' };
    await rename(draft.path, target);
    await syncFolder(dirname(target));
    return { type: 'written', formerMode: former === undefined ? undefined : former.mode & 0o777 };
  } finally {
    await rm(draft.path, { force: true });
    await removeFolder(draftsFolderOf(target));
  }
}

/** Where a file stands while it is not complete: to be hidden from whoever may not see the file. */
export function draftsFolderOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.drafts`);
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** What a link leads to at last, also if that is not there yet. */
async function behindLinks(path: string, steps = 0): Promise<string> {
  const real = await unlessAbsent(realpath(path));
  if (real !== undefined) return real;
  const isLink = (await unlessAbsent(lstat(path)))?.isSymbolicLink() === true;
  if (!isLink || steps === mostLinks) return resolve(path);
  return behindLinks(resolve(dirname(path), await readlink(path)), steps + 1);
}

/** As on Linux. A circle of links is refused by the system itself. */
const mostLinks = 40;

/** Of the nearest folder that is there. */
async function ownerAbove(path: string): Promise<Owner> {
  const folder = dirname(path);
  return (await unlessAbsent(stat(folder))) ?? ownerAbove(folder);
}

/** For a folder: who may read the file may go through. */
function passable(mode: number): number {
  return mode | ((mode & 0o444) >> 2);
}

/** Root must not take away from a user what stands among that user's files. */
async function makeFolders(folder: string, mode: number, owner: Owner): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined || !isRoot()) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await give(made, owner);
}

async function give(folder: string, { uid, gid }: Owner): Promise<void> {
  await using opened = await open(folder, 'r');
  await opened.chown(uid, gid);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

interface Draft {
  readonly path: string;
  readonly file: FileHandle;
}

/** Another process may have removed the folder just now, or a kill of root may have left it empty and root's. */
async function openDraft(target: string, owner: Owner, tries = 5): Promise<Draft> {
  const folder = draftsFolderOf(target);
  await makeDraftsFolder(folder, owner);
  await removeLeft(folder);
  const path = join(folder, `${process.pid}.${newId(12)}`);
  try {
    return { path, file: await open(path, 'wx', 0o600) };
  } catch (error) {
    if (tries === 1 || !['ENOENT', 'EACCES'].includes(codeOf(error) ?? '')) throw error;
    await removeFolder(folder);
    return openDraft(target, owner, tries - 1);
  }
}

/** Not through a link that somebody has put there. */
async function makeDraftsFolder(folder: string, owner: Owner): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
    if (isRoot()) await give(folder, owner);
  } catch (error) {
    const found = codeOf(error) === 'EEXIST' ? await unlessAbsent(lstat(folder)) : undefined;
    if (codeOf(error) === 'EEXIST' && (found === undefined || found.isDirectory())) return;
    throw error;
  }
}

/** What processes that were killed have begun. */
async function removeLeft(folder: string): Promise<void> {
  for (const name of (await unlessAbsent(readdir(folder))) ?? [])
    if (!isRunning(Number(name.split('.')[0]))) await rm(join(folder, name), { force: true });
}

/** Unless another draft stands in it. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
  }
}

async function isUnchanged(path: string, bytes: Uint8Array | undefined): Promise<boolean> {
  const now = await unlessAbsent(readFile(path));
  return now === undefined || bytes === undefined ? now === bytes : now.equals(bytes);
}

async function unlessAbsent<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
