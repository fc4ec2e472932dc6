/** How long Discord waits for things, in milliseconds. */
export interface DiscordTimes {
  /** Between two heartbeats. */
  readonly heartbeat: number;
  /** Between two IDENTIFYs. */
  readonly identify: number;
  /** For how long a session that lost its connection can be resumed. */
  readonly resume: number;
  /** By it the windows of all REST limits are multiplied; with 0 there are no limits. */
  readonly rateScale: number;
  /** Until an interaction has to be answered. */
  readonly interaction: number;
  /** For how long the token of an answered interaction is good. */
  readonly interactionToken: number;
  /** For how long the same nonce gives the same message. */
  readonly nonce: number;
  /** For how long a signed address of an attachment is good. */
  readonly attachment: number;
  /** From when on edits of a message are few. */
  readonly oldMessage: number;
}

const minute = 60_000;

/** Discord's own times, all multiplied by the scale, except those that are given. */
export function makeTimes(scale: number, given: Partial<DiscordTimes> = {}): DiscordTimes {
  return {
    heartbeat: 41_250 * scale,
    identify: 5_000 * scale,
    resume: 3 * minute * scale,
    rateScale: scale,
    interaction: 3_000 * scale,
    interactionToken: 15 * minute * scale,
    nonce: 3 * minute * scale,
    attachment: 24 * 60 * minute * scale,
    oldMessage: 60 * minute * scale,
    ...given,
  };
}
