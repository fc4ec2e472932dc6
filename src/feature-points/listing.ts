/* The lists of features that a person looks through aside from their chats. */

import type { Language } from '../lib/words.ts';

/** A list of a feature: what of it is a person's, and the commands that act on it. */
export interface Listing {
  /** Others are told that there is no such list. */
  readonly forOwners?: true;
  list(asked: ListingAsked): Promise<Listed>;
}

/** Who looks at a list, and at which part of it. */
export interface ListingAsked {
  readonly principal: string;
  readonly isOwner: boolean;
  /** All accounts of the person. */
  readonly accounts: readonly string[];
  readonly language: Language;
  /** Words to look for; empty: everything. Lists that are short at any rate may ignore it. */
  readonly search: string;
  /** `next` of the part before. Anybody may have made it up. */
  readonly after: string | undefined;
}

export interface Listed {
  readonly rows: readonly ListedRow[];
  /** Where the list goes on. Undefined: it ends here. */
  readonly next?: string | undefined;
}

/** One entry of a list. Its texts are plain, in the language of who looks at it. Instants are ms since 1970. */
export interface ListedRow {
  readonly id: string;
  /** A line. */
  readonly title: string;
  /** All of it, if that is more than a line. */
  readonly text?: string | undefined;
  /** What else is to be known: a line each. */
  readonly notes: readonly string[];
  readonly instants: readonly { readonly label: string; readonly at: number }[];
  /** The browser that asks, for example. */
  readonly isCurrent?: boolean | undefined;
  readonly acts: readonly ListedAct[];
}

/** A button of an entry. */
export interface ListedAct {
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** The command, without its slash: see `ObeyAside`. */
  readonly line: string;
  /** Where it is given, if it is about a conversation. */
  readonly conversationId?: string | undefined;
  /** It takes a text of the person at its end. `now`: what stands there now. */
  readonly text?: { readonly now: string; readonly isLong: boolean } | undefined;
  /** Asked before. */
  readonly question?: string | undefined;
}
