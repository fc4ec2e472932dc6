import { type Context, createContext, Script } from 'node:vm';

/** How often work is retried if it timed out without getting the processor. */
const mostTries = 50;

/**
 * Runs untrusted, possibly slow work for a limited processor time, in ms. On a busy machine, work that got less than
 * half of it is retried. Only code in a vm context of its own can be interrupted; the context is created on first use.
 * `done` is false on timeout. Throws what the work throws.
 */
export function createBoundedRun() {
  const script = new Script('work()');
  let context: Context | undefined;
  return <Result>(work: () => Result, milliseconds: number): { readonly done: boolean; readonly result?: Result } => {
    context ??= createContext({});
    const before: unknown = context.work;
    let result: Result | undefined;
    context.work = (): void => {
      result = work();
    };
    const timeout = Math.max(1, Math.ceil(milliseconds));
    const begun = processorTime();
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          script.runInContext(context, { timeout });
          return { done: true, result };
        } catch (cause) {
          if (!isTimeout(cause)) throw cause;
        }
        if (processorTime() - begun >= timeout / 2 || tries === mostTries) return { done: false };
      }
    } finally {
      context.work = before;
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

/** Limits in ms: for a pattern on one text, and for all patterns on one value. */
const patience = 50;
const patienceInAll = 200;

/**
 * Untrusted patterns, in the form that the validator wants. A text that takes too long counts as a match, and so does
 * every text once the time for all of them is used up.
 */
export function createBoundedPatterns() {
  const run = createBoundedRun();
  let left = patienceInAll;
  return {
    /** Resets the time limit for another value. */
    begin(): void {
      left = patienceInAll;
    },
    /** Throws what `RegExp` throws. The validator tells patterns apart by `toString`. */
    pattern(source: string, flags: string) {
      const pattern = new RegExp(source, flags);
      const test = (text: string): boolean => {
        if (left <= 0) return true;
        const start = processorTime();
        const { done, result } = run(() => pattern.test(text), Math.min(patience, left));
        left -= processorTime() - start;
        return !done || result === true;
      };
      return { test, toString: () => String(pattern) };
    },
  };
}

/** One untrusted pattern with its own time limit. Throws what `RegExp` throws. */
export function boundedPattern(source: string, flags: string): (text: string) => boolean {
  const { begin, pattern } = createBoundedPatterns();
  const { test } = pattern(source, flags);
  return (text) => {
    begin();
    return test(text);
  };
}
