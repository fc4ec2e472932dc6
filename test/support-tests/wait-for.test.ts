import { expect, test } from 'vitest';
import { SeededRandom } from '../support/random.ts';
import { Changes, waitUntil } from '../support/wait-for.ts';

test('a wait ends with what it finds, at the change that brings it', async () => {
  const changes = new Changes();
  let value = '';
  const waiting = changes.waitFor(() => value);
  changes.notify();
  value = 'there';
  changes.notify();
  expect(await waiting).toBe('there');
});

test('a wait for what is there already does not need a change', async () => {
  expect(await new Changes().waitFor(() => 7)).toBe(7);
});

test('a wait in vain says what it waited for and what there is instead', async () => {
  const waiting = new Changes().waitFor(() => false, { timeoutMs: 20, what: 'a reply', describe: () => 'Nothing.' });
  await expect(waiting).rejects.toThrow('Waited 20 ms for a reply.\nNothing.');
});

test('what the condition throws ends the wait', async () => {
  const changes = new Changes();
  let broken = false;
  const waiting = changes.waitFor(() => {
    if (broken) throw new Error('broken');
    return false;
  });
  broken = true;
  changes.notify();
  await expect(waiting).rejects.toThrow('broken');
});

test('what gives no sign is looked at again and again', async () => {
  let looks = 0;
  expect(await waitUntil(async () => ++looks === 3 && looks)).toBe(3);
  await expect(waitUntil(() => false, { timeoutMs: 30, what: 'a file' })).rejects.toThrow('for a file');
});

test('the same seed gives the same chance, another seed another', () => {
  const draw = (seed: number): number[] => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 20 }, () => random.integer(1, 6));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(new Set(draw(3))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  const random = new SeededRandom(9);
  const hits = Array.from({ length: 10_000 }, () => random.chance(0.2)).filter(Boolean).length;
  expect(hits).toBeGreaterThan(1_850);
  expect(hits).toBeLessThan(2_150);
  expect(['a', 'b']).toContain(random.pick(['a', 'b']));
});
