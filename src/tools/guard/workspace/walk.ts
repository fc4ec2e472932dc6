import { mkdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Directory } from './directory.ts';
import {
  findPrivatePlaces,
  isPrivateDirectory,
  isPrivatePath,
  type PrivatePlaces,
  privateRefusal,
  type WalkOptions,
} from './private-places.ts';
import { quotePath, unless, WorkspaceError } from './workspace-error.ts';

/** A name in an open directory, with all links on the way resolved. The name may not exist. */
export interface Place {
  readonly directory: Directory;
  /** `.` if the place is the workspace itself. */
  readonly name: string;
}

/** Opens the directory at a place for the duration of the work, which gets undefined if there is no directory. */
export async function withDirectory<Result>(
  { directory, name }: Place,
  work: (directory: Directory | undefined) => Promise<Result>,
): Promise<Result> {
  if (name === '.') return work(directory);
  const inner = await directory.enter(name);
  try {
    return await work(inner);
  } finally {
    await inner?.close();
  }
}

const mostLinks = 40;

/** A step of the walk: it arrived, or met a link and must start again with its target. */
type Step = { readonly place: Place } | { readonly detour: readonly string[] };

/**
 * Finds the place of a path, passes it to the work, and closes its directory afterwards. Opens one directory after
 * another, so that no link, old or new, leads outside the root. `create`: makes missing directories. Private
 * directories are not entered. Throws `WorkspaceError`, or the error of the operating system.
 */
export async function withPlace<Result>(
  path: string,
  options: WalkOptions & { readonly create: boolean },
  work: (place: Place, places: PrivatePlaces) => Promise<Result>,
): Promise<Result> {
  let names = namesOf(path, options.root);
  await mkdir(options.root, { recursive: true });
  const places = await findPrivatePlaces(options);
  for (let links = 0; links <= mostLinks; links++) {
    const step = await go(names, path, options, places);
    if ('detour' in step) {
      names = step.detour;
      continue;
    }
    try {
      return await work(step.place, places);
    } finally {
      await step.place.directory.close();
    }
  }
  throw new WorkspaceError(`${quotePath(path)} leads through too many links.`);
}

/** The path's names below the root, from its text alone. */
function namesOf(path: string, root: string): readonly string[] {
  if (path.trim() === '')
    throw new WorkspaceError('The path is empty. Give a path in the workspace, such as "notes.txt" or ".".');
  if (path.includes('\0')) throw new WorkspaceError('The path contains a NUL character, which no file name can.');
  if (/^~[^/]*(?:\/|$)/.test(path)) throw outside(path);
  const absolute = resolve(root, path);
  // Longer ones could be created step by step, but not removed.
  if (Buffer.byteLength(absolute) >= longestPath) throw new WorkspaceError(`${quotePath(path)} is too long a path.`);
  return below(absolute, root, path);
}

/** In bytes, as on most systems. */
const longestPath = 4096;

function below(absolute: string, root: string, path: string): readonly string[] {
  const way = relative(root, absolute);
  if (way === '') return [];
  const names = way.split(sep);
  if (isAbsolute(way) || names[0] === '..') throw outside(path);
  return names;
}

function outside(path: string): WorkspaceError {
  return new WorkspaceError(
    `${quotePath(path)} is outside the workspace. Only files in the workspace can be used: give a path relative to it.`,
  );
}

async function go(
  names: readonly string[],
  path: string,
  { root, byHandle, create }: WalkOptions & { readonly create: boolean },
  places: PrivatePlaces,
): Promise<Step> {
  if ((await realpath(root)) !== root) {
    throw new WorkspaceError('The workspace folder was exchanged for a link. Tell the operator.');
  }
  let directory = await Directory.open(root, byHandle);
  try {
    for (const [index, name] of names.entries()) {
      // By its identity: it may have another name.
      if (await isPrivateDirectory(directory, places)) throw privateRefusal(path);
      if (isPrivatePath(join(directory.path, name), places)) throw privateRefusal(path);
      const rest = names.slice(index + 1);
      const target = await directory.link(name);
      if (target !== undefined) {
        const detour = [...below(resolve(directory.path, target), root, path), ...rest];
        // A write must not create the target of a dangling link.
        if (create) await refuseDangling(directory.at(name), path);
        await directory.close();
        return { detour };
      }
      if (rest.length === 0) return { place: { directory, name } };
      if (create) await directory.make(name);
      const next = await directory.enter(name);
      if (next === undefined)
        throw new WorkspaceError(`${quotePath(path)} lies under "${name}", which is not a directory.`);
      await directory.close();
      directory = next;
    }
    if (await isPrivateDirectory(directory, places)) throw privateRefusal(path);
    return { place: { directory, name: '.' } };
  } catch (cause) {
    await directory.close();
    throw cause;
  }
}

async function refuseDangling(link: string, path: string): Promise<void> {
  if ((await unless(['ENOENT', 'ELOOP'], stat(link))) !== undefined) return;
  throw new WorkspaceError(
    `${quotePath(path)} is, or lies under, a link that points to nothing, so it cannot be written.`,
  );
}
