import { ChannelError, type MessageRef, type OutboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';

interface PacedOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** When the next request is due, in ms since 1970. Undefined if there is nothing to request. */
  readonly dueAt: () => number | undefined;
  readonly request: () => Promise<void>;
  /** Called after a failure, before the next request is planned. Returns whether to continue. */
  readonly onFailure: (error: ChannelError) => boolean;
}

const mostFailures = 3;

/**
 * Sends the requests that show a growing reply: one at a time, each when it is due. Best effort: stops after three
 * failures in a row, not counting rate limits.
 */
export function pacedRequests({ clock, log, dueAt, request, onFailure }: PacedOptions) {
  let failures = 0;
  let isOver = false;
  let callOff = (): void => {};
  let inFlight: Promise<void> | undefined;

  /** Call it whenever a request may have become due. */
  function plan(): void {
    callOff();
    const due = isOver || inFlight !== undefined ? undefined : dueAt();
    if (due === undefined) return;
    const begin = (): void => {
      inFlight = make();
    };
    const wait = due - clock.now();
    if (wait > 0) callOff = clock.after(wait, begin);
    else begin();
  }

  async function make(): Promise<void> {
    try {
      await request();
      failures = 0;
    } catch (error) {
      isOver ||= !mayGoOn(error);
    }
    inFlight = undefined;
    plan();
  }

  function mayGoOn(error: unknown): boolean {
    if (!(error instanceof ChannelError)) {
      log.warn({ err: error }, 'a reply that was shown while it is written has ended by a fault');
      return false;
    }
    if (error.fault.type !== 'rate-limited') failures += 1;
    if (onFailure(error) && failures < mostFailures) return true;
    log.debug({ reason: error.message }, 'a reply is not shown any more before it is finished');
    return false;
  }

  return {
    plan,

    get isOver(): boolean {
      return isOver;
    },

    /** Starts no further request. Resolves when the last one has ended; never rejects. */
    async end(): Promise<void> {
      isOver = true;
      callOff();
      await inFlight;
    },
  };
}

/** Shows the parts of a finished reply. After a failure, another call continues with the unfinished part. */
export function finalParts() {
  let told = 0;
  /** A shown message that `shown` has not accepted yet. */
  let untold: MessageRef | undefined;
  return async (
    parts: readonly OutboundMessage[],
    show: (part: OutboundMessage, index: number) => Promise<MessageRef>,
    shown: (ref: MessageRef) => Promise<void>,
  ): Promise<void> => {
    for (const part of parts.slice(told)) {
      untold ??= await show(part, told);
      await shown(untold);
      untold = undefined;
      told += 1;
    }
  };
}
