import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The path of a program in the folders of a `PATH`; undefined if it is in none. Relative folders do not count. */
export function programOnPath(name: string, path = ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(mayRun);
}

/** Whether it is a file that this user may execute. */
export function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
