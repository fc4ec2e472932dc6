import { expect, test } from 'vitest';
import { KeyedTurns } from '../../src/lib/keyed-worker.ts';

const never = new AbortController().signal;

test('who comes later waits until all before them have left; others do not', async () => {
  const turns = new KeyedTurns();
  const first = await turns.enter('a', never);
  const order: string[] = [];
  const second = turns.enter('a', never).then((leave) => {
    order.push('second');
    return leave;
  });
  const third = turns.enter('a', never).then(() => order.push('third'));
  (await turns.enter('b', never))?.();
  expect(order).toEqual([]);
  first?.();
  (await second)?.();
  await third;
  expect(order).toEqual(['second', 'third']);
});

test('who gives up lets nobody pass by the one before them', async () => {
  const turns = new KeyedTurns();
  const first = await turns.enter('a', never);
  const tired = new AbortController();
  const second = turns.enter('a', tired.signal);
  let isIn = false;
  const third = turns.enter('a', never).then(() => {
    isIn = true;
  });
  tired.abort();
  expect(await second).toBeUndefined();
  expect(isIn).toBe(false);
  first?.();
  await third;
});
