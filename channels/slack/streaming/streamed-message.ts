import { z } from 'zod';
import { ChannelError, type Conversation, type MessageRef } from '../../../src/contract.ts';
import { openFenceIn } from '../outgoing/fences.ts';
import { metadataOf } from '../outgoing/former-sendings.ts';
import { neutral } from '../outgoing/neutral.ts';
import type { SlackApi } from '../web-api/api.ts';
import { refusalCode, toChannelError } from '../web-api/failure.ts';

export interface StreamPlace {
  readonly api: Pick<SlackApi, 'call'>;
  readonly to: Conversation;
  /** For whom it is written. Slack wants to know outside of direct chats. */
  readonly recipient?: { readonly userId: string; readonly teamId: string };
}

const startedShape = z.object({ ts: z.string() });

/** Begins a message that grows. Throws `ChannelError`. */
export async function startMessage(place: StreamPlace, markdown: string, now: number): Promise<StreamedMessage> {
  const { api, to, recipient } = place;
  const shown = neutral(markdown.toWellFormed());
  const answer = await api.call('chat.startStream', {
    channel: to.chatId,
    thread_ts: to.threadId,
    ...(recipient && { recipient_user_id: recipient.userId, recipient_team_id: recipient.teamId }),
    markdown_text: shown,
  });
  const { data } = startedShape.safeParse(answer);
  if (data === undefined)
    throw toChannelError('chat.startStream', { type: 'lost', words: 'the answer does not name the message' }, false);
  return new StreamedMessage(place, { ts: data.ts, shown, startedAt: now });
}

/** One message that grows at its end until it is stopped, which Slack itself does after about five minutes. */
export class StreamedMessage {
  readonly startedAt: number;
  readonly #place: StreamPlace;
  readonly #ts: string;
  #shown: string;
  #state: 'growing' | 'stopped' | 'gone' = 'growing';
  #isSure: boolean;

  constructor(
    place: StreamPlace,
    begun: { readonly ts: string; readonly shown: string; readonly startedAt: number; readonly isSure?: boolean },
  ) {
    this.#place = place;
    this.#ts = begun.ts;
    this.#shown = begun.shown;
    this.startedAt = begun.startedAt;
    this.#isSure = begun.isSure ?? true;
  }

  get ref(): MessageRef {
    return { id: this.#ts };
  }

  /** What it shows, if nothing was lost. */
  get shown(): string {
    return this.#shown;
  }

  /** Whether it surely shows just that. */
  get isSure(): boolean {
    return this.#isSure;
  }

  get isGrowing(): boolean {
    return this.#state === 'growing';
  }

  /** Somebody has taken it away. */
  get isGone(): boolean {
    return this.#state === 'gone';
  }

  /** It has been changed to show this. */
  becomes(shown: string): void {
    this.#shown = shown;
    this.#isSure = true;
  }

  /** Whether it was put there, or may have been: false if it does not grow any more. Throws `ChannelError`. */
  async append(markdown: string): Promise<boolean> {
    const added = neutral(markdown.toWellFormed());
    try {
      await this.#call('chat.appendStream', { markdown_text: added });
      this.#shown += added;
      return true;
    } catch (error) {
      const isLost = this.#heed(error);
      if (isLost) this.#shown += added;
      if (!isLost && this.#state === 'growing') throw error;
      return isLost;
    }
  }

  /** Ends the growing, with a last addition if there is one. Throws `ChannelError` if that can be tried again. */
  async stop({ rest = '', messageId }: { readonly rest?: string; readonly messageId?: string } = {}): Promise<void> {
    if (this.#state !== 'growing') return;
    try {
      await this.#call('chat.stopStream', {
        ...(rest !== '' && { markdown_text: rest }),
        ...(messageId !== undefined && { metadata: metadataOf(messageId) }),
      });
      this.#shown += rest;
    } catch (error) {
      const isLost = this.#heed(error);
      if (!isLost && this.#state === 'growing' && !isPermanent(error)) throw error;
      this.#isSure = false;
    }
    if (this.#state === 'growing') this.#state = 'stopped';
  }

  /** Closes the code block in which it ends, and stops it. Answers with what opens it again. */
  async turnOver(): Promise<string> {
    const open = openFenceIn(this.#shown);
    const lineEnd = this.#shown.endsWith('\n') ? '' : '\n';
    await this.stop(open && { rest: `${lineEnd}${open.marks}` });
    return open === undefined ? '' : `${open.marks}${open.info}\n`;
  }

  /** Whether the request may have been carried out. */
  #heed(error: unknown): boolean {
    if (!(error instanceof ChannelError)) throw error;
    const code = refusalCode(error);
    if (code === 'message_not_in_streaming_state') {
      this.#state = 'stopped';
      this.#isSure = false;
    }
    if (code === 'message_not_found') this.#state = 'gone';
    const { type } = error.fault;
    if (type === 'ambiguous' || type === 'transient') this.#isSure = false;
    return type === 'ambiguous';
  }

  async #call(method: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    const { api, to } = this.#place;
    await api.call(method, { channel: to.chatId, ts: this.#ts, ...args });
  }
}

function isPermanent(error: unknown): boolean {
  return error instanceof ChannelError && error.fault.type === 'permanent';
}
