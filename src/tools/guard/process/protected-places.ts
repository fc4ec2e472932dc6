import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { absent, quotePath, unless, unlessNow } from '../workspace/workspace-error.ts';
import { BoundsError } from './bounds.ts';
import { boundsErrorWords } from './words.ts';

/** Limits of the search for protected names below a workspace: levels and folders. */
const deepest = 3;
const mostFolders = 2_000;
/** How many of the names that a command created are listed. */
const mostNamed = 5;

/**
 * A stand-in has the sticky bit, which nobody else sets on an empty file or folder of these names. So it is recognised
 * from its creation, also by the next process.
 */
const standInMode = 0o1644;
const sticky = 0o1000;

/** Names that are held while a command runs. */
export interface HeldNames {
  /** Arguments for bubblewrap, after those that mount the workspace. */
  readonly mounts: readonly string[];
  /** The names at the top of the workspace for which there was a stand-in meanwhile. */
  standIns(): readonly string[];
  /** A sentence about those of these names that have appeared below the top of the workspace since. */
  made(): Promise<readonly string[]>;
  /** Removes the stand-ins that no other command needs. */
  release(): void;
}

/**
 * Protects names in workspaces from writes: files that would run when a person commits there or opens the folder. A
 * name that ends in a slash is a folder.
 */
export interface ProtectedNames {
  /** `standIns`: also reserves names that are missing at the top of the workspace, until `release`. */
  hold(names: readonly string[], workspace: string, standIns: boolean): Promise<HeldNames>;
  /**
   * For a command whose workspace is mounted read-only: nothing has to be held, and nothing to be listed. Stand-ins that
   * a killed process has left go.
   */
  readOnly(names: readonly string[], workspace: string): Promise<HeldNames>;
}

/** Stand-ins for missing names, with the number of commands that need each. */
type StandIns = Map<string, number>;

export function createProtectedNames(): ProtectedNames {
  const needed: StandIns = new Map();
  return {
    hold: (names, workspace, standIns) => hold(names, workspace, standIns, needed),
    readOnly: (names, workspace) => readOnly(names, workspace, needed),
  };
}

async function hold(
  names: readonly string[],
  workspace: string,
  standIns: boolean,
  needed: StandIns,
): Promise<HeldNames> {
  if (names.length === 0) return nothingHeld;
  const mounts: string[] = [];
  const parents = new Set<string>();
  const before = new Set<string>();
  const made: string[] = [];
  for (const { folder, name, path } of await placesBelow(workspace, names)) {
    if (standing(folder, name) === undefined) continue;
    parents.add(dirname(path));
    before.add(path);
    // It may be gone by then. Missing names below the top are not protected anyway.
    mounts.push('--ro-bind-try', path, path);
  }
  // Synchronous from here on: a stand-in that another command releases is gone before the look, or kept by the count.
  for (const name of names) {
    const path = join(workspace, name);
    const found = standing(workspace, name);
    if (found !== undefined && !isStandIn(path, found, needed)) {
      mounts.push('--ro-bind', path, path);
    } else if (standIns && look(dirname(path))?.isDirectory() === true) {
      if (found === undefined) makeStandIn(path, name.endsWith('/'));
      needed.set(path, (needed.get(path) ?? 0) + 1);
      made.push(path);
      mounts.push(...(name.endsWith('/') ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]));
    } else continue;
    parents.add(dirname(path));
  }
  // A mount point can't be moved. Otherwise `.git` could be renamed and replaced.
  const held = [...parents].filter((path) => basename(path) === '.git').flatMap((path) => ['--bind', path, path]);
  return {
    mounts: [...held, ...mounts],
    standIns: watchStandIns(names, workspace, needed),
    made: () => madeSince(workspace, names, before),
    release: () => release(made, needed),
  };
}

async function readOnly(names: readonly string[], workspace: string, needed: StandIns): Promise<HeldNames> {
  for (const path of names.map((name) => join(workspace, name))) if (!needed.has(path)) remove(path, needed);
  return { ...nothingHeld, standIns: watchStandIns(names, workspace, needed) };
}

/** The names for which there is a stand-in now, or was one at the first call. */
function watchStandIns(names: readonly string[], workspace: string, needed: StandIns): HeldNames['standIns'] {
  const now = (): readonly string[] => names.filter((name) => needed.has(join(workspace, name)));
  const atFirst = now();
  return () => [...new Set([...atFirst, ...now()])];
}

function release(made: readonly string[], needed: StandIns): void {
  for (const path of made) {
    const left = (needed.get(path) ?? 1) - 1;
    if (left > 0) {
      needed.set(path, left);
      continue;
    }
    remove(path, needed);
    needed.delete(path);
  }
}

/** Keeps what a person has put there meanwhile. */
function remove(path: string, needed: StandIns): void {
  const found = look(path);
  if (found === undefined || !isStandIn(path, found, needed)) return;
  if (found.isDirectory()) rmdirSync(path);
  else unlinkSync(path);
}

function isStandIn(path: string, found: Stats, needed: StandIns): boolean {
  if (!needed.has(path) && (found.mode & sticky) === 0) return false;
  return found.isDirectory() ? readdirSync(path).length === 0 : found.size === 0;
}

const nothingHeld: HeldNames = { mounts: [], standIns: () => [], made: async () => [], release: () => {} };

async function madeSince(
  workspace: string,
  names: readonly string[],
  before: ReadonlySet<string>,
): Promise<readonly string[]> {
  const fresh = (await placesBelow(workspace, names)).filter(
    ({ path }) => !before.has(path) && look(path) !== undefined,
  );
  const found = fresh.map(({ path }) => quotePath(relative(workspace, path)));
  if (found.length === 0) return [];
  const others = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
  return [
    `It has made ${found.toSorted().slice(0, mostNamed).join(', ')}${others}, which may run when somebody works with that folder. Let a person look at it first.`,
  ];
}

/**
 * What is there, if anything. Throws `BoundsError` if a part of the name is a link: a mount covers its target, and the
 * link itself could be replaced.
 */
function standing(folder: string, name: string): Stats | undefined {
  let found: Stats | undefined;
  let path = folder;
  for (const part of name.split('/').filter((each) => each !== '')) {
    path = join(path, part);
    found = look(path);
    if (found?.isSymbolicLink() === true) throw linkError(path);
    if (found === undefined) break;
  }
  return found;
}

function linkError(path: string): BoundsError {
  return new BoundsError((language) => boundsErrorWords[language].link({ path: quotePath(path) }));
}

function makeStandIn(path: string, isFolder: boolean): void {
  if (isFolder) mkdirSync(path, { mode: standInMode | 0o111 });
  else closeSync(openSync(path, 'wx', standInMode));
}

function look(path: string): Stats | undefined {
  return unlessNow(absent, () => lstatSync(path));
}

/** Where these names may be in the folders below the workspace: their first parts are there. */
async function placesBelow(workspace: string, names: readonly string[]) {
  const found: { readonly folder: string; readonly name: string; readonly path: string }[] = [];
  let level = [workspace];
  for (let depth = 0, left = mostFolders; depth <= deepest; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const entries = (await unless(absent, readdir(folder, { withFileTypes: true }))) ?? [];
      const there = new Set(entries.map((entry) => entry.name));
      const present = depth === 0 ? [] : names.filter((name) => there.has(normalize(name).split('/', 1)[0] ?? ''));
      found.push(...present.map((name) => ({ folder, name, path: join(folder, name) })));
      const folders = entries.filter((entry) => entry.isDirectory() && !/^(?:\.git|node_modules)$/.test(entry.name));
      next.push(...folders.slice(0, left - next.length).map((entry) => join(folder, entry.name)));
    }
    left -= next.length;
    level = next;
  }
  return found;
}
