import { ChannelError } from '../../src/contract.ts';
import { type BackOffOptions, backOff, type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';

export interface OfferOptions {
  /** Display name: "Discord". */
  readonly platform: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Added to the log entries. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Without jitter: this is one request per start. */
const pauses: BackOffOptions = { firstPause: 1_000, longestPause: 300_000, chance: () => 1 };

/**
 * Writes the platform's command menu, which is optional: a refusal is logged. Temporary failures are retried with
 * growing pauses until the signal aborts. Throws only what is not a `ChannelError`.
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

/** Runs optional work once. Logs a `ChannelError` at debug level and resolves with undefined. */
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
 * Runs the work with retries, `tries` times at most. Pauses at least as long as the platform asks, but at most
 * `longest`. Undefined if the signal aborts; otherwise throws the last failure.
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  options: {
    readonly clock: Clock;
    readonly signal?: AbortSignal;
    readonly tries?: number;
    readonly longest?: number;
    readonly backOff?: BackOffOptions;
    /** Called for each failure before a retry. */
    readonly onFailure?: (error: ChannelError) => void;
  },
): Promise<Result | undefined> {
  const { clock, signal, tries = Number.POSITIVE_INFINITY, longest = Number.POSITIVE_INFINITY } = options;
  for (let failures = 1; !signal?.aborted; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) return undefined;
      if (!(error instanceof ChannelError)) throw error;
      const pause = retryPause(error, failures, options.backOff);
      if (pause === undefined || failures >= tries) throw error;
      options.onFailure?.(error);
      await sleep(clock, Math.min(longest, pause), signal);
    }
  }
  return undefined;
}

/** The pause before the next retry, in ms, at least as long as the platform asks. Undefined if retrying is useless. */
export function retryPause({ fault }: ChannelError, failures: number, options?: BackOffOptions): number | undefined {
  switch (fault.type) {
    case 'rate-limited':
      // Pauses grow even if the platform always says "in a second".
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
