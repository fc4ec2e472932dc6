import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/approval/approval.ts';
import { matchingGrant } from '../../src/approval/verdict.ts';
import { matchesAny } from '../../src/tools/registry.ts';

const now = 1000;
const call = { toolName: 'shell', hash: 'h1' };
const fields = {
  conversationId: 'test:ada',
  requester: 'test:ada',
  toolName: 'shell',
  description: 'run `ls`',
  grantedBy: 'test:ada',
  createdAt: 0,
};
const always: Grant = { ...fields, id: 'g1', kind: 'always', hash: 'h1' };
const window: Grant = { ...fields, id: 'g2', kind: 'window', expiresAt: now + 1 };

describe('a saved permission', () => {
  test('for a while opens any call of its tool, until it ends', () => {
    expect(matchingGrant([window], call, now)).toBe(window);
    expect(matchingGrant([window], { ...call, hash: 'h2' }, now)).toBe(window);
    expect(matchingGrant([window], call, now + 1)).toBeUndefined();
    expect(matchingGrant([window], { ...call, toolName: 'write_file' }, now)).toBeUndefined();
    expect(matchingGrant([window], call, -1)).toBeUndefined();
  });

  test('for a while opens no call with other targets, and none of a tool that has other words for them', () => {
    const given: Grant = { ...window, targets: ['ada', 'bob'] };
    const to = (...targets: readonly string[]) => matchingGrant([given], { ...call, facets: { targets } }, now);
    expect([to('bob'), to('bob', 'ada')]).toEqual([given, given]);
    expect([to('eve'), to('bob', 'eve'), to()]).toEqual([undefined, undefined, undefined]);
    expect(matchingGrant([given], call, now)).toBeUndefined();
    expect(matchingGrant([window], { ...call, facets: { targets: ['bob'] } }, now)).toBeUndefined();
    expect(matchingGrant([{ ...window, targets: [] }], { ...call, facets: { targets: [] } }, now)).toBeDefined();
  });

  test('for always opens exactly its call, whenever', () => {
    expect(matchingGrant([always], call, Number.MAX_SAFE_INTEGER)).toBe(always);
    expect(matchingGrant([always], { ...call, hash: 'h2' }, now)).toBeUndefined();
  });

  test('is found among others', () => {
    expect(matchingGrant([], call, now)).toBeUndefined();
    expect(matchingGrant([{ ...window, expiresAt: now }, always], call, now)).toBe(always);
  });
});

test.each([
  ['*', 'shell', true],
  ['shell', 'shell', true],
  ['shell', 'shell_2', false],
  ['shell', 'Shell', false],
  ['write_*', 'write_file', true],
  ['write_*', 'write_', true],
  ['write_*', 'overwrite_file', false],
  ['*_file', 'edit_file', true],
  ['*_file', 'edit_files', false],
  ['s.ell', 'shell', false],
  ['', 'shell', false],
])('a pattern: %s and %s: %s', (pattern, name, expected) => {
  expect(matchesAny([pattern], name)).toBe(expected);
  expect(matchesAny(['never', pattern], name)).toBe(expected);
});
