import { describe, test } from 'vitest';
import { everywhere, surviveAt, telling } from './crash-points.ts';

describe('a daemon that is killed', () => {
  // Each point by itself, and twice at the same, are in the long form.
  test.concurrent.each(telling)('at $point goes on: one answer, no call twice, no second card', ({ point, ...fates }) =>
    surviveAt([point], fates),
  );

  test.concurrent('at every point, one after the other, still does its errand once', () =>
    surviveAt(everywhere, { write: 'told as it is', ledger: 'told as it is' }));
});
