import { z } from 'zod';
import {
  type ChannelAdapter,
  ChannelError,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { type Clock, createEditPace, endsWithin } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { finalParts, pacedRequests } from '../kit/growing-reply.ts';
import { openFenceIn } from '../kit/markdown.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { isRefused, lostAnswer, noFeature, type SlackApi } from './api.ts';
import { neutral, shownMarkdown } from './content.ts';
import { metadataOf, recentMessages } from './former-sendings.ts';
import type { Writer } from './people.ts';
import { createStreamText, cutFor, cutForNew, longestAge } from './stream-text.ts';

interface NativeStreamOptions {
  readonly api: Pick<SlackApi, 'call'>;
  readonly to: Conversation;
  /** The reader. Slack requires it outside direct chats. */
  readonly recipient: Writer | undefined;
  readonly sender: Required<Pick<ChannelAdapter, 'send' | 'edit' | 'remove'>>;
  /** Called with all messages of the stream after each new one, and awaited. */
  readonly begun: (refs: readonly MessageRef[]) => Promise<void>;
  readonly botUserId: string;
  /** Called with Slack's error code if the workspace does not support streams. */
  readonly switchOff: (code: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A message that grows until it is stopped; Slack stops it after about five minutes. */
interface GrowingMessage {
  readonly ts: string;
  readonly startedAt: number;
  /** The text sent so far; what it shows if nothing was lost. */
  shown: string;
  /** Whether it certainly shows `shown`. */
  isSure: boolean;
  /** `gone`: somebody has deleted it. */
  state: 'growing' | 'stopped' | 'gone';
}

interface LostStart {
  readonly at: number;
  readonly beginning: string;
  readonly cut: number;
}

/** Shortest time between two requests of one stream, in ms. */
const pause = 700;
/** Delay between the first character and the first request, in ms. */
const firstAfter = 400;
const leavesWithin = 900;

const startedShape = z.object({ ts: z.string() });
const growingShape = z.object({ ts: z.string(), user: z.string(), streaming_state: z.string() });

export interface NativeStream extends Required<ReplyStream> {
  /** Whether a message of the stream is still growing. */
  readonly isGrowing: boolean;
}

/**
 * A reply shown with Slack's own streaming: a message that grows, and continues in another one before Slack would end
 * it. One request at a time. Until the end this is best effort; `finish` then makes each message show its part of the
 * final text, sends the missing messages and deletes the extra ones.
 */
export function openNativeStream(options: NativeStreamOptions): NativeStream {
  const { api, to, recipient, sender, begun, botUserId, switchOff, clock, log } = options;
  const pace = createEditPace(clock, pause);
  const text = createStreamText();
  const messages: GrowingMessage[] = [];
  const showFinal = finalParts();
  const requests = pacedRequests({ clock, log, dueAt, request, onFailure });
  let firstAt: number | undefined;
  /** A start with a lost answer: the message may exist. */
  let lostStart: LostStart | undefined;
  /** Reopens the code block that the last message had to close. */
  let opening = '';

  function growing(): GrowingMessage | undefined {
    const last = messages.at(-1);
    return last?.state === 'growing' ? last : undefined;
  }

  /** Resolves when no request is pending and the messages are known. */
  async function settle(): Promise<void> {
    await requests.end();
    const retryAfter = pace.refusedFor();
    if (retryAfter > 0)
      throw new ChannelError({ type: 'rate-limited', retryAfter }, 'The thread still takes no changes.');
    if (lostStart !== undefined) await seek(lostStart);
  }

  function dueAt(): number | undefined {
    const earliest = pace.earliest();
    if (lostStart !== undefined) return earliest;
    const message = growing();
    if (text.ready === '') return message && Math.max(earliest, message.startedAt + longestAge(message.shown));
    return Math.max(earliest, messages.length === 0 ? (firstAt ?? 0) + firstAfter : 0);
  }

  async function request(): Promise<void> {
    pace.begin();
    if (lostStart !== undefined) return seek(lostStart);
    const message = growing();
    if (message === undefined) return start();
    const cut = cutFor(text.ready, message.shown, clock.now() - message.startedAt);
    if (cut === 0) opening = await turnOver(message);
    else if (await append(message, text.ready.slice(0, cut))) text.take(cut);
    // A message that Slack has ended looks broken until it is edited.
    else await change(message, { id: '', kind: 'reply', markdown: message.shown }, message.shown);
  }

  async function start(): Promise<void> {
    const { ready } = text;
    const cut = cutForNew(ready, opening);
    const beginning = neutral((opening + ready.slice(0, cut)).toWellFormed());
    if (ready.slice(0, cut).trim() === '') return text.take(cut);
    const at = clock.now();
    try {
      const answer = await api.call('chat.startStream', {
        channel: to.chatId,
        thread_ts: to.threadId,
        recipient_user_id: recipient?.userId,
        recipient_team_id: recipient?.teamId,
        markdown_text: beginning,
      });
      const { data } = startedShape.safeParse(answer);
      if (data === undefined) throw lostAnswer('chat.startStream', 'the answer does not name the message', false);
      await add(data.ts, { at, beginning, cut }, true);
    } catch (error) {
      if (faultOf(error) !== 'ambiguous') throw error;
      lostStart = { at, beginning, cut };
    }
  }

  /**
   * Continues with the message of a lost start, if the thread has an unknown growing message of the bot. If the thread
   * cannot be read, assumes none. Throws `ChannelError` if a retry may help.
   */
  async function seek(lost: LostStart): Promise<void> {
    const recent = await recentMessages(api, to, lost.at);
    const found = recent
      .flatMap((message) => growingShape.safeParse(message).data ?? [])
      .findLast(({ ts, user }) => user === botUserId && !messages.some((known) => known.ts === ts));
    lostStart = undefined;
    if (found !== undefined) await add(found.ts, lost, false);
  }

  async function add(ts: string, { at, beginning, cut }: LostStart, isSure: boolean): Promise<void> {
    text.take(cut);
    opening = '';
    messages.push({ ts, startedAt: at, shown: beginning, isSure, state: 'growing' });
    await begun(messages.map((message) => ({ id: message.ts })));
  }

  /** False if the message no longer grows; true if the text was, or may have been, appended. Throws `ChannelError`. */
  async function append(message: GrowingMessage, markdown: string): Promise<boolean> {
    const added = neutral(markdown.toWellFormed());
    try {
      await call('chat.appendStream', message, { markdown_text: added });
    } catch (error) {
      noteFailure(message, error);
      const isLost = faultOf(error) === 'ambiguous';
      if (!isLost && message.state === 'growing') throw error;
      if (!isLost) return false;
    }
    message.shown += added;
    return true;
  }

  /** Stops the message with a last addition. Throws `ChannelError` if a retry may help. */
  async function stop(message: GrowingMessage, rest = '', messageId?: string): Promise<void> {
    if (message.state !== 'growing') return;
    const metadata = messageId && metadataOf(messageId);
    try {
      await call('chat.stopStream', message, { markdown_text: rest || undefined, metadata });
      message.shown += rest;
    } catch (error) {
      noteFailure(message, error);
      const isEnded = faultOf(error) === 'ambiguous' || faultOf(error) === 'permanent';
      if (!isEnded && message.state === 'growing') throw error;
      message.isSure = false;
    }
    if (message.state === 'growing') message.state = 'stopped';
  }

  /** Closes an open code block and stops the message. Resolves with the text that reopens the block. */
  async function turnOver(message: GrowingMessage): Promise<string> {
    const open = openFenceIn(message.shown);
    const lineEnd = message.shown.endsWith('\n') ? '' : '\n';
    await stop(message, open && `${lineEnd}${open.marks}`);
    return open === undefined ? '' : `${open.marks}${open.info}\n`;
  }

  async function call(method: string, { ts }: GrowingMessage, rest: object): Promise<void> {
    await api.call(method, { channel: to.chatId, ts, ...rest });
  }

  /**
   * Makes a message show its final part: by appending the rest, by an edit, or by a new message if it was deleted.
   * Throws `ChannelError`; can be called again.
   */
  async function complete(message: GrowingMessage, part: OutboundMessage): Promise<MessageRef> {
    const wanted = shownMarkdown(part.markdown);
    const hasButtons = (part.buttons?.length ?? 0) > 0;
    const isBeginning = message.isSure && !hasButtons && wanted.startsWith(message.shown);
    await stop(message, isBeginning ? wanted.slice(message.shown.length) : '', part.id);
    if (message.isSure && !hasButtons && message.shown.trimEnd() === wanted.trimEnd()) return { id: message.ts };
    if (message.state === 'gone') return sender.send(to, part);
    try {
      await change(message, part, wanted);
      return { id: message.ts };
    } catch (error) {
      if (faultOf(error) !== 'permanent') throw error;
      return sender.send(to, part);
    }
  }

  async function change(message: GrowingMessage, part: OutboundMessage, shown: string): Promise<void> {
    await sender.edit(to, { id: message.ts }, part);
    message.shown = shown;
    message.isSure = true;
  }

  async function removeFrom(count: number): Promise<void> {
    for (let last = messages.at(-1); last && messages.length > count; last = messages.at(-1)) {
      if (last.state !== 'gone') await sender.remove(to, { id: last.ts });
      messages.pop();
    }
  }

  function onFailure(error: ChannelError): boolean {
    const { fault } = error;
    if (fault.type === 'rate-limited') pace.refuse(fault.retryAfter);
    if (isRefused(error, noFeature)) switchOff(String(refusalCode(error)));
    return fault.type === 'rate-limited' || fault.type === 'transient';
  }

  return {
    get isGrowing() {
      return !requests.isOver && growing() !== undefined;
    },

    push(delta) {
      if (requests.isOver || delta === '') return;
      firstAt ??= clock.now();
      text.add(delta);
      requests.plan();
    },

    async finish(parts, shown) {
      await settle();
      const show = (part: OutboundMessage, index: number): Promise<MessageRef> => {
        const message = messages[index];
        return message === undefined ? sender.send(to, part) : complete(message, part);
      };
      await showFinal(parts, show, shown);
      await removeFrom(parts.length);
    },

    async cancel() {
      await settle();
      await removeFrom(0);
    },

    /** Stops the growing message, so that the next process can edit it. */
    async leave() {
      const end = async (): Promise<void> => {
        await requests.end();
        const message = growing();
        if (message !== undefined) await turnOver(message);
      };
      try {
        await endsWithin(end(), { clock, milliseconds: leavesWithin });
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        log.debug({ reason: error.message }, 'a reply was left growing');
      }
    },
  };
}

function noteFailure(message: GrowingMessage, error: unknown): void {
  const code = refusalCode(error);
  if (code === 'message_not_in_streaming_state') message.state = 'stopped';
  if (code === 'message_not_found') message.state = 'gone';
  const isDoubtful = faultOf(error) === 'ambiguous' || faultOf(error) === 'transient';
  if (message.state === 'stopped' || isDoubtful) message.isSure = false;
}

/** Rethrows anything that is not a `ChannelError`. */
function faultOf(error: unknown): ChannelError['fault']['type'] {
  if (error instanceof ChannelError) return error.fault.type;
  throw error;
}
