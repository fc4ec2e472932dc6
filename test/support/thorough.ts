/** Whether this is the long run, in which tests named `*.scaled.test.ts` do all that they can do. */
export const isThorough = process.env.KEYTURN_THOROUGH === '1';

/** Registers tests of the long run alone: what costs much, beside others that see the same. */
export function inFull(register: () => void): void {
  if (isThorough) register();
}

/** All of them in the long run; else every so-many-th, the first among them. */
export function sampled<Item>(items: readonly Item[], every: number): readonly Item[] {
  return isThorough ? items : items.filter((_item, index) => index % every === 0);
}
