import { type Context, createContext, Script } from 'node:vm';

/** How often work is retried if it timed out without getting the processor. */
const mostTries = 50;

/**
 * Runs untrusted, possibly slow work for a limited processor time, in ms. On a busy machine, work that got less than
 * half of it is retried. Only code in a vm context of its own can be interrupted; the context is created on first use.
 * Undefined on timeout. Throws what the work throws.
 */
export function createBoundedRun() {
  const script = new Script('work()');
  let context: Context | undefined;
  return <Result>(work: () => Result, timeout: number): Result | undefined => {
    context ??= createContext({});
    let result: Result | undefined;
    context.work = (): void => {
      result = work();
    };
    const begun = processorTime();
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          script.runInContext(context, { timeout });
          return result;
        } catch (cause) {
          if (!isTimeout(cause)) throw cause;
        }
        if (processorTime() - begun >= timeout / 2 || tries === mostTries) return undefined;
      }
    } finally {
      // What it was given may be large.
      context.work = undefined;
    }
  };
}

/** The processor time of this thread, in ms. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The error may come from another context. */
function isTimeout(cause: unknown): boolean {
  const isObject = typeof cause === 'object' && cause !== null;
  return isObject && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** The limit for an untrusted pattern on one text, in ms. */
const patience = 50;

/** Tests texts against an untrusted pattern. One that takes too long counts as a match. Throws what `RegExp` throws. */
export function boundedPattern(source: string, flags: string): (text: string) => boolean {
  const run = createBoundedRun();
  const pattern = new RegExp(source, flags);
  return (text) => run(() => pattern.test(text), patience) ?? true;
}
