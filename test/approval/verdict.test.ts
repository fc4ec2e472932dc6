import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/approval/approval.ts';
import {
  type ApprovalSettings,
  agentModes,
  approvalPolicies,
  cleanLabels,
  judge,
  type Labels,
  type Question,
  taintRules,
  type Verdict,
} from '../../src/approval/verdict.ts';
import { toolCategories } from '../../src/tools/category.ts';
import { type Case, type Expected, expectedVerdict } from './expected-verdict.ts';

const now = 1_000_000;
const hash = 'a'.repeat(64);
const always: Grant = {
  kind: 'always',
  id: 'g1',
  conversationId: 'test:ada',
  requester: 'test:ada',
  toolName: 'tool',
  description: 'tool',
  grantedBy: 'test:ada',
  createdAt: 0,
  hash,
};
const dangerous = ['shell', 'filesystem_write', 'network_write', 'messaging', 'hardware', 'destructive'] as const;
const defaults: ApprovalSettings = {
  mode: 'assistant',
  policy: 'require_for_dangerous',
  requireFor: [],
  dangerousTools: ['shell', 'write_file', 'edit_file'],
  dangerousCategories: dangerous,
  allowOwnWords: false,
  taint: 'ask',
};
const tainted: Labels = { tainted: true, private: false, sources: ['https://evil.example'] };
const both: Labels = { ...tainted, private: true };
const privateOnly: Labels = { ...cleanLabels, private: true };

const yesNo = [true, false] as const;
/** All of 4 policies, 3 modes, 9 categories, named or not, labels, taint rules, grants, lists of categories and own words. */
const cases: readonly Case[] = approvalPolicies.flatMap((policy) =>
  agentModes.flatMap((mode) =>
    taintRules.flatMap((taint) =>
      [dangerous, []].flatMap((dangerousCategories) =>
        toolCategories.flatMap((category) =>
          [cleanLabels, privateOnly, tainted, both].flatMap((labels) =>
            yesNo.flatMap((isNamedDangerous) =>
              yesNo.flatMap((isRequired) =>
                [[], ['wish'], ['allowed'], ['wish', 'allowed']].flatMap((own) =>
                  yesNo.map((hasGrant) => {
                    const requireFor = isRequired ? ['tool'] : ['other'];
                    const dangerousTools = isNamedDangerous ? ['too*'] : ['other'];
                    const lists = { dangerousCategories, requireFor, dangerousTools };
                    const settings = { mode, policy, taint, ...lists, allowOwnWords: own.includes('allowed') };
                    const isOwnWish = own.includes('wish');
                    return { settings, category, labels, isNamedDangerous, isRequired, isOwnWish, hasGrant };
                  }),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
);

function ask(question: Partial<Question>): Verdict {
  const settings = defaults;
  return judge({
    toolName: 'tool',
    category: 'memory',
    hash,
    labels: cleanLabels,
    grants: [],
    settings,
    now,
    ...question,
  });
}

function asExpected(verdict: Verdict): Expected {
  if (verdict.type !== 'ask') return verdict.type;
  return verdict.grantable ? 'ask' : 'ask without grants';
}

describe('the verdict', () => {
  test(`is what the design says, in all of ${cases.length} cases`, () => {
    const wrong = cases.flatMap((one) => {
      const { settings, category, labels, isOwnWish, hasGrant } = one;
      const verdict = asExpected(ask({ settings, category, labels, isOwnWish, grants: hasGrant ? [always] : [] }));
      const expected = expectedVerdict(one);
      return verdict === expected ? [] : [{ ...one, verdict, expected }];
    });
    expect(wrong).toEqual([]);
    expect(new Set(cases.map(expectedVerdict))).toEqual(new Set(['allow', 'deny', 'ask', 'ask without grants']));
  });

  test.each([
    ['shell', 'shell', 'ask'],
    ['write_file', 'filesystem_write', 'ask'],
    ['read_file', 'filesystem_read', 'allow'],
    ['fetch', 'network_read', 'allow'],
    ['echo', 'memory', 'allow'],
    ['post', 'network_write', 'ask'],
    ['lamp', 'hardware', 'ask'],
    ['create_tool', 'destructive', 'ask without grants'],
  ] as const)('by default, %s (%s): %s', (toolName, category, expected) => {
    expect(asExpected(ask({ toolName, category }))).toBe(expected);
  });

  test('without dangerous categories, only the dangerous tools ask', () => {
    const settings = { ...defaults, dangerousCategories: [] };
    expect(asExpected(ask({ settings, toolName: 'shell', category: 'shell' }))).toBe('ask');
    expect(asExpected(ask({ settings, toolName: 'run_code', category: 'shell' }))).toBe('allow');
    expect(asExpected(ask({ settings, toolName: 'create_tool', category: 'destructive' }))).toBe('ask without grants');
  });
});

describe('the first rule that fits decides', () => {
  const settings: ApprovalSettings = { ...defaults, mode: 'observer', taint: 'deny' };
  const question = { settings, category: 'destructive', labels: both, grants: [always] } as const;

  test('a deny rule stands above all, and its words are the reason', () => {
    expect(ask({ ...question, forbidden: 'tools.shell.deny forbids rm' })).toEqual({
      type: 'deny',
      reason: 'tools.shell.deny forbids rm',
    });
  });

  test('then the mode, which asks nobody', () => {
    expect(ask(question)).toMatchObject({ type: 'deny', reason: expect.stringContaining('observer mode') });
  });

  test('then taint, which names the sources', () => {
    const assistant = { ...settings, mode: 'assistant' } as const;
    expect(ask({ ...question, settings: assistant })).toMatchObject({
      type: 'deny',
      reason: expect.stringContaining('https://evil.example'),
    });
    expect(ask({ ...question, settings: { ...assistant, taint: 'ask' } })).toMatchObject({
      type: 'ask',
      reason: expect.stringContaining('https://evil.example'),
    });
  });

  test('then that it is destructive', () => {
    const assistant = { ...settings, mode: 'assistant', taint: 'off' } as const;
    expect(ask({ ...question, settings: assistant })).toMatchObject({ type: 'ask', grantable: false });
  });

  test('a grant that opens a call is named', () => {
    expect(ask({ toolName: 'tool', category: 'shell', grants: [always] })).toEqual({ type: 'allow', grant: always });
  });
});

describe('what the category alone does not tell', () => {
  test.each([
    ['memory', { writesMemory: true }, 'ask without grants'],
    ['memory', { writesMemory: false }, 'allow'],
    ['messaging', { leavesConversation: true }, 'ask without grants'],
    ['network_read', { trustedHost: true }, 'allow'],
    ['network_read', {}, 'ask without grants'],
  ] as const)('%s with %j in a tainted and private conversation: %s', (category, facets, expected) => {
    expect(asExpected(ask({ category, facets, labels: both }))).toBe(expected);
  });

  test('speaking in its own conversation is not made worse by taint', () => {
    const facets = { leavesConversation: false };
    expect(asExpected(ask({ category: 'messaging', facets, labels: both }))).toBe('ask');
  });
});

describe('a call that the config allows by a rule', () => {
  const shell = { category: 'shell', toolName: 'shell', facets: { allowedByRule: true } } as const;

  test('is not asked for because of its kind', () => {
    expect(ask(shell)).toEqual({ type: 'allow' });
    expect(ask({ ...shell, facets: {} })).toMatchObject({ type: 'ask' });
  });

  test.each([
    ['where every call is asked for', { settings: { ...defaults, policy: 'always_require' as const } }],
    [
      'where the tool is named to be asked for',
      { settings: { ...defaults, policy: 'require_for_tools' as const, requireFor: ['shell'] } },
    ],
    ['after untrusted content was read', { labels: tainted }],
    ['where it destroys', { category: 'destructive' as const }],
  ])('is asked for %s', (_where, more) => {
    expect(ask({ ...shell, ...more })).toMatchObject({ type: 'ask' });
  });

  test('does not run where another rule forbids it', () => {
    expect(ask({ ...shell, forbidden: 'never' })).toEqual({ type: 'deny', reason: 'never' });
  });
});

describe('a call that nothing but a person keeps in its bounds', () => {
  const bare = { category: 'shell', toolName: 'shell', facets: { unconfined: true } } as const;
  const autonomous = { ...defaults, mode: 'autonomous' as const };

  test('is asked for in the mode autonomous, too, and may be granted', () => {
    expect(ask({ ...bare, settings: autonomous })).toMatchObject({ type: 'ask', grantable: true });
    expect(ask({ ...bare, settings: autonomous, facets: {} })).toEqual({ type: 'allow' });
  });

  test("is not asked for where the operator's word is that nothing is", () => {
    expect(ask({ ...bare, settings: { ...autonomous, policy: 'always_allow' } })).toEqual({ type: 'allow' });
  });
});

describe('a command that a rule might forbid if it could be read', () => {
  const opaque = { category: 'shell', toolName: 'shell', facets: { unreadable: true, allowedByRule: true } } as const;
  const autonomous = { ...defaults, mode: 'autonomous' as const };

  test('is asked for in every mode, and for this one time', () => {
    expect(ask({ ...opaque })).toMatchObject({ type: 'ask', grantable: false });
    expect(ask({ ...opaque, settings: autonomous })).toMatchObject({ type: 'ask', grantable: false });
  });

  test("is not asked for where the operator's word is that nothing is", () => {
    expect(ask({ ...opaque, settings: { ...autonomous, policy: 'always_allow' } })).toEqual({ type: 'allow' });
  });
});
