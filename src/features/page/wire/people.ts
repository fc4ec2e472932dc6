/* Who may talk, over which channels; and the lists of a person. Texts are plain, in the language of the page. */

/** `GET /page/people/overview`, for owners. */
export interface PeopleOverview {
  readonly channels: readonly ChannelShown[];
  /** The accounts of owners. */
  readonly owners: readonly string[];
  readonly paired: readonly PairedShown[];
  /** Strangers who ask to be let in. */
  readonly waiting: readonly AskingShown[];
  readonly refused: readonly AskingShown[];
  readonly groups: readonly GroupShown[];
}

export interface ChannelShown {
  readonly name: string;
  readonly status: 'connecting' | 'connected' | 'failing' | 'dead';
  readonly since: number;
  /** Until when everything that came in was received. */
  readonly heardAt: number;
  /** Under which name the platform knows us. */
  readonly account?: string | undefined;
  /** What is wrong now, and what to do about it. */
  readonly reason?: string | undefined;
  readonly retryAt?: number | undefined;
  readonly lastFault?: { readonly reason: string; readonly at: number } | undefined;
}

export interface PairedShown {
  readonly principal: string;
  readonly name: string;
  readonly by: string;
  readonly at: number;
  /** That they may talk follows from the config, too. */
  readonly isInConfig: boolean;
}

export interface AskingShown {
  readonly principal: string;
  readonly name: string;
  readonly until: number;
}

export interface GroupShown {
  /** For commands: `people group ID everything`. */
  readonly id: string;
  readonly channel: string;
  readonly title: string;
  /** Omitted: nobody has chosen yet. */
  readonly choice?: 'mentioned' | 'everything' | 'leave' | undefined;
  readonly isOpen: boolean;
  readonly chosenBy?: string | undefined;
  readonly chosenAt?: number | undefined;
  /** What is chosen here does not count: the config says what holds. */
  readonly isInConfig: boolean;
}

/** `GET /page/listings`: the lists that this person may look through. */
export interface ListingNames {
  readonly names: readonly string[];
}

/** `GET /page/listings/NAME?search=WORDS&after=NEXT`. */
export interface ListingShown {
  readonly rows: readonly RowShown[];
  /** Where the list goes on. */
  readonly next?: string | undefined;
}

export interface RowShown {
  readonly id: string;
  readonly title: string;
  /** All of it, if that is more than the title. */
  readonly text?: string | undefined;
  readonly notes: readonly string[];
  readonly instants: readonly { readonly label: string; readonly at: number }[];
  readonly isCurrent?: boolean | undefined;
  readonly acts: readonly ActShown[];
}

/** A button: its line goes to `POST /page/command`. */
export interface ActShown {
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  readonly line: string;
  readonly conversationId?: string | undefined;
  /** It takes a text at its end. `now`: what stands there now. */
  readonly text?: { readonly now: string; readonly isLong: boolean } | undefined;
  /** Asked before. */
  readonly question?: string | undefined;
}
