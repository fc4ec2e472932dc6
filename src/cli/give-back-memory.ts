import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../lib/clock.ts';
import { youngGenerationLimit } from './young-generation.ts';

interface MemoryParts {
  readonly clock: Clock;
  /** Whether anything runs that a pause would delay. */
  readonly isWorking: () => boolean;
  /** Calls back each time that nothing runs any more. */
  readonly onRest: (listener: () => void) => void;
  /** Default: this process. */
  readonly memory?: Memory;
}

interface Memory {
  /** What the process holds, in bytes. */
  readonly size: () => number;
  /** Gives back all that can be. Blocks the process. */
  readonly collect: () => void;
  /** Called once, after the first time. */
  readonly settle: () => void;
}

/** Messages that waited for the start are answered by then. In ms. */
const afterStart = 1_500;
/** How long nothing has run before memory is given back, in ms. */
const rest = 2_000;
/** Growth that is worth a pause, in bytes. */
const muchGrowth = 24 * 2 ** 20;

/**
 * Gives memory back that is no longer needed: once what only the start needed, about 20 MB of 100, then what a burst of work has
 * left, about 150 MB after 600 messages. V8 would keep both until it is idle for long. Each time blocks the process for 30 to
 * 120 ms, never while something runs. Call when the start is over.
 */
export function giveBackMemory({ clock, isWorking, onRest, memory = ownMemory() }: MemoryParts): void {
  let cancel = (): void => {};
  let size: number | undefined;

  function collect(): void {
    if (isWorking()) return;
    if (size !== undefined && memory.size() - size < muchGrowth) return;
    memory.collect();
    if (size === undefined) memory.settle();
    size = memory.size();
  }

  onRest(() => {
    cancel();
    cancel = clock.after(rest, collect);
  });
  cancel = clock.after(afterStart, collect);
}

function ownMemory(): Memory {
  const limitYoungGeneration = youngGenerationLimit();
  return {
    size: () => process.memoryUsage.rss(),
    collect() {
      collectAll();
      limitYoungGeneration();
    },
    settle() {
      // Otherwise stored only at the end, and never by a process that is killed. Takes about 100 ms after an update.
      flushCompileCache();
    },
  };
}

/** The only way in a process that was started without flags. Compiled code is kept, so that nothing gets slower. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--no-flush-bytecode');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--flush-bytecode');
  setFlagsFromString('--no-expose-gc');
}
