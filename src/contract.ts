/**
 * What a channel sees of Keyturn. A channel is transport only: it turns what a platform sends into `InboundEvent`s, and
 * `OutboundMessage`s into what the platform takes. It does not retry, dedupe, split, queue, or decide who may talk.
 */
import type { z } from 'zod';
import type { Clock } from './lib/clock.ts';
import type { JsonObject } from './lib/json.ts';
import type { Log } from './lib/log.ts';
import type {
  BareDeletion,
  Conversation,
  InboundAttachment,
  InboundEvent,
  MessageRef,
  OutboundMessage,
  Receipt,
  Sender,
} from './messages.ts';

export { commandMenu, type OfferedCommand } from './command-menu.ts';
export {
  type BareDeletion,
  type Button,
  type Conversation,
  conversationId,
  type InboundAction,
  type InboundAttachment,
  type InboundDeletion,
  type InboundEdit,
  type InboundEvent,
  type InboundMessage,
  type MessageKind,
  type MessageRef,
  type OutboundFile,
  type OutboundMessage,
  partsOf,
  principalOf,
  type Quote,
  type Receipt,
  type Sender,
  type SharedText,
} from './messages.ts';

/** What the platform can do, as data. */
export interface ChannelCapabilities {
  /** The longest message, in the unit of `measure`. */
  readonly maxLength: number;
  /** A press of a button can ask the person for a text: see `Button.asks`. */
  readonly forms: boolean;
  /** The largest file that can be sent, in bytes; 0 where none can. */
  readonly maxFileBytes: number;
  /** The least time between two changes of one message that the platform bears for long, in milliseconds. */
  readonly editPause: { readonly direct: number; readonly group: number };
  /**
   * Unless it is dead, it tells at least this often how it is, in milliseconds; if it falls silent, it is stopped and
   * started again. Left out: it need not say anything twice.
   */
  readonly heartbeat?: number;
  /** What is typed before the name of a command, where that is not a slash alone: `/keyturn `. */
  readonly commandPrefix?: string;
  /** The same within a thread, where that is something else: `@keyturn /`. */
  readonly commandPrefixInThread?: string;
  /** What was shown can still be seen after a restart. Where it cannot, open cards are shown again. */
  readonly history: boolean;
}

/** What a tool is doing, while it does it. Shown where the channel can; never stored. */
export interface ToolStatus {
  readonly callId: string;
  readonly toolName: string;
  readonly state: 'wait' | 'doing' | 'success' | 'error';
  /** One line for people, in which code stands between backticks. */
  readonly tip?: string;
  /** Set at the end, in milliseconds. */
  readonly duration?: number;
}

/** A call that begins. Shown where the channel can; never stored. */
export interface ShownCall {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonObject;
}

/** What came of it, as the model reads it. */
export interface ShownResult {
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
  readonly succeeded: boolean;
}

/** A reply that is shown while it is written. Nothing of it is durable but what `finish` shows. */
export interface ReplyStream {
  /** Adds to the text. Never throws, never waits. */
  push(delta: string): void;
  /**
   * Replaces the preview by the final text, which has several parts if it is long. `shown` is told of each part in its
   * order once the platform shows it, and waited for. If it fails for now, it is called again, and goes on where it was.
   */
  finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void>;
  /** The text will not be finished: leaves the preview as it stands, or takes it away. */
  cancel(): Promise<void>;
  /** The process ends, and another one goes on with what `begun` was told of. Resolves within a second. */
  leave?(): Promise<void>;
}

/** What a run has failed of: the model's provider refuses our key · the model gave no answer · anything else. */
export type RunFailure = 'key' | 'model' | 'other';

/** One platform, connected. Its methods throw `ChannelError` and nothing else. */
export interface ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  /** The sender who is the operator because they sit at the machine. */
  readonly localOwner?: Sender;
  /**
   * Until when all that was said has come in and is stored, in milliseconds since 1970; undefined if that is not known. The
   * next process begins from there. Left out where the platform keeps what was not received.
   */
  readonly heardAt?: number | undefined;
  /** How long the message is on this platform. Pure; grows with the text, if not with every character. */
  measure(markdown: string): number;
  /** Begins to receive. Resolves without waiting for the platform; what goes wrong later is told by `reportHealth`. */
  start(host: ChannelHost): Promise<void>;
  /** Stops to receive; what is being sent may still end. Resolves within 2 s. */
  stop(): Promise<void>;
  send(to: Conversation, message: OutboundMessage): Promise<MessageRef>;
  /** Shows another text, and other buttons or none. Doing it twice changes nothing. */
  edit?(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void>;
  /** Takes a message away. That it is gone already is no error. */
  remove?(to: Conversation, ref: MessageRef): Promise<void>;
  showTyping?(to: Conversation): Promise<void>;
  /** Marks a message of a person, in place of the mark that it had. */
  mark?(to: Conversation, messageId: string, mark: MessageMark): Promise<void>;
  /** Where the platform shows by itself what tools do. Elsewhere they have a card that is edited. */
  showStatus?(to: Conversation, status: ToolStatus): void;
  /** Where programs watch: what is called with what, and what came of it. */
  showCall?(to: Conversation, call: ShownCall): void;
  showResult?(to: Conversation, result: ShownResult): void;
  /** Where people can see what the model thinks before it answers: adds to it. */
  showThinking?(to: Conversation, delta: string): void;
  /** The run has failed: what comes next says why in words. */
  showFailure?(to: Conversation, failure: RunFailure): void;
  /**
   * Where the platform shows by itself a text that grows; undefined where it can't in this place. Whatever of it would stay
   * there if the process died is told to `begun`, in order, each time with all that stands by then: `edit` finishes it.
   */
  openStream?(to: Conversation, begun?: (refs: readonly MessageRef[]) => Promise<void>): ReplyStream | undefined;
  /** Fetches an attachment that came in. `too-large`: it has more than `maxBytes`. */
  fetchAttachment?(
    attachment: InboundAttachment,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | 'too-large'>;
}

/** What has become of a person's message: it was stored · it is being worked on · it is answered. */
export type MessageMark = 'seen' | 'working' | 'done';

/** What Keyturn is to a channel. */
export interface ChannelHost {
  /**
   * Takes an event. Resolves once it is stored: then, and not before, the platform may be told that it arrived. Never
   * waits for the answer. Throws if it could not be stored: then the platform must deliver it again.
   */
  receive(event: InboundEvent | BareDeletion): Promise<Receipt>;
  /** The platform has given a chat another id, under which it goes on. Resolves once that is stored. */
  moved(from: Conversation, chatId: string): Promise<void>;
  /**
   * The places of this channel that were talked in, the latest first, that many at most, ten of a chat at most: where
   * something may have been said while nobody listened.
   */
  places(most: number): Promise<readonly Conversation[]>;
  /** Until when former processes have heard all of this channel, as milliseconds since 1970; not at the first start. */
  readonly leftAt?: number;
  /**
   * Resolves when nothing is left to do or to deliver in the conversation but what waits for a person, and at once when
   * the channel has been stopped.
   */
  whenIdle(conversation: Conversation): Promise<void>;
  /** Tells how the connection is. Repeating that it is connected says that it still receives. */
  reportHealth(health: ChannelHealth): void;
  /** Nothing more will come: the person has closed the input. */
  reportEnd(): void;
  /** The person wants the process to end. */
  requestStop(): void;
  readonly log: Log;
  readonly clock: Clock;
}

/** `connected`: the last receive succeeded. `dead`: refused, and tried again by the host. `needsOwner`: owners are told. */
export type ChannelHealth =
  | { readonly status: 'connecting' }
  | { readonly status: 'connected'; readonly account?: string }
  | { readonly status: 'failing'; readonly reason: string; readonly needsOwner?: boolean }
  | { readonly status: 'dead'; readonly reason: string };

export type ChannelFault =
  /** The platform refuses for now and says for how long, in milliseconds. Nothing was done. `ChannelError` bounds it. */
  | { readonly type: 'rate-limited'; readonly retryAfter: number }
  /**
   * Nothing was done, and a later try may succeed. `isBlocked`: a proxy before the platform refuses just this request ·
   * `isUnsent`: there is no connection, which says nothing about the request.
   */
  | { readonly type: 'transient'; readonly isBlocked?: boolean; readonly isUnsent?: boolean }
  /** Nothing was done, and no later try will succeed. */
  | { readonly type: 'permanent' }
  /** The platform does not accept our credentials. */
  | { readonly type: 'auth' }
  /** Nothing was done: the chat has another id now. */
  | { readonly type: 'moved'; readonly chatId: string }
  /** The request may have been carried out: its answer was lost. */
  | { readonly type: 'ambiguous' };

/** What a platform made of a request. The message says so in words, without the text that was to be sent. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly fault: ChannelFault;

  constructor(fault: ChannelFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault.type === 'rate-limited' ? { ...fault, retryAfter: bearable(fault.retryAfter) } : fault;
  }

  /** A channel may bring a copy of this class, within a package that it uses: what that one makes counts as well. */
  static override [Symbol.hasInstance](value: unknown): value is ChannelError {
    return value instanceof Error && value.name === 'ChannelError' && 'fault' in value;
  }
}

/** The shortest and the longest time that a platform can ask us to wait, in milliseconds. */
const bearableWaits = { least: 1000, most: 900_000 } as const;

/** A platform that says 0 wants no hot loop, and one that says eleven days wants to be asked again before. */
export function bearable(retryAfter: number): number {
  const { least, most } = bearableWaits;
  return Number.isNaN(retryAfter) ? least : Math.min(most, Math.max(least, retryAfter));
}

/** A channel as the catalogue holds it: its settings are checked before it exists. */
export interface Channel {
  readonly name: string;
  /** Makes the adapter from what stands under `channels.<name>` in the config. Throws zod's error if that is wrong. */
  create(settings: unknown): ChannelAdapter;
  /** What of these settings its adapter works with: after an edit of the rest it runs on. */
  worksWith(settings: unknown): unknown;
}

/** Closes over the type of the settings, so that all channels look alike from outside. */
export function defineChannel<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly settings: Schema;
  create(settings: z.output<Schema>): ChannelAdapter;
  /** What it reads of who may talk there. Left out: nothing, which is what the daemon does. */
  worksWithAccess?(settings: z.output<Schema>): unknown;
}): Channel {
  return {
    name: definition.name,
    create: (settings) => definition.create(definition.settings.parse(settings)),
    worksWith(settings) {
      const checked = definition.settings.parse(settings);
      const own = Object.entries(checked ?? {}).filter(([key]) => key !== 'allow_from' && key !== 'groups');
      return [Object.fromEntries(own), definition.worksWithAccess?.(checked)];
    },
  };
}
