/**
 * The contract of channels. A channel is transport only: it turns platform events into `InboundEvent`s and
 * `OutboundMessage`s into platform requests. It does not retry, dedupe, split, queue, or decide who may talk.
 */
import type { z } from 'zod';
import type { Clock } from './lib/clock.ts';
import type { JsonObject } from './lib/json.ts';
import type { Log } from './lib/log.ts';
import { directNetwork, type Network } from './lib/network/network.ts';
import { type Language, type Words, wordsIn } from './lib/words.ts';
import type {
  BareDeletion,
  Button,
  Conversation,
  InboundAttachment,
  InboundEvent,
  MessageRef,
  OutboundMessage,
  Receipt,
  Sender,
} from './messages.ts';

export { directNetwork, type Network } from './lib/network/network.ts';
export * from './messages.ts';

/** What the platform can do. */
export interface ChannelCapabilities {
  /** The longest message, in units of `measure`. */
  readonly maxLength: number;
  /** A button press can ask for a text: see `Button.asks`. */
  readonly forms: boolean;
  /** The largest file that can be sent, in bytes; 0 if none can. */
  readonly maxFileBytes: number;
  /** The shortest interval between edits of one message that the platform sustains, in ms. */
  readonly editPause: { readonly direct: number; readonly group: number };
  /** A reply that is complete within so long is sent without a stream of it being shown before, in ms. Default: 0. */
  readonly streamAfter?: number;
  /** How fast it takes new messages. Omitted: as fast as it answers. */
  readonly sendPace?: SendPace;
  /**
   * The adapter reports its health at least this often unless it is dead, in ms. If it falls silent, it is restarted.
   * Omitted: it need not repeat itself.
   */
  readonly heartbeat?: number;
  /** The prefix of a command, if not just a slash: `/keyturn `. */
  readonly commandPrefix?: string;
  /** The prefix within a thread, if different: `@keyturn /`. */
  readonly commandPrefixInThread?: string;
  /** A preview is shown as a message that grows: it gets `written`, and an edit without it when it is complete. */
  readonly grows?: boolean;
  /** Messages stay visible after a restart. If not, open cards are shown again. */
  readonly history: boolean;
  /**
   * Folded blocks (`src/lib/folds.ts`) can be opened in place. If not, a card leaves them out, and has a button that shows
   * them to the person who presses it: see `Button.unfolds`.
   */
  readonly folds?: boolean;
  /**
   * It heeds `OutboundMessage.isSilent`. Where it can also `remove` messages, a preview is silent, and an answer that was
   * previewed is sent again when it is complete: edits ring nowhere.
   */
  readonly silence?: boolean;
}

/** What a platform asks of those who send much: kept for messages that have waited. Fresh ones may come in a burst. */
export interface SendPace {
  /** The shortest interval between messages in one chat that it sustains, in ms. */
  readonly direct: number;
  readonly group: number;
  /** So many messages at once are accepted in a chat that was quiet. */
  readonly burst: number;
  /** The shortest interval between messages in all chats together, in ms. */
  readonly total: number;
}

/** The progress of a running tool. Shown where the channel can; never stored. */
export interface ToolStatus {
  readonly callId: string;
  readonly toolName: string;
  readonly state: 'wait' | 'doing' | 'success' | 'error';
  /** One line for people, with code in backticks. */
  readonly tip?: string;
  /** In ms. Set at the end. */
  readonly duration?: number;
  /** It ended in `error` because it was called off, or never ran. */
  readonly isStopped?: boolean;
}

/** A call that begins. Shown where the channel can; never stored. */
export interface ShownCall {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonObject;
}

/** The result of a call, as the model reads it. */
export interface ShownResult {
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
  readonly succeeded: boolean;
}

/** The preview of a reply while it is written. Only the messages that `finish` shows are durable. */
export interface ReplyStream {
  /** Appends to the text. Never throws, never waits. */
  push(delta: string): void;
  /**
   * Replaces the preview with the final text, in several parts if it is long. Awaits `shown` for each part, in order,
   * once the platform shows it. After a transient failure it is called again and resumes where it stopped.
   */
  finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void>;
  /** The text will not be finished. Leaves the preview as it is, or removes it. */
  cancel(): Promise<void>;
}

/** The provider rejects our key · the model gave no answer · anything else. */
export type RunFailure = 'key' | 'model' | 'other';

/** One connected platform. Its methods throw only `ChannelError`. */
export interface ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  /** The sender who is the operator because they sit at this machine. */
  readonly localOwner?: Sender;
  /**
   * Everything said up to this instant (ms since 1970) has been received and stored; undefined if unknown. The next
   * process resumes from there. Omitted if the platform keeps undelivered messages itself.
   */
  readonly heardAt?: number | undefined;
  /** The length of the message on this platform. Pure; never shrinks as the text grows. */
  measure(markdown: string): number;
  /** Starts receiving. Resolves without waiting for the platform; later failures go to `reportHealth`. */
  start(host: ChannelHost): Promise<void>;
  /** Stops receiving. Sends in progress may finish. Resolves within 2 s. */
  stop(): Promise<void>;
  send(to: Conversation, message: OutboundMessage): Promise<MessageRef>;
  /** Replaces text and buttons. Idempotent. */
  edit?(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void>;
  /** Removes a message. A missing message is no error. */
  remove?(to: Conversation, ref: MessageRef): Promise<void>;
  showTyping?(to: Conversation): Promise<void>;
  /** Sets the mark on a person's message. Replaces an earlier mark. */
  mark?(to: Conversation, messageId: string, mark: MessageMark): Promise<void>;
  /**
   * Reacts to a person's message with an emoji, in place of the mark. Idempotent. Resolves with the reaction that stands
   * there: the nearest that the platform takes. If it takes none like it, the error says which, as any other refusal.
   */
  react?(to: Conversation, messageId: string, emoji: string): Promise<string>;
  /** For platforms that display tool progress natively. Others get a card that is edited. */
  showStatus?(to: Conversation, status: ToolStatus): void;
  /** For programs: the calls with their arguments and results. */
  showCall?(to: Conversation, call: ShownCall): void;
  showResult?(to: Conversation, result: ShownResult): void;
  /** For channels that show the model's reasoning before it answers. Appends to it. */
  showThinking?(to: Conversation, delta: string): void;
  /** The run has failed. The next message explains it in words. */
  showFailure?(to: Conversation, failure: RunFailure): void;
  /**
   * Opens a native preview for a growing text, of which nothing remains if the process dies; undefined if this conversation
   * does not support it. Call `refused` if the platform does not show it: the text is shown by edits instead, if the
   * adapter has them, and the stream is cancelled.
   */
  openStream?(to: Conversation, refused?: () => void): ReplyStream | undefined;
  /** Where a person opens a chat with the bot, to claim it or to be let in; undefined while the channel does not know. */
  startLink?(code: string): StartLink | undefined;
  /** Leaves a group. No error if the bot is not in it. Omitted if bots cannot leave there, or only with more than the group. */
  leave?(conversation: Conversation): Promise<void>;
  /** Fetches an incoming attachment. `too-large`: it exceeds `maxBytes`. */
  fetchAttachment?(
    attachment: InboundAttachment,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | 'too-large'>;
}

/** `sendsCode`: who opens it sends the code by a tap. Otherwise they write it themselves. */
export interface StartLink {
  readonly url: string;
  readonly sendsCode: boolean;
}

/** The state of a person's message: stored · in progress · answered. */
export type MessageMark = 'seen' | 'working' | 'done';

/** A command as channels offer it to people. */
export interface OfferedCommand extends OfferedWords {
  readonly name: string;
  /** The same in other languages than English, by their code: `zh`. */
  readonly translations: Readonly<Record<string, OfferedWords>>;
  /** Who can use it. */
  readonly seenBy: 'all' | 'owners';
  /** It is about the person who types it, and not about the chat: of no use in a group's menu. */
  readonly isPersonal?: boolean;
  /** `ChannelHost.suggestions` knows what may follow it. */
  readonly suggests?: boolean;
}

/** What may follow a command, and what it is, as plain text for the person who types. */
export interface Suggestion {
  readonly value: string;
  readonly label: string;
}

interface OfferedWords {
  /** What it does, in a few words. */
  readonly description: string;
  /** Its arguments, optional ones in brackets. */
  readonly words?: string;
}

/** The host, as a channel sees it. */
export interface ChannelHost {
  /**
   * Takes an event. Resolves once it is stored; acknowledge it to the platform only then. Never waits for the answer.
   * Throws if it could not be stored: the platform must deliver it again.
   */
  receive(event: InboundEvent | BareDeletion): Promise<Receipt>;
  /** The platform gave a chat another id. Resolves once that is stored. */
  moved(from: Conversation, chatId: string): Promise<void>;
  /**
   * The most recently used conversations of this channel, latest first: at most `most`, and at most ten per chat. Messages may
   * have been missed there while nobody listened.
   */
  conversations(most: number): Promise<readonly Conversation[]>;
  /** Everything before this instant was received by earlier processes; ms since 1970. Undefined at the first start. */
  readonly leftAt?: number;
  /**
   * Resolves when no work or delivery is left in the conversation except what waits for a person. Resolves at once if
   * the channel has been stopped.
   */
  whenIdle(conversation: Conversation): Promise<void>;
  /** Reports the state of the connection. Repeating `connected` confirms that it still receives. */
  reportHealth(health: ChannelHealth): void;
  /** The person closed the input: no more events will come. */
  reportEnd(): void;
  /** The person wants the process to end. */
  requestStop(): void;
  /** The commands to offer to people, the most used first. The core obeys them; channels only announce them. */
  readonly commands: readonly OfferedCommand[];
  /** The language to speak to this person in; to the operator, if nobody is named. Ask each time: it can change. Omitted: English. */
  languageFor?(sender?: Sender): Language;
  /** The folder of Keyturn's data, for a channel's own files. No tool can read it. */
  readonly dataFolder?: string;
  /**
   * What is in a folder of the workspace that this person has in the conversation (`.` is the whole): names, those of folders
   * with a slash at the end. Empty if there is no such folder.
   */
  fileNames?(conversation: Conversation, sender: Sender, folder: string): Promise<readonly string[]>;
  /** The ids of the senders on this channel who are owners. Ask each time: they can change. Omitted: nobody knows. */
  ownersHere?(): readonly string[];
  /** What this person may mean behind a command that they type there, the likeliest first. For channels that offer it. */
  suggestions?(
    conversation: Conversation,
    sender: Sender,
    asked: { readonly command: string; readonly typed: string },
  ): Promise<readonly Suggestion[]>;
  /** What waits for this person, and what they have allowed. For channels with a page of their own for each person. */
  waitingRoom?(sender: Sender): Promise<readonly RoomEntry[]>;
  readonly log: Log;
  readonly clock: Clock;
}

/** One matter of the waiting room. A press of its buttons is an `InboundAction` in the person's direct chat. */
export interface RoomEntry {
  /** The same as long as it is the same matter. */
  readonly id: string;
  readonly markdown: string;
  readonly buttons: readonly Button[];
}

/**
 * `connected`: the last receive succeeded. `dead`: refused; the host retries. `needsOwner`: owners are notified. `reason`:
 * sentences for owners, in each language, or a text that is the same in all.
 */
export type ChannelHealth =
  | { readonly status: 'connecting' }
  | { readonly status: 'connected'; readonly account?: string }
  | { readonly status: 'failing'; readonly reason: Words; readonly needsOwner?: boolean }
  | { readonly status: 'dead'; readonly reason: Words };

export type ChannelFault =
  /** The platform refuses for `retryAfter` ms. Nothing was done. `ChannelError` clamps the value. */
  | { readonly type: 'rate-limited'; readonly retryAfter: number }
  /**
   * Nothing was done; a retry may succeed. `isBlocked`: a proxy in front of the platform rejects just this request ·
   * `isUnsent`: there is no connection, which says nothing about the request.
   */
  | { readonly type: 'transient'; readonly isBlocked?: boolean; readonly isUnsent?: boolean }
  /** Nothing was done; no retry will succeed. */
  | { readonly type: 'permanent' }
  /** The platform rejects our credentials. */
  | { readonly type: 'auth' }
  /** Nothing was done: the chat has a new id. */
  | { readonly type: 'moved'; readonly chatId: string }
  /** The request may have been carried out: its response was lost. */
  | { readonly type: 'ambiguous' };

/** A failed platform request. The words explain it without the text that was to be sent; the message is English, for logs. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly fault: ChannelFault;
  /** A clause for people. */
  readonly words: Words;

  constructor(fault: ChannelFault, words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.words = words;
    this.fault = fault.type === 'rate-limited' ? { ...fault, retryAfter: bearable(fault.retryAfter) } : fault;
  }

  /** A channel may bundle its own copy of this class, so instances are recognized by shape. */
  static override [Symbol.hasInstance](value: unknown): value is ChannelError {
    return value instanceof Error && value.name === 'ChannelError' && 'fault' in value;
  }
}

/** The bounds of a wait that a platform may request, in ms. */
const bearableWaits = { least: 1000, most: 900_000 } as const;

/** Clamps the wait: 0 would cause a hot loop, and eleven days is too long to go without a retry. */
export function bearable(retryAfter: number): number {
  const { least, most } = bearableWaits;
  return Number.isNaN(retryAfter) ? least : Math.min(most, Math.max(least, retryAfter));
}

/** A channel in the catalogue. Its settings are validated before it exists. */
export interface Channel {
  readonly name: string;
  /**
   * Makes the adapter from `channels.<name>` in the config. Throws zod's error if that is invalid. `network`: for all its
   * requests; directly if left out. If that changes, another adapter is made.
   */
  create(settings: unknown, network?: Network): ChannelAdapter;
  /** It makes no requests, so that a change of the network does not restart it. */
  readonly isLocal?: boolean;
  /** The part of the settings that the adapter depends on. An edit of the rest does not restart it. */
  worksWith(settings: unknown): unknown;
}

/** Hides the settings type, so that all channels have the same interface. */
export function defineChannel<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly settings: Schema;
  /** It makes no requests. */
  readonly isLocal?: boolean;
  create(settings: z.output<Schema>, network: Network): ChannelAdapter;
  /** The access settings that the adapter itself reads. Omitted: none, the daemon applies them. */
  worksWithAccess?(settings: z.output<Schema>): unknown;
}): Channel {
  return {
    name: definition.name,
    isLocal: definition.isLocal,
    create: (settings, network = directNetwork) => definition.create(definition.settings.parse(settings), network),
    worksWith(settings) {
      const checked = definition.settings.parse(settings);
      const own = Object.entries(checked ?? {}).filter(([key]) => key !== 'allow_from' && key !== 'groups');
      return [Object.fromEntries(own), definition.worksWithAccess?.(checked)];
    },
  };
}
