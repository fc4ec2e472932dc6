import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../../lib/is-running.ts';

const beginning = 'keyturn-demo-';

/** A folder of its own for one demo, with the number of its process. Removes those that demos which were killed have left. */
export function makeDemoFolder(): string {
  removeLeft();
  const folder = mkdtempSync(join(tmpdir(), beginning));
  writeFileSync(pidFile(folder), String(process.pid));
  return folder;
}

export function removeDemoFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function pidFile(folder: string): string {
  return join(folder, 'demo.pid');
}

function removeLeft(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(beginning))) {
    const folder = join(tmpdir(), name);
    try {
      if (isOurs(folder) && !isRunning(Number(readFileSync(pidFile(folder), 'utf8')))) removeDemoFolder(folder);
    } catch {
      // Another user's, or gone by now.
    }
  }
}

/** Not a link that somebody has put there. */
function isOurs(folder: string): boolean {
  const { uid } = lstatSync(folder);
  return lstatSync(folder).isDirectory() && uid === (process.getuid?.() ?? uid);
}
