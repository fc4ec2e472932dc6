import { ChannelError, type MessageRef, type OutboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';

export interface PacedOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** When the next request is due, in milliseconds since 1970. Undefined where there is none to make. */
  readonly dueAt: () => number | undefined;
  readonly request: () => Promise<void>;
  /** Told why a request failed, before another is planned. Gives whether another may succeed. */
  readonly onFailure: (error: ChannelError) => boolean;
}

const mostFailures = 3;

/**
 * What shows a reply while it is written: one request at a time, each when it is due. What comes before the end is shown at
 * best: after three failures in a row, besides those for which the platform only asks to wait, no more is tried.
 */
export class PacedRequests {
  readonly #options: PacedOptions;
  #failures = 0;
  #isOver = false;
  #callOff = (): void => {};
  #inFlight: Promise<void> | undefined;

  constructor(options: PacedOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Call it whenever there may be something to request. Returns at once. */
  plan(): void {
    this.#callOff();
    if (this.#isOver || this.#inFlight !== undefined) return;
    const { clock, dueAt } = this.#options;
    const due = dueAt();
    if (due === undefined) return;
    const begin = (): void => {
      this.#inFlight = this.#make();
    };
    const wait = due - clock.now();
    if (wait > 0) this.#callOff = clock.after(wait, begin);
    else begin();
  }

  /** No other request begins. Resolves when the last one has ended, and never rejects. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#callOff();
    await this.#inFlight;
  }

  async #make(): Promise<void> {
    try {
      await this.#options.request();
      this.#failures = 0;
    } catch (error) {
      this.#isOver ||= !this.#mayGoOn(error);
    }
    this.#inFlight = undefined;
    this.plan();
  }

  #mayGoOn(error: unknown): boolean {
    const { log, onFailure } = this.#options;
    if (!(error instanceof ChannelError)) {
      log.warn({ err: error }, 'a reply that was shown while it is written has ended by a fault');
      return false;
    }
    if (error.fault.type !== 'rate-limited') this.#failures += 1;
    if (onFailure(error) && this.#failures < mostFailures) return true;
    log.debug({ reason: error.message }, 'a reply is not shown any more before it is finished');
    return false;
  }
}

/** Shows the parts of a reply that is finished. Called again after a failure, it goes on where it was. */
export class FinalParts {
  #told = 0;
  /** Stands there, and could not be told. */
  #untold: MessageRef | undefined;

  async show(
    parts: readonly OutboundMessage[],
    show: (part: OutboundMessage, index: number) => Promise<MessageRef>,
    shown: (ref: MessageRef) => Promise<void>,
  ): Promise<void> {
    for (const part of parts.slice(this.#told)) {
      this.#untold ??= await show(part, this.#told);
      await shown(this.#untold);
      this.#untold = undefined;
      this.#told += 1;
    }
  }
}
