import type { Origin } from '../approval/approval.ts';
import type { Grant } from '../approval/grants.ts';
import type { Conversation, InboundAttachment, OutboundMessage, Quote } from '../contract.ts';
import type { Acquaintance } from './people-store.ts';

/** What a command changes beside being remembered. */
export type CommandEffect =
  | { readonly type: 'none' }
  /** Ends the conversation's run and calls off what has not begun. */
  | { readonly type: 'stop' }
  /** The same, and the conversation begins anew: nothing of it is read any more. */
  | { readonly type: 'new' }
  /** The oldest part of the conversation is to be summarised, and whoever asked is told when it is. */
  | { readonly type: 'compact' }
  /** Another model answers in the conversation from now on; the default, if none is named. */
  | { readonly type: 'model'; readonly name?: string }
  | { readonly type: 'revoke'; readonly grantIds: readonly string[] }
  /** The sender becomes an owner, if there is none. */
  | { readonly type: 'claim' }
  /** Whoever was given the code is let in, and is told so in his own chat. */
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'unpair'; readonly principal: string };

/** What came of an effect, for the answer. */
export interface EffectResult {
  /** Calls that were called off. */
  readonly cancelled: number;
  /** Whether a run was there to be ended. */
  readonly stopped: boolean;
  readonly revoked: number;
  readonly claimed: boolean;
  /** Who was let in, or is let in no longer. */
  readonly person?: Acquaintance;
}

export interface StoredCommand {
  readonly origin: Origin;
  /** The command's name, for the audit. */
  readonly name: string;
  readonly effect: CommandEffect;
  /** What to answer; undefined for nothing. Called inside the transaction. */
  readonly answer: (result: EffectResult) => OutboundMessage | undefined;
  readonly at: number;
}

/** `repeated`: the event was seen before, and nothing was done. */
export type Obeyed =
  | { readonly status: 'repeated' }
  | ({ readonly status: 'done'; readonly places: readonly string[] } & EffectResult);

/** A message that a person or a program said to the model. */
export interface MessageDraft {
  readonly origin: Origin;
  readonly text: string;
  readonly isPerson: boolean;
  readonly messageId?: string;
  readonly quote?: Quote;
  readonly attachments?: readonly AttachmentDraft[];
  /** What the sender is told of it at once. */
  readonly notice?: OutboundMessage;
  readonly sentAt: number;
  readonly at: number;
}

/** An attachment as it came in. `missing`: it will not be fetched, and why. */
export type AttachmentDraft = InboundAttachment & { readonly missing?: string };

/** A message that its sender has changed. */
export interface EditDraft {
  readonly origin: Origin;
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  readonly text: string;
  readonly at: number;
}

/** A message that its sender has taken back. */
export interface DeletionDraft {
  readonly origin: Origin;
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  readonly at: number;
}

/** A chat that the platform has given another id. */
export interface ChatMove {
  /** The conversation that goes on there, and the name that it has here. */
  readonly from: Conversation;
  readonly conversationId: string;
  readonly chatId: string;
  /** Said, the first time, in the own chats of these people. */
  readonly notice?: { readonly to: readonly string[]; readonly markdown: string };
  readonly at: number;
}

/**
 * `replaced`: no turn has seen the old text, and now the new one stands in its place, as the newest · `noted`: the model
 * has read the old text, and is told of the new one when it is asked next · `ignored`: it was no message to the model, or
 * was somebody else's, or says the same.
 */
export type Edited = 'replaced' | 'noted' | 'ignored';

/**
 * `removed`: no turn has seen it, and nothing of what it said is kept · `noted`: the model has read it, and is told that it
 * was taken back when it is asked next · `ignored`: it was no message to the model, or was somebody else's.
 */
export type Withdrawn = 'removed' | 'noted' | 'ignored';

/** Where what comes in is written down. Each method is one transaction, and is on disk before it resolves. */
export interface InboxStore {
  /**
   * Takes a message into the transcript. `repeated`: it was there before · `unheard`: a program said it, and nothing but
   * programs has spoken there lately. `visible` is told of an accepted one as soon as it can be answered, which is before
   * it is on disk: until then, the platform still has it.
   */
  accept(message: MessageDraft, visible?: () => void): Promise<'accepted' | 'repeated' | 'unheard'>;
  /** Remembers a message that nothing can be done with, and tells its sender why. False if it was there before. */
  decline(origin: Origin, message: OutboundMessage, at: number): Promise<boolean>;
  edit(edit: EditDraft): Promise<Edited>;
  withdraw(deletion: DeletionDraft): Promise<Withdrawn>;
  /**
   * A chat has another id now: what is sent to the conversation goes there, and what comes from there belongs to it.
   * Resolves with the conversations that have something to show.
   */
  move(move: ChatMove): Promise<readonly string[]>;
  /** The conversation that goes on under this name, if it had another one before. */
  formerly(conversationId: string): string | undefined;
  /** The ids that a chat had before it was given this one, the first of them first. */
  formerChats(conversation: Conversation): readonly string[];
  /** Obeys a command and stores its answer, together. */
  obey(command: StoredCommand): Promise<Obeyed>;
  /** The conversations in which something is left to do. */
  unfinished(): Promise<readonly string[]>;
  /** Where a conversation is, if it was ever seen. */
  placeOf(conversationId: string): Conversation | undefined;
  /** The model that somebody has chosen for a conversation. */
  modelOf(conversationId: string): Promise<string | undefined>;
  /** The places of a channel that were talked in, the latest first, that many at most. */
  latestPlaces(channel: string, most: number): Promise<readonly Conversation[]>;
  /** The people who claimed ownership. */
  owners(): Promise<readonly string[]>;
  /** All grants that hold in a conversation. */
  grantsHere(conversationId: string, now: number): Promise<readonly Grant[]>;
}
