import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export type ProcessReply =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'threw'; readonly message: string }
  | { readonly type: 'out-of-memory' };

/** What the thread is given: which export of the module at that URL to call, and with what. */
interface Assignment {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** How often the memory outside the heap is looked at, in milliseconds: no limit of the thread's own holds it. */
const memoryPace = 100;

if (isMainThread) serve(process.argv.slice(2));
else void answer(workerData);

/**
 * What a worker process does: has a thread do the work, so that it can itself watch the memory, and end at once when
 * nobody waits for the result any more. What is too much for the engine at one stroke kills the process, and nobody
 * else.
 */
function serve([module = '', name = '', memory = '']: readonly string[]): void {
  process.once('disconnect', () => process.exit());
  process.once('message', (message: unknown) => {
    const input = typeof message === 'object' && message !== null && 'input' in message ? message.input : undefined;
    work({ module, name, input }, Number(memory));
  });
}

function work(assignment: Assignment, memory: number): void {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: assignment,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memory / 2 ** 20) },
  });
  const watch = setInterval(() => void look(), memoryPace);
  const look = async (): Promise<void> => {
    if ((await bufferMemory(worker)) > memory) finish({ type: 'out-of-memory' });
  };
  let isOver = false;
  const finish = (reply: ProcessReply): void => {
    clearInterval(watch);
    if (isOver) return;
    isOver = true;
    process.send?.(reply, undefined, undefined, () => process.exit());
  };
  worker.once('message', finish);
  worker.once('error', (cause) => {
    const isMemory = codeOf(cause) === 'ERR_WORKER_OUT_OF_MEMORY';
    finish(isMemory ? { type: 'out-of-memory' } : { type: 'threw', message: messageOf(cause) });
  });
  worker.once('exit', () => process.disconnect());
}

/** In bytes; 0 while the thread does not run yet, or when it has ended, which it says itself. */
async function bufferMemory(worker: Worker): Promise<number> {
  try {
    return (await worker.getHeapStatistics()).external_memory;
  } catch (cause) {
    if (codeOf(cause) === 'ERR_WORKER_NOT_RUNNING') return 0;
    throw cause;
  }
}

/** What the thread does: loads the module, calls the function, and sends what came of it, a failure too. */
async function answer({ module, name, input }: Assignment): Promise<void> {
  let reply: ProcessReply;
  try {
    const { [name]: work } = await import(module);
    reply = { type: 'done', value: await work(input) };
  } catch (cause) {
    reply = { type: 'threw', message: messageOf(cause) };
  }
  parentPort?.postMessage(reply);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
