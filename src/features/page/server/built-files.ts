/*
 * The files of the page as they were built. What is served is in a list made from the folder: no path of a request is ever
 * opened. The build has packed each beside itself. Both are read once, and kept while they are wanted often.
 */

import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Remembered } from '../../../lib/remembered.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';

/** A file as it is sent. */
export interface BuiltFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Undefined if the build has found it no shorter. */
  readonly packed: Uint8Array<ArrayBuffer> | undefined;
  readonly mediaType: string;
  readonly tag: string;
}

export interface BuiltFiles {
  /** The page itself. Undefined if it was never built. */
  index(): Promise<BuiltFile | undefined>;
  /** A file beside it, which keeps its name. */
  beside(name: string): Promise<BuiltFile | undefined>;
  /** A file of `assets`. */
  asset(name: string): Promise<BuiltFile | undefined>;
}

/** In bytes, packed ones included. */
const mostKept = 8 * 2 ** 20;

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

interface FilesState {
  /** Of the build. */
  readonly folder: string;
  readonly kept: Remembered<string, BuiltFile>;
  listed: Listed | undefined;
}

/** What was built, and when. */
interface Listed {
  readonly at: number;
  readonly besides: ReadonlySet<string>;
  readonly assets: ReadonlySet<string>;
}

export function createBuiltFiles(folder: string): BuiltFiles {
  const kept = new Remembered<string, BuiltFile>(mostKept, ({ bytes, packed }) => bytes.length + (packed?.length ?? 0));
  const state: FilesState = { folder, kept, listed: undefined };
  return {
    index: async () => ((await look(state)) === undefined ? undefined : read('index.html', state)),
    beside: async (name) => ((await look(state))?.besides.has(name) === true ? read(name, state) : undefined),
    async asset(name) {
      // A newer build has other names.
      const isKnown = state.listed?.assets.has(name) === true || (await look(state))?.assets.has(name) === true;
      return isKnown ? read(join('assets', name), state) : undefined;
    },
  };
}

/** Looks whether it was built again. */
async function look(state: FilesState): Promise<Listed | undefined> {
  const { folder } = state;
  try {
    const { mtimeMs: at } = await stat(join(folder, 'index.html'));
    if (state.listed?.at === at) return state.listed;
    const [besides, assets] = await Promise.all([filesIn(folder), filesIn(join(folder, 'assets'))]);
    state.listed = { at, besides, assets };
    state.kept.clear();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    state.listed = undefined;
  }
  return state.listed;
}

async function filesIn(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  return new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
}

async function read(name: string, { folder, kept }: FilesState): Promise<BuiltFile> {
  const known = kept.get(name);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(await readFile(join(folder, name)));
  const packed = await unless(['ENOENT'], readFile(join(folder, `${name}.gz`)));
  const file: BuiltFile = {
    bytes,
    packed: packed && new Uint8Array(packed),
    mediaType: mediaTypes[extname(name)] ?? 'application/octet-stream',
    tag: `"${hash('sha256', bytes).slice(0, 32)}"`,
  };
  // What only tools for developers ask for would push out the rest.
  if (extname(name) !== '.map') kept.set(name, file);
  return file;
}
