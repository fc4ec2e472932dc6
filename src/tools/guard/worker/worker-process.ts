import { isMainThread, Worker, workerData } from 'node:worker_threads';

export type WorkerReply<Output> =
  | { readonly type: 'done'; readonly value: Output }
  /** It threw, or ended without a result. */
  | { readonly type: 'failed'; readonly message: string };

/** How often a second thread looks, in ms: the first one may be busy, and no limit covers the memory outside the heap. */
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
  new Worker(new URL(import.meta.url), { workerData: { most, parent: process.ppid }, execArgv: [] }).unref();
  let done = 0;
  const listen = (): void => {
    process.once('message', async (order) => {
      const reply = await answer(order);
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

/** Ends the process with its parent, or when it takes too much memory. */
function look(): void {
  const { most, parent } = workerData;
  if (process.ppid !== parent || process.memoryUsage.rss() > most) process.kill(process.pid, 'SIGKILL');
}

/** Loads the module and calls the function. */
async function answer(order: unknown): Promise<WorkerReply<unknown>> {
  const field = (name: string): unknown => new Map(Object.entries(order ?? {})).get(name);
  try {
    const { [String(field('name'))]: work } = await import(String(field('module')));
    // How long a process takes to start is not the work's fault: its time runs from here.
    await new Promise<void>((resolve) => process.send?.('begun', undefined, undefined, () => resolve()));
    return { type: 'done', value: await work(field('input')) };
  } catch (cause) {
    return { type: 'failed', message: cause instanceof Error ? cause.message || cause.name : String(cause) };
  }
}
