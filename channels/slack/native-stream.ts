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
import { splitMarkdown } from '../../src/lib/split/split.ts';
import { finalParts, pacedRequests } from '../kit/growing-reply.ts';
import { isRefused, refusalCode } from '../kit/request-failure.ts';
import { noFeature, type SlackApi, sentTs } from './api.ts';
import { measureMarkdown, shownMarkdown } from './content.ts';
import { metadataOf, recentMessages } from './former-sendings.ts';
import type { Writer } from './people.ts';
import { createStreamText } from './stream-text.ts';

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
  /** What it shows. Undefined if that is uncertain: then it is edited. */
  shown: string | undefined;
  /** `gone`: somebody has deleted it. */
  state: 'growing' | 'stopped' | 'gone';
}

/** Shortest time between two requests of one stream, in ms. */
const pause = 700;
/** Delay between the first character and the first request, in ms. */
const firstAfter = 400;
/** Limits of a growing message: in characters, and in ms. */
const longest = 11_500;
const oldest = 240_000;
const leavesWithin = 900;

const growingShape = z.object({ ts: z.string(), user: z.string(), streaming_state: z.literal('in_progress') });

export interface NativeStream extends Required<ReplyStream> {
  /** Whether a message of the stream is still growing. */
  readonly isGrowing: boolean;
}

/**
 * A reply shown with Slack's own streaming: a message that grows until Slack would end it, and is edited from then on. A
 * long text continues in another message. One request at a time. Until the end this is best effort; `finish` then makes
 * each message show its part of the final text, sends the missing messages and deletes the extra ones.
 */
export function openNativeStream(options: NativeStreamOptions): NativeStream {
  const { api, to, recipient, sender, begun, botUserId, switchOff, clock, log } = options;
  const pace = createEditPace(clock, pause);
  const text = createStreamText();
  const messages: GrowingMessage[] = [];
  const showFinal = finalParts();
  const requests = pacedRequests({ clock, log, dueAt, request, onFailure });
  let firstAt: number | undefined;
  /** The length of the text that the messages show. */
  let shownTo = 0;
  /** When a start was requested whose answer was lost: the message may exist. */
  let lostStart: number | undefined;

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
    const message = messages.at(-1);
    if (message?.state === 'gone') return undefined;
    if (text.ready.length > shownTo) return Math.max(earliest, (firstAt ?? 0) + firstAfter);
    return message?.state === 'growing' ? Math.max(earliest, message.startedAt + oldest) : undefined;
  }

  async function request(): Promise<void> {
    pace.begin();
    if (lostStart !== undefined) return seek(lostStart);
    const { ready } = text;
    const parts = splitMarkdown(ready, { maxLength: longest, measure: measureMarkdown }).map(shownMarkdown);
    const message = messages.at(-1);
    const part = parts[messages.length - 1] ?? '';
    const next = parts[messages.length];
    const isFull = next !== undefined && message?.shown?.trimEnd() === part.trimEnd();
    if (message !== undefined && !isFull) await update(message, part);
    else {
      if (message !== undefined) await stop(message);
      if (next !== undefined) await start(next);
    }
    if (parts.length <= messages.length) shownTo = ready.length;
  }

  async function start(beginning: string): Promise<void> {
    const at = clock.now();
    try {
      const answer = await api.call('chat.startStream', {
        channel: to.chatId,
        thread_ts: to.threadId,
        recipient_user_id: recipient?.id,
        recipient_team_id: recipient?.teamId,
        markdown_text: beginning,
      });
      await add(sentTs('chat.startStream', answer), at, beginning);
    } catch (error) {
      if (faultOf(error) !== 'ambiguous') throw error;
      lostStart = at;
    }
  }

  /**
   * Continues with the message of a lost start, if the thread has an unknown growing message of the bot. If the thread
   * cannot be read, assumes none. Throws `ChannelError` if a retry may help.
   */
  async function seek(at: number): Promise<void> {
    const recent = await recentMessages(api, to, at);
    const found = recent
      .flatMap((message) => growingShape.safeParse(message).data ?? [])
      .findLast(({ ts, user }) => user === botUserId && !messages.some((known) => known.ts === ts));
    lostStart = undefined;
    if (found !== undefined) await add(found.ts, at, undefined);
  }

  async function add(ts: string, startedAt: number, shown: string | undefined): Promise<void> {
    messages.push({ ts, startedAt, shown, state: 'growing' });
    await begun(messages.map((message) => ({ id: message.ts })));
  }

  /** Makes a message show its part of the text so far, by appending while it grows, then by edits. */
  async function update(message: GrowingMessage, part: string): Promise<void> {
    const { shown, startedAt } = message;
    const isYoung = clock.now() - startedAt < oldest;
    if (shown === undefined || !isYoung || !part.startsWith(shown)) await stop(message);
    else await extend(message, 'chat.appendStream', part.slice(shown.length));
    // A message that Slack has ended looks broken until it is edited.
    if (message.state === 'stopped' && message.shown !== part)
      await change(message, { id: '', kind: 'reply', markdown: part }, part);
  }

  /** Stops the message with a last addition. Throws `ChannelError` if a retry may help. */
  async function stop(message: GrowingMessage, rest = '', messageId = ''): Promise<void> {
    await extend(message, 'chat.stopStream', rest, metadataOf(messageId));
    if (message.state === 'growing') message.state = 'stopped';
  }

  /** Throws `ChannelError` if the message still grows and a retry may help. */
  async function extend(message: GrowingMessage, method: string, added: string, metadata?: object): Promise<void> {
    const { ts, state, shown } = message;
    if (state !== 'growing') return;
    try {
      await api.call(method, { channel: to.chatId, ts, markdown_text: added || undefined, metadata });
      message.shown = shown && shown + added;
    } catch (error) {
      const code = refusalCode(error);
      const fault = faultOf(error);
      if (code === 'message_not_found') message.state = 'gone';
      if (code === 'message_not_in_streaming_state') message.state = 'stopped';
      if (fault !== 'rate-limited') message.shown = undefined;
      if (message.state === 'growing' && fault !== 'ambiguous' && fault !== 'permanent') throw error;
    }
  }

  /**
   * Makes a message show its final part: by appending the rest, by an edit, or by a new message if it was deleted.
   * Throws `ChannelError`; can be called again.
   */
  async function complete(message: GrowingMessage, part: OutboundMessage): Promise<MessageRef> {
    const wanted = shownMarkdown(part.markdown);
    const hasButtons = (part.buttons?.length ?? 0) > 0;
    const { shown } = message;
    const isBeginning = shown !== undefined && !hasButtons && wanted.startsWith(shown);
    await stop(message, isBeginning ? wanted.slice(shown.length) : '', part.id);
    if (!hasButtons && message.shown?.trimEnd() === wanted.trimEnd()) return { id: message.ts };
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
      return !requests.isOver && messages.at(-1)?.state === 'growing';
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
        const message = messages.at(-1);
        if (message !== undefined) await stop(message);
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

/** Rethrows anything that is not a `ChannelError`. */
function faultOf(error: unknown): ChannelError['fault']['type'] {
  if (error instanceof ChannelError) return error.fault.type;
  throw error;
}
