import { type Context, createContext, Script } from 'node:vm';

/** How often work is begun again that was hardly given the processor: the clock ran, and it did not. */
const mostTries = 50;

/**
 * Runs what somebody who is not to be trusted may have made slow, for so many milliseconds of the processor and no longer:
 * on a busy machine, work that has had less is begun again. Only what runs in a context of its own can be ended; that is
 * made when it is first needed.
 */
export class BoundedRun {
  readonly #script = new Script('work()');
  #context: Context | undefined;

  /** `done` is false where the time was over. What the work throws is thrown. */
  run<Result>(work: () => Result, milliseconds: number): { readonly done: boolean; readonly result?: Result } {
    this.#context ??= createContext({});
    const context = this.#context;
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
          this.#script.runInContext(context, { timeout });
          return { done: true, result };
        } catch (cause) {
          if (!isTimeout(cause)) throw cause;
        }
        if (processorTime() - begun >= timeout / 2 || tries === mostTries) return { done: false };
      }
    } finally {
      context.work = before;
    }
  }
}

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
export class BoundedPatterns {
  readonly #bounded = new BoundedRun();
  #left = patienceInAll;

  /** Another value is looked at: there is time again. */
  begin(): void {
    this.#left = patienceInAll;
  }

  /** Throws what `RegExp` throws. By its words as a text, the validator tells one from another. */
  readonly pattern = (source: string, flags: string) => {
    const pattern = new RegExp(source, flags);
    return { test: (text: string): boolean => this.#test(pattern, text), toString: () => String(pattern) };
  };

  #test(pattern: RegExp, text: string): boolean {
    if (this.#left <= 0) return true;
    const start = processorTime();
    const { done, result } = this.#bounded.run(() => pattern.test(text), Math.min(patience, this.#left));
    this.#left -= processorTime() - start;
    return !done || result === true;
  }
}

export function boundedPattern(source: string, flags: string): { test(text: string): boolean } {
  const patterns = new BoundedPatterns();
  const pattern = patterns.pattern(source, flags);
  return {
    test(text) {
      patterns.begin();
      return pattern.test(text);
    },
  };
}
