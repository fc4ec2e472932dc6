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

/** Does the work when its input comes. The engine ends the process when the heap is full. */
function serve([module = '', name = '', memory = '']: readonly string[]): void {
  const most = 2 * Number(memory) + ownMemory;
  new Worker(new URL(import.meta.url), { workerData: { most, parent: process.ppid }, execArgv: [] }).unref();
  process.once('message', async (message) => {
    const reply = await answer(module, name, message);
    process.send?.(reply, undefined, undefined, () => process.exit());
  });
}

/** Ends the process with its parent, or when it takes too much memory. */
function look(): void {
  const { most, parent } = workerData;
  if (process.ppid !== parent || process.memoryUsage.rss() > most) process.kill(process.pid, 'SIGKILL');
}

/** Loads the module and calls the function. */
async function answer(module: string, name: string, message: unknown): Promise<WorkerReply<unknown>> {
  const input = typeof message === 'object' && message !== null && 'input' in message ? message.input : undefined;
  try {
    const { [name]: work } = await import(module);
    // How long a process takes to start is not the work's fault: its time runs from here.
    await new Promise<void>((resolve) => process.send?.('begun', undefined, undefined, () => resolve()));
    return { type: 'done', value: await work(input) };
  } catch (cause) {
    return { type: 'failed', message: cause instanceof Error ? cause.message || cause.name : String(cause) };
  }
}
