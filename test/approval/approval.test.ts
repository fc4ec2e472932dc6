import { describe, expect, test } from 'vitest';
import { type Approval, asksFor } from '../../src/approval/approval.ts';
import { anApproval } from './an-approval.ts';

const asked = { category: 'shell', arguments: {}, reason: 'it asks' } as const;
const joint = anApproval({
  asked: {
    ...asked,
    others: [
      { callId: 'c2', hash: 'h2' },
      { callId: 'c3', hash: 'h3' },
    ],
  },
});

describe('the calls that an approval covers', () => {
  test.each([
    ['h1', true],
    ['h2', true],
    ['h3', true],
    ['h4', false],
    ['', false],
  ])('with several calls on its card, that is each of them: %s', (hash, isCovered) => {
    expect(asksFor(joint, hash)).toBe(isCovered);
  });

  test.each([
    ['h1', true],
    ['h2', false],
  ])('with one, that is this one: %s', (hash, isCovered) => {
    expect(asksFor(anApproval({ asked }), hash)).toBe(isCovered);
    expect(asksFor(anApproval(), hash)).toBe(isCovered);
  });

  test('are none of those that a run to be extended may make', () => {
    const { hash: _hash, callId: _callId, grantable: _grantable, asked: _asked, ...fields } = anApproval();
    const extension: Approval = {
      ...fields,
      type: 'extension',
      extension: { runId: 'r1', bound: 'turns', until: 20, seenSeq: 1 },
    };
    // What other versions have written may have more.
    for (const approval of [extension, Object.assign(extension, { hash: 'h1' })])
      expect(asksFor(approval, 'h1')).toBe(false);
  });
});
