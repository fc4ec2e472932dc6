import { type Context, createContext, Script } from 'node:vm';

/** How often work is begun again that was hardly given the processor: the clock ran, and it did not. */
const mostTries = 50;

/**
 * Runs what somebody who is not to be trusted may have made slow, for so many milliseconds of the processor and no longer:
 * on a busy machine, work that has had less is begun again. Only what runs in a context of its own can be ended; that is
 * made when it is first needed. `done` is false where the time was over. What the work throws is thrown.
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

/** What this thread has had of it, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** It may be an error of another context. */
function isTimeout(cause: unknown): boolean {
  const isObject = typeof cause === 'object' && cause !== null;
  return isObject && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** How long a pattern may look at one text, and all patterns at all texts of one value, in milliseconds. */
const patience = 50;
const patienceInAll = 200;

/**
 * The patterns of somebody who is not to be trusted, in the form that the validator wants. A text that takes too long to be
 * looked at counts as one that fits, and so does every text when the time for all of them is over.
 */
export function createBoundedPatterns() {
  const run = createBoundedRun();
  let left = patienceInAll;
  return {
    /** Another value is looked at: there is time again. */
    begin(): void {
      left = patienceInAll;
    },
    /** Throws what `RegExp` throws. By its words as a text, the validator tells one from another. */
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

/** One of them, which has its time for itself. Throws what `RegExp` throws. */
export function boundedPattern(source: string, flags: string): (text: string) => boolean {
  const { begin, pattern } = createBoundedPatterns();
  const { test } = pattern(source, flags);
  return (text) => {
    begin();
    return test(text);
  };
}
