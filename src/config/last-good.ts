/*
 * Configs that have worked, kept in the data folder: with one of them Keyturn starts where the person's own file can't be used.
 * A copy is the text as it was written, without comments: `${NAME}` stays what it is. A secret that stands in the text itself is left
 * out of the copy, and read from the person's file again when the copy is used, if it still is the same one there.
 */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Node, parseTree, stripComments } from 'jsonc-parser';
import { redactor } from '../tools/guard/redact/redact.ts';
import { ConfigError, holdsSecret, type KeyPath } from './config-error.ts';
import { type Environment, envFileOf, readEnvironment } from './environment.ts';
import { absolutePath, type LoadedConfig, type LoadOptions, loadConfig } from './load.ts';
import { nodeAt, valuesIn } from './source.ts';
import { substitute } from './substitute.ts';

/** So many are kept. */
const most = 5;
/** Stands in a copy where a secret was left out, before its check. */
const leftOut = 'left out of this copy ';

/** A config that worked before. */
export interface LastGood<Opened> {
  readonly opened: Opened;
  /** When it was kept: milliseconds since 1970. */
  readonly keptAt: number;
}

/** Keeps a config that works. The one that was kept last is not kept twice. Rejects with what the disk says. */
export async function keepGood(dataFolder: string, text: string, at: number): Promise<void> {
  const folder = historyIn(dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = withoutSecrets(text);
  const kept = await namesIn(folder);
  const [newest] = kept;
  if (newest !== undefined && (await readFile(join(folder, newest), 'utf8').catch(() => undefined)) === copy) return;
  const passing = join(folder, `${randomBytes(9).toString('base64url')}.tmp`);
  try {
    const file = await open(passing, 'wx', 0o600);
    try {
      await file.writeFile(copy);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(passing, join(folder, nameOf(at, newest)));
  } finally {
    await rm(passing, { force: true });
  }
  const old = (await readdir(folder)).filter((name) => name.endsWith('.tmp') || kept.slice(most - 1).includes(name));
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/** Whether one was kept, so that there was a file; where that is gone, what it said of `data_dir` is not known. */
export async function wasKept(options: LoadOptions): Promise<boolean> {
  return (await keptFor(options)).names.length > 0;
}

/** The newest config that worked and can still be opened, without a `ConfigError`; undefined if there is none. */
export async function lastGood<Opened>(
  options: LoadOptions,
  open: (loaded: LoadedConfig) => Promise<Opened>,
): Promise<LastGood<Opened> | undefined> {
  const { path, present, folder, names } = await keptFor(options);
  for (const name of names) {
    try {
      const text = withSecrets(await readFile(join(folder, name), 'utf8'), present);
      const read = async (file: string): Promise<Uint8Array> => (file === path ? Buffer.from(text) : readFile(file));
      const loaded = await loadConfig({ ...options, explicit: true, readFile: read });
      return { opened: await open(loaded), keptAt: timeOf(name) };
    } catch (error) {
      // Of another version, without a variable that is not set any more, or not to be read: an older one may do.
      if (!(error instanceof ConfigError || (error instanceof Error && 'code' in error))) throw error;
    }
  }
  return undefined;
}

async function keptFor(options: LoadOptions) {
  const path = resolve(options.cwd ?? process.cwd(), options.path);
  const present = parsed(await readFile(path, 'utf8').catch(() => ''));
  const folder = historyIn(await dataFolderOf(present, dirname(path), options.env));
  return { path, present, folder, names: await namesIn(folder).catch(() => []) };
}

function historyIn(dataFolder: string): string {
  return join(dataFolder, 'config-history');
}

/** The newest first. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^\d{15}\.json$/.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/** In milliseconds since 1970, and later than the newest: the clock may have been set back. */
function nameOf(at: number, newest: string | undefined): string {
  const next = Math.max(at, newest === undefined ? 0 : timeOf(newest) + 1);
  return `${String(next).padStart(15, '0')}.json`;
}

function timeOf(name: string): number {
  return Number(name.slice(0, 15));
}

/** As much of it as can be understood. */
function parsed(text: string): Node | undefined {
  return parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
}

/** Where the data are, of a config that can't be used otherwise. */
async function dataFolderOf(tree: Node | undefined, folder: string, env: Environment): Promise<string> {
  const node = nodeAt(tree, ['data_dir']);
  if (node?.type !== 'string') return resolve(folder, 'data');
  const read = readEnvironment(folder, env, (file) => readFile(file));
  const environment = await read.then(({ environment }) => environment).catch(() => env);
  const { value } = substitute(node, environment, envFileOf(folder));
  return absolutePath(String(value), folder);
}

function withoutSecrets(text: string): string {
  return replaced(stripComments(text), (path, value) => {
    const literal = value.replaceAll(/\$\{\w+\}/g, '').trim();
    return literal !== '' && mayHoldSecret(path, literal) ? leftOut + checkOf(value) : value;
  });
}

/** Rather one too many: what is left out is read from the person's file, as long as it stands there. */
function mayHoldSecret(path: KeyPath, literal: string): boolean {
  if (holdsSecret(path) || path.includes('env') || /:\/\/[^\s/@]*:[^\s/@]+@/.test(literal)) return true;
  // An option, a path or a package is none; whatever else is given to a program may be one.
  if (path.includes('args')) return !/^[-./~@][^=:\s]*$/.test(literal);
  if (path.at(-1) === 'url' && !/^https?:\/\/[^/?#]+(?:\/[\w.-]{0,12})*$/.test(literal)) return true;
  if (path.at(-1) === 'command' && /(?:token|key|secret|pass\w*|pat|auth\w*)["']?[ =:]/i.test(literal)) return true;
  return redactor([])(literal) !== literal;
}

/** 20 bits: by chance no other secret has the same, and nobody learns this one from it. */
function checkOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 5);
}

function withSecrets(text: string, present: Node | undefined): string {
  return replaced(text, (path, value) => {
    if (!value.startsWith(leftOut)) return value;
    const found: unknown = nodeAt(present, path)?.value;
    if (typeof found === 'string' && value === leftOut + checkOf(found)) return found;
    // One that is put in its place may be for another server.
    throw new ConfigError([{ key: '', text: 'a secret that stood in the config itself is there no more.' }]);
  });
}

/** The text with other strings in it, and all else as it is. */
function replaced(text: string, change: (path: KeyPath, value: string) => string): string {
  const spans = [...valuesIn(parsed(text))].flatMap(({ node, path }) => {
    if (node.type !== 'string') return [];
    const value = change(path, String(node.value));
    return value === node.value ? [] : [{ node, value }];
  });
  return spans
    .toReversed()
    .reduce(
      (all, { node, value }) =>
        all.slice(0, node.offset) + JSON.stringify(value) + all.slice(node.offset + node.length),
      text,
    );
}
