import { ChannelError } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';

const firstPause = 500;
const longestPause = 30_000;

/**
 * What came in, on its way into the store: one after the other in each lane, lanes beside each other. The gateway delivers
 * nothing twice, so what fails is tried again, ever more seldom, until it succeeds or the session is over.
 */
export class Lanes {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #tails = new Map<string, Promise<void>>();
  #isStuck = false;

  /** When the signal aborts, the session is over: nothing is tried any more. */
  constructor(clock: Clock, log: Log, signal: AbortSignal) {
    this.#clock = clock;
    this.#log = log;
    this.#signal = signal;
  }

  /** Something could not be stored, and nothing has been stored since. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * Does the work when all before it in the lane has come to its end; at once if there is nothing. Resolves, and never
   * rejects, when it is done, has failed with a permanent `ChannelError`, or is given up.
   */
  async run(lane: string, work: () => Promise<void>): Promise<void> {
    const before = this.#tails.get(lane);
    const done = before === undefined ? this.#persist(lane, work) : before.then(() => this.#persist(lane, work));
    this.#tails.set(lane, done);
    await done;
    if (this.#tails.get(lane) === done) this.#tails.delete(lane);
  }

  async #persist(lane: string, work: () => Promise<void>): Promise<void> {
    const [log, signal] = [this.#log, this.#signal];
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await work();
        this.#isStuck = false;
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(error)) {
          log.warn({ lane, err: error }, 'an event was given up');
          return;
        }
        this.#isStuck = true;
        log[failures === 0 ? 'error' : 'debug']({ lane, err: error }, 'an event is not stored yet, and is tried again');
        await sleep(this.#clock, pauseAfter(error, failures), signal);
      }
    }
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof ChannelError && error.fault.type === 'permanent';
}

function pauseAfter(error: unknown, failures: number): number {
  const pause = backOff(failures + 1, { firstPause, longestPause });
  if (!(error instanceof ChannelError) || error.fault.type !== 'rate-limited') return pause;
  return Math.max(pause, error.fault.retryAfter);
}
