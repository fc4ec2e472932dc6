import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser that pages are tested in: `KEYTURN_CHROMIUM`, or one on the path. Undefined: there is none. */
export function findBrowser(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { KEYTURN_CHROMIUM: named, PATH: path = '' } = environment;
  if (named !== undefined && named !== '') return canRun(named) ? named : undefined;
  const folders = path.split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
