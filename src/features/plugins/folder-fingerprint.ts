import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ExtensionError } from '../../extension-kit/extension.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { errorCode } from '../../tools/guard/workspace/workspace-error.ts';
import { pluginWords } from './words.ts';

/** A folder with everything in it. */
export interface FingerprintedFolder {
  readonly fingerprint: string;
  readonly files: ReadonlyMap<string, FingerprintedFile>;
  /** That of the manifest, if there is one, exactly as it was hashed. */
  readonly content: Buffer | undefined;
}

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

interface Reading {
  /** An absolute path without links. */
  readonly folder: string;
  readonly hash: Hash;
  readonly files: Map<string, FingerprintedFile>;
  entries: number;
  bytes: number;
  content: Buffer | undefined;
}

/**
 * Fingerprints a plugin's folder (an absolute path without links) by SHA-256, in hex: any change to a name, mode or
 * content changes it. Rejects with `ExtensionError` if a link leads out of the folder, if it has anything but files,
 * folders and links, or if it is too large.
 */
export async function fingerprintFolder(folder: string): Promise<FingerprintedFolder> {
  const reading: Reading = {
    folder,
    hash: createHash('sha256'),
    files: new Map(),
    entries: 0,
    bytes: 0,
    content: undefined,
  };
  await addFolder('', reading);
  return { fingerprint: reading.hash.digest('hex'), files: reading.files, content: reading.content };
}

async function addFolder(path: string, reading: Reading): Promise<void> {
  const names = await present(path, readdir(join(reading.folder, path)));
  reading.entries += names.length;
  // Before any of them is read.
  if (reading.entries > mostEntries)
    throw new ExtensionError((language) => pluginWords[language].tooManyEntries({ count: mostEntries }));
  // Sorted by code units: the same order on every machine.
  for (const name of names.sort()) await addEntry(path === '' ? name : `${path}/${name}`, reading);
}

async function addEntry(path: string, reading: Reading): Promise<void> {
  if (path.includes('\ufffd'))
    throw new ExtensionError((language) => pluginWords[language].nameNotUtf8({ path: shown(path) }));
  const found = await present(path, lstat(join(reading.folder, path)));
  if (found.isSymbolicLink()) return record(['link', path, await targetOf(path, reading)], reading);
  if (found.isDirectory()) {
    record(['folder', path, found.mode & 0o7777], reading);
    return addFolder(path, reading);
  }
  if (!found.isFile())
    throw new ExtensionError((language) => pluginWords[language].strangeEntry({ path: shown(path) }));
  await addFile(path, reading);
}

/** JSON, so that names cannot be ambiguous. */
function record(parts: readonly (string | number)[], { hash }: Reading): void {
  hash.update(`${JSON.stringify(parts)}\n`);
}

async function targetOf(path: string, { folder }: Reading): Promise<string> {
  const target = await present(path, readlink(join(folder, path)));
  const way = relative(folder, await present(path, realpath(join(folder, path))));
  if (way === '..' || way.startsWith(`..${sep}`))
    throw new ExtensionError((language) => pluginWords[language].leadsOut({ path: shown(path) }));
  return target;
}

async function addFile(path: string, reading: Reading): Promise<void> {
  // O_NONBLOCK: opening a pipe that replaced the file would block.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await present(path, open(join(reading.folder, path), flags));
  const found = await file.stat();
  if (!found.isFile())
    throw new ExtensionError((language) => pluginWords[language].changedMeanwhile({ path: shown(path) }));
  const own = createHash('sha256');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: chunkSize })) {
    size += chunk.length;
    reading.bytes += chunk.length;
    if (reading.bytes > mostBytes)
      throw new ExtensionError((language) => pluginWords[language].tooLarge({ megabytes: mostBytes / 2 ** 20 }));
    if (path === manifestName && size > largestManifest)
      throw new ExtensionError((language) => pluginWords[language].manifestTooLarge({ path }));
    if (path === manifestName) kept.push(chunk);
    own.update(chunk);
  }
  if (path === manifestName) reading.content = Buffer.concat(kept);
  const [sha256, mode] = [own.digest('hex'), found.mode & 0o7777];
  record(['file', path, mode, size, sha256], reading);
  reading.files.set(path, { sha256, isExecutable: (mode & 0o111) !== 0 });
}

/** Turns file system errors into `ExtensionError`, such as when the folder changes during the read. */
async function present<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    throw new ExtensionError(
      (language) =>
        path === ''
          ? pluginWords[language].folderUnreadable({ code })
          : pluginWords[language].entryUnreadable({ path: shown(path), code }),
      { cause },
    );
  }
}

function shown(path: string): string {
  return oneLine(path, 200);
}
