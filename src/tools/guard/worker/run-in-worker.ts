import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../lib/clock.ts';
import { WaitingLine } from './waiting-line.ts';
import type { WorkerAssignment, WorkerReply } from './worker-entry.ts';

/** A function that a module exports, and that a worker can call: what goes in and out of it can be cloned. */
export interface WorkerFunction<Input, Output> {
  /** The URL of the module. */
  readonly module: string;
  readonly name: string;
  /** Never set: it carries the types. */
  readonly signature?: (input: Input) => Output;
}

export interface WorkerBounds {
  /** How long the work may take once it has begun, in milliseconds. */
  readonly timeout: number;
  /** How much memory it may take, in bytes: of its heap, and of buffers beside it, each. */
  readonly memory: number;
  readonly signal: AbortSignal;
}

export type WorkerEnding<Output> =
  | { readonly type: 'done'; readonly value: Output }
  | { readonly type: 'timed-out' }
  | { readonly type: 'out-of-memory' }
  /** The signal aborted. */
  | { readonly type: 'stopped' }
  /** It threw, or ended its thread. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * Calls the function in a thread of its own, which sees no environment variables, and ends the thread afterwards, or when it
 * takes too long or too much. Buffers in the input are copied. Rejects only for an input that cannot be cloned. If all threads are busy, the work waits for its turn.
 */
export type RunInWorker = <Input, Output>(
  work: WorkerFunction<Input, Output>,
  input: Input,
  bounds: WorkerBounds,
) => Promise<WorkerEnding<Awaited<Output>>>;

/** How often the memory outside the heap is looked at, in milliseconds: no limit of the thread's own holds it. */
const memoryPace = 100;

/**
 * Names a function of a module that stands beside the caller's, which is given by its `import.meta.url`: `./parse` is
 * `parse.ts` when it runs from the sources, and `parse.js` when it was built.
 */
export function workerFunction<Work extends (input: never) => unknown>(
  from: string,
  module: string,
  name: string,
): WorkerFunction<Parameters<Work>[0], ReturnType<Work>> {
  return { module: beside(from, module).href, name };
}

/** Threads for work that must not hold up the others: at most `most` of them at once, default 2, and none while there is no work. */
export function workerThreads({ clock, most = 2 }: { readonly clock: Clock; readonly most?: number }): RunInWorker {
  const line = new WaitingLine(most);
  return async ({ module, name }, input, bounds) => {
    if (!(await line.enter(bounds.signal))) return { type: 'stopped' };
    let end = async (): Promise<number> => 0;
    try {
      const worker = startWorker({ module, name, input }, bounds.memory);
      end = () => worker.terminate();
      return await endingOf(worker, clock, bounds);
    } finally {
      // A thread in the middle of native work ends only after it: nobody waits for that but the next in line.
      void end().finally(() => line.leave());
    }
  };
}

function startWorker(assignment: WorkerAssignment, memory: number): Worker {
  const worker = new Worker(beside(import.meta.url, './worker-entry'), {
    workerData: assignment,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memory / 2 ** 20) },
  });
  // What libraries print there is nobody's business.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

function endingOf<Output>(
  worker: Worker,
  clock: Clock,
  { timeout, memory, signal }: WorkerBounds,
): Promise<WorkerEnding<Output>> {
  return new Promise((resolve) => {
    const watch = watchMemory(worker, clock, memory, () => finish({ type: 'out-of-memory' }));
    const cancelTimeout = clock.after(timeout, () => finish({ type: 'timed-out' }));
    const stop = (): void => finish({ type: 'stopped' });
    const finish = (ending: WorkerEnding<Output>): void => {
      watch.stop();
      cancelTimeout();
      signal.removeEventListener('abort', stop);
      resolve(ending);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    worker.once('message', (reply: WorkerReply & { readonly value: Output }) => finish(toEnding(reply)));
    worker.once('error', (cause) => finish(toFailure(cause)));
    worker.once('exit', () => finish({ type: 'failed', message: 'It ended without a result.' }));
  });
}

function toEnding<Output>(reply: WorkerReply & { readonly value: Output }): WorkerEnding<Output> {
  switch (reply.type) {
    case 'done':
      return { type: 'done', value: reply.value };
    case 'threw':
      return { type: 'failed', message: reply.message };
  }
}

function toFailure(cause: unknown): WorkerEnding<never> {
  if (!(cause instanceof Error)) return { type: 'failed', message: String(cause) };
  const isMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? { type: 'out-of-memory' } : { type: 'failed', message: cause.message };
}

/** Looks at the buffers of the thread again and again, and tells once when they are too much. */
function watchMemory(worker: Worker, clock: Clock, most: number, tooMuch: () => void): { stop(): void } {
  let cancel = (): void => {};
  let over = false;
  const look = async (): Promise<void> => {
    const buffers = await bufferMemory(worker);
    if (over) return;
    if (buffers > most) tooMuch();
    else wait();
  };
  const wait = (): void => {
    cancel = clock.after(memoryPace, () => void look());
  };
  wait();
  return {
    stop: () => {
      over = true;
      cancel();
    },
  };
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

function beside(from: string, module: string): URL {
  return new URL(`${module}${extname(new URL(from).pathname)}`, from);
}
