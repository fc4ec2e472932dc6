import type { Grant } from '../approval/approval.ts';
import type { Labels } from '../approval/verdict.ts';
import type { Conversation, OutboundMessage } from '../contract.ts';
import type { PinnedFact } from '../engine/journal.ts';
import type { Inbox, Origin } from '../engine/message.ts';
import type { Device, DeviceCode } from './devices/device.ts';
import type { Acquaintance, LinkEffect, LinkResult } from './people-store.ts';
import type { TrustChange } from './trust-store.ts';

/** What a command changes beside being remembered. */
export type CommandEffect =
  | { readonly type: 'none' }
  /** Ends the conversation's run and calls off what has not begun. */
  | { readonly type: 'stop' }
  /** The same, and the conversation starts over: nothing of it is read any more. */
  | { readonly type: 'new' }
  /** The oldest part of the conversation is to be summarised, and the person who asked is told when it is. */
  | { readonly type: 'compact' }
  /** Another model answers in the conversation from now on; the default, if none is named. */
  | { readonly type: 'model'; readonly name?: string }
  | { readonly type: 'pin'; readonly text: string }
  /** The fact with that number is pinned no longer; none is, if none is named. */
  | { readonly type: 'unpin'; readonly number?: number }
  | { readonly type: 'remove-composed'; readonly name: string }
  | { readonly type: 'revoke'; readonly grantIds: readonly string[] }
  /** The sender becomes an owner, if there is none. */
  | { readonly type: 'claim' }
  /** The holder of the code is let in, and is told so in their own chat. */
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'unpair'; readonly principal: string }
  | LinkEffect
  /** The sender is shown a code with which one of their devices can be paired. */
  | { readonly type: 'offer-device'; readonly code: DeviceCode }
  | { readonly type: 'revoke-device'; readonly id: string }
  /** What a stub stands in for is sent again, or not any more; `words` take the place of the stub. */
  | {
      readonly type: 'unpark';
      readonly stubId: string;
      readonly verb: 'retry' | 'drop';
      /** Also where it was to be shown in another conversation. */
      readonly anywhere: boolean;
      readonly words: string;
    }
  /** The states of things from elsewhere that have these ids are trusted from now on, or no more. */
  | { readonly type: 'trust' | 'distrust'; readonly ids: readonly string[] }
  /** What was read in the conversation counts as trusted. */
  | { readonly type: 'trust-here' };

/** What came of an effect, for the answer. */
export interface EffectResult extends LinkResult {
  readonly cancelled: number;
  readonly stopped: boolean;
  /** The conversations of sub-runs that were ended with it. */
  readonly subRuns: readonly string[];
  readonly revoked: number;
  readonly pinning?: Pinning;
  readonly unpinned?: readonly PinnedFact[];
  /** How many facts a conversation keeps that starts over. */
  readonly pinned?: number;
  /** Where the untrusted content came from that counts as trusted now. */
  readonly trusted?: readonly string[];
  /** Whether there was a tool to be removed. */
  readonly removed: boolean;
  readonly claimed: boolean;
  /** Who was let in, or is let in no longer. */
  readonly person?: Acquaintance;
  readonly device?: Device;
  /** The conversations in which a run ended with the device that had begun it, those of sub-runs included. */
  readonly ended?: readonly string[];
  /** Those of them in which nothing is left to do. */
  readonly settled?: readonly string[];
  /** What waited for somebody's word, and does so no more. */
  readonly unparked?: { readonly approvalId?: string };
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

/** The same for commands, with what else is known of conversations. */
export interface InboxStore extends Inbox {
  /**
   * Obeys a command and stores its answer, together. `visible` is told of a command that was obeyed before it is on disk: for
   * what must not wait, and does no harm should a power failure take the command.
   */
  obey(command: StoredCommand, visible?: (done: Obeyed & { readonly status: 'done' }) => void): Promise<Obeyed>;
  /**
   * A chat has another id now: what is sent to the conversation goes there, and what comes from there belongs to it.
   * Resolves with the conversations that have something to show.
   */
  move(move: ChatMove): Promise<readonly string[]>;
  /** The ids that a chat had before it was given this one, the first of them first. */
  formerChats(conversation: Conversation): readonly string[];
  unfinished(): Promise<readonly string[]>;
  modelOf(conversationId: string): Promise<string | undefined>;
  labelsOf(conversationId: string): Promise<Labels>;
  pinnedIn(conversationId: string): Promise<readonly PinnedFact[]>;
  /** The places of a channel that were talked in, the latest first, that many at most. */
  latestPlaces(channel: string, most: number): Promise<readonly Conversation[]>;
  /** The people who claimed ownership. */
  owners(): Promise<readonly string[]>;
  grantsHere(conversationId: string, now: number): Promise<readonly Grant[]>;
}

/** `known`: the same text is pinned already, under this number · `full`: there are as many as there may be. */
export type Pinning =
  | { readonly type: 'pinned'; readonly number: number }
  | { readonly type: 'known'; readonly number: number }
  | { readonly type: 'full' };

/** A place where a person talks with the bot alone. */
export interface DirectChat {
  readonly conversationId: string;
  readonly conversation: Conversation;
}

/** What a channel has to show when it begins. */
export interface ChannelMessages {
  /** The conversations of a channel with messages that are not shown as they should be. */
  undelivered(channel: string): Promise<readonly string[]>;
  /** Shows the open cards of a channel once more, where people can't see what was shown before the restart. */
  showCardsAgain(channel: string): Promise<readonly string[]>;
}
