import { parentPort, workerData } from 'node:worker_threads';

/** What a worker thread is given when it starts. */
export interface WorkerAssignment {
  /** The URL of the module. */
  readonly module: string;
  /** Which of its exports to call. */
  readonly name: string;
  readonly input: unknown;
}

/** The one message that a worker thread sends. */
export type WorkerReply =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'threw'; readonly message: string };

void answer(workerData);

/** What a worker thread does: loads the module, calls the function, and sends what came of it. */
async function answer({ module, name, input }: WorkerAssignment): Promise<void> {
  parentPort?.postMessage(await attempt(module, name, input));
}

/** The last `catch` of the thread: what is thrown here is reported by the thread that asked. */
async function attempt(module: string, name: string, input: unknown): Promise<WorkerReply> {
  try {
    const { [name]: work } = await import(module);
    return { type: 'done', value: await work(input) };
  } catch (cause) {
    return { type: 'threw', message: cause instanceof Error ? cause.message || cause.name : String(cause) };
  }
}
