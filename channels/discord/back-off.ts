const firstPause = 500;
const longestPause = 60_000;

/**
 * How long to wait after so many failures in a row, in milliseconds: 0.5 s doubling to 60 s, and up to a fifth more or
 * less, so that many who lost the same server do not come back in step.
 */
export function backOff(failures: number, chance: () => number = Math.random): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(16, Math.max(0, failures - 1)));
  return Math.round(pause * (0.8 + chance() * 0.4));
}
