import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Background, KeyedTurns, KeyedWorker } from '../../src/lib/background.ts';
import { RecordingHost } from '../support/recording-host.ts';

test('a task that fails is logged in its own words, and the others go on', async () => {
  const { log, logged } = new RecordingHost();
  const background = new Background(log);
  const done: string[] = [];
  background.run('the first could not be done', async () => {
    throw new Error('It broke.');
  });
  background.run('the second could not be done', async () => {
    await Promise.resolve();
    done.push('second');
  });
  await background.settled();
  expect(done).toEqual(['second']);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/the first could not be done .*It broke/);
});

/** Work that takes from a list, in as many steps as it is told. */
function counting(steps: readonly number[]) {
  const waiting = new Map<string, number>();
  const running = new Set<string>();
  const faults: string[] = [];
  let rounds = 0;
  const worker = new KeyedWorker(async (key) => {
    if (running.has(key)) faults.push(`${key} was worked on twice at once`);
    running.add(key);
    waiting.set(key, 0);
    const pauses = steps[rounds++ % steps.length] ?? 0;
    for (let pause = 0; pause < pauses; pause++) await Promise.resolve();
    running.delete(key);
  });
  const wake = (key: string): void => {
    waiting.set(key, (waiting.get(key) ?? 0) + 1);
    worker.wake(key);
  };
  return { worker, wake, waiting, faults };
}

describe('work by keys', () => {
  test('loses no wake and never runs twice at once for a key, whenever it is woken', async () => {
    const deed = fc.record({ key: fc.constantFrom('a', 'b'), pauses: fc.nat(4), aborts: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { maxLength: 30 }),
        fc.array(fc.nat(5), { minLength: 1 }),
        async (deeds, steps) => {
          const { worker, wake, waiting, faults } = counting(steps);
          for (const { key, pauses, aborts } of deeds) {
            wake(key);
            if (aborts) worker.abort(key, 'reason');
            for (let pause = 0; pause < pauses; pause++) await Promise.resolve();
          }
          await Promise.all(['a', 'b'].map((key) => worker.whenIdle(key)));
          expect([...waiting.values()].every((count) => count === 0)).toBe(true);
          expect(faults).toEqual([]);
        },
      ),
      { seed: 13, numRuns: 300 },
    );
  });

  test('goes on for other keys while one is held up', async () => {
    const held = Promise.withResolvers<void>();
    const done: string[] = [];
    const worker = new KeyedWorker(async (key) => {
      if (key === 'slow') await held.promise;
      done.push(key);
    });
    worker.wake('slow');
    worker.wake('quick');
    await worker.whenIdle('quick');
    expect(done).toEqual(['quick']);
    expect([worker.isBusy('slow'), worker.isBusy('quick')]).toEqual([true, false]);
    held.resolve();
    await worker.whenIdle('slow');
    expect(done).toEqual(['quick', 'slow']);
  });

  test('many wakes while it goes on are one more round', async () => {
    let rounds = 0;
    const worker = new KeyedWorker(async () => {
      rounds += 1;
      if (rounds === 1) for (let wake = 0; wake < 9; wake++) worker.wake('a');
    });
    worker.wake('a');
    await worker.whenIdle('a');
    expect(rounds).toBe(2);
  });

  test('an abort ends the round that goes on, and no later one', async () => {
    const reasons: unknown[] = [];
    const worker = new KeyedWorker(async (_key, signal) => {
      if (reasons.length === 0)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      reasons.push(signal.aborted ? signal.reason : 'free');
    });
    worker.wake('a');
    await Promise.resolve().then(() => Promise.resolve());
    worker.wake('a');
    worker.abort('a', 'stopped');
    worker.abort('b', 'nothing there');
    await worker.whenIdle('a');
    expect(reasons).toEqual(['stopped', 'free']);
  });

  test('after the end nothing begins, and what goes on comes to its end', async () => {
    const held = Promise.withResolvers<void>();
    const done: string[] = [];
    const worker = new KeyedWorker(async (key) => {
      await held.promise;
      done.push(key);
    });
    worker.wake('a');
    worker.wake('a');
    const closed = worker.close();
    worker.wake('b');
    held.resolve();
    await closed;
    expect(done).toEqual(['a']);
    expect(worker.isBusy('b')).toBe(false);
  });
});

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
