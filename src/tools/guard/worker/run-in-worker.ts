import { type ChildProcess, fork } from 'node:child_process';
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
  /**
   * How long the work may keep the processor, in ms: on a busy machine, `timeout` alone would end harmless work. Looked at
   * ten times a second. Default: as long as `timeout` lets it.
   */
  readonly processorTime?: number;
  /** Memory limit in bytes, for the heap and for the buffers outside it each. */
  readonly memory: number;
  readonly signal: AbortSignal;
  /**
   * The process may work again for the next call with this memory: it saves the start. Only for work that is a pure
   * function of its input, so that no call can see another's. Default: each call has a process of its own.
   */
  readonly isKept?: boolean;
}

export type WorkerEnding<Output> = WorkerReply<Output> | { readonly type: 'timed-out' | 'out-of-memory' | 'stopped' };

/**
 * Calls the function in another process, without environment variables, and kills the process afterwards, unless it
 * is kept, or when it exceeds its limits. A thread would not do: one large allocation that exhausts the memory kills all threads of a
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

/** How long a kept process waits for more work, in ms. */
const longestIdle = 120_000;

/**
 * Processes for work that must not block the event loop: at most `most` work at once, default 2. One that is kept waits
 * for two minutes; otherwise there are none without work.
 */
export function workerProcesses({ clock, most = 2 }: { readonly clock: Clock; readonly most?: number }): RunInWorker {
  const busy = new Set<Promise<void>>();
  const idle = new IdleProcesses(clock);
  return async (work, input, bounds) => {
    const { signal, memory } = bounds;
    while (busy.size >= most && !signal.aborted) await Promise.race([...busy, once(signal, 'abort')]);
    if (signal.aborted) return { type: 'stopped' };
    const worker = (bounds.isKept === true ? idle.take(memory) : undefined) ?? startProcess(memory);
    // The next one starts when this one is gone, or ready.
    const { promise: free, resolve: release } = Promise.withResolvers<void>();
    busy.add(free);
    void free.then(() => busy.delete(free));
    worker.once('close', release);
    // It may say so in the same breath as it answers.
    const ready = isReady(worker);
    const ending = await orderWork(worker, { ...work, input }, { clock, bounds });
    if (bounds.isKept !== true || ending.type !== 'done') worker.kill('SIGKILL');
    else
      void ready.then(() => {
        if (idle.keep(worker, memory)) worker.off('close', release);
        release();
      });
    return ending;
  };
}

/** Kept processes: at most one for each size of memory. */
class IdleProcesses {
  readonly #clock: Clock;
  readonly #waiting = new Map<number, { readonly worker: ChildProcess; readonly forget: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(memory: number): ChildProcess | undefined {
    const worker = this.#waiting.get(memory)?.worker;
    if (worker === undefined) return undefined;
    this.#waiting.get(memory)?.forget();
    worker.ref();
    worker.channel?.ref();
    return worker.connected && worker.exitCode === null ? worker : undefined;
  }

  /** False if one waits already: then this one is killed. */
  keep(worker: ChildProcess, memory: number): boolean {
    if (this.#waiting.has(memory)) {
      worker.kill('SIGKILL');
      return false;
    }
    const cancel = this.#clock.after(longestIdle, () => worker.kill('SIGKILL'));
    const forget = (): void => {
      cancel();
      worker.off('close', forget);
      if (this.#waiting.get(memory)?.worker === worker) this.#waiting.delete(memory);
    };
    this.#waiting.set(memory, { worker, forget });
    worker.once('close', forget);
    // It does not keep the daemon from ending, and ends with it.
    worker.unref();
    worker.channel?.unref();
    return true;
  }
}

/** Resolves when the process can work again; never if it ends. */
function isReady(worker: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = (message: unknown): void => {
    if (message !== 'ready') return;
    worker.off('message', hear);
    resolve();
  };
  worker.on('message', hear);
  return promise;
}

interface Order extends Pick<WorkerFunction<never, unknown>, 'module' | 'name'> {
  readonly input: unknown;
}

/** How a process is killed that has used up its processor time: as by the system, for a limit of its own. */
const outOfTime = 'SIGXCPU';

async function orderWork(
  worker: ChildProcess,
  { module, name, input }: Order,
  { clock, bounds }: { readonly clock: Clock; readonly bounds: WorkerBounds },
): Promise<WorkerEnding<never>> {
  const { signal, timeout, processorTime } = bounds;
  const { promise: ending, resolve: finish } = Promise.withResolvers<WorkerEnding<never>>();
  const stop = (): void => finish({ type: 'stopped' });
  const limit = (milliseconds: number) => clock.after(milliseconds, () => finish({ type: 'timed-out' }));
  let cancelTimeout = limit(longestStart);
  const hear = (message: WorkerReply<never> | 'begun' | 'ready'): void => {
    if (message === 'ready') return;
    if (message !== 'begun') {
      finish(message);
      return;
    }
    cancelTimeout();
    cancelTimeout = limit(timeout);
  };
  const fail = ({ message }: Error): void => finish({ type: 'failed', message });
  // Else only the engine, the system or its own watch kills it before it has answered: it is out of memory.
  const close = (_code: unknown, killedBy: unknown): void => {
    if (killedBy === null) finish({ type: 'failed', message: 'It ended without a result.' });
    else finish({ type: killedBy === outOfTime ? 'timed-out' : 'out-of-memory' });
  };
  signal.addEventListener('abort', stop, { once: true });
  worker.on('message', hear).once('error', fail).once('close', close);
  try {
    // If the process is gone already, `close` reports it.
    worker.send({ module, name, input, processorTime }, () => {});
    return await ending;
  } catch (cause) {
    worker.kill('SIGKILL');
    throw cause;
  } finally {
    cancelTimeout();
    signal.removeEventListener('abort', stop);
    worker.off('message', hear).off('error', fail).off('close', close);
  }
}

function startProcess(memory: number): ChildProcess {
  const worker = fork(fileURLToPath(beside(import.meta.url, './worker-process')), [String(memory)], {
    env: {},
    // Nested documents need a larger stack than the default of about 1 MB. Systems give 8 MB.
    execArgv: [`--max-old-space-size=${Math.ceil(memory / 2 ** 20)}`, '--stack-size=3900'],
    serialization: 'advanced',
    // The output of libraries is dropped.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Whoever orders work hears of errors; between orders they end in `close`.
  return worker.on('error', () => {});
}

function beside(from: string, module: string): URL {
  return new URL(`${module}${extname(new URL(from).pathname)}`, from);
}
