import type { PinnedFact, Pinning } from '../agent/pinned-facts.ts';
import type { Origin } from '../approval/approval.ts';
import type { Grant } from '../approval/grants.ts';
import type { Conversation, InboundAttachment, OutboundMessage, Quote } from '../contract.ts';
import type { Device, DeviceCode } from './devices/device-store.ts';
import type { LinkEffect, LinkResult } from './links-store.ts';
import type { Acquaintance } from './people-store.ts';
import type { TrustChange } from './trust-store.ts';

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
  /** A fact is kept in mind in the conversation from now on. */
  | { readonly type: 'pin'; readonly text: string }
  /** The fact with that number is pinned no longer; none is, if none is named. */
  | { readonly type: 'unpin'; readonly number?: number }
  /** A tool that was made of words is gone. */
  | { readonly type: 'remove-composed'; readonly name: string }
  | { readonly type: 'revoke'; readonly grantIds: readonly string[] }
  /** The sender becomes an owner, if there is none. */
  | { readonly type: 'claim' }
  /** Whoever was given the code is let in, and is told so in his own chat. */
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'unpair'; readonly principal: string }
  | LinkEffect
  /** The sender is shown a code with which a device of his can be paired. */
  | { readonly type: 'offer-device'; readonly code: DeviceCode }
  | { readonly type: 'revoke-device'; readonly id: string }
  /** The states of things from elsewhere that have these ids are trusted from now on, or no more. */
  | { readonly type: 'trust' | 'distrust'; readonly ids: readonly string[] };

/** What came of an effect, for the answer. */
export interface EffectResult extends LinkResult {
  /** Calls that were called off. */
  readonly cancelled: number;
  /** Whether a run was there to be ended. */
  readonly stopped: boolean;
  /** The conversations of sub-runs that were ended with it. */
  readonly subRuns: readonly string[];
  readonly revoked: number;
  /** What became of a fact that was to be pinned. */
  readonly pinning?: Pinning;
  /** Facts that are pinned no longer. */
  readonly unpinned?: readonly PinnedFact[];
  /** How many facts a conversation keeps that begins anew. */
  readonly pinned?: number;
  /** Whether there was a tool to be removed. */
  readonly removed: boolean;
  readonly claimed: boolean;
  /** Who was let in, or is let in no longer. */
  readonly person?: Acquaintance;
  /** What is paired no longer. */
  readonly device?: Device;
  /** The conversations in which a run ended with the device that had begun it, those of sub-runs included. */
  readonly ended?: readonly string[];
  /** Those of them in which nothing is left to do. */
  readonly settled?: readonly string[];
  /** What is trusted now, or is so no more. */
  readonly trust?: readonly TrustChange[];
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
  /** The facts that are pinned in a conversation, the oldest first. */
  pinnedIn(conversationId: string): Promise<readonly PinnedFact[]>;
  /** The places of a channel that were talked in, the latest first, that many at most. */
  latestPlaces(channel: string, most: number): Promise<readonly Conversation[]>;
  /** The people who claimed ownership. */
  owners(): Promise<readonly string[]>;
  /** All grants that hold in a conversation. */
  grantsHere(conversationId: string, now: number): Promise<readonly Grant[]>;
}
