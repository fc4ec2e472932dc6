import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerAssignment, WorkerReply } from './worker-entry.ts';

/** The one message that a worker process sends. */
export type ProcessReply = WorkerReply | { readonly type: 'out-of-memory' };

/** How often the memory outside the heap is looked at, in milliseconds: no limit of the thread's own holds it. */
const memoryPace = 100;

serve(process.argv.slice(2));

/**
 * What a worker process does: has a thread do the work, so that it can itself watch the memory, and end at once when nobody
 * waits for the result any more. What is too much for the engine at one stroke kills the process, and nobody else.
 */
function serve([module = '', name = '', memory = '']: readonly string[]): void {
  process.once('disconnect', () => process.exit());
  process.once('message', (message: unknown) => {
    const input = typeof message === 'object' && message !== null && 'input' in message ? message.input : undefined;
    work({ module, name, input }, Number(memory));
  });
}

function work(assignment: WorkerAssignment, memory: number): void {
  const worker = startWorker(assignment, memory);
  const watch = setInterval(() => void look(), memoryPace);
  const look = async (): Promise<void> => {
    if ((await bufferMemory(worker)) > memory) finish({ type: 'out-of-memory' });
  };
  let isOver = false;
  const finish = (reply: ProcessReply): void => {
    clearInterval(watch);
    if (isOver) return;
    isOver = true;
    process.send?.(reply, undefined, undefined, () => process.exit());
  };
  worker.once('message', finish);
  worker.once('error', (cause) => finish(toReply(cause)));
  worker.once('exit', () => process.disconnect());
}

function startWorker(assignment: WorkerAssignment, memory: number): Worker {
  const entry = new URL(`./worker-entry${extname(import.meta.url)}`, import.meta.url);
  return new Worker(entry, {
    workerData: assignment,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memory / 2 ** 20) },
  });
}

function toReply(cause: unknown): ProcessReply {
  if (!(cause instanceof Error)) return { type: 'threw', message: String(cause) };
  const isMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? { type: 'out-of-memory' } : { type: 'threw', message: cause.message };
}

/** In bytes; 0 while the thread does not run yet, or when it has ended, which it says itself. */
async function bufferMemory(worker: Worker): Promise<number> {
  try {
    return (await worker.getHeapStatistics()).external_memory;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_NOT_RUNNING') return 0;
    throw cause;
  }
}
