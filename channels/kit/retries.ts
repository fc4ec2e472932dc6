import { ChannelError } from '../../src/contract.ts';
import { type BackOffOptions, backOff } from '../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Goes into the log with the reason of a failure. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Said in the log where the platform refuses it for good. */
  readonly refused: string;
  /** Said in the log before each further try. */
  readonly again: string;
}

/** One request of a start: there is no crowd that chance would have to spread. */
const pauses: BackOffOptions = { firstPause: 1_000, longestPause: 300_000, chance: () => 1 };

/**
 * Does what the channel can do without, and what a platform may refuse: a menu of commands. What fails for now is tried
 * again, ever more seldom, until the signal aborts. Throws only what is no `ChannelError`.
 */
export async function untilDone(work: () => Promise<void>, options: RetryOptions): Promise<void> {
  const { clock, log, signal, fields = {}, refused, again } = options;
  const said = ({ message }: ChannelError): object => ({ ...fields, reason: message });
  try {
    await retried(work, { clock, signal, backOff: pauses, onFailure: (error) => log.debug(said(error), again) });
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    log.warn(said(error), refused);
  }
}

/**
 * Does the work, and tries again what fails for now: `tries` times if that is set. Waits at least as long as the platform
 * asks, but no longer than `longest`. Undefined if the signal aborts before; else throws the last failure.
 */
export async function retried<Result>(
  work: () => Promise<Result>,
  options: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly tries?: number;
    readonly longest?: number;
    readonly backOff?: BackOffOptions;
    /** Told of each failure after which it is tried again. */
    readonly onFailure?: (error: ChannelError) => void;
  },
): Promise<Result | undefined> {
  const { clock, signal, tries = Number.POSITIVE_INFINITY, longest = Number.POSITIVE_INFINITY } = options;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof ChannelError)) throw error;
      const pause = retryPause(error, failures, options.backOff);
      if (pause === undefined || failures >= tries) throw error;
      options.onFailure?.(error);
      await sleep(clock, Math.min(longest, pause), signal);
    }
  }
  return undefined;
}

/**
 * How long to wait, after so many failures of which this is the last, before it is tried again, in milliseconds. At least as
 * long as the platform asks. Undefined where no later try would succeed.
 */
export function retryPause({ fault }: ChannelError, failures: number, options?: BackOffOptions): number | undefined {
  switch (fault.type) {
    case 'rate-limited':
      return Math.max(options?.firstPause ?? 0, fault.retryAfter);
    case 'transient':
    case 'ambiguous':
      return backOff(failures, options);
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}
