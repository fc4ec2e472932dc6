import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export type ProcessReply =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'threw'; readonly message: string }
  | { readonly type: 'out-of-memory' };

/** The thread's task: a module's URL, the export to call, and its input. */
interface Assignment {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** How often the memory outside the heap is checked, in ms: no limit of the thread covers it. */
const memoryPace = 100;

if (isMainThread) serve(process.argv.slice(2));
else void answer(workerData);

/**
 * The process: has a thread do the work, so that it can watch the memory, and exits at once when the parent
 * disconnects. An allocation too large for the engine kills only this process.
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

/** In bytes; 0 before the thread runs and after it has ended, which its events report. */
async function bufferMemory(worker: Worker): Promise<number> {
  try {
    return (await worker.getHeapStatistics()).external_memory;
  } catch (cause) {
    if (codeOf(cause) === 'ERR_WORKER_NOT_RUNNING') return 0;
    throw cause;
  }
}

/** The thread: loads the module, calls the function, and posts the result or the error. */
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
