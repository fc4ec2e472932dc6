import { isMainThread, Worker, workerData } from 'node:worker_threads';

export type WorkerReply<Output> =
  | { readonly type: 'done'; readonly value: Output }
  /** It threw, or ended without a result. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * How often a second thread looks, in ms: the first one may be busy, and no limit of the engine covers the memory outside the
 * heap or the processor time.
 */
const pace = 100;

/** What a process uses besides the heap and the buffers of its work, in bytes. */
const ownMemory = 128 * 2 ** 20;

if (isMainThread) serve(process.argv.slice(2));
else setInterval(look, pace);

/** How many times a process works before it makes room for a new one. */
const mostWork = 100;

/**
 * Does the work when its order comes, again and again. The engine ends the process when the heap is full. While it
 * works it does not listen, so that it ends if the work can come to no result.
 */
function serve([memory = '']: readonly string[]): void {
  const most = 2 * Number(memory) + ownMemory;
  // Shared with the second thread: when the process has to end, by its processor time in ms; 0 if it has not.
  const until = new Int32Array(new SharedArrayBuffer(4));
  new Worker(new URL(import.meta.url), { workerData: { most, until, parent: process.ppid }, execArgv: [] }).unref();
  let done = 0;
  const listen = (): void => {
    process.once('message', async (order) => {
      const reply = await answer(order, until);
      Atomics.store(until, 0, 0);
      done += 1;
      const isSpent = done >= mostWork || process.memoryUsage.rss() > most / 2;
      process.send?.(reply, undefined, undefined, () => {
        if (isSpent) return process.exit();
        listen();
        process.send?.('ready');
      });
    });
  };
  listen();
}

/** Ends the process with its parent, or when it takes too much memory or time. */
function look(): void {
  const { most, until, parent } = workerData;
  if (process.ppid !== parent || process.memoryUsage.rss() > most) process.kill(process.pid, 'SIGKILL');
  const limit = Atomics.load(until, 0);
  if (limit > 0 && processorTime() > limit) process.kill(process.pid, 'SIGXCPU');
}

/** Of all threads of this process so far, in ms. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Loads the module and calls the function. */
async function answer(order: unknown, until: Int32Array): Promise<WorkerReply<unknown>> {
  const field = (name: string): unknown => new Map(Object.entries(order ?? {})).get(name);
  try {
    const { [String(field('name'))]: work } = await import(String(field('module')));
    // How long a process takes to start is not the work's fault: its time runs from here.
    await new Promise<void>((resolve) => process.send?.('begun', undefined, undefined, () => resolve()));
    const limit = field('processorTime');
    if (typeof limit === 'number') Atomics.store(until, 0, Math.ceil(processorTime() + limit));
    return { type: 'done', value: await work(field('input')) };
  } catch (cause) {
    return { type: 'failed', message: cause instanceof Error ? cause.message || cause.name : String(cause) };
  }
}
