import { expect, test } from 'vitest';
import { InvalidRequests } from '../../../channels/discord/web-api/invalid-requests.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('we are not shut out: after many refusals nothing is asked for some minutes', () => {
  const clock = new ManualClock();
  const guard = new InvalidRequests(clock);
  const refused = { status: 403, hasToken: true, isShared: false };
  for (let count = 0; count < 4_999; count += 1) guard.count(refused);
  guard.count({ ...refused, status: 429, isShared: true });
  expect(() => guard.check(true)).not.toThrow();
  guard.count(refused);
  expect(() => guard.check(true)).toThrow('no more for some minutes');
  clock.advance(10 * 60_000);
  expect(() => guard.check(true)).not.toThrow();
});
