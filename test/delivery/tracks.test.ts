import { expect, test } from 'vitest';
import { createTracks, keysOf } from '../../src/delivery/outbox.ts';
import { deliverySetting } from '../support/delivery-setting.ts';
import { waitUntil } from '../support/wait-for.ts';

test('who still waits in a chat is told of its changes after another has stopped waiting there', async () => {
  const { store, clock, say, stop } = await deliverySetting();
  await stop();
  await say('hello');
  const next = await store.outbox.next('test:ada', 'control');
  if (next === undefined) throw new Error('it was not stored');
  const row = { ...next, isBehind: true };
  let isAhead = true;
  const settings = { firstPause: 500, longestPause: 30_000, ambiguousPause: 3000 };
  const tracks = createTracks({ isAhead: async () => isAhead }, clock, settings);
  const [content = '', control = ''] = keysOf('test:ada');
  const leaving = new AbortController();
  const staying = new AbortController();
  const left = tracks.awaitEarlier(row, content, { isLate: false, signal: leaving.signal });
  const stayed = tracks.awaitEarlier(row, control, { isLate: false, signal: staying.signal });
  await waitUntil(() => clock.waits.filter((wait) => wait === 5000).length === 2);
  leaving.abort();
  await left;
  isAhead = false;
  tracks.changed(content);
  await stayed;
  expect(clock.waits).toEqual([]);
});
