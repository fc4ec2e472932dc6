import { ChannelError } from '../../contract.ts';
import type { Log } from '../../lib/log.ts';
import { knownFault } from './known-fault.ts';

/** Runs what somebody else has written. */
export class ChannelGuard {
  readonly #name: string;
  readonly #log: Log;

  constructor(name: string, log: Log) {
    this.#name = name;
    this.#log = log;
  }

  /** Rejects with a `ChannelError` and nothing else. What is none counts as refused for good: it would fail again. */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const fault = knownFault(error);
      const words = error instanceof Error ? error.message : String(error);
      if (fault !== undefined) throw new ChannelError(fault, words, { cause: error });
      this.#log.error({ channel: this.#name, err: error }, 'a channel has thrown what is no ChannelError');
      throw new ChannelError({ type: 'permanent' }, `The channel has a fault: ${words}`, { cause: error });
    }
  }

  /** Undefined if it throws, which is logged. */
  quietly<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.#log.error({ channel: this.#name, err: error }, 'a channel has thrown where it may not');
      return undefined;
    }
  }
}
