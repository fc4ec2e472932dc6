import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { dirname, extname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { newId } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { errorCode, unless } from '../../tools/guard/workspace/workspace-error.ts';
import { formatSize } from '../../tools/text.ts';

interface ModuleFile {
  /** Absolute, without links. */
  readonly path: string;
  readonly source: Buffer;
}

/** A file with everything that it imports by path, directly or indirectly. */
export interface ModuleFiles {
  readonly entry: ModuleFile;
  /** By the paths under which they are imported, which may be links. Includes the entry. */
  readonly files: ReadonlyMap<string, ModuleFile>;
  /** The packages that they import. Their contents are not reviewed. */
  readonly packages: readonly string[];
  /** SHA-256 of the names and contents of all files, in hex. */
  readonly fingerprint: string;
}

/** A file cannot be loaded as a module. The message gives the reason, to follow the file's name. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
}

/** Logs an error of an external file and returns it as a sentence. `known`: the reason, if it is an expected one. */
export function faultOf(
  cause: unknown,
  {
    log,
    fields,
    what,
    known,
  }: { readonly log: Log; readonly fields: object; readonly what: string; readonly known?: string },
): string {
  const words = cause instanceof ModuleError ? `it ${cause.message}` : known;
  if (words === undefined) log.error({ ...fields, err: cause }, `${what}: it threw this`);
  else log.error(fields, `${what}: ${words}`);
  return words === undefined ? `it threw ${cause instanceof Error ? cause.message : String(cause)}` : `${words}.`;
}

/** Whether loading from a path (without links) is forbidden, because tools could write there. */
export type IsForbidden = (path: string) => Promise<boolean>;

const mostFiles = 200;
/** In bytes. */
const largestFile = 1_048_576;

/** Allowed extensions, with Node's format names. */
const moduleFormats: Readonly<Record<string, string>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.js': 'module',
  '.mjs': 'module',
  '.json': 'json',
};

/** Reads a file and everything it imports, once. Rejects with `ModuleError`. */
export async function readModule(path: string, isForbidden: IsForbidden): Promise<ModuleFiles> {
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
      // It may only be mentioned in a comment. If it really is missing, its import fails.
      const file = await readFile(way, isForbidden);
      if (file === undefined) continue;
      if (files.size >= mostFiles) throw new ModuleError(`imports more than ${mostFiles} files`);
      files.set(way, file);
      ways.push({ way, from: file });
    }
  }
  return { entry, files, packages: [...packages].sort(), fingerprint: fingerprintOf(entry, files) };
}

/** The path of a specifier; undefined if it names a package. */
function pathOf(specifier: string, importer: string): string | undefined {
  // Node rejects escaped slashes.
  if (!/^(?:\.{0,2}\/|file:)/.test(specifier) || /%2f|%5c/i.test(specifier)) return undefined;
  const base = pathToFileURL(importer).href;
  return URL.canParse(specifier, base) ? fileURLToPath(new URL(specifier, base)) : undefined;
}

/** Why no file was found at the config's path. */
async function whyNone(path: string): Promise<string> {
  const found = await unless(['ENOENT', 'ENOTDIR'], realpath(path));
  if (found === undefined) return 'does not exist: see where the config says that it is';
  return 'is not loaded: its name, and that of the file that a link leads to, has to end in .ts, .mts, .js or .mjs';
}

/** Undefined if there is no such file, or its extension is not in `moduleFormats`. */
async function readFile(way: string, isForbidden: IsForbidden): Promise<ModuleFile | undefined> {
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
  const hashes = [...files].map(([way, file]) => [relative(dirname(path), way), hash('sha256', file.source)]);
  return hash('sha256', canonicalJson(hashes.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))));
}

/** `from '…'` after import or export; `import '…'`; `import('…')`. */
const importing =
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*(?<q>['"])(?<from>[^'"\n]+)\k<q>|\bimport\s*(?<r>['"])(?<bare>[^'"\n]+)\k<r>|\bimport\s*\(\s*(?<s>['"`])(?<dynamic>[^'"`$\n]+)\k<s>\s*[,)]/g;

/**
 * The literal import specifiers in a file. It may find too many, such as in comments. The import of one that it misses
 * is refused at load time, so nothing unreviewed is loaded.
 */
function specifiersIn(source: Buffer): readonly string[] {
  const found = Array.from(source.toString().matchAll(importing), ({ groups: { from, bare, dynamic } = {} }) => {
    return from ?? bare ?? dynamic ?? '';
  });
  return [...new Set(found)];
}

/** Lists the reviewed files and the packages, in markdown. `provided`: our own packages, which are not listed. */
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

const mark = 'keyturn';

/**
 * Imports modules only from what was read of them before: later changes on disk are not seen, and a file that was not
 * read is refused. Packages resolve as in Node, from the file's place. `names` resolve to our own `library`, a path
 * below `src` without its extension.
 */
export function pinnedLoader(names: readonly string[], library: string) {
  const libraryUrl = new URL(`../../${library}${extname(import.meta.url)}`, import.meta.url).href;
  const pinned = new Map<string, ModuleFiles>();

  function fileOf(url: string | undefined) {
    if (url?.includes(`?${mark}=`) !== true) return undefined;
    const parsed = new URL(url);
    const id = parsed.searchParams.get(mark) ?? '';
    const files = pinned.get(id);
    return files === undefined ? undefined : { id, path: fileURLToPath(parsed), files };
  }

  function resolve(specifier: string, importer: string | undefined) {
    const importing = fileOf(importer);
    if (importing === undefined) return undefined;
    if (names.includes(specifier)) return { url: libraryUrl, shortCircuit: true };
    const { id, path, files } = importing;
    const way = pathOf(specifier, path);
    if (way === undefined && !specifier.startsWith('#')) return undefined;
    const file = way === undefined ? undefined : files.files.get(way);
    if (file === undefined) throw new Error(refusal(specifier));
    return { url: markedUrl(file, id), format: formatOf(file), shortCircuit: true };
  }

  function source(url: string) {
    const found = fileOf(url);
    if (found === undefined) return undefined;
    const file = [...found.files.files.values()].find(({ path }) => path === found.path);
    if (file === undefined) throw new Error(refusal(found.path));
    return { source: file.source, format: formatOf(file), shortCircuit: true };
  }

  const hooks = registerHooks({
    resolve: (specifier, context, next) => resolve(specifier, context.parentURL) ?? next(specifier, context),
    load: (url, context, next) => source(url) ?? next(url, context),
  });
  return {
    async load(files: ModuleFiles): Promise<object> {
      const id = newId(12);
      pinned.set(id, files);
      const loaded: unknown = await import(markedUrl(files.entry, id));
      return typeof loaded === 'object' && loaded !== null ? loaded : {};
    },
    /** Later imports by loaded modules go through Node's own loader. */
    close: (): void => hooks.deregister(),
  };
}

function markedUrl({ path }: ModuleFile, id: string): string {
  return `${pathToFileURL(path).href}?${mark}=${id}`;
}

function formatOf({ path }: ModuleFile): string {
  return moduleFormats[extname(path)] ?? 'module';
}

function refusal(specifier: string): string {
  return `It imports ${JSON.stringify(specifier)}, which was not looked at when it was trusted: name the file by its relative path, with its ending (${Object.keys(moduleFormats).join(', ')}), as it stands there.`;
}
