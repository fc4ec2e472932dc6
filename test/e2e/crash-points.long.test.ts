import { describe, test } from 'vitest';
import { again, cases, everywhere, surviveAt } from './crash-points.ts';

describe('a daemon that is killed', () => {
  test.concurrent.each(everywhere.map((points) => ({ points })))(
    'at $points still does its errand once',
    ({ points }) => surviveAt(points, { write: 'told as it is', ledger: 'told as it is' }),
  );

  test.concurrent.each(cases)('at $point goes on: one answer, no call twice, no second card', ({ point, ...fates }) =>
    surviveAt([point], fates),
  );

  test.concurrent.each(again)('at $point, and there again while it goes on, goes on', ({ point, ...fates }) =>
    surviveAt([point, point], fates),
  );
});
