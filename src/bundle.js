// @ts-check
// The bundle: the program in few files, which `scripts/bundle.ts` packs. Reading some eight hundred modules takes a third of the
// processor time of a start. A package has it in its `dist`; a clone in a folder of its own, and uses it while no source is newer.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where a clone keeps what it is packed into, and the note of which files that was made from. No cache: what runs loads from it. */
export const bundlesOfClone = '.bundles';
export const noteOfClone = 'bundle.json';
export const sourcesName = 'sources.json';
export const linesEnding = '.lines';
/** Of the number that a line of a chunk has: the others are its file's. */
export const lineBits = 17;

/**
 * What a file was when it was packed. The last one changes with each change of the content, and nobody can set it.
 * @typedef {readonly [path: string, size: number, modified: number, changed: number]} PackedFile
 * @typedef {readonly [name: string, size: number]} Chunk
 * @typedef {{ readonly folder: string, readonly chunks: readonly Chunk[], readonly files: readonly PackedFile[] }} Note
 */

/**
 * What a start runs: the bundle in that folder, or the single modules, since none was made, or since that file is not what it was.
 * @typedef {{ readonly folder: string }
 *   | { readonly folder: undefined, readonly differs: string | undefined }} Packed
 */

/**
 * The bundle to start, if there is one that is whole and made of the sources that are here.
 * @param {{ readonly isBuilt: boolean }} options
 * @returns {Packed}
 */
export function findBundle({ isBuilt }) {
  if (isBuilt) {
    const folder = fileURLToPath(new URL('../bundle', import.meta.url));
    return existsSync(join(folder, 'main.mjs')) ? { folder } : { folder: undefined, differs: undefined };
  }
  const clone = fileURLToPath(new URL('..', import.meta.url));
  const kept = join(clone, bundlesOfClone);
  const note = readNote(join(kept, noteOfClone));
  if (note === undefined) return { folder: undefined, differs: undefined };
  const folder = join(kept, note.folder);
  const chunk = note.chunks.find(([name, size]) => statOf(join(folder, name))?.size !== size);
  const differs =
    chunk === undefined
      ? note.files.find((file) => !isUnchanged(clone, file))?.[0]
      : `${bundlesOfClone}/${note.folder}/${chunk[0]}`;
  return differs === undefined ? { folder } : { folder: undefined, differs };
}

/**
 * @param {string} path
 * @returns {Note | undefined}
 */
function readNote(path) {
  try {
    /** @type {Partial<Note>} */
    const { folder, chunks, files } = JSON.parse(readFileSync(path, 'utf8'));
    // A note of an older version has no chunks.
    return folder === undefined || !Array.isArray(chunks) || files === undefined
      ? undefined
      : { folder, chunks, files };
  } catch {
    return undefined; // None was made.
  }
}

/** @param {string} clone @param {PackedFile} file */
function isUnchanged(clone, [path, size, modified, changed]) {
  const now = statOf(clone + path);
  return now?.size === size && now.mtimeMs === modified && now.ctimeMs === changed;
}

/** @param {string} path */
function statOf(path) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // Something else stands where its folder was.
  }
}

/** In a bundle, a file for each process that runs from it. Its name says which one, and its beginning, as numbers are used again. */
const signs = 'alive';

/**
 * While this process runs, `isInUse` knows it. Whoever may not write there leaves no sign.
 * @param {string} folder
 */
export function leaveSign(folder) {
  const sign = join(folder, signs, `${process.pid}-${beginningOf(process.pid) ?? ''}`);
  try {
    mkdirSync(join(folder, signs), { recursive: true });
    for (const name of readdirSync(join(folder, signs)))
      if (!isAlive(name)) rmSync(join(folder, signs, name), { force: true });
    writeFileSync(sign, '');
  } catch {
    return; // The code can be run all the same.
  }
  process.on('exit', () => {
    try {
      rmSync(sign, { force: true });
    } catch {
      // The next one that starts removes it.
    }
  });
}

/**
 * Whether a process runs from the bundle.
 * @param {string} folder
 */
export function isInUse(folder) {
  try {
    return readdirSync(join(folder, signs)).some(isAlive);
  } catch {
    return false; // None has ever done so.
  }
}

/** @param {string} sign */
function isAlive(sign) {
  const [pid = '', beginning = ''] = sign.split('-');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = beginningOf(Number(pid));
  return now === undefined || beginning === '' || now === beginning;
}

/**
 * When a process began, in a unit of the system. Undefined where it does not tell.
 * @param {number} pid
 */
function beginningOf(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name, which may have anything in it.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
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
    const packed = numberAt(join(folder, name + linesEnding), line - 1);
    if (packed === 0) return undefined;
    /** @type {readonly string[]} */
    const sources = JSON.parse(readFileSync(join(folder, sourcesName), 'utf8'));
    const source = sources[packed >>> lineBits];
    if (source === undefined) return undefined;
    return `${new URL(source, `${pathToFileURL(folder).href}/`).href}:${packed % 2 ** lineBits}`;
  } catch {
    return undefined;
  }
}

/**
 * The number of 32 bits that stands there, or 0.
 * @param {string} path
 * @param {number} index
 */
function numberAt(path, index) {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    return readSync(file, bytes, 0, 4, index * 4) < 4 ? 0 : bytes.readUInt32LE();
  } finally {
    closeSync(file);
  }
}
