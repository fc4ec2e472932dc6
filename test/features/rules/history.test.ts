import { describe, expect, test } from 'vitest';
import { carries, dryRun, type PastCase, supportedScope } from '../../../src/features/rules/history.ts';
import type { RuleTarget } from '../../../src/tools/lasting-target.ts';

const day = 24 * 60 * 60_000;
const file = (path: string): RuleTarget => ({ of: 'file', path });
const past = (path: string, changed: Partial<PastCase> = {}): PastCase => ({
  tool: 't1',
  target: file(path),
  wasAllowed: true,
  grantable: true,
  at: day,
  ...changed,
});
const call = (path: string) => ({ tool: 't1', target: file(path) });
const times = (count: number, one: (index: number) => PastCase) =>
  Array.from({ length: count }, (_, index) => one(index));
const inA = { of: 'folder', folder: 'a', ending: '.md', isDeep: false } as const;

describe('a rule is supported', () => {
  test('by eight equal approvals, not by seven', () => {
    const seven = times(7, (index) => past(`a/${index}.md`));
    expect(supportedScope(call('a/9.md'), seven)).toBeUndefined();
    expect(supportedScope(call('a/9.md'), [...seven, past('a/8.md')])).toEqual(inA);
  });

  test('by five on three different days, not by five on two, nor by four', () => {
    const over = (count: number, days: number) =>
      supportedScope(
        call('a/9.md'),
        times(count, (index) => past(`a/${index}.md`, { at: day * (1 + (index % days)) })),
      );
    expect(over(5, 3)).toEqual(inA);
    expect(over(5, 2)).toBeUndefined();
    expect(over(4, 4)).toBeUndefined();
  });

  test('by none that was given after content of others was read, or for the tool as it was before', () => {
    const others = times(8, (index) => past(`a/${index}.md`, index % 2 === 0 ? { grantable: false } : { tool: 't0' }));
    expect(supportedScope(call('a/9.md'), others)).toBeUndefined();
  });

  test('not once a call within it was denied, whatever had been read, and whatever the tool was', () => {
    const eight = times(8, (index) => past(`a/${index}.md`));
    const denied = past('a/3.md', { wasAllowed: false, grantable: false, tool: 't0' });
    expect(supportedScope(call('a/9.md'), [...eight, denied])).toBeUndefined();
    expect(supportedScope(call('a/9.md'), [...eight, { ...denied, target: file('b/3.md') }])).toEqual(inA);
  });

  test('no broader than its cases: one file, one folder, or what lies below one', () => {
    expect(
      supportedScope(
        call('a/1.md'),
        times(8, () => past('a/1.md')),
      ),
    ).toEqual(file('a/1.md'));
    const deep = times(8, (index) => past(`a/${index}/x.md`));
    expect(supportedScope(call('a/9/x.md'), deep)).toEqual({ ...inA, isDeep: true });
    expect(supportedScope(call('b/9/x.md'), deep)).toBeUndefined();
    expect(
      supportedScope(
        call('9.md'),
        times(8, (index) => past(`${index}.md`)),
      ),
    ).toBeUndefined();
    expect(
      supportedScope(
        call('a/9.sh'),
        times(8, (index) => past(`a/${index}.md`)),
      ),
    ).toBeUndefined();
  });

  test('no broader than its cases, whatever the call itself is about', () => {
    const same = times(40, () => past('a/1.md'));
    expect(supportedScope(call('a/secret.md'), same)).toBeUndefined();
    expect(supportedScope(call('a/private/1.md'), same)).toBeUndefined();
    expect(supportedScope(call('a/2.md'), [...same, past('a/3.md')])).toEqual(inA);
    const inOne = times(40, (index) => past(`a/b/${index}.md`));
    expect(supportedScope(call('a/secret/1.md'), inOne)).toBeUndefined();
    expect(supportedScope(call('a/b/secret/1.md'), inOne)).toBeUndefined();
    const belowOne = times(40, (index) => past(`a/b/${index}/x.md`));
    expect(supportedScope(call('a/secret/1.md'), belowOne)).toBeUndefined();
    expect(supportedScope(call('a/b/c/1.md'), belowOne)).toEqual({ ...inA, folder: 'a/b', isDeep: true });
    expect(supportedScope(call('a/c/1.md'), [...belowOne, past('a/1.md')])).toEqual({ ...inA, isDeep: true });
  });
});

test('a dry run tells how many questions it would have saved, since when, and of what', () => {
  const history = [
    ...times(41, (index) => past(`a/${index % 3}.md`, { at: day + index })),
    past('b/1.md'),
    past('a/1.md', { grantable: false }),
  ];
  const found = dryRun(inA, 't1', history);
  expect(found).toMatchObject({ saved: 41, denied: 0, since: day, days: 1 });
  expect(found.targets).toEqual([file('a/0.md'), file('a/1.md'), file('a/2.md')]);
  expect(carries(found, inA)).toBe(true);
  expect(carries({ ...found, denied: 1 }, inA)).toBe(false);
});
