import { ChannelError, type ChannelFault } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EditPace } from '../../lib/edit-pace.ts';
import { endsWithin } from '../../lib/ends-within.ts';
import type { Log } from '../../lib/log.ts';

export interface FramesDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly pace: EditPace;
  /** The instant for which the next frame is wanted; undefined where there is nothing new to show. */
  readonly dueAt: () => number | undefined;
  /** Whether a frame may be shown now. If not, it is asked again soon. */
  readonly isClear: () => boolean;
  /** Shows what is newest. */
  readonly paint: () => Promise<void>;
  /** Told that no more frames are shown, because the platform takes none. Waited for as a part of the last one. */
  readonly gaveUp?: () => Promise<void>;
}

/** How soon to look again whether the way is clear, in milliseconds. */
const lookAgainAfter = 300;
/** So many failures in a row, and no more is shown before the end. */
const mostFailures = 5;
/** How long an ending process waits for a request in flight, in milliseconds. */
const endingGrace = 1000;

/**
 * Shows something that changes, frame by frame: one at a time, the newest state only, at the pace that the platform
 * bears. A frame that fails is never repeated as such: a later one shows what is newest then.
 */
export class Frames {
  readonly #dependencies: FramesDependencies;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #inFlight: Promise<void> | undefined;
  #failures = 0;
  #isOver = false;

  constructor(dependencies: FramesDependencies) {
    this.#dependencies = dependencies;
  }

  /** No more frames are shown. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A frame is on its way. */
  get isPainting(): boolean {
    return this.#inFlight !== undefined;
  }

  /** There may be something new to show. Returns at once. */
  wake(): void {
    if (this.#isOver || this.#inFlight !== undefined) return;
    const { clock, pace, dueAt, isClear } = this.#dependencies;
    const wanted = dueAt();
    if (wanted === undefined) return;
    const now = clock.now();
    const at = Math.max(wanted, pace.earliest);
    if (at <= now && isClear()) {
      this.#cancelTimer();
      this.#inFlight = this.#paint();
      return;
    }
    this.#wakeAt(at <= now ? now + lookAgainAfter : at);
  }

  /** Shows no more frames. The one in flight may still be shown. */
  stop(): void {
    this.#isOver = true;
    this.#cancelTimer();
  }

  /** Shows no more frames. Resolves when the one in flight has ended, however it did. */
  async end(): Promise<void> {
    this.stop();
    await this.#inFlight;
  }

  /** Shows no more frames, since the process ends. Resolves as `end` does, but within a second. */
  async leave(): Promise<void> {
    await endsWithin(this.end(), { clock: this.#dependencies.clock, milliseconds: endingGrace });
  }

  async #paint(): Promise<void> {
    const { pace, paint } = this.#dependencies;
    pace.begin();
    try {
      await paint();
      this.#failures = 0;
    } catch (error) {
      if (!this.#mayGoOn(error)) await this.#giveUp();
    } finally {
      this.#inFlight = undefined;
    }
    this.wake();
  }

  /** Whether another frame may be shown after one that failed so. */
  #mayGoOn(error: unknown): boolean {
    const { log } = this.#dependencies;
    if (error instanceof ChannelError) {
      log.debug({ fault: error.fault.type, reason: error.message }, 'a frame could not be shown');
      return this.#heed(error.fault);
    }
    log.warn({ err: error }, 'no more of this is shown before it is finished');
    return false;
  }

  #heed(fault: ChannelFault): boolean {
    switch (fault.type) {
      case 'rate-limited':
        this.#dependencies.pace.refuse(fault.retryAfter);
        return true;
      case 'transient':
      case 'ambiguous':
        this.#failures += 1;
        return this.#failures < mostFailures;
      case 'permanent':
      case 'auth':
      case 'moved':
        return false;
    }
  }

  /** Never throws. */
  async #giveUp(): Promise<void> {
    this.stop();
    try {
      await this.#dependencies.gaveUp?.();
    } catch (error) {
      this.#dependencies.log.warn({ err: error }, 'what was shown could not be ended as it should be');
    }
  }

  #wakeAt(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#cancelTimer();
    const { clock } = this.#dependencies;
    const cancel = clock.after(at - clock.now(), () => {
      this.#timer = undefined;
      this.wake();
    });
    this.#timer = { at, cancel };
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
