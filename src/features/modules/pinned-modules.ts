import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { dirname, extname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type Attempt,
  type Extension,
  ExtensionError,
  type ExtensionParts,
  type ExtensionUse,
  extension,
} from '../../extension-kit/extension.ts';
import type { IsForbidden } from '../../extension-kit/forbidden-places.ts';
import type { TrustSubject } from '../../feature-points.ts';
import { endsWithin } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { InLanguage, Language } from '../../lib/words.ts';
import { errorCode, unless } from '../../tools/guard/workspace/workspace-error.ts';
import { formatSize } from '../../tools/text.ts';
import { moduleWords } from './words.ts';

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

/** What is special about one kind of pinned module. */
interface PinnedUse extends Omit<ExtensionUse<ModuleFiles>, 'subjectOf' | 'on'> {
  readonly kind: TrustSubject['kind'];
  readonly name: string;
  /** For the owner who decides, in markdown. */
  readonly intro: InLanguage;
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
export interface PinnedModule extends Omit<Extension<ModuleFiles>, 'read'> {
  read(): Promise<void>;
}

export function pinnedModule({ kind, name, intro, entry, use, ...rest }: PinnedUse, parts: PinnedParts): PinnedModule {
  const { clock, ending } = parts.core;
  const loader = pinnedLoader();
  const one = extension<ModuleFiles>(
    {
      ...rest,
      subjectOf: (files) => ({
        kind,
        name: name.slice(-longestName),
        fingerprint: files.fingerprint,
        what: (language) => [intro(language), ...contentLines(files, language)].join('\n'),
      }),
      on: async (files, attempt) => use(await loader.load(files), attempt),
    },
    parts,
  );
  return {
    ...one,
    read: () => one.read(async () => readModule(await entry(), parts.isForbidden)),
    async stop() {
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
      if (files.size >= mostFiles)
        throw new ExtensionError((language) => moduleWords[language].tooManyFiles({ count: mostFiles }));
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
async function whyNone(path: string): Promise<InLanguage> {
  const found = await unless(['ENOENT', 'ENOTDIR'], realpath(path));
  return (language) => (found === undefined ? moduleWords[language].absent : moduleWords[language].wrongEnding);
}

/** Undefined if there is no such file, or its extension is not in `moduleFormats`. */
async function readFile(way: string, isForbidden: IsForbidden): Promise<ModuleFile | undefined> {
  const file = oneLine(way, 200);
  try {
    const path = await realpath(way);
    if (moduleFormats[extname(path)] === undefined) return undefined;
    if (await isForbidden(path)) throw new ExtensionError((language) => moduleWords[language].inWorkspace({ file }));
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile()) throw new ExtensionError((language) => moduleWords[language].noFile({ file }));
    if (found.size > largestFile) throw new ExtensionError((language) => moduleWords[language].tooLarge({ file }));
    return { path, source: await handle.readFile() };
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ExtensionError((language) => moduleWords[language].unreadable({ file, code }), { cause });
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
function contentLines({ entry, files, packages }: ModuleFiles, language: Language): readonly string[] {
  const words = moduleWords[language];
  const folder = entry.path.slice(0, entry.path.lastIndexOf('/'));
  const names = [...files.values()].map(
    (file) => `${inlineCode(oneLine(relative(folder, file.path), 100))} (${formatSize(file.source.length)})`,
  );
  const others = packages
    .filter((name) => !Object.hasOwn(libraries, name))
    .map((name) => inlineCode(oneLine(name, 60)));
  return [words.files(cutList(names)), ...(others.length === 0 ? [] : [words.packages(cutList(others))])];
}

const mostListed = 20;

function cutList(all: readonly string[]): { readonly names: readonly string[]; readonly more: number } {
  return { names: all.slice(0, mostListed), more: Math.max(0, all.length - mostListed) };
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
interface PinnedLoader {
  load(files: ModuleFiles): Promise<object>;
  /** Later imports by loaded modules go through Node's own loader. */
  close(): void;
}

/** What was read, by the mark in the URLs of its modules. */
type Pinned = ReadonlyMap<string, ModuleFiles>;

function pinnedLoader(): PinnedLoader {
  const pinned = new Map<string, ModuleFiles>();
  const hooks = registerHooks({
    resolve: (specifier, context, next) => resolve(specifier, context.parentURL, pinned) ?? next(specifier, context),
    load: (url, context, next) => sourceAt(url, pinned) ?? next(url, context),
  });
  return {
    async load(files) {
      const id = newId(12);
      pinned.set(id, files);
      const loaded: unknown = await import(markedUrl(files.entry, id));
      return typeof loaded === 'object' && loaded !== null ? loaded : {};
    },
    close: () => hooks.deregister(),
  };
}

function fileOf(url: string | undefined, pinned: Pinned) {
  if (url?.includes(`?${mark}=`) !== true) return undefined;
  const parsed = new URL(url);
  const id = parsed.searchParams.get(mark) ?? '';
  const files = pinned.get(id);
  return files === undefined ? undefined : { id, path: fileURLToPath(parsed), files };
}

function resolve(specifier: string, importer: string | undefined, pinned: Pinned) {
  const importing = fileOf(importer, pinned);
  if (importing === undefined) return undefined;
  const library = Object.hasOwn(libraries, specifier) ? libraries[specifier] : undefined;
  if (library !== undefined)
    return { url: new URL(`${library}${extname(import.meta.url)}`, import.meta.url).href, shortCircuit: true };
  const { id, path, files } = importing;
  const way = pathOf(specifier, path);
  if (way === undefined && !specifier.startsWith('#')) return undefined;
  const file = way === undefined ? undefined : files.files.get(way);
  if (file === undefined) throw notReviewed(specifier);
  return { url: markedUrl(file, id), format: formatOf(file), shortCircuit: true };
}

function sourceAt(url: string, pinned: Pinned) {
  const found = fileOf(url, pinned);
  if (found === undefined) return undefined;
  const file = [...found.files.files.values()].find(({ path }) => path === found.path);
  if (file === undefined) throw notReviewed(found.path);
  return { source: file.source, format: formatOf(file), shortCircuit: true };
}

function markedUrl({ path }: ModuleFile, id: string): string {
  return `${pathToFileURL(path).href}?${mark}=${id}`;
}

function formatOf({ path }: ModuleFile): string {
  return moduleFormats[extname(path)] ?? 'module';
}

function notReviewed(specifier: string): ExtensionError {
  const endings = Object.keys(moduleFormats);
  return new ExtensionError((language) =>
    moduleWords[language].notReviewed({ specifier: JSON.stringify(specifier), endings }),
  );
}
