// @ts-check
// The bundle: the program in few files, which `scripts/bundle.ts` packs. Reading some eight hundred modules takes a third of the
// processor time of a start. A package has it in its `dist`; a clone where npm keeps caches, and uses it while no source is newer.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where a clone keeps what it is packed into, and the note of which files that was made from. */
export const bundlesOfClone = 'node_modules/.cache/keyturn';
export const noteOfClone = 'bundle.json';
export const sourcesName = 'sources.json';
export const linesEnding = '.lines';
/** Of the number that a line of a chunk has: the others are its file's. */
export const lineBits = 17;

/**
 * What a file was when it was packed. The last one changes with each change of the content, and nobody can set it.
 * @typedef {readonly [path: string, size: number, modified: number, changed: number]} PackedFile
 * @typedef {{ readonly folder: string, readonly files: readonly PackedFile[] }} Note
 */

/**
 * The folder of the bundle to start, if there is one that is made of the very code that is here.
 * @param {{ readonly isBuilt: boolean }} options
 * @returns {string | undefined}
 */
export function findBundle({ isBuilt }) {
  if (isBuilt) {
    return ifWhole(fileURLToPath(new URL('../bundle', import.meta.url)));
  }
  const clone = fileURLToPath(new URL('..', import.meta.url));
  const kept = join(clone, bundlesOfClone);
  try {
    /** @type {Note} */
    const { folder, files } = JSON.parse(readFileSync(join(kept, noteOfClone), 'utf8'));
    return files.every((file) => isUnchanged(clone, file)) ? ifWhole(join(kept, folder)) : undefined;
  } catch {
    return undefined; // None was made, or a source is gone.
  }
}

/** @param {string} folder */
function ifWhole(folder) {
  return existsSync(join(folder, 'main.mjs')) ? folder : undefined;
}

/** @param {string} clone @param {PackedFile} file */
function isUnchanged(clone, [path, size, modified, changed]) {
  const now = statSync(clone + path);
  return now.size === size && now.mtimeMs === modified && now.ctimeMs === changed;
}

/**
 * From now on the stacks of errors name the files and lines that the bundle was packed from. Nothing is kept in memory for it.
 * @param {string} folder
 */
export function nameSources(folder) {
  const place = `${pathToFileURL(folder).href}/`;
  Error.prepareStackTrace = (error, frames) => {
    const stack = [headOf(error), ...frames.map((each) => `    at ${each}`)].join('\n');
    if (!stack.includes(place)) return stack;
    return stack.replace(/\bfile:\/\/[^\s()]+\/([\w.-]+\.mjs):(\d+)(?::\d+)?/g, (whole, name, line) =>
      whole.startsWith(place + name) ? (sourceOf(folder, String(name), Number(line)) ?? whole) : whole,
    );
  };
}

/** @param {unknown} error */
function headOf(error) {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {number} line
 */
function sourceOf(folder, name, line) {
  try {
    const file = openSync(join(folder, name + linesEnding), 'r');
    const place = Buffer.alloc(4);
    const length = readSync(file, place, 0, 4, (line - 1) * 4);
    closeSync(file);
    const packed = place.readUInt32LE();
    if (length < 4 || packed === 0) return undefined;
    /** @type {readonly string[]} */
    const sources = JSON.parse(readFileSync(join(folder, sourcesName), 'utf8'));
    const source = sources[packed >>> lineBits];
    if (source === undefined) return undefined;
    return `${new URL(source, `${pathToFileURL(folder).href}/`).href}:${packed % 2 ** lineBits}`;
  } catch {
    return undefined;
  }
}
