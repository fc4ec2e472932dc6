import { ChannelError } from '../../src/contract.ts';
import { type BackOffOptions, backOff } from '../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';

export interface OfferOptions {
  /** As people know it: "Discord". */
  readonly platform: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Goes into the log with the reason of a failure. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** One request of a start: there is no crowd that chance would have to spread. */
const pauses: BackOffOptions = { firstPause: 1_000, longestPause: 300_000, chance: () => 1 };

/**
 * Has a platform offer our commands to people who type "/". The channel can do without, and a platform may refuse it. What
 * fails for now is tried again, ever more seldom, until the signal aborts. Throws only what is no `ChannelError`.
 */
export async function offerCommands(write: () => Promise<void>, options: OfferOptions): Promise<void> {
  const { platform, clock, log, signal, fields } = options;
  const said = ({ message }: ChannelError): object => ({ ...fields, reason: message });
  const onFailure = (error: ChannelError): void => log.debug(said(error), 'the menu of commands will be written again');
  try {
    await retry(write, { clock, signal, backOff: pauses, onFailure });
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    log.warn(said(error), `${platform} refuses the menu of commands`);
  }
}

/** Does once what the channel can do without. Why it fails is said to those who look closely; undefined then. */
export async function bestEffort<Result>(
  work: () => Promise<Result>,
  { log, failure, fields }: { readonly log: Log; readonly failure: string; readonly fields?: object },
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    log.debug({ ...fields, reason: error.message }, failure);
    return undefined;
  }
}

/**
 * Does the work, and tries again what fails for now: `tries` times if that is set. Waits at least as long as the platform
 * asks, but no longer than `longest`. Undefined if the signal aborts before; else throws the last failure.
 */
export async function retry<Result>(
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
      // One that says "in a second" each time is believed less and less.
      return Math.max(backOff(failures, options), fault.retryAfter);
    case 'transient':
    case 'ambiguous':
      return backOff(failures, options);
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}
