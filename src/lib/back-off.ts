export interface BackOffOptions {
  /** The pause after the first failure, in milliseconds. */
  readonly firstPause?: number;
  /** No pause is longer, in milliseconds. */
  readonly longestPause?: number;
  /** From 0 to 1. */
  readonly chance?: () => number;
}

/**
 * How long to wait after so many failures in a row, in milliseconds: the first pause, 1 s if not set, doubling to the
 * longest, 60 s if not set. Up to a quarter of it is left to chance, so that many who lost the same server do not come
 * back in step.
 */
export function backOff(
  failures: number,
  { firstPause = 1_000, longestPause = 60_000, chance = Math.random }: BackOffOptions = {},
): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(16, Math.max(0, failures - 1)));
  return Math.round(pause * (0.75 + chance() / 4));
}
