import { describe, test } from 'vitest';
import { everywhere, surviveAt } from './crash-points.ts';

describe('a daemon that is killed', () => {
  // Each point by itself, and twice at the same, are in the long form.
  test('at every point, one after the other, still does its errand once', () =>
    surviveAt(everywhere, { write: 'told as it is', ledger: 'told as it is' }));
});
