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

interface DraftParts {
  readonly host: Pick<ChannelHost, 'clock' | 'log'>;
  /** Never throws. */
  readonly render: (markdown: string) => Rich;
  readonly showDraft: (draft: Draft) => Promise<void>;
  readonly send: (message: OutboundMessage) => Promise<MessageRef>;
  /** Telegram shows no drafts there: it refused one for good, or several in a row. */
  readonly refused?: () => void;
}

/**
 * Shows a growing reply as a draft: always the newest text, one request at a time. A draft cannot become a message: at
 * the end the message is sent, and Telegram removes the draft.
 */
export function openDraftStream(parts: DraftParts): ReplyStream {
  const showFinal = finalParts();
  const drawing: Drawing = {
    ...parts,
    id: randomInt(1, 2 ** 31),
    text: createDraftText(parts.render),
    hasNews: false,
    earliest: 0,
    renewAt: undefined,
    failures: 0,
    isOver: false,
    callOff: () => {},
    inFlight: undefined,
  };
  return {
    push(delta) {
      drawing.text.add(delta);
      if (delta === '' || drawing.hasNews) return;
      drawing.hasNews = true;
      plan(drawing);
    },

    async finish(messages, shown) {
      await end(drawing);
      await showFinal(messages, parts.send, shown);
    },

    /** Waits for the frame in flight, which would cover the next message. */
    cancel: () => end(drawing),
  };
}

interface Drawing extends DraftParts {
  readonly id: number;
  readonly text: DraftText;
  /** Whether there is text that the last frame did not show. */
  hasNews: boolean;
  /** The next frame starts no earlier. */
  earliest: number;
  /** When to send the draft again before it expires. */
  renewAt: number | undefined;
  failures: number;
  isOver: boolean;
  callOff: () => void;
  inFlight: Promise<void> | undefined;
}

/** Call it whenever a frame may have become due. */
function plan(drawing: Drawing): void {
  const { clock } = drawing.host;
  drawing.callOff();
  const due = drawing.hasNews ? drawing.earliest : drawing.renewAt;
  if (drawing.isOver || drawing.inFlight !== undefined || due === undefined) return;
  const wait = due - clock.now();
  if (wait > 0) drawing.callOff = clock.after(wait, () => begin(drawing));
  else begin(drawing);
}

function begin(drawing: Drawing): void {
  drawing.inFlight = paint(drawing);
}

/** Never rejects. */
async function paint(drawing: Drawing): Promise<void> {
  const { host, id, text, showDraft } = drawing;
  drawing.hasNews = false;
  drawing.earliest = host.clock.now() + frameEvery;
  try {
    await showDraft({ id, ...text.frame() });
    drawing.renewAt = host.clock.now() + renewEvery;
    drawing.failures = 0;
  } catch (error) {
    takeFailure(error, drawing);
  }
  drawing.inFlight = undefined;
  plan(drawing);
}

function takeFailure(error: unknown, drawing: Drawing): void {
  const { clock, log } = drawing.host;
  const fault = error instanceof ChannelError ? error.fault : undefined;
  if (fault?.type !== 'rate-limited') drawing.failures += 1;
  const isRefused = fault === undefined || fault.type === 'permanent' || drawing.failures === mostFailures;
  if (isRefused && !drawing.isOver) drawing.refused?.();
  drawing.isOver ||= isRefused;
  if (drawing.isOver)
    log[fault ? 'debug' : 'warn']({ err: error }, 'a reply is not shown any more before it is finished');
  drawing.hasNews = true;
  drawing.earliest = clock.now() + (fault?.type === 'rate-limited' ? fault.retryAfter : retryEvery);
}

async function end(drawing: Drawing): Promise<void> {
  drawing.isOver = true;
  drawing.callOff();
  await drawing.inFlight;
}

const longestDraft = 4096;

/** A growing text as a draft shows it: all of it, or the last of the parts that it takes. */
export interface DraftText {
  add(delta: string): void;
  frame(): Rich;
}

export function createDraftText(render: (markdown: string) => Rich): DraftText {
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
