/*
 * Copies of configs that worked, in the data folder: Keyturn starts with one of them if the person's file is unusable. A
 * copy is the text without comments, with `${NAME}` unchanged. A literal secret is left out of the copy. When the copy is
 * used, it is read again from the person's file, if it is still the same.
 */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParseError, parseTree, stripComments, visit } from 'jsonc-parser';
import { type JsonValue, valueAt } from '../lib/json.ts';
import { syncFolder } from '../lib/sync-folder.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { ConfigError, holdsSecret, type KeyPath, spellPath } from './config-error.ts';
import { type ConfigPlace, findDataFolder } from './data-folder.ts';
import { isMark, leftOut } from './left-out.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts';
import { isTooDeep, syntax } from './source.ts';
import { warningWords } from './warnings/words.ts';

/** The number of copies kept. */
const most = 10;

export interface LastGood<Opened> {
  readonly opened: Opened;
  /** In ms since 1970. */
  readonly keptAt: number;
}

/** The newest copy that would have opened with the secrets that stood in the person's file only. */
export interface LacksSecrets {
  readonly keptAt: number;
  /** Spelled as in messages: `channels.telegram.token`. */
  readonly lacking: readonly string[];
}

/** A copy, as a list names it. */
export interface KeptVersion {
  /** From 1, the newest. */
  readonly number: number;
  /** In ms since 1970. */
  readonly keptAt: number;
  /** As it was kept: without comments, with marks in the place of literal secrets. */
  readonly text: string;
}

/** Keeps a config that works, unless it equals the newest copy or is no JSON. Rejects with errors of the file system. */
export async function keepGood(dataFolder: string, text: string, at: number): Promise<void> {
  const folder = historyIn(dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = withoutSecrets(text);
  if (copy === undefined) return;
  const kept = await namesIn(folder);
  const [newest] = kept;
  if (newest !== undefined && (await readFile(join(folder, newest), 'utf8').catch(() => undefined)) === copy) return;
  const passing = join(folder, `${randomBytes(9).toString('base64url')}.tmp`);
  try {
    await writeFile(passing, copy, { flag: 'wx', mode: 0o600, flush: true });
    await rename(passing, join(folder, nameOf(at, newest)));
    // Before an older copy goes.
    await syncFolder(folder);
  } finally {
    await rm(passing, { force: true });
  }
  const old = (await readdir(folder)).filter((name) => name.endsWith('.tmp') || kept.slice(most - 1).includes(name));
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/** Whether a copy exists, so that there once was a config. If that is missing now, its `data_dir` is unknown. */
export async function wasKept(options: LoadOptions): Promise<boolean> {
  return (await keptFor(options)).names.length > 0;
}

/** A config with secrets in itself has no complete copy. Told where it can still be mended: before the file is damaged. */
export function secretWarnings(text: string): readonly InLanguage[] {
  const literal = literalSecrets(text);
  if (literal.length === 0) return [];
  const isOne = literal.length === 1;
  return [(language) => warningWords[language].literalSecrets({ keys: listedKeys(literal, language), isOne })];
}

/** The first three, and how many more there are. */
export function listedKeys(names: readonly string[], language: Language = 'en'): string {
  return warningWords[language].listedKeys({ keys: names.slice(0, 3), more: Math.max(0, names.length - 3) });
}

/** The values that copies leave out because they may be secret, as messages spell their places. */
export function literalSecrets(text: string): readonly string[] {
  const paths: KeyPath[] = [];
  const shapes = redactor([]);
  replaced(text, (path, value) => {
    if (isLeftOut(path, value, shapes)) paths.push(path);
    return value;
  });
  return paths.map(spellPath);
}

/** Where a config that was written from a copy lacks its secrets, as messages spell these places. */
export function lackingSecrets(text: string): readonly string[] {
  return withSecrets(text, null).lacking.map(spellPath);
}

/**
 * The newest copy that opens without a `ConfigError`. If there is none, the newest copy that lacks secrets, because of
 * which it cannot be used; undefined if there is none of these either.
 */
export async function lastGood<Opened>(
  options: LoadOptions,
  open: (loaded: LoadedConfig) => Promise<Opened>,
): Promise<LastGood<Opened> | LacksSecrets | undefined> {
  const { path, present, folder, names } = await keptFor(options);
  let poor: LacksSecrets | undefined;
  for (const name of names) {
    try {
      const { text, lacking } = withSecrets(await readFile(join(folder, name), 'utf8'), present);
      if (lacking.length > 0) {
        poor ??= { keptAt: timeOf(name), lacking: lacking.map(spellPath) };
        continue;
      }
      const read = async (file: string): Promise<Uint8Array> => (file === path ? Buffer.from(text) : readFile(file));
      const loaded = await loadConfig({ ...options, explicit: true, readFile: read });
      return { opened: await open(loaded), keptAt: timeOf(name) };
    } catch (error) {
      // From another version, with a variable that is no longer set, or unreadable: an older copy may work.
      if (!(error instanceof ConfigError || (error instanceof Error && 'code' in error))) throw error;
    }
  }
  return poor;
}

/** The copies, the newest first. One that cannot be read is left out, and keeps its number. */
export async function keptVersions(place: ConfigPlace): Promise<readonly KeptVersion[]> {
  const { folder, names } = await keptFor(place);
  const read = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)));
  return names.flatMap((name, index) => {
    const text = read[index];
    return text === undefined ? [] : [{ number: index + 1, keptAt: timeOf(name), text }];
  });
}

/** A copy with the literal secrets that the present config still has, and the places of those that it has not. */
export function completed(
  { text }: KeptVersion,
  present: JsonValue,
): { readonly text: string; readonly lacking: readonly string[] } {
  const whole = withSecrets(text, present);
  return { text: whole.text, lacking: whole.lacking.map(spellPath) };
}

async function keptFor(place: ConfigPlace) {
  const { path, present, dataFolder } = await findDataFolder(place);
  const folder = historyIn(dataFolder);
  return { path, present, folder, names: await namesIn(folder).catch(() => []) };
}

function historyIn(dataFolder: string): string {
  return join(dataFolder, 'config-history');
}

/** Newest first. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^\d{15}\.json$/.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/** In ms since 1970, and later than the newest, because the clock may have been set back. */
function nameOf(at: number, newest: string | undefined): string {
  const next = Math.max(at, newest === undefined ? 0 : timeOf(newest) + 1);
  return `${String(next).padStart(15, '0')}.json`;
}

function timeOf(name: string): number {
  return Number(name.slice(0, 15));
}

/**
 * The text without comments and without literal secrets: `${NAME}` stays. Undefined if it is no JSON: after a fault the
 * parser skips values, and any of them may be secret.
 */
export function withoutSecrets(text: string): string | undefined {
  const plain = text.replace(/^\uFEFF/, '');
  if (isTooDeep(plain)) return undefined;
  const errors: ParseError[] = [];
  parseTree(plain, errors, syntax);
  if (errors.length > 0) return undefined;
  const shapes = redactor([]);
  return replaced(stripComments(plain), (path, value) =>
    isLeftOut(path, value, shapes) ? leftOut + checkOf(String(value)) : value,
  );
}

/** Whether copies leave this literal value out, since it may be secret. `shapes`: takes out what is shaped like a secret. */
export function isLeftOut(path: KeyPath, value: string | number, shapes: Redactor): boolean {
  if (isMark(value)) return false;
  if (typeof value === 'number') return holdsSecret(path) || path.includes('env');
  const literal = value.replaceAll(/\$\{\w+\}/g, '').trim();
  return literal !== '' && !isPlaceholder(path, literal) && mayHoldSecret(path, literal, shapes);
}

/** What is written as the key of a server that wants none. */
function isPlaceholder(path: KeyPath, literal: string): boolean {
  return path.at(-1) === 'api_key' && placeholder.test(literal);
}

const placeholder =
  /^(?:ollama|lm-?studio|vllm|llama\.?cpp|local|none|null|empty|dummy|no-?key|not-?needed|sk-no-key-required|x+)$/i;

/** Rather too many: a value that is left out is read again from the person's file, as long as it is there. */
export function mayHoldSecret(path: KeyPath, literal: string, shapes = redactor([])): boolean {
  const header = headerName(path);
  if (header !== undefined) return secretHeader.test(header) || looksRandom(literal, shapes);
  if (holdsSecret(path) || path.includes('env') || /:\/\/[^\s/@]*:[^\s/@]+@/.test(literal)) return true;
  // Options, paths, packages and files of programs are not secret; any other argument of a program may be.
  if (path.includes('args'))
    return !/^[-./~@][^=:\s]*$|^[a-z][\w-]{0,40}\.(?:[cm]?[jt]s|py|rb|sh|json|ya?ml|toml)$/i.test(literal);
  if (path.at(-1) === 'url' && !/^https?:\/\/[^/?#]+(?:\/[\w.-]{0,12})*$/.test(literal)) return true;
  if (path.at(-1) === 'command' && /(?:token|key|secret|pass\w*|pat|auth\w*)["']?[ =:]/i.test(literal)) return true;
  return shapes(literal) !== literal;
}

/** `X-Team` of `headers.X-Team`. */
function headerName(path: KeyPath): string | undefined {
  const [parent, name] = path.slice(-2);
  return parent === 'headers' && typeof name === 'string' ? name : undefined;
}

const secretHeader = /auth|key|token|secret|cookie|pass|credential|session|signature/i;

function looksRandom(literal: string, shapes: Redactor): boolean {
  return shapes(literal) !== literal || /^(?=.*\d)\S{20,}$/.test(literal);
}

/** 20 bits: enough that another secret hardly matches, too few to reveal this one. */
function checkOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 5);
}

function withSecrets(text: string, present: JsonValue): { text: string; lacking: readonly KeyPath[] } {
  const lacking: KeyPath[] = [];
  const whole = replaced(text, (path, value) => {
    if (!isMark(value)) return value;
    const found = valueAt(present, path);
    const isScalar = typeof found === 'string' || typeof found === 'number';
    if (isScalar && value === leftOut + checkOf(String(found))) return found;
    // It is gone, or another one replaced it, which may be for another server.
    lacking.push(path);
    return value;
  });
  return { text: whole, lacking };
}

type Scalar = string | number;

/** The text with its strings and numbers changed, and everything else as it is. */
function replaced(text: string, change: (path: KeyPath, value: Scalar) => Scalar): string {
  const parts: string[] = [];
  let at = 0;
  visit(
    text,
    {
      onLiteralValue(value: unknown, offset, length, _line, _column, pathOf) {
        if (typeof value !== 'string' && typeof value !== 'number') return;
        const changed = change(pathOf(), value);
        if (changed === value && typeof value === 'number') return;
        parts.push(text.slice(at, offset), JSON.stringify(changed));
        at = offset + length;
      },
    },
    syntax,
  );
  return parts.join('') + text.slice(at);
}
