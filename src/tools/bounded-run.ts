import { type Context, createContext, Script } from 'node:vm';

/**
 * Runs what somebody who is not to be trusted may have made slow, for so long and no longer, in milliseconds. Only what runs
 * in a context of its own can be ended; that is made when it is first needed.
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
    try {
      this.#script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) });
      return { done: true, ...(result === undefined ? {} : { result }) };
    } catch (cause) {
      if (isTimeout(cause)) return { done: false };
      throw cause;
    } finally {
      context.work = before;
    }
  }
}

/** It may be an error of another context. */
function isTimeout(cause: unknown): boolean {
  const isObject = typeof cause === 'object' && cause !== null;
  return isObject && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
