import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../lib/clock.ts';
import type { WorkerReply } from './worker-process.ts';

/** A module's export that a worker can call. Its input and output must be cloneable. */
export interface WorkerFunction<Input, Output> {
  readonly module: string;
  readonly name: string;
  /** Never set: it carries the types. */
  readonly signature?: (input: Input) => Output;
}

export interface WorkerBounds {
  /** Time limit for the work once it has begun, in ms. */
  readonly timeout: number;
  /** Memory limit in bytes, for the heap and for the buffers outside it each. */
  readonly memory: number;
  readonly signal: AbortSignal;
}

export type WorkerEnding<Output> = WorkerReply<Output> | { readonly type: 'timed-out' | 'out-of-memory' | 'stopped' };

/**
 * Calls the function in its own process, without environment variables, and kills the process afterwards, or when it
 * exceeds its limits. A thread would not do: one large allocation that exhausts the memory kills all threads of a
 * process. Rejects only if the input cannot be cloned. Waits while all processes are busy.
 */
export type RunInWorker = <Input, Output>(
  work: WorkerFunction<Input, Output>,
  input: Input,
  bounds: WorkerBounds,
) => Promise<WorkerEnding<Awaited<Output>>>;

/**
 * Names a function of a module beside the caller (its `import.meta.url`): `./parse` is `parse.ts` in the sources and
 * `parse.js` in the build.
 */
export function workerFunction<Work extends (input: never) => unknown>(
  from: string,
  module: string,
  name: string,
): WorkerFunction<Parameters<Work>[0], ReturnType<Work>> {
  return { module: beside(from, module).href, name };
}

/** Within this a process has started, in ms: on a small machine that has much to do, that takes many seconds. */
const longestStart = 120_000;

/** Processes for work that must not block the event loop: at most `most` at once, default 2, and none without work. */
export function workerProcesses({ clock, most = 2 }: { readonly clock: Clock; readonly most?: number }): RunInWorker {
  const busy = new Set<Promise<void>>();
  return async (work, input, bounds) => {
    const { signal } = bounds;
    while (busy.size >= most && !signal.aborted) await Promise.race([...busy, once(signal, 'abort')]);
    if (signal.aborted) return { type: 'stopped' };
    const worker = startProcess(work, bounds.memory);
    // The next one starts when this one is gone.
    const gone = new Promise<void>((resolve) => worker.once('close', () => resolve()));
    busy.add(gone);
    void gone.then(() => busy.delete(gone));
    const { promise: ending, resolve: finish } = Promise.withResolvers<WorkerEnding<never>>();
    const stop = (): void => finish({ type: 'stopped' });
    const limit = (milliseconds: number) => clock.after(milliseconds, () => finish({ type: 'timed-out' }));
    let cancelTimeout = limit(longestStart);
    signal.addEventListener('abort', stop, { once: true });
    worker.on('message', (message: WorkerReply<never> | 'begun') => {
      if (message !== 'begun') return finish(message);
      cancelTimeout();
      cancelTimeout = limit(bounds.timeout);
    });
    worker.once('error', ({ message }) => finish({ type: 'failed', message }));
    // Only the engine, the system or its own watch kills it before it has answered: it is out of memory.
    worker.once('close', (_code, killedBy) =>
      finish(killedBy === null ? { type: 'failed', message: 'It ended without a result.' } : { type: 'out-of-memory' }),
    );
    try {
      // If the process is gone already, `close` reports it.
      worker.send({ input }, () => {});
      return await ending;
    } finally {
      cancelTimeout();
      signal.removeEventListener('abort', stop);
      worker.removeAllListeners('message');
      worker.kill('SIGKILL');
    }
  };
}

function startProcess({ module, name }: Pick<WorkerFunction<never, unknown>, 'module' | 'name'>, memory: number) {
  return fork(fileURLToPath(beside(import.meta.url, './worker-process')), [module, name, String(memory)], {
    env: {},
    // Nested documents need a larger stack than the default of about 1 MB. Systems give 8 MB.
    execArgv: [`--max-old-space-size=${Math.ceil(memory / 2 ** 20)}`, '--stack-size=3900'],
    serialization: 'advanced',
    // The output of libraries is dropped.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function beside(from: string, module: string): URL {
  return new URL(`${module}${extname(new URL(from).pathname)}`, from);
}
