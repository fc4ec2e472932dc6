import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { oneLine } from '../../../lib/plain-text.ts';
import { errorCode } from '../../../tools/guard/workspace/workspace-error.ts';
import { ExtensionError } from '../extension.ts';

export type FingerprintedFolder = Awaited<ReturnType<typeof fingerprintFolder>>;

/** A file of a folder, by its relative path, with slashes. */
interface FingerprintedFile {
  readonly sha256: string;
  readonly isExecutable: boolean;
}

/** In bytes. */
const chunkSize = 2 ** 18;
const largestManifest = 2 ** 20;
/** All files together, in bytes. */
const mostBytes = 200 * 2 ** 20;
/** Files, folders and links together. */
const mostEntries = 10_000;

export const manifestName = 'plugin.json';

/**
 * Fingerprints a plugin's folder (an absolute path without links) by SHA-256, in hex: any change to a name, mode or
 * content changes it. `content`: that of the manifest, if there is one, exactly as it was hashed. Rejects with
 * `ExtensionError` if a link leads out of the folder, if it has anything but files, folders and links, or if it is too
 * large.
 */
export async function fingerprintFolder(folder: string) {
  const hash = createHash('sha256');
  const files = new Map<string, FingerprintedFile>();
  let entries = 0;
  let bytes = 0;
  let content: Buffer | undefined;

  async function addFolder(path: string): Promise<void> {
    const names = await present(path, readdir(join(folder, path)));
    entries += names.length;
    // Before any of them is read.
    if (entries > mostEntries) throw new ExtensionError(`contains more than ${mostEntries} files and folders`);
    // Sorted by code units: the same order on every machine.
    for (const name of names.sort()) await addEntry(path === '' ? name : `${path}/${name}`);
  }

  async function addEntry(path: string): Promise<void> {
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
    await using file = await present(path, open(join(folder, path), flags));
    const found = await file.stat();
    if (!found.isFile()) throw new ExtensionError(`was changed while it was read: ${quoted(path)}`);
    const own = createHash('sha256');
    const kept: Buffer[] = [];
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: chunkSize })) {
      size += chunk.length;
      bytes += chunk.length;
      if (bytes > mostBytes) throw new ExtensionError(`contains more than ${mostBytes / 2 ** 20} MB`);
      if (path === manifestName && size > largestManifest) throw new ExtensionError(`has a ${path} of more than 1 MB`);
      if (path === manifestName) kept.push(chunk);
      own.update(chunk);
    }
    if (path === manifestName) content = Buffer.concat(kept);
    const [sha256, mode] = [own.digest('hex'), found.mode & 0o7777];
    record(['file', path, mode, size, sha256]);
    files.set(path, { sha256, isExecutable: (mode & 0o111) !== 0 });
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
