import { describe, expect, test } from 'vitest';
import { type ApprovalSettings, judge, type Question } from '../../src/approval/verdict.ts';
import { type AllowReason, whyAllowed } from '../../src/approval/why-allowed.ts';

const settings: ApprovalSettings = {
  mode: 'assistant',
  policy: 'require_for_dangerous',
  requireFor: [],
  dangerousTools: [],
  dangerousCategories: ['shell', 'messaging'],
  allowOwnWords: true,
  taint: 'ask',
};
const question: Question = {
  toolName: 'shell',
  category: 'shell',
  hash: 'h',
  labels: { tainted: false, private: false, sources: [] },
  grants: [],
  settings,
  now: 5,
};
const grant = {
  kind: 'always',
  id: 'g',
  conversationId: 'c',
  requester: 'p',
  toolName: 'shell',
  description: '',
  hash: 'h',
  grantedBy: 'p',
  createdAt: 1,
} as const;

const cases: readonly (readonly [AllowReason, Question])[] = [
  ['grant', { ...question, grants: [grant] }],
  ['policy-off', { ...question, settings: { ...settings, policy: 'always_allow' } }],
  ['not-dangerous', { ...question, category: 'filesystem_read' }],
  ['autonomous', { ...question, settings: { ...settings, mode: 'autonomous' } }],
  ['allow-rule', { ...question, facets: { allowedByRule: true } }],
  ['own-words', { ...question, category: 'messaging', isOwnWish: true, isOwnText: true }],
];

describe('why a call was allowed', () => {
  test.each(cases)('is the rule by which it was: %s', (why, asked) => {
    const verdict = judge(asked);
    expect(verdict.type).toBe('allow');
    expect(whyAllowed(asked, verdict.type === 'allow' ? verdict.grant : undefined)).toEqual({ why });
  });

  test('comes with what had been read, the newest five, and whether a sandbox held it', () => {
    const sources = ['a', 'b', 'c', 'd', 'e', 'f'];
    const labels = { tainted: true, private: false, sources };
    const read = { read: sources.slice(1), reads: 6, unconfined: true, why: 'not-dangerous' };
    expect(whyAllowed({ ...question, category: 'memory', labels, facets: { unconfined: true } }, undefined)).toEqual(
      read,
    );
  });
});
