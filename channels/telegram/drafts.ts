import { randomInt } from 'node:crypto';
import type { ChannelHost, MessageRef, OutboundMessage, ReplyStream } from '../../src/contract.ts';
import { finalParts, pacedRequests } from '../kit/growing-reply.ts';
import { openFenceIn } from '../kit/markdown.ts';
import type { Draft } from './api.ts';
import type { Rich } from './markdown.ts';

/** Shortest time between two frames, in ms. */
const frameEvery = 300;
/** The same after a failure, in ms. */
const retryEvery = 1_000;
/** A draft disappears after 30 s; renew it earlier. In ms. */
const renewEvery = 20_000;

/**
 * Shows a growing reply as a draft: always the newest text, one request at a time. A draft cannot become a message: at
 * the end the message is sent, and Telegram removes the draft. `render` never throws.
 */
export function openDraftStream(
  { clock, log }: Pick<ChannelHost, 'clock' | 'log'>,
  render: (markdown: string) => Rich,
  showDraft: (draft: Draft) => Promise<void>,
  send: (message: OutboundMessage) => Promise<MessageRef>,
): ReplyStream {
  const text = new DraftText(render);
  const showFinal = finalParts();
  const id = randomInt(1, 2 ** 31);
  /** Whether there is text that the last frame did not show. */
  let hasNews = false;
  /** The next frame starts no earlier. */
  let earliest = 0;
  /** When to send the draft again before it expires. */
  let renewAt: number | undefined;

  const frames = pacedRequests({
    ...{ clock, log },
    dueAt: () => (hasNews ? earliest : renewAt),
    async request() {
      hasNews = false;
      earliest = clock.now() + frameEvery;
      await showDraft({ id, ...text.frame() });
      renewAt = clock.now() + renewEvery;
    },
    onFailure({ fault }) {
      hasNews = true;
      earliest = clock.now() + (fault.type === 'rate-limited' ? fault.retryAfter : retryEvery);
      return true;
    },
  });

  return {
    push(delta) {
      text.add(delta);
      if (delta === '' || hasNews) return;
      hasNews = true;
      frames.plan();
    },

    async finish(parts, shown) {
      await frames.end();
      await showFinal(parts, send, shown);
    },

    /** Waits for the frame in flight, which would cover the next message. */
    cancel: () => frames.end(),
  };
}

const longestDraft = 4096;
/** Limit for the language name that follows an opening fence. */
const longestOpening = 40;

/** A growing text, of which a draft shows as much of the end as fits. */
export class DraftText {
  readonly #render: (markdown: string) => Rich;
  #source = '';
  /** Start of the shown part. It moves in large steps, so that the shown text mostly grows. */
  #start = 0;
  /** The opening fence, if the shown part starts inside a code block. */
  #opening = '';

  constructor(render: (markdown: string) => Rich) {
    this.#render = render;
  }

  add(delta: string): void {
    this.#source += delta;
  }

  /** The text to show, at most 4096 characters. */
  frame(): Rich {
    for (;;) {
      const frame = this.#render(this.#opening + this.#source.slice(this.#start));
      if (frame.text.length <= longestDraft || this.#start === this.#source.length) return frame;
      this.#leap();
    }
  }

  /** Drops the first half of the shown part, at a line end if possible. */
  #leap(): void {
    const middle = this.#start + Math.ceil((this.#source.length - this.#start) / 2);
    const line = this.#source.indexOf('\n', middle) + 1;
    this.#start = line === 0 || line === this.#source.length ? middle : line;
    const open = openFenceIn(this.#source.slice(0, this.#start));
    this.#opening = open === undefined ? '' : `${open.marks}${open.info.slice(0, longestOpening)}\n`;
  }
}
