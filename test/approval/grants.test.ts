import { describe, expect, test } from 'vitest';
import { type Grant, matchingGrant } from '../../src/approval/grants.ts';
import { matchesAny } from '../../src/tools/tool-pattern.ts';

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

describe('a standing permission', () => {
  test('for a while opens any call of its tool, until it ends', () => {
    expect(matchingGrant([window], call, now)).toBe(window);
    expect(matchingGrant([window], { ...call, hash: 'h2' }, now)).toBe(window);
    expect(matchingGrant([window], call, now + 1)).toBeUndefined();
    expect(matchingGrant([window], { ...call, toolName: 'write_file' }, now)).toBeUndefined();
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

describe('a pattern', () => {
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
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matchesAny([pattern], name)).toBe(expected);
    expect(matchesAny(['never', pattern], name)).toBe(expected);
  });
});
