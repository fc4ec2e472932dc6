import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readText } from '../../lib/charset/text-charset.ts';
import { isDeeperThan, isJsonObject, type JsonValue, own, parseJson } from '../../lib/json.ts';
import type { Left, Looking } from './findings.ts';
import { migrateWords } from './words.ts';

/** What a reader collects while it reads: reasons, and what files may name. */
export interface Gathering extends Looking {
  readonly left: Left[];
  /** Further folders of the program, such as a workspace elsewhere. */
  readonly roots: string[];
  /** The names of the MCP servers so far. */
  readonly servers: Set<string>;
  /** The variables that they have so far, and what each stands for: undefined if nobody knows. */
  readonly given: Map<string, string | undefined>;
}

export function gathering(looking: Looking): Gathering {
  return { ...looking, left: [], roots: [looking.folder], servers: new Set(), given: new Map() };
}

/** How large a file may be, in bytes: more is no config, and no memory that somebody reads. */
const mostConfig = 4_000_000;
const mostText = 2_000_000;

/** The text of a file in any charset; undefined if there is none, or if it cannot be read, which `left` then says. */
export async function textOf(path: string, gathered: Gathering, most = mostText): Promise<string | undefined> {
  const file = shortName(path, gathered);
  const leave = (why: Left['why']): undefined => void gathered.left.push({ what: file, file, why });
  try {
    const target = await realpath(path);
    if (!(await staysWithin(target, gathered))) return leave((language) => migrateWords[language].linkOut);
    const found = await stat(target);
    const { size } = found;
    if (!found.isFile()) return leave((language) => migrateWords[language].noFile);
    if (size > most) return leave((language) => migrateWords[language].tooLarge({ size, most }));
    const read = readText(await readFile(target));
    if (read === undefined || read.text.includes('\0')) return leave((language) => migrateWords[language].noText);
    return read.text.replace(/^\u{feff}/u, '');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return leave((language) => migrateWords[language].unreadable({ code }));
  }
}

/** A link may lead anywhere, also that of a folder on the way: what lies outside was never meant for a model. */
async function staysWithin(target: string, { roots }: Gathering): Promise<boolean> {
  const folders = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  return folders.some((folder) => isWithin(target, folder));
}

/**
 * A text for a model, of a folder of such texts: as `textOf`. A link leads to another text of this folder, and to nothing
 * else, since the program keeps tokens near them.
 */
export async function modelTextOf(folder: string, name: string, gathered: Gathering): Promise<string | undefined> {
  const path = join(folder, name);
  const [target, own] = await Promise.all([path, folder].map((one) => realpath(one).catch(() => undefined)));
  if (target === undefined || own === undefined) return textOf(path, gathered);
  if (isWithin(target, own) && /(?:^|[\\/])[^.\\/][^\\/]*\.(?:md|markdown|txt)$/i.test(target))
    return textOf(path, gathered);
  const file = shortName(path, gathered);
  gathered.left.push({ what: file, file, why: (language) => migrateWords[language].linkOut });
  return undefined;
}

/** Whether a path is the folder, or below it. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** As people are told of it: from the program's folder on, if it is there. */
export function shortName(path: string, { folder }: Pick<Looking, 'folder'>): string {
  return isWithin(path, folder) ? relative(folder, path) : path;
}

/** An absolute path of one in the program's config: `~` is the home folder of the user. */
function pathIn(written: string, { folder, home }: Looking): string {
  return written === '~' || /^~[/\\]/.test(written) ? join(home, written.slice(2)) : resolve(folder, written);
}

/** A file or folder that the program's config names is read, wherever it is. */
export function namedIn(written: string | undefined, usual: string, gathered: Gathering): string {
  if (written === undefined) return usual;
  const path = pathIn(written, gathered);
  gathered.roots.push(path);
  return path;
}

export type Syntax = 'json' | 'toml' | 'yaml';

/** Reads a file of data; undefined as for `textOf`, and if it is not in this syntax. */
export async function dataOf(path: string, syntax: Syntax, gathered: Gathering): Promise<JsonValue | undefined> {
  const text = await textOf(path, gathered, mostConfig);
  if (text === undefined || text.trim() === '') return undefined;
  const file = shortName(path, gathered);
  try {
    const data = toJson(await parsed(text, syntax), 0);
    if (!isDeeperThan(data, deepest)) return data;
  } catch (error) {
    const line = lineOf(error, text);
    gathered.left.push({ what: file, file, why: (language) => migrateWords[language].notParsed({ syntax, line }) });
    return undefined;
  }
  gathered.left.push({
    what: file,
    file,
    why: (language) => migrateWords[language].notParsed({ syntax, line: undefined }),
  });
  return undefined;
}

const deepest = 60;

async function parsed(text: string, syntax: Syntax): Promise<unknown> {
  switch (syntax) {
    case 'json':
      // Most is plain JSON, which is read much faster.
      return parseJson(text) ?? (await import('json5')).default.parse(text);
    case 'toml':
      return (await import('smol-toml')).parse(text, { integersAsBigInt: 'asNeeded' });
    case 'yaml': {
      const { parse } = await import('yaml');
      // Python's YAML is of version 1.1, where `off` is false. Ids may be longer than a number is exact.
      const options = {
        version: '1.1',
        intAsBigInt: true,
        uniqueKeys: false,
        maxAliasCount: 100,
        logLevel: 'error',
      } as const;
      return parse(text, options);
    }
  }
}

/** What these libraries make of a text, as JSON. Throws if it is nested too deep. */
function toJson(value: unknown, depth: number): JsonValue {
  if (depth > 2 * deepest) throw new RangeError('nested too deep');
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, depth + 1)]));
}

/** The line of a fault, as far as the library tells. Its words may quote a secret. */
function lineOf(error: unknown, text: string): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('lineNumber' in error && typeof error.lineNumber === 'number') return error.lineNumber;
  if ('line' in error && typeof error.line === 'number') return error.line;
  if (!('pos' in error) || !Array.isArray(error.pos)) return undefined;
  const [position] = error.pos;
  return typeof position === 'number' ? text.slice(0, position).split('\n').length : undefined;
}

/** The texts and numbers of a list, or of a list written with commas, as texts. */
export function idsOf(list: JsonValue | undefined): readonly string[] {
  const items = typeof list === 'string' ? list.split(',') : Array.isArray(list) ? list : [list];
  const ids = items.flatMap((item: JsonValue | undefined) =>
    typeof item === 'string' || typeof item === 'number' ? [String(item).trim()] : [],
  );
  return [...new Set(ids)].filter((id) => id !== '');
}

/** A text that is not blank; numbers count as texts. */
export function wordOf(value: JsonValue | undefined): string | undefined {
  const word = typeof value === 'number' ? String(value) : value;
  return typeof word === 'string' && word.trim() !== '' ? word.trim() : undefined;
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The first of these keys that an object has: programs rename their keys. */
export function firstOf(object: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  if (!isJsonObject(object)) return undefined;
  const key = keys.find((one) => own(object, one) !== undefined && own(object, one) !== null);
  return key === undefined ? undefined : own(object, key);
}
