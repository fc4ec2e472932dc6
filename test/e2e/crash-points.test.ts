import { describe, test } from 'vitest';
import { onTheWay, surviveAt } from './crash-points.ts';

describe('a daemon that is killed', () => {
  // Every point, each by itself, and twice at the same, are in the long form.
  test('on its whole way, again and again, still does its errand once', () =>
    surviveAt(onTheWay, { write: 'told as it is', ledger: 'told as it is' }));
});
