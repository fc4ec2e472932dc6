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

/** `GET /page/listings/NAME?search=WORDS&after=NEXT`; a button's line goes to `POST /page/command`. */
export type {
  Listed as ListingShown,
  ListedAct as ActShown,
  ListedRow as RowShown,
} from '../../../feature-points/listing.ts';
