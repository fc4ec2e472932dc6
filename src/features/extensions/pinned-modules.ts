import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { dirname, extname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TrustSubject } from '../../conversation/trust-store.ts';
import { endsWithin } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { errorCode, unless } from '../../tools/guard/workspace/workspace-error.ts';
import { formatSize } from '../../tools/text.ts';
import { type Attempt, type Extension, ExtensionError, type ExtensionParts, extension } from './extension.ts';

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

/** Whether loading from a path (without links) is forbidden, because tools could write there. */
export type IsForbidden = (path: string) => Promise<boolean>;

/** What is special about one kind of pinned module. */
interface PinnedUse extends Omit<Parameters<typeof extension<ModuleFiles>>[0], 'subjectOf' | 'on'> {
  readonly kind: TrustSubject['kind'];
  readonly name: string;
  /** For the owner who decides, in markdown. */
  readonly intro: string;
  /** The path of the file. Rejects with `ExtensionError`. */
  entry(): Promise<string>;
  /** Puts to use what it exports. */
  use(exported: object, attempt: Attempt): Promise<void>;
}

export interface PinnedParts extends ExtensionParts {
  readonly isForbidden: IsForbidden;
}

/** In characters. */
const longestName = 200;
/** How long `stop` waits for a running start, in ms: longer than a start may take. */
const patience = 6_000;

/** An extension that is a file with all its imports: read once, and loaded exactly as it was read. */
export function pinnedModule({ kind, name, intro, entry, use, ...rest }: PinnedUse, parts: PinnedParts) {
  const { clock, ending } = parts.core;
  const loader = pinnedLoader();
  const one: Extension<ModuleFiles> = extension(
    {
      ...rest,
      subjectOf(files) {
        const what = [intro, ...contentLines(files)].join('\n');
        return { kind, name: name.slice(-longestName), fingerprint: files.fingerprint, what };
      },
      on: async (files, attempt) => use(await loader.load(files), attempt),
    },
    parts,
  );
  return {
    ...one,
    read: (): Promise<void> => one.read(async () => readModule(await entry(), parts.isForbidden)),
    async stop(): Promise<void> {
      await endsWithin(one.stop(), { clock, milliseconds: patience, signal: ending });
      loader.close();
    },
  };
}

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

/** Reads a file and everything it imports, once. Rejects with `ExtensionError`. */
async function readModule(path: string, isForbidden: IsForbidden): Promise<ModuleFiles> {
  const files = new Map<string, ModuleFile>();
  const packages = new Set<string>();
  const entry = await readFile(path, isForbidden);
  if (entry === undefined) throw new ExtensionError(await whyNone(path));
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
      if (files.size >= mostFiles) throw new ExtensionError(`imports more than ${mostFiles} files`);
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
      throw new ExtensionError(`stands on ${name}, which is in a workspace or in the data folder, where tools write`);
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) throw new ExtensionError(`stands on ${name}, which is no file`);
    if (found.size > largestFile) throw new ExtensionError(`stands on ${name}, which is larger than 1 MB`);
    return { path, source: await file.readFile() };
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ExtensionError(`stands on ${name}, which cannot be read (${code})`, { cause });
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

/** Lists the reviewed files and the packages, in markdown. */
function contentLines({ entry, files, packages }: ModuleFiles): readonly string[] {
  const folder = entry.path.slice(0, entry.path.lastIndexOf('/'));
  const names = [...files.values()].map(
    (file) => `${inlineCode(oneLine(relative(folder, file.path), 100))} (${formatSize(file.source.length)})`,
  );
  const others = packages
    .filter((name) => !Object.hasOwn(libraries, name))
    .map((name) => inlineCode(oneLine(name, 60)));
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

/** Our own libraries for authors, by the names to import them by. The names without `sdk` were the first ones. */
const libraries: Readonly<Record<string, string>> = {
  '@keyturn/sdk/tool': '../../tools/tool-library',
  'keyturn/tool': '../../tools/tool-library',
  '@keyturn/sdk/channel': '../../conversation/channel-plugins/channel-library',
  'keyturn/channel': '../../conversation/channel-plugins/channel-library',
};

const mark = 'keyturn';

/**
 * Imports modules only from what was read of them before: later changes on disk are not seen, and a file that was not
 * read is refused. Packages resolve as in Node, from the file's place, but for our own libraries.
 */
function pinnedLoader() {
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
    const library = Object.hasOwn(libraries, specifier) ? libraries[specifier] : undefined;
    if (library !== undefined)
      return { url: new URL(`${library}${extname(import.meta.url)}`, import.meta.url).href, shortCircuit: true };
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
