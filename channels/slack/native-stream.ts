import { z } from 'zod';
import {
  type ChannelAdapter,
  ChannelError,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { EditPace } from '../../src/lib/edit-pace.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { Log } from '../../src/lib/log.ts';
import { FinalParts, PacedRequests } from '../kit/growing-reply.ts';
import { openFenceIn } from '../kit/markdown.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { isRefused, lostAnswer, noFeature, type SlackApi } from './api.ts';
import { neutral, shownMarkdown } from './content.ts';
import { metadataOf, recentMessages } from './former-sendings.ts';
import type { Writer } from './people.ts';
import { cutFor, cutForNew, longestAge, StreamText } from './stream-text.ts';

export interface NativeStreamOptions {
  readonly api: Pick<SlackApi, 'call'>;
  readonly to: Conversation;
  /** The reader. Slack wants to know outside of direct chats. */
  readonly recipient: Writer | undefined;
  readonly sender: Required<Pick<ChannelAdapter, 'send' | 'edit' | 'remove'>>;
  /** Told of all messages that stand there, whenever there is one more. Waited for. */
  readonly begun: (refs: readonly MessageRef[]) => Promise<void>;
  /** The bot's own user. */
  readonly botUserId: string;
  /** The workspace takes no streams: it is not asked again. The code is Slack's. Returns at once. */
  readonly switchOff: (code: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** One message that grows at its end until it is stopped, which Slack itself does after about five minutes. */
interface GrowingMessage {
  readonly ts: string;
  readonly startedAt: number;
  /** What it shows, if nothing was lost. */
  shown: string;
  /** Whether it surely shows just that. */
  isSure: boolean;
  /** `gone`: somebody has taken it away. */
  state: 'growing' | 'stopped' | 'gone';
}

/** The beginning of a message whose answer was lost. */
interface LostStart {
  readonly at: number;
  readonly beginning: string;
  /** How much of the text it holds. */
  readonly cut: number;
}

/** The least time between two requests of one stream, in milliseconds. */
const pause = 700;
/** The first of it is shown so long after its first character, in milliseconds. */
const firstAfter = 400;
/** In milliseconds. */
const leavesWithin = 900;

const startedShape = z.object({ ts: z.string() });
const growingShape = z.object({ ts: z.string(), user: z.string(), streaming_state: z.string() });

/**
 * A reply that Slack itself shows while it is written: as a message that grows at its end, and goes on in another one
 * before Slack would break it off. One request at a time. What comes before the end is shown at best; `finish` makes sure
 * that all of the final text is.
 */
export class NativeStream implements ReplyStream {
  readonly #options: NativeStreamOptions;
  readonly #pace: EditPace;
  readonly #text = new StreamText();
  readonly #messages: GrowingMessage[] = [];
  readonly #requests: PacedRequests;
  readonly #final = new FinalParts();
  #firstAt: number | undefined;
  /** A beginning of which it is not known whether it stands there. */
  #lostStart: LostStart | undefined;
  /** Opens again the code block in which the last message had to end. */
  #opening = '';

  constructor(options: NativeStreamOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#pace = new EditPace({ clock, pause });
    this.#requests = new PacedRequests({
      ...{ clock, log },
      dueAt: () => this.#dueAt(),
      request: () => this.#request(),
      onFailure: (error) => this.#mayGoOn(error),
    });
  }

  /** Whether a message of it stands there that is still being written. */
  get isGrowing(): boolean {
    return !this.#requests.isOver && this.#growing !== undefined;
  }

  push(delta: string): void {
    if (this.#requests.isOver || delta === '') return;
    this.#firstAt ??= this.#options.clock.now();
    this.#text.add(delta);
    this.#requests.plan();
  }

  /**
   * Each message shows its part; parts that have none are sent, and messages that have none are taken away. After a failure
   * it goes on where it was.
   */
  async finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void> {
    await this.#settle();
    const { to, sender } = this.#options;
    const show = (part: OutboundMessage, index: number): Promise<MessageRef> => {
      const message = this.#messages[index];
      return message === undefined ? sender.send(to, part) : this.#finish(message, part);
    };
    await this.#final.show(parts, show, shown);
    await this.#removeFrom(parts.length);
  }

  async cancel(): Promise<void> {
    await this.#settle();
    await this.#removeFrom(0);
  }

  /** What stands there is stopped, so that the next process can change it. */
  async leave(): Promise<void> {
    const { clock, log } = this.#options;
    const stop = async (): Promise<void> => {
      await this.#requests.end();
      if (this.#growing !== undefined) await this.#turnOver(this.#growing);
    };
    try {
      await endsWithin(stop(), { clock, milliseconds: leavesWithin });
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      log.debug({ reason: error.message }, 'a reply was left growing');
    }
  }

  /** The last message, while it grows. */
  get #growing(): GrowingMessage | undefined {
    const last = this.#messages.at(-1);
    return last?.state === 'growing' ? last : undefined;
  }

  /** Resolves when nothing is under way any more, and it is known what stands there. */
  async #settle(): Promise<void> {
    await this.#requests.end();
    const { refusedFor: retryAfter } = this.#pace;
    if (retryAfter > 0)
      throw new ChannelError({ type: 'rate-limited', retryAfter }, 'The thread still takes no changes.');
    if (this.#lostStart !== undefined) await this.#seek(this.#lostStart);
  }

  #dueAt(): number | undefined {
    const { earliest } = this.#pace;
    if (this.#lostStart !== undefined) return earliest;
    const growing = this.#growing;
    if (this.#text.ready === '') return growing && Math.max(earliest, growing.startedAt + longestAge(growing.shown));
    return Math.max(earliest, this.#messages.length === 0 ? (this.#firstAt ?? 0) + firstAfter : 0);
  }

  async #request(): Promise<void> {
    this.#pace.begin();
    if (this.#lostStart !== undefined) return this.#seek(this.#lostStart);
    const growing = this.#growing;
    if (growing === undefined) return this.#start();
    const cut = cutFor(this.#text.ready, growing.shown, this.#options.clock.now() - growing.startedAt);
    if (cut === 0) {
      this.#opening = await this.#turnOver(growing);
    } else if (await this.#append(growing, this.#text.ready.slice(0, cut))) {
      this.#text.take(cut);
    } else {
      // A message that Slack has broken off shows itself as broken until it is changed.
      await this.#change(growing, { id: '', kind: 'reply', markdown: growing.shown }, growing.shown);
    }
  }

  async #start(): Promise<void> {
    const { api, to, recipient, clock } = this.#options;
    const { ready } = this.#text;
    const cut = cutForNew(ready, this.#opening);
    const beginning = neutral((this.#opening + ready.slice(0, cut)).toWellFormed());
    if (ready.slice(0, cut).trim() === '') return this.#text.take(cut);
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
      await this.#add(data.ts, { at, beginning, cut }, true);
    } catch (error) {
      if (faultOf(error) !== 'ambiguous') throw error;
      this.#lostStart = { at, beginning, cut };
    }
  }

  /**
   * Goes on with the message that may have been begun, if there is one in the thread that the bot itself lets grow, and that
   * is not known. Where the thread cannot be read, there is none. Throws `ChannelError` if that can be tried again.
   */
  async #seek(lost: LostStart): Promise<void> {
    const { api, to, botUserId } = this.#options;
    const recent = await recentMessages(api, to, lost.at);
    const found = recent
      .flatMap((message) => growingShape.safeParse(message).data ?? [])
      .findLast(({ ts, user }) => user === botUserId && !this.#messages.some((known) => known.ts === ts));
    this.#lostStart = undefined;
    if (found !== undefined) await this.#add(found.ts, lost, false);
  }

  async #add(ts: string, { at, beginning, cut }: LostStart, isSure: boolean): Promise<void> {
    this.#text.take(cut);
    this.#opening = '';
    this.#messages.push({ ts, startedAt: at, shown: beginning, isSure, state: 'growing' });
    await this.#options.begun(this.#messages.map((message) => ({ id: message.ts })));
  }

  /** Whether it was put there, or may have been: false if it does not grow any more. Throws `ChannelError`. */
  async #append(message: GrowingMessage, markdown: string): Promise<boolean> {
    const added = neutral(markdown.toWellFormed());
    try {
      await this.#call('chat.appendStream', message, { markdown_text: added });
    } catch (error) {
      this.#noteFailure(message, error);
      const isLost = faultOf(error) === 'ambiguous';
      if (!isLost && message.state === 'growing') throw error;
      if (!isLost) return false;
    }
    message.shown += added;
    return true;
  }

  /** Ends the growing, with a last addition if there is one. Throws `ChannelError` if that can be tried again. */
  async #stop(message: GrowingMessage, rest = '', messageId?: string): Promise<void> {
    if (message.state !== 'growing') return;
    const metadata = messageId && metadataOf(messageId);
    try {
      await this.#call('chat.stopStream', message, { markdown_text: rest || undefined, metadata });
      message.shown += rest;
    } catch (error) {
      this.#noteFailure(message, error);
      const isEnded = faultOf(error) === 'ambiguous' || faultOf(error) === 'permanent';
      if (!isEnded && message.state === 'growing') throw error;
      message.isSure = false;
    }
    if (message.state === 'growing') message.state = 'stopped';
  }

  /** Closes the code block in which it ends, and stops it. Answers with what opens it again. */
  async #turnOver(message: GrowingMessage): Promise<string> {
    const open = openFenceIn(message.shown);
    const lineEnd = message.shown.endsWith('\n') ? '' : '\n';
    await this.#stop(message, open && `${lineEnd}${open.marks}`);
    return open === undefined ? '' : `${open.marks}${open.info}\n`;
  }

  /** What a refusal or a lost answer says of the message itself. */
  #noteFailure(message: GrowingMessage, error: unknown): void {
    const code = refusalCode(error);
    if (code === 'message_not_in_streaming_state') message.state = 'stopped';
    if (code === 'message_not_found') message.state = 'gone';
    const isDoubtful = faultOf(error) === 'ambiguous' || faultOf(error) === 'transient';
    if (message.state === 'stopped' || isDoubtful) message.isSure = false;
  }

  async #call(method: string, { ts }: GrowingMessage, rest: Readonly<Record<string, unknown>>): Promise<void> {
    const { api, to } = this.#options;
    await api.call(method, { channel: to.chatId, ts, ...rest });
  }

  /**
   * Makes the message show its final part: by what is missing at its end, or by a change, or again where somebody has taken
   * it away. Throws `ChannelError`, after which it can be called again.
   */
  async #finish(message: GrowingMessage, part: OutboundMessage): Promise<MessageRef> {
    const { to, sender } = this.#options;
    const wanted = shownMarkdown(part.markdown);
    const hasButtons = (part.buttons?.length ?? 0) > 0;
    const isBeginning = message.isSure && !hasButtons && wanted.startsWith(message.shown);
    await this.#stop(message, isBeginning ? wanted.slice(message.shown.length) : '', part.id);
    if (message.isSure && !hasButtons && message.shown.trimEnd() === wanted.trimEnd()) return { id: message.ts };
    if (message.state === 'gone') return sender.send(to, part);
    try {
      await this.#change(message, part, wanted);
      return { id: message.ts };
    } catch (error) {
      if (faultOf(error) !== 'permanent') throw error;
      return sender.send(to, part);
    }
  }

  async #change(message: GrowingMessage, part: OutboundMessage, shown: string): Promise<void> {
    const { to, sender } = this.#options;
    await sender.edit(to, { id: message.ts }, part);
    message.shown = shown;
    message.isSure = true;
  }

  /** Takes the messages away from that one on, the last one first. */
  async #removeFrom(count: number): Promise<void> {
    const { to, sender } = this.#options;
    for (let last = this.#messages.at(-1); last && this.#messages.length > count; last = this.#messages.at(-1)) {
      if (last.state !== 'gone') await sender.remove(to, { id: last.ts });
      this.#messages.pop();
    }
  }

  #mayGoOn(error: ChannelError): boolean {
    const { fault } = error;
    if (fault.type === 'rate-limited') this.#pace.refuse(fault.retryAfter);
    if (isRefused(error, noFeature)) this.#options.switchOff(String(refusalCode(error)));
    return fault.type === 'rate-limited' || fault.type === 'transient';
  }
}

/** Throws what is no `ChannelError`. */
function faultOf(error: unknown): ChannelError['fault']['type'] {
  if (error instanceof ChannelError) return error.fault.type;
  throw error;
}
