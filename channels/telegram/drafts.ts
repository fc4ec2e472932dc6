import { randomInt } from 'node:crypto';
import {
  ChannelError,
  type ChannelHost,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { splitMarkdown } from '../../src/lib/split/split.ts';
import { finalParts } from '../kit/final-parts.ts';
import type { Draft } from './api.ts';
import type { Rich } from './markdown.ts';

/** Shortest time between two frames, in ms. */
const frameEvery = 300;
/** The same after a failure, in ms. */
const retryEvery = 1_000;
/** A draft disappears after 30 s; renew it earlier. In ms. */
const renewEvery = 20_000;

/** So many failures in a row end the frames, not counting rate limits. */
const mostFailures = 3;

/**
 * Shows a growing reply as a draft: always the newest text, one request at a time. A draft cannot become a message: at
 * the end the message is sent, and Telegram removes the draft. `render` never throws.
 */
export function openDraftStream(
  { clock, log }: Pick<ChannelHost, 'clock' | 'log'>,
  render: (markdown: string) => Rich,
  showDraft: (draft: Draft) => Promise<void>,
  send: (message: OutboundMessage) => Promise<MessageRef>,
  /** Telegram shows no drafts there: it refused one for good, or several in a row. */
  refused: () => void = () => {},
): ReplyStream {
  const text = createDraftText(render);
  const showFinal = finalParts();
  const id = randomInt(1, 2 ** 31);
  /** Whether there is text that the last frame did not show. */
  let hasNews = false;
  /** The next frame starts no earlier. */
  let earliest = 0;
  /** When to send the draft again before it expires. */
  let renewAt: number | undefined;
  let failures = 0;
  let isOver = false;
  let callOff = (): void => {};
  let inFlight: Promise<void> | undefined;

  /** Call it whenever a frame may have become due. */
  function plan(): void {
    callOff();
    const due = hasNews ? earliest : renewAt;
    if (isOver || inFlight !== undefined || due === undefined) return;
    const begin = (): void => {
      inFlight = paint();
    };
    const wait = due - clock.now();
    if (wait > 0) callOff = clock.after(wait, begin);
    else begin();
  }

  /** Never rejects. */
  async function paint(): Promise<void> {
    hasNews = false;
    earliest = clock.now() + frameEvery;
    try {
      await showDraft({ id, ...text.frame() });
      renewAt = clock.now() + renewEvery;
      failures = 0;
    } catch (error) {
      const fault = error instanceof ChannelError ? error.fault : undefined;
      if (fault?.type !== 'rate-limited') failures += 1;
      const isRefused = fault === undefined || fault.type === 'permanent' || failures === mostFailures;
      if (isRefused && !isOver) refused();
      isOver ||= isRefused;
      if (isOver) log[fault ? 'debug' : 'warn']({ err: error }, 'a reply is not shown any more before it is finished');
      hasNews = true;
      earliest = clock.now() + (fault?.type === 'rate-limited' ? fault.retryAfter : retryEvery);
    }
    inFlight = undefined;
    plan();
  }

  async function end(): Promise<void> {
    isOver = true;
    callOff();
    await inFlight;
  }

  return {
    push(delta) {
      text.add(delta);
      if (delta === '' || hasNews) return;
      hasNews = true;
      plan();
    },

    async finish(parts, shown) {
      await end();
      await showFinal(parts, send, shown);
    },

    /** Waits for the frame in flight, which would cover the next message. */
    cancel: end,
  };
}

const longestDraft = 4096;

/** A growing text as a draft shows it: all of it, or the last of the parts that it takes. */
export function createDraftText(render: (markdown: string) => Rich) {
  let text = '';
  const measure = (markdown: string): number => render(markdown).text.length;
  return {
    add(delta: string): void {
      text += delta;
    },

    frame(): Rich {
      const whole = render(text);
      if (whole.text.length <= longestDraft) return whole;
      const [space = ''] = /\s*$/.exec(text) ?? [];
      text = (splitMarkdown(text, { maxLength: longestDraft, measure }).at(-1) ?? '') + space;
      return render(text);
    },
  };
}
