import type { OutboundMessage } from '../contract.ts';
import type { Origin } from '../engine/message.ts';

/** A person with an id. The name is for display only. */
export interface Acquaintance {
  readonly principal: string;
  readonly name: string;
}

export interface PairedPerson extends Acquaintance {
  readonly pairedBy: string;
  readonly pairedAt: number;
}

/** A stranger with a valid code. */
export interface CodeHolder extends Acquaintance {
  readonly expiresAt: number;
}

export interface GivenCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** A stranger has written: what to offer and tell them. */
export interface Knock {
  readonly origin: Origin;
  /** Missing if strangers get no codes. */
  readonly offer?: {
    /** Given unless they have a valid one. */
    readonly code: string;
    readonly expiresAt: number;
    /** How many codes may be valid at a time. */
    readonly most: number;
  };
  /** The answer, without a code if they get none. Called inside the transaction. */
  readonly words: (given: GivenCode | undefined) => OutboundMessage;
  readonly at: number;
  /** They are answered at most once in this time, unless their code has expired. In ms. */
  readonly again: number;
}

/** A message that is sent at most once per subject in `again` ms. */
export interface Hint {
  readonly subject: string;
  readonly origin: Origin;
  readonly message: OutboundMessage;
  readonly at: number;
  readonly again: number;
}

/** Stores who was let in, and who asks to be. Each method is one transaction. */
export interface PeopleStore {
  paired(): Promise<readonly PairedPerson[]>;
  /** The strangers with valid codes, oldest first. */
  codeHolders(now: number): Promise<readonly CodeHolder[]>;
  /** Invalidates the codes of these people. */
  dropCodes(principals: readonly string[]): Promise<void>;
  /** Answers a stranger. `silent`: they were answered recently. */
  knock(knock: Knock): Promise<'silent' | 'refused' | 'given-code'>;
  /** Resolves with true if the message was stored. */
  hint(hint: Hint): Promise<boolean>;
}

/** An account that somebody has linked with others by a code. Links with the same `person` belong together. */
export interface Link extends Acquaintance {
  /** An opaque id, not an account. */
  readonly person: string;
  readonly linkedAt: number;
}

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

/** Stores which accounts people have linked. Each method is one transaction. */
export interface LinksStore {
  /** Oldest first. */
  links(): Promise<readonly Link[]>;
  /** Who asked for this code, if it is valid. */
  codeOf(code: string, now: number): Promise<Acquaintance | undefined>;
}
