/**
 * What a channel sees of Keyturn. A channel is transport only: it turns what a platform sends into `InboundEvent`s, and
 * `OutboundMessage`s into what the platform takes. It does not retry, dedupe, split, queue, or decide who may talk.
 */
import type { z } from 'zod';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';

/** A place to talk on a channel: a chat, or one thread of it. */
export interface Conversation {
  /** The channel's name in the catalogue: `telegram`. */
  readonly channel: string;
  /** The Slack team or Discord guild, where chat ids are unique only within one. */
  readonly tenant?: string;
  readonly chatId: string;
  readonly threadId?: string;
  /** `direct`: one person and the bot. `group`: everything else. */
  readonly kind: 'direct' | 'group';
  /** What people call the place, for messages that speak of it. */
  readonly title?: string;
}

/** Who sent an event. The name is for people to read; only the id says who it is. */
export interface Sender {
  /** The platform's immutable id. Unique only together with the channel. */
  readonly id: string;
  readonly name: string;
  /** False for bots, webhooks and anonymous admins: they never decide anything. */
  readonly isPerson: boolean;
}

export type InboundEvent = InboundMessage | InboundAction;

/** A text that somebody sent. */
export interface InboundMessage {
  readonly type: 'message';
  /** The same for every delivery of the same message, and for no other event of the channel. */
  readonly key: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  readonly text: string;
  /** Whether it is meant for the bot: a direct message, a mention, a reply to it, a command for it. */
  readonly addressed: boolean;
  /** When the platform says that it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
}

/** A press of a button. */
export interface InboundAction {
  readonly type: 'action';
  readonly key: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  /** The `actionId` of the button. Anybody can forge it. */
  readonly actionId: string;
}

/** What to tell the sender of an event, and nobody else. A press is answered with the notice; a message has none. */
export interface Receipt {
  readonly notice?: string;
}

/** A message to show. */
export interface OutboundMessage {
  /** At most 25 characters of `[a-z0-9]`, the same at every try: a nonce for platforms that take one. */
  readonly id: string;
  readonly kind: MessageKind;
  /** CommonMark with GFM. At most as long as the channel's `maxLength`, by its own `measure`. */
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[];
}

/**
 * `reply`: what the model says · `for_user`: what a tool shows to people only · `card`: asks for an approval, and later
 * says what became of it · `notice`: what Keyturn itself says.
 */
export type MessageKind = 'reply' | 'for_user' | 'card' | 'notice';

export interface Button {
  /** At most 64 bytes. */
  readonly actionId: string;
  readonly label: string;
  /** What a person types for it where there is nothing to press. */
  readonly shortcut: string;
  readonly style: 'primary' | 'danger' | 'plain';
}

/** Where a message stands on the platform, so that it can be edited. */
export interface MessageRef {
  readonly id: string;
}

/** What the platform can do, as data. */
export interface ChannelCapabilities {
  /** The longest message, in the unit of `measure`. */
  readonly maxLength: number;
  /** Messages can be changed after they were sent. */
  readonly edits: boolean;
  readonly buttons: boolean;
  readonly threads: boolean;
  readonly files: boolean;
  readonly typing: boolean;
  /** What was shown can still be seen after a restart. Where it cannot, open cards are shown again. */
  readonly history: boolean;
}

/** What a tool is doing, while it does it. Shown where the channel can; never stored. */
export interface ToolStatus {
  readonly callId: string;
  readonly toolName: string;
  readonly state: 'wait' | 'doing' | 'success' | 'error';
  /** One line for people. */
  readonly tip?: string;
  /** Set at the end, in milliseconds. */
  readonly duration?: number;
}

/** A reply that is shown while it is written. Nothing of it is durable but what `finish` shows. */
export interface ReplyStream {
  /** Adds to the text. Never throws, never waits. */
  push(delta: string): void;
  /** Replaces the preview by the final text. If that fails for now, it is called again. */
  finish(message: OutboundMessage): Promise<MessageRef>;
  /** The text will not be finished: leaves the preview as it stands, or takes it away. */
  cancel(): Promise<void>;
}

/** One platform, connected. Its methods throw `ChannelError` and nothing else. */
export interface ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  /** The sender who is the operator because he sits at the machine. */
  readonly localOwner?: Sender;
  /** How long the message is on this platform. Pure; grows with the text, if not with every character. */
  measure(markdown: string): number;
  /** Begins to receive. Resolves without waiting for the platform; what goes wrong later is told by `reportHealth`. */
  start(host: ChannelHost): Promise<void>;
  /** Stops to receive; what is being sent may still end. Resolves within 2 s. */
  stop(): Promise<void>;
  send(to: Conversation, message: OutboundMessage): Promise<MessageRef>;
  /** Shows another text, and other buttons or none. Doing it twice changes nothing. */
  edit?(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void>;
  showTyping?(to: Conversation): Promise<void>;
  showStatus?(to: Conversation, status: ToolStatus): void;
  openStream?(to: Conversation): ReplyStream;
}

/** What Keyturn is to a channel. */
export interface ChannelHost {
  /**
   * Takes an event. Resolves once it is stored: then, and not before, the platform may be told that it arrived. Never
   * waits for the answer. Throws if it could not be stored: then the platform must deliver it again.
   */
  receive(event: InboundEvent): Promise<Receipt>;
  /** Resolves when nothing is left to do or to deliver in the conversation but what waits for a person. */
  whenIdle(conversation: Conversation): Promise<void>;
  /** Tells how the connection is. Repeating it changes nothing. */
  reportHealth(health: ChannelHealth): void;
  /** Nothing more will come: the person has closed the input. */
  reportEnd(): void;
  /** The person wants the process to end. */
  requestStop(): void;
  readonly log: Log;
  readonly clock: Clock;
}

/** `connected` means: the last receive succeeded. The reasons are for the operator to read and say what to do. */
export type ChannelHealth =
  | { readonly status: 'connecting' }
  | { readonly status: 'connected'; readonly account?: string }
  | { readonly status: 'failing'; readonly reason: string }
  | { readonly status: 'dead'; readonly reason: string };

export type ChannelFault =
  /** The platform refuses for now and says for how long, in milliseconds. Nothing was done. */
  | { readonly type: 'rate-limited'; readonly retryAfter: number }
  /** Nothing was done, and a later try may succeed. */
  | { readonly type: 'transient' }
  /** Nothing was done, and no later try will succeed. */
  | { readonly type: 'permanent' }
  /** The platform does not accept our credentials. */
  | { readonly type: 'auth' }
  /** The request may have been carried out: its answer was lost. */
  | { readonly type: 'ambiguous' };

/** What a platform made of a request. The message says so in words, without the text that was to be sent. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly fault: ChannelFault;

  constructor(fault: ChannelFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** A channel as the catalogue holds it: its settings are checked before it exists. */
export interface Channel {
  readonly name: string;
  /** Makes the adapter from what stands under `channels.<name>` in the config. Throws zod's error if that is wrong. */
  create(settings: unknown): ChannelAdapter;
}

/** Closes over the type of the settings, so that all channels look alike from outside. */
export function defineChannel<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly settings: Schema;
  create(settings: z.output<Schema>): ChannelAdapter;
}): Channel {
  return {
    name: definition.name,
    create: (settings) => definition.create(definition.settings.parse(settings)),
  };
}

/** The one spelling of a place, as the store and the logs name it: `telegram:-1001:7`. */
export function conversationId({ channel, tenant, chatId, threadId }: Conversation): string {
  const place = (tenant === undefined ? [chatId] : [tenant, chatId]).map(encode);
  return [channel, ...place, ...(threadId === undefined ? [] : [`#${encode(threadId)}`])].join(':');
}

function encode(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

/** A person as access, approval and grants know him: `telegram:123456`. */
export function principalOf(channel: string, senderId: string): string {
  return `${channel}:${senderId}`;
}
