import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../lib/clock.ts';
import type { ProcessReply } from './worker-process.ts';

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
  /** It threw, or ended without a result. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * Calls the function in a process of its own, which sees no environment variables, and ends the process afterwards, or when
 * it takes too long or too much. A thread would not do: what exhausts the memory at one stroke kills all threads of a
 * process. Rejects only for an input that cannot be cloned. If all processes are busy, the work waits for its turn.
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

/** Processes for work that must not hold up the others: at most `most` of them at once, default 2, and none while there is no work. */
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
    // What libraries print there is nobody's business.
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
    worker.once('message', (reply: ProcessReply & { readonly value: Output }) => finish(toEnding(reply)));
    worker.once('error', ({ message }) => finish({ type: 'failed', message }));
    worker.once('close', (_code, killedBy) => finish(toEndingOf(killedBy)));
    try {
      // That it is gone already is told by its end.
      worker.send({ input }, () => {});
    } catch (cause) {
      leave();
      reject(cause);
    }
  });
}

function toEnding<Output>(reply: ProcessReply & { readonly value: Output }): WorkerEnding<Output> {
  switch (reply.type) {
    case 'done':
      return { type: 'done', value: reply.value };
    case 'threw':
      return { type: 'failed', message: reply.message };
    case 'out-of-memory':
      return { type: 'out-of-memory' };
  }
}

/** It is killed by the engine, or by the system, when there is no more memory to be had; nobody else kills it. */
function toEndingOf(killedBy: string | null): WorkerEnding<never> {
  return killedBy === null ? { type: 'failed', message: 'It ended without a result.' } : { type: 'out-of-memory' };
}

function beside(from: string, module: string): URL {
  return new URL(`${module}${extname(new URL(from).pathname)}`, from);
}

/** Lets so many in at once. Others wait, and are let in in the order in which they came. */
class WaitingLine {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves with true when there is room, or with false when the signal aborts before. Who is let in has to `leave`. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#inside < this.#most) {
      this.#inside += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const letIn = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(letIn), 1);
        resolve(false);
      };
      this.#waiting.push(letIn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    // The next one takes the place over.
    if (next === undefined) this.#inside -= 1;
    else next();
  }
}
