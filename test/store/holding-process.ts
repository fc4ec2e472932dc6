import { lockData } from '../../src/store/data-lock.ts';

/** Run as a process of its own: locks the folder that it is given, says so, and waits to be killed. */
export function holdLock(folder: string): void {
  const unlock = lockData(folder);
  process.once('SIGTERM', unlock);
  process.stdout.write('locked\n');
  setInterval(() => {}, 1000);
}
