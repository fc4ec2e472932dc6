import { randomInt } from 'node:crypto';
import { ChannelError, type MessageRef, type OutboundMessage, type ReplyStream } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import type { Draft } from './api.ts';
import { DraftText } from './draft-text.ts';
import type { Rich } from './rich.ts';

export interface DraftDependencies {
  /** Never throws. */
  readonly render: (markdown: string) => Rich;
  readonly showDraft: (draft: Draft) => Promise<void>;
  readonly send: (message: OutboundMessage) => Promise<MessageRef>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The least time from the beginning of one frame to the next, in milliseconds. */
const frameEvery = 300;
/** The same after a frame that failed. */
const retryEvery = 1_000;
/** A draft disappears after 30 s. */
const renewEvery = 20_000;
const mostFailures = 3;

/**
 * A reply that is shown as a draft while it is written: the newest text, one frame at a time. A draft cannot become a
 * message: at the end, the message is sent, and Telegram takes the draft away.
 */
export class DraftStream implements ReplyStream {
  readonly #dependencies: DraftDependencies;
  readonly #text: DraftText;
  readonly #id = randomInt(1, 2 ** 31);
  /** Whether there is more than the last frame has shown. */
  #hasNews = false;
  /** Before that instant no frame begins. */
  #earliest = 0;
  /** When the draft would soon disappear. */
  #renewAt: number | undefined;
  #failures = 0;
  #isOver = false;
  #callOff = (): void => {};
  #inFlight: Promise<void> | undefined;
  #told = 0;
  /** Stands in the chat, and could not be told. */
  #untold: MessageRef | undefined;

  constructor(dependencies: DraftDependencies) {
    this.#dependencies = dependencies;
    this.#text = new DraftText(dependencies.render);
  }

  push(delta: string): void {
    this.#text.add(delta);
    if (delta === '' || this.#hasNews) return;
    this.#hasNews = true;
    this.#plan();
  }

  async finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void> {
    await this.cancel();
    for (const part of parts.slice(this.#told)) {
      this.#untold ??= await this.#dependencies.send(part);
      await shown(this.#untold);
      this.#untold = undefined;
      this.#told += 1;
    }
  }

  /** A frame that is still on its way would cover what comes next. */
  async cancel(): Promise<void> {
    this.#end();
    await this.#inFlight;
  }

  #end(): void {
    this.#isOver = true;
    this.#callOff();
  }

  /** Sees to it that the next frame comes, if there is to be one. */
  #plan(): void {
    this.#callOff();
    if (this.#isOver || this.#inFlight !== undefined) return;
    const due = this.#hasNews ? this.#earliest : this.#renewAt;
    if (due === undefined) return;
    const { clock } = this.#dependencies;
    const wait = due - clock.now();
    if (wait > 0) this.#callOff = clock.after(wait, () => this.#begin());
    else this.#begin();
  }

  #begin(): void {
    this.#inFlight = this.#showFrame();
  }

  /** Never throws. */
  async #showFrame(): Promise<void> {
    const { clock, showDraft } = this.#dependencies;
    this.#hasNews = false;
    this.#earliest = clock.now() + frameEvery;
    try {
      const { text, entities } = this.#text.frame();
      await showDraft({ id: this.#id, text, entities });
      this.#failures = 0;
      this.#renewAt = clock.now() + renewEvery;
    } catch (error) {
      this.#heed(error);
    }
    this.#inFlight = undefined;
    this.#plan();
  }

  #heed(error: unknown): void {
    const { clock, log } = this.#dependencies;
    if (!(error instanceof ChannelError)) {
      log.warn({ err: error }, 'a draft has ended by a fault');
      this.#end();
      return;
    }
    this.#hasNews = true;
    if (error.fault.type === 'rate-limited') {
      this.#earliest = clock.now() + error.fault.retryAfter;
      return;
    }
    this.#failures += 1;
    this.#earliest = clock.now() + retryEvery;
    if (this.#failures < mostFailures) return;
    log.debug({ reason: error.message }, 'a draft is not shown any more');
    this.#end();
  }
}
