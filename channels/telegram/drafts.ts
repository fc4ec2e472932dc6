import { randomInt } from 'node:crypto';
import {
  ChannelError,
  type ChannelHost,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { openFenceIn } from '../kit/fences.ts';
import type { Draft } from './api.ts';
import type { Rich } from './markdown.ts';

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
  readonly #host: Pick<ChannelHost, 'clock' | 'log'>;
  readonly #text: DraftText;
  readonly #showDraft: (draft: Draft) => Promise<void>;
  readonly #send: (message: OutboundMessage) => Promise<MessageRef>;
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

  /** `render` never throws. */
  constructor(
    host: Pick<ChannelHost, 'clock' | 'log'>,
    render: (markdown: string) => Rich,
    showDraft: (draft: Draft) => Promise<void>,
    send: (message: OutboundMessage) => Promise<MessageRef>,
  ) {
    this.#host = host;
    this.#text = new DraftText(render);
    this.#showDraft = showDraft;
    this.#send = send;
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
      this.#untold ??= await this.#send(part);
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
    const { clock } = this.#host;
    const begin = (): void => {
      this.#inFlight = this.#showFrame();
    };
    const wait = due - clock.now();
    if (wait > 0) this.#callOff = clock.after(wait, begin);
    else begin();
  }

  /** Never throws. */
  async #showFrame(): Promise<void> {
    const { clock } = this.#host;
    this.#hasNews = false;
    this.#earliest = clock.now() + frameEvery;
    try {
      await this.#showDraft({ id: this.#id, ...this.#text.frame() });
      this.#failures = 0;
      this.#renewAt = clock.now() + renewEvery;
    } catch (error) {
      this.#heed(error);
    }
    this.#inFlight = undefined;
    this.#plan();
  }

  #heed(error: unknown): void {
    const { clock, log } = this.#host;
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

const longestDraft = 4096;
/** What stands behind the marks of a code block is the name of its language. */
const longestOpening = 40;

/** A text that grows, and as much of its end as a draft can show. */
export class DraftText {
  readonly #render: (markdown: string) => Rich;
  #source = '';
  /** Where the shown part begins. It moves in leaps, so that what is shown mostly only grows. */
  #start = 0;
  /** The beginning of the code block in which the shown part begins. */
  #opening = '';

  constructor(render: (markdown: string) => Rich) {
    this.#render = render;
  }

  add(delta: string): void {
    this.#source += delta;
  }

  /** What to show now: all of it, or its end, at most 4096 characters. */
  frame(): Rich {
    for (;;) {
      const frame = this.#render(this.#opening + this.#source.slice(this.#start));
      if (frame.text.length <= longestDraft || this.#start === this.#source.length) return frame;
      this.#leap();
    }
  }

  /** The first half of the shown part goes, if possible up to the end of a line. */
  #leap(): void {
    const middle = this.#start + Math.ceil((this.#source.length - this.#start) / 2);
    const line = this.#source.indexOf('\n', middle) + 1;
    this.#start = line === 0 || line === this.#source.length ? middle : line;
    const open = openFenceIn(this.#source.slice(0, this.#start));
    this.#opening = open === undefined ? '' : `${open.marks}${open.info.slice(0, longestOpening)}\n`;
  }
}
