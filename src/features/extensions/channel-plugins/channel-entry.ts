import { readdir, readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../../../config/schema.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { ModuleError } from '../pinned-modules.ts';

/** The file that a channel begins with, wherever the config says that it is. Rejects with `ModuleError` if there is none. */
export async function channelEntry({ path = '', package: name, from = '' }: ChannelPlace): Promise<string> {
  if (name !== undefined) return entryOfFolder(packageFolder(name, from));
  const found = await unless(absent, stat(path));
  if (found === undefined) throw new ModuleError(`does not exist: there is no ${path}`);
  return found.isDirectory() ? entryOfFolder(path) : path;
}

/** A file or folder; or a package, and a folder from which it is found. */
export type ChannelPlace = Config['channel_plugins'][string];

const absent = ['ENOENT', 'ENOTDIR'];
const usual = ['index.ts', 'index.mts', 'index.js', 'index.mjs'];

async function entryOfFolder(folder: string): Promise<string> {
  const manifest = await unless(absent, readFile(join(folder, 'package.json'), 'utf8'));
  const named = manifest === undefined ? undefined : entryIn(parseJson(manifest));
  if (named !== undefined) return join(folder, named);
  const names = await readdir(folder);
  const name = usual.find((one) => names.includes(one));
  if (name === undefined)
    throw new ModuleError(`has no ${usual.join(', ')} in ${folder}, and no package.json names one`);
  return join(folder, name);
}

function packageFolder(name: string, from: string): string {
  const missing = `is not installed: run "npm install ${name}" in ${from}`;
  try {
    const manifest = findPackageJSON(name, pathToFileURL(join(from, 'config.json')));
    if (manifest !== undefined) return dirname(manifest);
  } catch (cause) {
    throw new ModuleError(missing, { cause });
  }
  throw new ModuleError(missing);
}

/** What a package.json gives to those who import the package. */
function entryIn(manifest: JsonValue | undefined): string | undefined {
  if (!isJsonObject(manifest)) return undefined;
  const { exports, main } = manifest;
  const root = isJsonObject(exports) && exports['.'] !== undefined ? exports['.'] : exports;
  return fileFor(root) ?? (typeof main === 'string' ? main : undefined);
}

const conditions = ['node', 'import', 'module-sync', 'default'];

function fileFor(target: JsonValue | undefined): string | undefined {
  if (typeof target === 'string') return target;
  if (!isJsonObject(target)) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const file = conditions.includes(condition) ? fileFor(inner) : undefined;
    if (file !== undefined) return file;
  }
  return undefined;
}
