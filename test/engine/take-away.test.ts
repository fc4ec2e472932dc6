import { expect, test } from 'vitest';
import { createTakeAway } from '../../src/engine/take-away.ts';
import { silentLog } from '../../src/lib/log.ts';
import { machineZone } from '../../src/lib/time-words.ts';
import { ManualClock } from '../support/manual-clock.ts';

const origin = {
  key: 'e1',
  conversation: { channel: 'test', chatId: 'ada', kind: 'direct' },
  conversationId: 'test:ada',
  principal: 'test:ada',
  name: 'Ada',
} as const;

/** Takes something away while it is read slowly whether that was done before. */
function taking() {
  const known = Promise.withResolvers<boolean>();
  const written = Promise.withResolvers<string>();
  const done: string[] = [];
  const takeAway = createTakeAway({
    storage: { trouble: undefined, isAtFault: () => false, briefOf: () => undefined },
    isStored: () => known.promise,
    adapters: new Map(),
    readerOf: () => ({ ...machineZone(), language: 'en' }),
    ending: new AbortController().signal,
    clock: new ManualClock(),
    log: silentLog,
  });
  const taken = takeAway({
    origin,
    held: 'Stopped.',
    now: () => void done.push('holds'),
    async store(_isLate, after) {
      done.push('asked for');
      const result = await written.promise;
      after(() => done.push('follows'));
      return result;
    },
    over: () => void done.push('over'),
  });
  return { known, written, done, taken };
}

test('the write is asked for at once, and what follows from it waits until it holds', async () => {
  const { known, written, done, taken } = taking();
  expect(done).toEqual(['asked for']);
  written.resolve('stored');
  await written.promise;
  known.resolve(false);
  expect(await taken).toBe('stored');
  expect(done).toEqual(['asked for', 'holds', 'follows', 'over']);
});

test('what was stored before holds no second time', async () => {
  const { known, written, done, taken } = taking();
  known.resolve(true);
  written.resolve('repeated');
  await taken;
  expect(done).toEqual(['asked for', 'follows', 'over']);
});

test('it holds though nobody can read whether it was stored before', async () => {
  const { known, written, done, taken } = taking();
  known.reject(new Error('no disk'));
  await expect.poll(() => done).toEqual(['asked for', 'holds']);
  written.resolve('stored');
  await taken;
  expect(done).toEqual(['asked for', 'holds', 'follows', 'over']);
});
