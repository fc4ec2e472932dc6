import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { absent, quotePath, unless, WorkspaceError } from './workspace-error.ts';

/** Identifies a file or directory on a disk, regardless of its name. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** Keyturn's own files and folders that a workspace could reach, as they are on the disk now. */
export interface PrivatePlaces {
  readonly paths: readonly string[];
  readonly identities: readonly Identity[];
  /** Gives paths that the disk may treat as equal one spelling. */
  readonly fold: (path: string) => string;
}

export interface WalkOptions {
  /** Absolute paths, which may not exist yet. */
  readonly privatePaths: readonly string[];
  /** The workspace: an absolute path without links. */
  readonly root: string;
  /** The system has `/proc/self/fd`, and its names are sensitive to case and normalisation. */
  readonly byHandle: boolean;
}

/** Reads the disk. A private folder that contains the workspace does not make the workspace private. */
export async function findPrivatePlaces({ privatePaths, root, byHandle }: WalkOptions): Promise<PrivatePlaces> {
  const fold = (path: string): string => (byHandle ? path : path.normalize('NFC').toLowerCase());
  const reals = await Promise.all(privatePaths.map(realPathOf));
  const paths = [...new Set([...privatePaths, ...reals])].filter((path) => path === root || !contains(path, root));
  const found = await Promise.all(paths.map((path) => unless(absent, stat(path))));
  return { paths: paths.map(fold), identities: found.filter((each) => each !== undefined), fold };
}

/** Whether the absolute path is private or lies under a private one. */
export function isPrivatePath(path: string, { paths, fold }: PrivatePlaces): boolean {
  const folded = fold(path);
  return paths.some((own) => contains(own, folded));
}

/** Whether it is private, under any name. */
export function isPrivateIdentity({ dev, ino }: Identity, { identities }: PrivatePlaces): boolean {
  return identities.some((own) => own.dev === dev && own.ino === ino);
}

export async function isPrivateDirectory(
  directory: { identity(): Promise<Identity> },
  places: PrivatePlaces,
): Promise<boolean> {
  return places.identities.length > 0 && isPrivateIdentity(await directory.identity(), places);
}

export function privateRefusal(path: string): WorkspaceError {
  return new WorkspaceError(
    `${quotePath(path)} belongs to Keyturn itself (its config, its secrets or its data), so no tool can use it.`,
  );
}

/**
 * Whether a folder, an absolute path without links, is in a workspace or contains one. The template is an absolute path
 * with placeholders such as `{channel}`.
 */
export async function liesInWorkspace(folder: string, template: string): Promise<boolean> {
  const [fixed = '', ...variable] = template.split(/\{[^}]*\}/);
  if (variable.length === 0) {
    const workspace = await realPathOf(fixed);
    return contains(workspace, folder) || contains(folder, workspace);
  }
  // A name that begins with fixed text may have any end, so only the folders above it are known.
  const above = dirname(`${fixed}x`);
  const real = await realPathOf(above);
  if (contains(folder, real)) return true;
  const literally = (text: string): string => text.replaceAll(/[^\w/]/g, '\\$&');
  const rest = [fixed.slice(above.length).replace(/^\//, ''), ...variable].map(literally).join('[^/]*');
  return contains(real, folder) && new RegExp(`^${rest}(?:/|$)`).test(relative(real, folder));
}

/** The path with links resolved, as far as it exists. */
async function realPathOf(path: string): Promise<string> {
  const real = await unless(absent, realpath(path));
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

/** Whether the path is the folder, or lies in it. Both are absolute. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
