import type { FileState, Surveyed } from '../../tools/guard/workspace/survey.ts';
import type { Workspace } from '../../tools/guard/workspace/workspace.ts';
import { errorCode } from '../../tools/guard/workspace/workspace-error.ts';
import type { Copies } from './copies.ts';
import type { FileFacts, Files, NoCopy } from './file-facts.ts';
import type { Stock } from './tables.ts';

/*
 * Finds out what is in a workspace now, and keeps copies of it. A file is read only if it may have changed since it was
 * looked at last: 2,000 files of 16 MB take half a second at first, and 20 ms from then on.
 */

/** A larger file is not copied. In bytes. */
export const largestCopy = 5 * 2 ** 20;

/** A workspace with more entries is not looked at. */
const mostFiles = 10_000;

/** Within this time of a look, a file can change without a new change time. In ms; a tick of the kernel takes at most 10. */
const settling = 100;

/** Folders that are made again rather than brought back, and our own. */
const skipped = /(?:^|\/)(?:node_modules|\.venv|__pycache__)$|^\.keyturn$|(?:^|\/)\.keyturn-[\w-]+\.tmp$/;

/** What a workspace has. `isWhole`: false if it has too much, of which nothing is known then. */
export interface TakenStock {
  readonly files: Files;
  readonly isWhole: boolean;
  readonly stock: Stock;
}

interface StockContext {
  /** Now, in ms since 1970. */
  readonly at: number;
  readonly copies: Copies;
  /** How much the copies of one workspace may take, in bytes. */
  readonly room: number;
}

/** All files of a workspace. `former`: as it was known before. */
export async function takeStock(
  workspace: string,
  folder: Workspace,
  former: Files,
  { at, copies, room }: StockContext,
): Promise<TakenStock> {
  const files = new Map<string, FileFacts>();
  const changed = new Map<string, FileFacts | undefined>();
  const copying: Copying = { copies, copied: new Map(), room, isSynced: false };
  const stock = { workspace, isKnown: true, changed, copied: copying.copied, at };
  const isWhole = await folder.survey({
    most: mostFiles,
    skips: (path) => skipped.test(path),
    visit: (found) => note(found, { former, files, changed, copying }),
  });
  if (!isWhole) return { files: new Map(), isWhole, stock: { ...stock, isKnown: false, changed: new Map() } };
  for (const path of former.keys()) if (!files.has(path)) changed.set(path, undefined);
  return { files, isWhole, stock };
}

interface Taking {
  readonly former: Files;
  readonly files: Map<string, FileFacts>;
  readonly changed: Map<string, FileFacts | undefined>;
  readonly copying: Copying;
}

function note({ state, read }: Surveyed, { former, files, changed, copying }: Taking): void {
  const known = former.get(state.path);
  const facts = factsOf(state, known, read, copying);
  if (facts.digest !== undefined) copying.room -= facts.size;
  files.set(state.path, facts);
  if (facts !== known) changed.set(state.path, facts);
}

/** These paths alone. What is missing is left out. */
export async function lookAt(
  workspace: string,
  folder: Workspace,
  paths: readonly string[],
  copies: Copies,
): Promise<TakenStock> {
  const copying: Copying = { copies, copied: new Map(), room: Number.POSITIVE_INFINITY, isSynced: true };
  const files = new Map<string, FileFacts>();
  for (const found of await folder.look(paths, largestCopy)) {
    if (found === undefined) continue;
    files.set(
      found.state.path,
      factsOf(found.state, undefined, () => found.content, copying),
    );
  }
  return {
    files,
    isWhole: true,
    stock: { workspace, isKnown: false, changed: new Map(), copied: copying.copied, at: 0 },
  };
}

interface Copying {
  readonly copies: Copies;
  readonly copied: Map<string, number>;
  /** In bytes. */
  room: number;
  /** Each copy is on the disk, also after a power cut. */
  readonly isSynced: boolean;
}

function factsOf(
  { type, size, mode, stamp, changedAt }: FileState,
  known: FileFacts | undefined,
  read: (limit: number) => Buffer | undefined,
  copying: Copying,
): FileFacts {
  const isRetried = known?.lacks === 'room' || known?.lacks === 'full';
  if (known?.isSettled === true && known.stamp === stamp && !isRetried) return known;
  const isSettled = changedAt < Date.now() - settling;
  const copy = type === 'file' ? copyOf(size, read, copying) : {};
  return { type, size, mode, stamp, isSettled, ...copy };
}

function copyOf(
  size: number,
  read: (limit: number) => Buffer | undefined,
  { copies, copied, room, isSynced }: Copying,
): { readonly digest?: string; readonly lacks?: NoCopy } {
  if (size > largestCopy) return { lacks: 'large' };
  if (size > room) return { lacks: 'room' };
  const content = read(largestCopy);
  if (content === undefined) return { lacks: 'unreadable' };
  try {
    const digest = copies.keep(content, isSynced);
    copied.set(digest, content.length);
    return { digest };
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause;
    return { lacks: 'full' };
  }
}
