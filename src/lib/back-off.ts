export interface BackOffOptions {
  /** After the first failure. In ms. */
  readonly firstPause?: number;
  /** In ms. */
  readonly longestPause?: number;
  /** A random number from 0 to 1. */
  readonly chance?: () => number;
}

/**
 * The pause after this many failures in a row, in ms. It doubles from the first pause (default 1 s) up to the longest
 * (default 60 s). Up to a quarter of it is random, so that many clients of one server do not reconnect in step.
 */
export function backOff(
  failures: number,
  { firstPause = 1_000, longestPause = 60_000, chance = Math.random }: BackOffOptions = {},
): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(16, Math.max(0, failures - 1)));
  return Math.round(pause * (0.75 + chance() / 4));
}
