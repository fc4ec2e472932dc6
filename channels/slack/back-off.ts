const firstPause = 1_000;
const longestPause = 60_000;

/**
 * How long to wait after so many failures in a row, in milliseconds: 1 s doubling to 60 s, of which up to a quarter is
 * left to chance, so that many who lost the same server do not come back in step.
 */
export function backOff(failures: number, chance: () => number = Math.random): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(16, Math.max(0, failures - 1)));
  return Math.round(pause * (0.75 + chance() / 4));
}
