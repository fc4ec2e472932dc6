import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { boundedPattern, createBoundedRun } from '../../src/tools/bounded-run.ts';
import { waitUntil } from '../support/wait-for.ts';

test('what was worked on is forgotten, though the next work may be long in coming', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const run = createBoundedRun();
  const given = ((): WeakRef<object> => {
    const large = { text: 'x'.repeat(1_000_000) };
    expect(run(() => large.text.length, 1_000)).toBe(1_000_000);
    return new WeakRef(large);
  })();
  await waitUntil(() => {
    collect();
    return given.deref() === undefined;
  });
  expect(run(() => 1, 1_000)).toBe(1);
});

test('a pattern that takes too long on a text counts as a match, and is used on the next text', () => {
  const matches = boundedPattern('^(a+)+$', 'u');
  expect(matches(`${'a'.repeat(60)}!`)).toBe(true);
  expect(matches('aa!')).toBe(false);
});
