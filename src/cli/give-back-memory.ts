import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By then, what had waited for the start has been answered. In milliseconds. */
const afterStart = 1_500;

/**
 * Gives back, once, the memory that only the start has needed: some 20 MB of 100, which V8 would keep until nothing has
 * happened for long. The process stands still for some 30 ms meanwhile. Compiled code is kept, so that nothing gets slower.
 */
export function giveBackMemory(): void {
  setTimeout(collectAll, afterStart).unref();
}

/** The one way to ask for it in a process that was started without flags. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--no-flush-bytecode');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--flush-bytecode');
  setFlagsFromString('--no-expose-gc');
}
