import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, extname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { canonicalJson } from '../../../lib/json.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { errorCode, unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { formatSize } from '../../../tools/text.ts';

/** A file, and exactly what stood in it when it was read. */
export interface ModuleFile {
  /** Absolute, without links. */
  readonly path: string;
  readonly source: Buffer;
}

/** A file with all the files that it imports by relative paths, and those that these import. */
export interface ModuleFiles {
  readonly entry: ModuleFile;
  /** By the paths under which they are imported, which may be links. The entry is among them. */
  readonly files: ReadonlyMap<string, ModuleFile>;
  /** The packages that they import. What is in these is not looked at. */
  readonly packages: readonly string[];
  /** SHA-256 of the names and contents of all files, as 64 hexadecimal digits. */
  readonly fingerprint: string;
}

/** A file cannot be loaded as a module of the operator's. The message says why, after its name. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
}

const mostFiles = 200;
/** In bytes. */
const largestFile = 1_048_576;

/** What a file may be, by its ending; and how Node takes it. */
export const moduleFormats: Readonly<Record<string, string>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.js': 'module',
  '.mjs': 'module',
  '.json': 'json',
};

/**
 * Reads a file with all that belongs to it, once. `isForbidden` says of a path without links that nothing may be
 * loaded from there. Rejects with `ModuleError`.
 */
export async function readModule(path: string, isForbidden: (path: string) => Promise<boolean>): Promise<ModuleFiles> {
  const files = new Map<string, ModuleFile>();
  const packages = new Set<string>();
  const entry = await readFile(path, isForbidden);
  if (entry === undefined) throw new ModuleError(await whyNone(path));
  files.set(path, entry);
  const ways = [{ way: path, from: entry }];
  for (let next = ways.pop(); next !== undefined; next = ways.pop()) {
    for (const specifier of specifiersIn(next.from.source)) {
      const way = pathOf(specifier, next.from.path);
      if (way === undefined) packages.add(specifier);
      if (way === undefined || files.has(way)) continue;
      // What is only spoken of in a comment need not be there; what is missing is found when it is imported.
      const file = await readFile(way, isForbidden);
      if (file === undefined) continue;
      if (files.size >= mostFiles) throw new ModuleError(`imports more than ${mostFiles} files`);
      files.set(way, file);
      ways.push({ way, from: file });
    }
  }
  return { entry, files, packages: [...packages].sort(), fingerprint: fingerprintOf(entry, files) };
}

/** The path that a specifier stands for; undefined if that is for the packages to say. */
export function pathOf(specifier: string, importer: string): string | undefined {
  // Node takes no escaped slashes.
  if (!/^(?:\.{0,2}\/|file:)/.test(specifier) || /%2f|%5c/i.test(specifier)) return undefined;
  const base = pathToFileURL(importer).href;
  return URL.canParse(specifier, base) ? fileURLToPath(new URL(specifier, base)) : undefined;
}

/** Why nothing was found where the config says that there is a file. */
async function whyNone(path: string): Promise<string> {
  const found = await unless(['ENOENT', 'ENOTDIR'], realpath(path));
  if (found === undefined) return 'does not exist: see where the config says that it is';
  return 'is not loaded: its name, and that of the file that a link leads to, has to end in .ts, .mts, .js or .mjs';
}

/** Undefined if there is none, or its ending is none of `moduleFormats`. */
async function readFile(way: string, isForbidden: (path: string) => Promise<boolean>): Promise<ModuleFile | undefined> {
  const name = oneLine(way, 200);
  try {
    const path = await realpath(way);
    if (moduleFormats[extname(path)] === undefined) return undefined;
    if (await isForbidden(path))
      throw new ModuleError(`stands on ${name}, which is in a workspace or in the data folder, where tools write`);
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new ModuleError(`stands on ${name}, which is no file`);
      if (found.size > largestFile) throw new ModuleError(`stands on ${name}, which is larger than 1 MB`);
      return { path, source: await handle.readFile() };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ModuleError(`stands on ${name}, which cannot be read (${code})`, { cause });
  }
}

function fingerprintOf({ path }: ModuleFile, files: ReadonlyMap<string, ModuleFile>): string {
  const hashes = [...files].map(([way, file]) => [
    relative(dirname(path), way),
    createHash('sha256').update(file.source).digest('hex'),
  ]);
  return createHash('sha256')
    .update(canonicalJson(hashes.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))))
    .digest('hex');
}

/** `from '…'` behind an import or export; `import '…'`; `import('…')`. */
const importing =
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*(?<q>['"])(?<from>[^'"\n]+)\k<q>|\bimport\s*(?<r>['"])(?<bare>[^'"\n]+)\k<r>|\bimport\s*\(\s*(?<s>['"`])(?<dynamic>[^'"`$\n]+)\k<s>\s*[,)]/g;

/**
 * What a file imports by names that stand in it. It may find more than there is, as in a comment. What it does not find is
 * refused when it is imported: so nothing is loaded that was not seen here.
 */
function specifiersIn(source: Buffer): readonly string[] {
  const found = Array.from(source.toString().matchAll(importing), ({ groups: { from, bare, dynamic } = {} }) => {
    return from ?? bare ?? dynamic ?? '';
  });
  return [...new Set(found)];
}

/** What belongs to a file that is to be trusted, in lines of markdown. What we `provided` is not named. */
export function contentLines({ entry, files, packages }: ModuleFiles, provided: readonly string[]): readonly string[] {
  const folder = entry.path.slice(0, entry.path.lastIndexOf('/'));
  const names = [...files.values()].map(
    (file) => `${inlineCode(oneLine(relative(folder, file.path), 100))} (${formatSize(file.source.length)})`,
  );
  const others = packages.filter((name) => !provided.includes(name)).map((name) => inlineCode(oneLine(name, 60)));
  return [
    `Files: ${listed(names)}.`,
    ...(others.length === 0 ? [] : [`It imports packages, which are not looked at: ${listed(others)}.`]),
  ];
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 20);
  return words.length === shown.length
    ? shown.join(', ')
    : `${shown.join(', ')} and ${words.length - shown.length} more`;
}
