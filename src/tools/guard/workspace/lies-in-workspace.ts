import { realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { unless } from './workspace-error.ts';

/**
 * Whether a folder, an absolute path without links, is in a workspace or around one. The template is an absolute path
 * that may contain `{channel}` and the like.
 */
export async function liesInWorkspace(folder: string, template: string): Promise<boolean> {
  const [fixed = '', ...variable] = template.split(/\{[^}]*\}/);
  if (variable.length === 0) {
    const workspace = await withoutLinks(fixed);
    return contains(workspace, folder) || contains(folder, workspace);
  }
  // Where a name begins with what is fixed, only the folders above it are known.
  const above = dirname(`${fixed}x`);
  const real = await withoutLinks(above);
  if (contains(folder, real)) return true;
  const rest = [fixed.slice(above.length).replace(/^\//, ''), ...variable].map(literally).join('[^/]*');
  return contains(real, folder) && new RegExp(`^${rest}(?:/|$)`).test(relative(real, folder));
}

async function withoutLinks(path: string): Promise<string> {
  const real = await unless(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'], realpath(path));
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await withoutLinks(dirname(path)), relative(dirname(path), path));
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function literally(text: string): string {
  return text.replaceAll(/[^\w/]/g, '\\$&');
}
