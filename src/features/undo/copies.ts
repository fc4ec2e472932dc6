import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readdir, readFile, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolderNow } from '../../lib/sync-folder.ts';
import { absent, unless } from '../../tools/guard/workspace/workspace-error.ts';

/**
 * Contents of files, each once, under their SHA-256, in a folder that only its owner can enter. A content is written
 * beside its place and renamed, so that a kill leaves no part of one.
 */
export interface Copies {
  /** Writes the content if it is not there. Throws what the system answers. Returns its digest. */
  keep(content: Buffer, isSynced: boolean): string;
  /** Undefined if it is gone or damaged. */
  read(digest: string): Promise<Buffer | undefined>;
  remove(digests: readonly string[]): Promise<void>;
  /** Whether there may be some. */
  areThere(): boolean;
  /** Removes all but those that are known among the ones that it is asked about, and folders that are empty then. */
  sweep(knownAmong: KnownAmong): Promise<void>;
}

/** Those of some digests whose contents are used. */
export type KnownAmong = (digests: readonly string[]) => Promise<ReadonlySet<string>>;

export function createCopies(folder: string): Copies {
  return {
    keep: (content, isSynced) => keep(content, isSynced, folder),
    read: (digest) => read(digest, folder),
    areThere: () => existsSync(folder),
    remove: (digests) => remove(digests, folder),
    sweep: (knownAmong) => sweep(knownAmong, folder),
  };
}

export function digestOf(content: Buffer): string {
  return hash('sha256', content, 'hex');
}

function keep(content: Buffer, isSynced: boolean, folder: string): string {
  const digest = digestOf(content);
  const path = pathOf(digest, folder);
  if (statSync(path, { throwIfNoEntry: false })?.size === content.length) return digest;
  mkdirSync(join(folder, digest.slice(0, 2)), { recursive: true, mode: 0o700 });
  const passing = `${path}.tmp`;
  const file = openSync(passing, 'w', 0o600);
  try {
    for (let written = 0; written < content.length; ) written += writeSync(file, content, written);
    if (isSynced) fsyncSync(file);
    renameSync(passing, path);
    if (isSynced) syncFolderNow(dirname(path));
  } catch (cause) {
    rmSync(passing, { force: true });
    throw cause;
  } finally {
    closeSync(file);
  }
  return digest;
}

function pathOf(digest: string, folder: string): string {
  return join(folder, digest.slice(0, 2), digest.slice(2));
}

async function read(digest: string, folder: string): Promise<Buffer | undefined> {
  const content = await unless(['ENOENT'], readFile(pathOf(digest, folder)));
  return content !== undefined && digestOf(content) === digest ? content : undefined;
}

async function remove(digests: readonly string[], folder: string): Promise<void> {
  for (const digest of digests) await unless(['ENOENT'], unlink(pathOf(digest, folder)));
}

async function sweep(knownAmong: KnownAmong, folder: string): Promise<void> {
  for (const group of (await unless(absent, readdir(folder))) ?? []) {
    const names = (await unless(absent, readdir(join(folder, group)))) ?? [];
    const known = await knownAmong(names.map((name) => `${group}${name}`));
    for (const name of names)
      if (!known.has(`${group}${name}`)) await unless(absent, unlink(join(folder, group, name)));
    await unless(notEmpty, rmdir(join(folder, group)));
  }
  await unless(notEmpty, rmdir(folder));
}

const notEmpty = [...absent, 'ENOTEMPTY', 'EEXIST'];
