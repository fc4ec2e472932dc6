import type { Acquaintance } from './people-store.ts';

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

/** What came of it. */
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
