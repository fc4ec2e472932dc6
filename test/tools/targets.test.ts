import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/approval/approval.ts';
import { matchingGrant } from '../../src/approval/verdict.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { coveredBy, coveredByNamed, targetsOf } from '../../src/tools/targets.ts';

function schema(...names: readonly string[]) {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

describe('what a call of a foreign tool reaches', () => {
  test.each([
    [{ recipient: 'US1', amount: 5 }, ['US1']],
    [{ to: ['a@x.example', 'b@x.example'], body: 'hi' }, ['a@x.example', 'b@x.example']],
    [{ targetUrl: 'https://x.example', text: 'hi' }, ['https://x.example']],
    [{ file_id: 13, note: 'x' }, ['13']],
    [{ participants: [{ name: 'Ada' }], title: 'Lunch' }, ['Ada']],
    [{ cc: '', subject: 'x' }, []],
    [{ text: 'x', amount: 5, together: true }, undefined],
  ])('is told by the names of its parameters: %j', (args, targets) => {
    expect(targetsOf(schema(...Object.keys(args)), args)).toEqual(targets);
  });

  test('is what the operator says it is', () => {
    const args = { recipient: 'US1', purse: 'mine' };
    expect(targetsOf(schema('recipient', 'purse'), args, ['purse', 'box'])).toEqual(['mine']);
    expect(targetsOf(schema('recipient'), args, [])).toBeUndefined();
  });
});

describe('what a permission for a while covers where only names tell', () => {
  test.each([
    ['one target and nothing else', { recipient: 'US1', note: 'x' }, ['US1', 'nothing else']],
    ['the same arguments', { recipient: 'US1', amount: 5, note: 'x' }, ['US1', 'amount: 5']],
    [
      'two targets in their places',
      { from_account: 'A', to_account: 'B' },
      ['from_account: A, to_account: B, nothing else'],
    ],
    ['an unknown name', { repo: 'a', new_owner: 'b' }, ['a', 'new_owner: b']],
    ['what is inside', { options: { who: ['a', 'b'] } }, ['options.who: a, options.who: b, nothing else']],
  ])('%s', (_what, args, covered) => {
    expect(coveredBy(schema(...Object.keys(args)), args)).toEqual(covered);
  });

  const names = schema('path', 'repo', 'items', 'dry_run', 'force', 'from_account', 'to_account', 'new_owner');

  test.each<[string, JsonObject, JsonObject]>([
    ['without what keeps it harmless', { path: 'a', dry_run: true }, { path: 'a' }],
    ['without what keeps it small', { repo: 'a', path: 'b' }, { repo: 'a' }],
    ['without its target', { path: 'a', force: true }, { force: true }],
    ['with one argument more', { path: 'a' }, { path: 'a', force: true }],
    ['with its targets exchanged', { from_account: 'A', to_account: 'B' }, { from_account: 'B', to_account: 'A' }],
    [
      'with the parts of its list exchanged',
      {
        items: [
          { to: 'Ada', sum: 5 },
          { to: 'Bob', sum: 70 },
        ],
      },
      {
        items: [
          { to: 'Ada', sum: 70 },
          { to: 'Bob', sum: 5 },
        ],
      },
    ],
    [
      'with a part of its list twice',
      { items: [{ to: 'Ada', sum: 5 }] },
      {
        items: [
          { to: 'Ada', sum: 5 },
          { to: 'Ada', sum: 5 },
        ],
      },
    ],
    ['with a value that looks like two', { path: 'p', a: 'x', b: 'y' }, { path: 'p', a: 'x, b: y' }],
    ['with a name that looks like two', { path: 'p', a: 'x', b: 'y' }, { path: 'p', 'a: x, b': 'y' }],
  ])('is not the call %s', (_what, granted, other) => {
    expect(isCovered(coveredBy(names, other), coveredBy(names, granted))).toBe(false);
  });

  test('is the call with other texts, and to some of its recipients', () => {
    const parameters = schema('to', 'body', 'mode');
    const granted = coveredBy(parameters, { to: ['a@x.example', 'b@x.example'], body: 'hi', mode: 'r' });
    expect(isCovered(coveredBy(parameters, { to: ['b@x.example'], body: 'ho', mode: 'r' }), granted)).toBe(true);
  });
});

describe('what it covers where the operator names the parameters', () => {
  const named = ['from', 'to', 'path'];

  test.each<[string, JsonObject, JsonObject]>([
    ['with its targets exchanged', { from: 'A', to: 'B' }, { from: 'B', to: 'A' }],
    ['without one of them', { from: 'A', to: 'B' }, { from: 'A' }],
    ['without the one that keeps it small', { to: 'A', path: 'b' }, { to: 'A' }],
  ])('is not the call %s', (_what, granted, other) => {
    expect(isCovered(coveredByNamed(other, named), coveredByNamed(granted, named))).toBe(false);
  });

  test('is the call with other arguments besides', () => {
    expect(isCovered(coveredByNamed({ to: 'A', sum: 5 }, named), coveredByNamed({ to: 'A', sum: 7 }, named))).toBe(
      true,
    );
    expect(coveredByNamed({ to: 'A' }, ['to'])).toBeUndefined();
  });
});

const granted: Extract<Grant, { kind: 'window' }> = {
  id: 'g1',
  kind: 'window',
  conversationId: 'test:ada',
  requester: 'test:ada',
  toolName: 'svc_do',
  description: 'call `svc_do`',
  grantedBy: 'test:ada',
  createdAt: 0,
  expiresAt: 2,
};

function isCovered(wanted: readonly string[] | undefined, targets: readonly string[] | undefined): boolean {
  const call = { toolName: 'svc_do', hash: 'h', facets: { covers: wanted } };
  return matchingGrant([{ ...granted, targets }], call, 1) !== undefined;
}
