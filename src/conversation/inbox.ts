import type { Grant } from '../approval/approval.ts';
import type { Conversation, OutboundMessage } from '../contract.ts';
import type { PinnedFact } from '../engine/journal.ts';
import type { Inbox, Origin } from '../engine/message.ts';
import type { Language } from '../lib/words.ts';
import type { Acquaintance, DeviceCode, Link } from './access/access.ts';
import type { TrustChange } from './trust-store.ts';

/** What a command changes, besides being stored. */
export type CommandEffect =
  | { readonly type: 'none' }
  /** Ends the conversation's run and cancels calls that have not begun. */
  | { readonly type: 'stop' }
  /** As `stop`; then the conversation starts over: models no longer read what came before. */
  | { readonly type: 'new' }
  /** Summarises the oldest part of the conversation, then tells the person who asked. */
  | { readonly type: 'compact' }
  /** Sets the model of the conversation; without a name, the default. */
  | { readonly type: 'model'; readonly name?: string }
  | { readonly type: 'pin'; readonly text: string }
  /** Unpins the fact with this number; without a number, all. */
  | { readonly type: 'unpin'; readonly number?: number }
  | { readonly type: 'remove-composed'; readonly name: string }
  | { readonly type: 'revoke'; readonly grantIds: readonly string[] }
  /** Makes the sender an owner if there is none. */
  | { readonly type: 'claim' }
  /** Lets the holder of the code in, and tells them in their own chat. */
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'unpair'; readonly principal: string }
  | LinkEffect
  /** Shows the sender a code that pairs one of their devices. */
  | { readonly type: 'offer-device'; readonly code: DeviceCode }
  | { readonly type: 'revoke-device'; readonly id: string }
  /** Retries or drops the message behind a stub; `words` replace the stub in its place, given by its id. */
  | {
      readonly type: 'unpark';
      readonly stubId: string;
      readonly verb: 'retry' | 'drop';
      /** Also if the message belongs to another conversation. */
      readonly anywhere: boolean;
      readonly words: (place: string) => string;
    }
  /** Trusts, or stops trusting, the states with these ids. */
  | { readonly type: 'trust' | 'distrust'; readonly ids: readonly string[] }
  /** Notes the sender's time zone; without one, forgets what their accounts have set. */
  | { readonly type: 'time-zone'; readonly timeZone?: string; readonly accounts: readonly string[] }
  /** Notes the sender's language; without one, forgets what their accounts have set. */
  | { readonly type: 'language'; readonly language?: Language; readonly accounts: readonly string[] }
  /** Marks what was read in the conversation until now as trusted. */
  | { readonly type: 'trust-here' };

/** The effects of link codes. */
export type LinkEffect =
  /** Lets the account that types the code in time join the sender's person. */
  | { readonly type: 'offer-link'; readonly code: string; readonly expiresAt: number }
  /** Links the sender with the person who asked for the code, and tells the people in `told` in their own chats. */
  | {
      readonly type: 'link';
      readonly code: string;
      readonly told: readonly string[];
      /** For the person whose code it was, about the account that joins. */
      readonly notice: (account: Acquaintance) => string;
      /** For the people in `told`. */
      readonly ownersNotice: (account: Acquaintance, linked: Acquaintance) => string;
    }
  /** Invalidates the code, because others have seen it. */
  | { readonly type: 'burn-link-code'; readonly code: string }
  /** Unlinks the account, and tells it so. */
  | { readonly type: 'unlink'; readonly principal: string; readonly notice: string };

export interface LinkResult {
  /** All links, if any has changed. */
  readonly links?: readonly Link[];
  /** The account that the sender was linked with, or that was unlinked. */
  readonly linked?: Acquaintance;
}

/** The result of an effect, for the answer. */
export interface EffectResult extends LinkResult {
  readonly cancelled: number;
  readonly stopped: boolean;
  /** The conversations of sub-runs that ended with it. */
  readonly subRuns: readonly string[];
  readonly revoked: number;
  readonly pinning?: Pinning;
  readonly unpinned?: readonly PinnedFact[];
  /** How many facts stay pinned in a conversation that starts over. */
  readonly pinned?: number;
  /** The sources of the untrusted content that is trusted now. */
  readonly trusted?: readonly string[];
  readonly claimed: boolean;
  /** Who was let in, or no longer is. */
  readonly person?: Acquaintance;
  /** The conversations whose run ended with the device that had started it, sub-runs included. */
  readonly ended?: readonly string[];
  /** Those of them with nothing left to do. */
  readonly settled?: readonly string[];
  /** Set if a parked message was retried or dropped. `approvalId`: the approval whose card was dropped. */
  readonly unparked?: { readonly approvalId?: string };
  readonly trust?: readonly TrustChange[];
}

export interface StoredCommand {
  readonly origin: Origin;
  /** The command's name, for the audit. */
  readonly name: string;
  readonly effect: CommandEffect;
  /** The answer; undefined for none. Called inside the transaction. */
  readonly answer: (result: EffectResult) => OutboundMessage | undefined;
  readonly at: number;
  /** It is stored late: it ends nothing that came in behind this sequence. */
  readonly upTo?: number | undefined;
}

/** `repeated`: a redelivered event; nothing was done. */
export type Obeyed =
  | { readonly status: 'repeated' }
  | ({ readonly status: 'done'; readonly places: readonly string[] } & EffectResult);

/** A chat whose id the platform has changed. */
export interface ChatMove {
  /** The conversation with its old chat id, and its id in the store. */
  readonly from: Conversation;
  readonly conversationId: string;
  readonly chatId: string;
  /** Sent to the own chats of these people, the first time. */
  readonly notice?: { readonly to: readonly string[]; readonly markdown: string };
  readonly at: number;
}

/** Adds commands, and queries about conversations. */
export interface InboxStore extends Inbox {
  /**
   * Applies a command and stores its answer in one transaction. `visible` is called when the command is applied but not
   * yet on disk: for effects that must not wait, and that are harmless should a power failure lose the command.
   */
  obey(command: StoredCommand, visible?: (done: Obeyed & { readonly status: 'done' }) => void): Promise<Obeyed>;
  /** The newest sequence in the conversation. */
  newestSeq(conversationId: string): number;
  /** Whether an event with this key is stored. */
  isStored(key: string): boolean;
  /** The conversations of sub-runs that work for this one. */
  subRunsOf(conversationId: string): readonly string[];
  /** The conversations whose run a device has begun, with those of sub-runs. */
  runsOfDevice(id: string): readonly string[];
  /**
   * Moves a conversation to a new chat id: messages to it go there, and events from there belong to it. Resolves with
   * the conversations that have something to show.
   */
  move(move: ChatMove): Promise<readonly string[]>;
  modelOf(conversationId: string): Promise<string | undefined>;
  pinnedIn(conversationId: string): Promise<readonly PinnedFact[]>;
  grantsHere(conversationId: string, now: number): Promise<readonly Grant[]>;
}

/** `known`: the same text is already pinned, under this number · `full`: the limit is reached. */
export type Pinning =
  | { readonly type: 'pinned'; readonly number: number }
  | { readonly type: 'known'; readonly number: number }
  | { readonly type: 'full' };

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
  /** Shows the open cards of a channel again, where people cannot see what was shown before the restart. */
  showCardsAgain(channel: string): Promise<readonly string[]>;
}
