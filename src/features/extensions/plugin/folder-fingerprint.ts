import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { oneLine } from '../../../lib/plain-text.ts';
import { errorCode } from '../../../tools/guard/workspace/workspace-error.ts';

export interface FingerprintedFolder {
  /** SHA-256 of the names, the modes and the contents of all that is in it, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Its regular files, by their paths in it with slashes. */
  readonly files: ReadonlyMap<string, FingerprintedFile>;
  /** What stood in the file that was asked for, if it was there: exactly the bytes that the fingerprint is of. */
  readonly content: Buffer | undefined;
}

export interface FingerprintedFile {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly isExecutable: boolean;
}

export interface FingerprintLimits {
  /** Files, folders and links together. Default 10,000. */
  readonly maxEntries?: number;
  /** All files together, in bytes. Default 200 MB. */
  readonly maxBytes?: number;
}

/** A folder is not one that can be pinned. The message says why, after the name of the folder. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

const chunkSize = 2 ** 18;

const mostKept = 2 ** 20;

/**
 * Reads a folder, an absolute path without links, and says what it is by a fingerprint: any change to a name, a mode or a
 * content makes it another one. Links may lead to what is in the folder. Rejects with `FolderError` if one leads out of
 * it, if there is anything but files, folders and links, or too much. `keep` names a file whose content is wanted.
 */
export async function fingerprintFolder(
  folder: string,
  { keep, maxEntries = 10_000, maxBytes = 200 * 2 ** 20 }: FingerprintLimits & { readonly keep?: string } = {},
): Promise<FingerprintedFolder> {
  const hash = createHash('sha256');
  const files = new Map<string, FingerprintedFile>();
  let entries = 0;
  let bytes = 0;
  let content: Buffer | undefined;

  async function addFolder(path: string): Promise<void> {
    const names = await present(path, readdir(join(folder, path)));
    // By their code units, so that the order is the same on every machine.
    for (const name of names.sort()) await addEntry(path === '' ? name : `${path}/${name}`);
  }

  async function addEntry(path: string): Promise<void> {
    entries += 1;
    if (entries > maxEntries) throw new FolderError(`contains more than ${maxEntries} files and folders`);
    if (path.includes('\ufffd')) throw new FolderError(`contains ${quoted(path)}, whose name is not UTF-8`);
    const found = await present(path, lstat(join(folder, path)));
    if (found.isSymbolicLink()) return record(['link', path, await targetOf(path)]);
    if (found.isDirectory()) {
      record(['folder', path, found.mode & 0o7777]);
      return addFolder(path);
    }
    if (!found.isFile())
      throw new FolderError(`contains ${quoted(path)}, which is neither a file, a folder nor a link`);
    await addFile(path);
  }

  /** Unambiguous whatever the names contain. */
  function record(parts: readonly (string | number)[]): void {
    hash.update(`${JSON.stringify(parts)}\n`);
  }

  async function targetOf(path: string): Promise<string> {
    const target = await present(path, readlink(join(folder, path)));
    const way = relative(folder, await present(path, realpath(join(folder, path))));
    if (way === '..' || way.startsWith(`..${sep}`))
      throw new FolderError(`contains the link ${quoted(path)}, which leads out of it`);
    return target;
  }

  async function addFile(path: string): Promise<void> {
    // A pipe that took its place would else be waited for.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await present(path, open(join(folder, path), flags));
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new FolderError(`was changed while it was read: ${quoted(path)}`);
      const { sha256, size } = await digest(file, path === keep);
      const mode = found.mode & 0o7777;
      record(['file', path, mode, size, sha256]);
      files.set(path, { sha256, size, isExecutable: (mode & 0o111) !== 0 });
    } finally {
      await file.close();
    }
  }

  async function digest(
    file: FileHandle,
    isKept: boolean,
  ): Promise<{ readonly sha256: string; readonly size: number }> {
    const own = createHash('sha256');
    const chunk = Buffer.allocUnsafe(chunkSize);
    const kept: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      size += bytesRead;
      bytes += bytesRead;
      if (bytes > maxBytes) throw new FolderError(`contains more than ${Math.floor(maxBytes / 2 ** 20)} MB`);
      own.update(chunk.subarray(0, bytesRead));
      if (isKept && size > mostKept) throw new FolderError(`has a ${keep} of more than 1 MB`);
      if (isKept) kept.push(Buffer.from(chunk.subarray(0, bytesRead)));
    }
    if (isKept) content = Buffer.concat(kept);
    return { sha256: own.digest('hex'), size };
  }

  await addFolder('');
  return { fingerprint: hash.digest('hex'), files, content };
}

/** If it changes while it is read, the caller must try again. */
async function present<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    const what = path === '' ? `cannot be read (${code})` : `contains ${quoted(path)}, which cannot be read (${code})`;
    throw new FolderError(what, { cause });
  }
}

function quoted(path: string): string {
  return `"${oneLine(path, 200)}"`;
}
