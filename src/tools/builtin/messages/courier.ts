/** A conversation that somebody may write to. */
export interface Address {
  /** `telegram:-1001` */
  readonly id: string;
  readonly channel: string;
  readonly isThread: boolean;
  /** What people call the place. */
  readonly title?: string;
  /** The one person of a direct conversation. */
  readonly person?: { readonly principal: string; readonly name: string };
}

export interface AddressBook {
  /**
   * The conversations in which the person has taken part and may still talk, the latest first; all that are known, for an
   * owner.
   */
  addressesOf(principal: string): Promise<readonly Address[]>;
}

/**
 * What has become of a message. `waiting`: it is stored, and not shown as it should be yet · `refused`: the platform does not
 * take it · `unknown`: it was sent once at most, may have arrived, and is not sent again.
 */
export type MessageFate =
  | { readonly type: 'delivered' | 'waiting' | 'unknown' }
  | { readonly type: 'refused'; readonly reason: string };

/** Brings messages to other conversations, each once at most. */
export interface Courier {
  /** Whether the channel is switched on. */
  reaches(channel: string): boolean;
  /** Stores the message, and waits for its delivery, for ten seconds or until the signal aborts. */
  send(to: string, markdown: string, signal: AbortSignal): Promise<MessageFate>;
}
