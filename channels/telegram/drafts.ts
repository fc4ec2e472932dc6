import { randomInt } from 'node:crypto';
import type { ChannelHost, MessageRef, OutboundMessage, ReplyStream } from '../../src/contract.ts';
import { finalParts, pacedRequests } from '../kit/growing-reply.ts';
import { openFenceIn } from '../kit/markdown.ts';
import type { Draft } from './api.ts';
import type { Rich } from './markdown.ts';

/** The least time from the beginning of one frame to the next, in milliseconds. */
const frameEvery = 300;
/** The same after a frame that failed. */
const retryEvery = 1_000;
/** A draft disappears after 30 s. */
const renewEvery = 20_000;

/**
 * A reply that is shown as a draft while it is written: the newest text, one frame at a time. A draft cannot become a
 * message: at the end, the message is sent, and Telegram takes the draft away. `render` never throws.
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
  /** Whether there is more than the last frame has shown. */
  let hasNews = false;
  /** Before that instant no frame begins. */
  let earliest = 0;
  /** When the draft would soon disappear. */
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

    /** A frame that is still on its way would cover what comes next. */
    cancel: () => frames.end(),
  };
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
