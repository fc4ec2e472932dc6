import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../lib/clock.ts';
import type { ProcessReply } from './worker-process.ts';

/** A function that a module exports, and that a worker can call: what goes in and out of it can be cloned. */
export interface WorkerFunction<Input, Output> {
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
  | { readonly type: 'stopped' }
  /** It threw, or ended without a result. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * Calls the function in a process of its own, which sees no environment variables, and ends the process afterwards, or
 * when it takes too long or too much. A thread would not do: what exhausts the memory at one stroke kills all threads
 * of a process. Rejects only for an input that cannot be cloned. If all processes are busy, the work waits for its
 * turn.
 */
export type RunInWorker = <Input, Output>(
  work: WorkerFunction<Input, Output>,
  input: Input,
  bounds: WorkerBounds,
) => Promise<WorkerEnding<Awaited<Output>>>;

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

/**
 * Processes for work that must not hold up the others: at most `most` of them at once, default 2, and none while there
 * is no work.
 */
export function workerProcesses({ clock, most = 2 }: { readonly clock: Clock; readonly most?: number }): RunInWorker {
  const busy = new Set<Promise<void>>();
  return async (work, input, bounds) => {
    const { signal } = bounds;
    while (busy.size >= most && !signal.aborted) await Promise.race([...busy, abortOf(signal)]);
    if (signal.aborted) return { type: 'stopped' };
    const worker = startProcess(work, bounds.memory);
    // The next one begins when it is gone.
    const gone = new Promise<void>((resolve) => worker.once('close', () => resolve()));
    busy.add(gone);
    void gone.then(() => busy.delete(gone));
    try {
      return await endingOf(worker, input, clock, bounds);
    } finally {
      worker.kill('SIGKILL');
    }
  };
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function startProcess({ module, name }: Pick<WorkerFunction<never, unknown>, 'module' | 'name'>, memory: number) {
  return fork(fileURLToPath(beside(import.meta.url, './worker-process')), [module, name, String(memory)], {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    // What libraries print there is dropped.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function endingOf<Output>(
  worker: ChildProcess,
  input: unknown,
  clock: Clock,
  { timeout, signal }: WorkerBounds,
): Promise<WorkerEnding<Output>> {
  return new Promise((resolve, reject) => {
    const cancelTimeout = clock.after(timeout, () => finish({ type: 'timed-out' }));
    const stop = (): void => finish({ type: 'stopped' });
    const leave = (): void => {
      cancelTimeout();
      signal.removeEventListener('abort', stop);
    };
    const finish = (ending: WorkerEnding<Output>): void => {
      leave();
      resolve(ending);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    worker.once('message', (reply: ProcessReply & { readonly value: Output }) =>
      finish(reply.type === 'threw' ? { type: 'failed', message: reply.message } : reply),
    );
    worker.once('error', ({ message }) => finish({ type: 'failed', message }));
    // It is killed by the engine, or by the system, when no memory is left; nobody else kills it.
    worker.once('close', (_code, killedBy) =>
      finish(killedBy === null ? { type: 'failed', message: 'It ended without a result.' } : { type: 'out-of-memory' }),
    );
    try {
      // Its end tells that it is gone already.
      worker.send({ input }, () => {});
    } catch (cause) {
      leave();
      reject(cause);
    }
  });
}

function beside(from: string, module: string): URL {
  return new URL(`${module}${extname(new URL(from).pathname)}`, from);
}
