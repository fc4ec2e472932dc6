import type { OutboundMessage } from '../contract.ts';
import type { Origin } from '../engine/message.ts';

/** Somebody with an id. The name is for people to read. */
export interface Acquaintance {
  readonly principal: string;
  readonly name: string;
}

export interface PairedPerson extends Acquaintance {
  readonly pairedBy: string;
  readonly pairedAt: number;
}

/** A stranger with a code that is still good. */
export interface CodeHolder extends Acquaintance {
  readonly expiresAt: number;
}

export interface GivenCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** A stranger who has written, and what they could be given. */
export interface Knock {
  readonly origin: Origin;
  /** Left out where nobody is given a code. */
  readonly offer?: {
    /** Given to them unless they have one that is good. */
    readonly code: string;
    readonly expiresAt: number;
    /** How many codes may be open at a time. */
    readonly most: number;
  };
  /** What they are told; without a code where they are given none. Called inside the transaction. */
  readonly words: (given: GivenCode | undefined) => OutboundMessage;
  readonly at: number;
  /** They are told at most once in this time, in milliseconds, unless their code has expired. */
  readonly again: number;
}

/** Something that is said at most once in a while. */
export interface Hint {
  /** To whom or about what: one text a subject. */
  readonly subject: string;
  readonly origin: Origin;
  readonly message: OutboundMessage;
  readonly at: number;
  /** In milliseconds. */
  readonly again: number;
}

/** Where is kept who was let in, and who asks to be. Each method is one transaction. */
export interface PeopleStore {
  paired(): Promise<readonly PairedPerson[]>;
  /** The strangers whose codes are good, the oldest first. */
  codeHolders(now: number): Promise<readonly CodeHolder[]>;
  /** The codes of these people are good no more. */
  dropCodes(principals: readonly string[]): Promise<void>;
  /** Answers a stranger. `silent`: they were told lately. */
  knock(knock: Knock): Promise<'silent' | 'refused' | 'given-code'>;
  /** True if the message was stored. */
  hint(hint: Hint): Promise<boolean>;
}

/** An account that somebody has linked with others by a code: those with the same person belong together. */
export interface Link extends Acquaintance {
  /** No account's own: a name that nobody reads. */
  readonly person: string;
  readonly linkedAt: number;
}

/** What a code does to links. */
export type LinkEffect =
  /** The account that types the code within this time belongs to the same person as the sender. */
  | { readonly type: 'offer-link'; readonly code: string; readonly expiresAt: number }
  /** The sender is the same person as the one who asked for the code; these people are told in their own chats. */
  | {
      readonly type: 'link';
      readonly code: string;
      readonly told: readonly string[];
      /** For the one whose code it was, about the account that joins. */
      readonly notice: (account: Acquaintance) => string;
      /** For those who are told. */
      readonly ownersNotice: (account: Acquaintance, linked: Acquaintance) => string;
    }
  /** The code has been seen by others, and is good no more. */
  | { readonly type: 'burn-link-code'; readonly code: string }
  /** The account belongs to nobody but itself, and is told so. */
  | { readonly type: 'unlink'; readonly principal: string; readonly notice: string };

export interface LinkResult {
  /** All links that there are now. Left out where none has changed. */
  readonly links?: readonly Link[];
  /** With whose account the sender was linked, or whose was taken out. */
  readonly linked?: Acquaintance;
}

/** Where is kept which accounts people have linked. Each method is one transaction. */
export interface LinksStore {
  /** The oldest first. */
  links(): Promise<readonly Link[]>;
  /** Who has asked for this code, if it is good. */
  codeOf(code: string, now: number): Promise<Acquaintance | undefined>;
}
