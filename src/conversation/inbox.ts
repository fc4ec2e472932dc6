import type { Grant } from '../approval/approval.ts';
import type { Conversation, OutboundMessage } from '../contract.ts';
import type { PinnedFact } from '../engine/journal.ts';
import type { Inbox, Origin } from '../engine/message.ts';
import type { Effect } from './effects.ts';

export interface StoredCommand<Result> {
  readonly origin: Origin;
  /** The command's name, for the audit. */
  readonly name: string;
  readonly effect: Effect<Result>;
  /**
   * The answer; undefined for none. Called inside the transaction. `isInPlace`: it replaces `inPlaceOf`, so its id does
   * not count.
   */
  readonly answer: (result: Result, isInPlace: boolean) => OutboundMessage | undefined;
  /** The list whose button was pressed: the answer takes its place if it stands in this conversation. */
  readonly inPlaceOf?: string | undefined;
  /** There is no answer if that list does not stand there. */
  readonly isOnlyInPlace?: boolean | undefined;
  /** It was not said in its conversation, so nobody was heard there by it. */
  readonly isUnheard?: boolean | undefined;
  readonly at: number;
  /** It is stored late: it ends nothing that came in behind this sequence. */
  readonly upTo?: number | undefined;
}

/** `repeated`: a redelivered event; nothing was done. */
export type Obeyed<Result> = { readonly status: 'repeated' } | Done<Result>;

export interface Done<Result> {
  readonly status: 'done';
  /** The conversations with something new to show, besides the command's own. */
  readonly conversationIds: readonly string[];
  readonly result: Result;
  /** The answer stands in place of a list. */
  readonly isInPlace: boolean;
}

/** A chat whose id the platform has changed. */
export interface ChatMove {
  /** The conversation with its old chat id, and its id in the store. */
  readonly from: Conversation;
  readonly conversationId: string;
  readonly chatId: string;
  /** Sent to these conversations, the first time. */
  readonly notices: readonly { readonly conversationId: string; readonly markdown: string }[];
  readonly at: number;
}

/** Adds commands, and queries about conversations. */
export interface InboxStore extends Inbox {
  /**
   * Applies a command and stores its answer in one transaction. `visible` is called when the command is applied but not
   * yet on disk: for effects that must not wait, and that are harmless should a power failure lose the command.
   */
  obey<Result>(command: StoredCommand<Result>, visible?: (done: Done<Result>) => void): Promise<Obeyed<Result>>;
  /** The newest sequence in the conversation. */
  newestSeq(conversationId: string): Promise<number>;
  /** Whether an event with this key is stored. */
  isStored(key: string): Promise<boolean>;
  /** The conversations of sub-runs that work for this one. */
  subRunsOf(conversationId: string): Promise<readonly string[]>;
  /**
   * Moves a conversation to a new chat id: messages to it go there, and events from there belong to it. Resolves with
   * the conversations that have something to show.
   */
  move(move: ChatMove): Promise<readonly string[]>;
  modelOf(conversationId: string): Promise<string | undefined>;
  pinnedIn(conversationId: string): Promise<readonly PinnedFact[]>;
  grantsHere(conversationId: string, now: number): Promise<readonly Grant[]>;
}

/** A private chat of a person with the bot. */
export interface DirectChat {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** The account that talks there. */
  readonly principal: string;
  /** When it last wrote there, outside of threads. */
  readonly seenAt: number;
}

/** What a channel has to show when it starts. */
export interface ChannelMessages {
  /** The conversations of a channel with queued messages. */
  undelivered(channel: string): Promise<readonly string[]>;
  /** Shows the open cards of a channel, or of one conversation there, again, where people cannot see what was shown before. */
  showCardsAgain(channel: string, conversationId?: string): Promise<readonly string[]>;
}
