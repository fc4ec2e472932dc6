import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { oneLine } from '../../../lib/plain-text.ts';
import { errorCode } from '../../../tools/guard/workspace/workspace-error.ts';
import { ExtensionError } from '../extension.ts';

export interface FingerprintedFolder {
  /** SHA-256 of the names, modes and contents of everything in it, in hex. */
  readonly fingerprint: string;
  /** Regular files by relative path, with slashes. */
  readonly files: ReadonlyMap<string, FingerprintedFile>;
  /** The content of the `keep` file, if there is one: exactly the bytes that were hashed. */
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

const chunkSize = 2 ** 18;

const mostKept = 2 ** 20;

/**
 * Fingerprints a folder (an absolute path without links): any change to a name, mode or content changes the
 * fingerprint. Rejects with `ExtensionError` if a link leads out of the folder, if it has anything but files, folders and
 * links, or if it is too large. `keep`: the file whose content is returned.
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
    // Sorted by code units: the same order on every machine.
    for (const name of names.sort()) await addEntry(path === '' ? name : `${path}/${name}`);
  }

  async function addEntry(path: string): Promise<void> {
    entries += 1;
    if (entries > maxEntries) throw new ExtensionError(`contains more than ${maxEntries} files and folders`);
    if (path.includes('\ufffd')) throw new ExtensionError(`contains ${quoted(path)}, whose name is not UTF-8`);
    const found = await present(path, lstat(join(folder, path)));
    if (found.isSymbolicLink()) return record(['link', path, await targetOf(path)]);
    if (found.isDirectory()) {
      record(['folder', path, found.mode & 0o7777]);
      return addFolder(path);
    }
    if (!found.isFile())
      throw new ExtensionError(`contains ${quoted(path)}, which is neither a file, a folder nor a link`);
    await addFile(path);
  }

  /** JSON, so that names cannot be ambiguous. */
  function record(parts: readonly (string | number)[]): void {
    hash.update(`${JSON.stringify(parts)}\n`);
  }

  async function targetOf(path: string): Promise<string> {
    const target = await present(path, readlink(join(folder, path)));
    const way = relative(folder, await present(path, realpath(join(folder, path))));
    if (way === '..' || way.startsWith(`..${sep}`))
      throw new ExtensionError(`contains the link ${quoted(path)}, which leads out of it`);
    return target;
  }

  async function addFile(path: string): Promise<void> {
    // O_NONBLOCK: opening a pipe that replaced the file would block.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await present(path, open(join(folder, path), flags));
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new ExtensionError(`was changed while it was read: ${quoted(path)}`);
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
      if (bytes > maxBytes) throw new ExtensionError(`contains more than ${Math.floor(maxBytes / 2 ** 20)} MB`);
      own.update(chunk.subarray(0, bytesRead));
      if (isKept && size > mostKept) throw new ExtensionError(`has a ${keep} of more than 1 MB`);
      if (isKept) kept.push(Buffer.from(chunk.subarray(0, bytesRead)));
    }
    if (isKept) content = Buffer.concat(kept);
    return { sha256: own.digest('hex'), size };
  }

  await addFolder('');
  return { fingerprint: hash.digest('hex'), files, content };
}

/** Turns file system errors into `ExtensionError`, such as when the folder changes during the read. */
async function present<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    const what = path === '' ? `cannot be read (${code})` : `contains ${quoted(path)}, which cannot be read (${code})`;
    throw new ExtensionError(what, { cause });
  }
}

function quoted(path: string): string {
  return `"${oneLine(path, 200)}"`;
}
