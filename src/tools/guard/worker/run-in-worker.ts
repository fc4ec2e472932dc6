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
  const line = new WaitingLine(most);
  return async (work, input, bounds) => {
    if (!(await line.enter(bounds.signal))) return { type: 'stopped' };
    const worker = startProcess(work, bounds.memory);
    // The next one begins when it is gone.
    worker.once('close', () => line.leave());
    try {
      return await endingOf(worker, input, clock, bounds);
    } finally {
      worker.kill('SIGKILL');
    }
  };
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

/** Lets so many in at once. Others wait, and are let in in the order in which they came. */
class WaitingLine {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Resolves with true when there is room, or with false when the signal aborts before. Those let in have to `leave`.
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const letIn = (): void => {
        signal.removeEventListener('abort', stop);
        resolve(true);
      };
      const stop = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(letIn), 1);
        resolve(false);
      };
      this.#waiting.push(letIn);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    // The next one takes the place over.
    if (next === undefined) this.#free += 1;
    else next();
  }
}
