import { expect, test } from 'vitest';
import { argumentsSoFar } from '../../src/tools/status.ts';

test('arguments are one line of JSON', () => {
  expect(argumentsSoFar({ path: 'a\nb', deep: [1, { x: null }] })).toBe('{"path":"a\\nb","deep":[1,{"x":null}]}');
});

test('no arguments are nothing to show', () => {
  expect(argumentsSoFar({})).toBeUndefined();
  expect(argumentsSoFar('')).toBeUndefined();
});

test('they are cut at 200 characters, and never in the middle of one', () => {
  for (let length = 150; length < 260; length += 1) {
    const shown = argumentsSoFar({ path: `${'x'.repeat(length)}${'😀'.repeat(60)}` });
    expect(shown?.length).toBeLessThanOrEqual(200);
    expect(shown?.length).toBeGreaterThan(197);
    expect(shown?.isWellFormed()).toBe(true);
    expect(shown).not.toContain('\\ud83d');
  }
});
