import { readdir, readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { ModuleError } from '../pinned-code/module-files.ts';

/** Where a channel is: an absolute path, or a package and an absolute folder from which it is found. */
export type ChannelPlace =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'package'; readonly name: string; readonly from: string };

/** The file that a channel begins with. Rejects with `ModuleError` if there is none. */
export async function channelEntry(place: ChannelPlace): Promise<string> {
  switch (place.type) {
    case 'path': {
      const found = await unless(absent, stat(place.path));
      if (found === undefined) throw new ModuleError(`does not exist: there is no ${place.path}`);
      return found.isDirectory() ? entryOfFolder(place.path) : place.path;
    }
    case 'package':
      return entryOfFolder(packageFolder(place.name, place.from));
  }
}

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
