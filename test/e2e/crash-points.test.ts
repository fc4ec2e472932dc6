import { describe, test } from 'vitest';
import { cases, everywhere, surviveAt } from './crash-points.ts';

describe('a daemon that is killed', () => {
  // The second and third time at a point, and twice at the same, are in the long form.
  test.concurrent.each(cases.filter(({ point }) => !point.includes(':')))(
    'at $point goes on: one answer, no call twice, no second card',
    ({ point, ...fates }) => surviveAt([point], fates),
  );

  test.concurrent('at every point, one after the other, still does its errand once', () =>
    surviveAt(everywhere, { write: 'told as it is', ledger: 'told as it is' }));
});
