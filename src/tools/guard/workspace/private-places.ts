import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { quotePath, unless, WorkspaceError } from './workspace-error.ts';

/** What on a disk a file or a directory is, whatever it is called. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** What of Keyturn's own files and folders a workspace could reach, as they stand on the disk now. */
export interface PrivatePlaces {
  readonly paths: readonly string[];
  readonly identities: readonly Identity[];
  /** Two paths that the disk may take for the same are the same after this. */
  readonly fold: (path: string) => string;
}

export interface PrivatePathOptions {
  /** Absolute. They may not exist yet. */
  readonly privatePaths: readonly string[];
  /** The workspace: an absolute path without links. */
  readonly root: string;
  /** As on Linux: names that differ in case or normalisation are different names. */
  readonly byHandle: boolean;
}

/** Looks at the disk. A private folder that the workspace lies in says nothing about the workspace. */
export async function findPrivatePlaces(options: PrivatePathOptions): Promise<PrivatePlaces> {
  const { privatePaths, root, byHandle } = options;
  const fold = byHandle ? asItIs : withoutCase;
  const reals = await Promise.all(privatePaths.map(realPathOf));
  const paths = [...new Set([...privatePaths, ...reals])].filter((path) => path === root || !contains(path, root));
  const found = await Promise.all(paths.map((path) => unless(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'], stat(path))));
  const identities = found.flatMap((each) => (each === undefined ? [] : [{ dev: each.dev, ino: each.ino }]));
  return { paths: paths.map(fold), identities, fold };
}

/** Whether the absolute path is one of the private ones, or lies under one. */
export function isPrivatePath(path: string, { paths, fold }: PrivatePlaces): boolean {
  const folded = fold(path);
  return paths.some((own) => contains(own, folded));
}

/** Whether what stands on the disk is one of them, under whatever name it was found. */
export function isPrivateIdentity({ dev, ino }: Identity, { identities }: PrivatePlaces): boolean {
  return identities.some((own) => own.dev === dev && own.ino === ino);
}

/** What a tool that asks for one of them is told. */
export function privateRefusal(path: string): WorkspaceError {
  return new WorkspaceError(
    `${quotePath(path)} belongs to Keyturn itself (its config, its secrets or its data), so no tool can use it.`,
  );
}

/**
 * Whether a folder, an absolute path without links, is in a workspace or around one. The template is an absolute path
 * that may contain `{channel}` and the like.
 */
export async function liesInWorkspace(folder: string, template: string): Promise<boolean> {
  const [fixed = '', ...variable] = template.split(/\{[^}]*\}/);
  if (variable.length === 0) {
    const workspace = await realPathOf(fixed);
    return contains(workspace, folder) || contains(folder, workspace);
  }
  // Where a name begins with what is fixed, only the folders above it are known.
  const above = dirname(`${fixed}x`);
  const real = await realPathOf(above);
  if (contains(folder, real)) return true;
  const rest = [fixed.slice(above.length).replace(/^\//, ''), ...variable].map(literally).join('[^/]*');
  return contains(real, folder) && new RegExp(`^${rest}(?:/|$)`).test(relative(real, folder));
}

function literally(text: string): string {
  return text.replaceAll(/[^\w/]/g, '\\$&');
}

/** The path without links, as far as it exists. */
async function realPathOf(path: string): Promise<string> {
  const real = await unless(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'], realpath(path));
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

/** Whether the path is the folder, or lies in it. Both are absolute. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function asItIs(path: string): string {
  return path;
}

function withoutCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
