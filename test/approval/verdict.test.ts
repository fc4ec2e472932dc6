import { describe, expect, test } from 'vitest';
import type { AskReason, Grant } from '../../src/approval/approval.ts';
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
import { toolCategories } from '../../src/tools/tool.ts';
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

test(`the verdict is what the design says, in all of ${cases.length} cases`, () => {
  const wrong = cases.flatMap((one) => {
    const { settings, category, labels, isOwnWish, hasGrant } = one;
    const verdict = asExpected(ask({ settings, category, labels, isOwnWish, grants: hasGrant ? [always] : [] }));
    const expected = expectedVerdict(one);
    return verdict === expected ? [] : [{ ...one, verdict, expected }];
  });
  expect(wrong).toEqual([]);
  expect(new Set(cases.map(expectedVerdict))).toEqual(new Set(['allow', 'deny', 'ask', 'ask without grants']));
});

describe('the first rule that fits decides, and says why', () => {
  const observer: ApprovalSettings = { ...defaults, mode: 'observer', taint: 'deny' };
  const denies = { ...observer, mode: 'assistant' } as const;
  const question = { settings: observer, category: 'destructive', labels: both, grants: [always] } as const;

  test.each<[string, Partial<Question>, object]>([
    ['a deny rule', { forbidden: 'tools.shell.deny forbids rm' }, denied('tools.shell.deny forbids rm')],
    ['then the mode, which asks nobody', {}, denied('observer mode')],
    ['then taint, which names the sources', { settings: denies }, denied('https://evil.example')],
    [
      'then taint, where it asks',
      { settings: { ...denies, taint: 'ask' } },
      asked({ because: 'tainted', sources: ['https://evil.example'], more: 0 }),
    ],
    ['then that it is destructive', { settings: { ...denies, taint: 'off' } }, asked({ because: 'destructive' })],
  ])('%s', (_rule, more, verdict) => {
    expect(ask({ ...question, ...more })).toMatchObject(verdict);
  });

  test('a grant that opens a call is named', () => {
    expect(ask({ toolName: 'tool', category: 'shell', grants: [always] })).toEqual({ type: 'allow', grant: always });
  });
});

test.each([
  ['memory', { writesMemory: true }, 'ask without grants'],
  ['memory', { writesMemory: false }, 'allow'],
  ['messaging', { leavesConversation: true }, 'ask without grants'],
  // To speak in its own conversation is not made worse by taint.
  ['messaging', { leavesConversation: false }, 'ask'],
  ['network_read', { trustedHost: true }, 'allow'],
  ['network_read', {}, 'ask without grants'],
] as const)('%s with %j in a tainted and private conversation: %s', (category, facets, expected) => {
  expect(asExpected(ask({ category, facets, labels: both }))).toBe(expected);
});

describe('a shell command', () => {
  const byRule = { allowedByRule: true };
  const bare = { unconfined: true };
  const opaque = { unreadable: true, ...byRule };
  const autonomous = { settings: { ...defaults, mode: 'autonomous' } } as const;
  const silent = { settings: { ...autonomous.settings, policy: 'always_allow' } } as const;
  const everyCall = { settings: { ...defaults, policy: 'always_require' } } as const;
  const named = { settings: { ...defaults, policy: 'require_for_tools', requireFor: ['shell'] } } as const;

  test.each<[string, Question['facets'], Partial<Question>, Expected]>([
    ['is asked for', {}, {}, 'ask'],
    ['is not asked for where a rule of the config allows it', byRule, {}, 'allow'],
    ['that a rule allows is asked for where each call is', byRule, everyCall, 'ask'],
    ['that a rule allows is asked for where the tool is named to be', byRule, named, 'ask'],
    [
      'that a rule allows is asked for after untrusted content was read',
      byRule,
      { labels: tainted },
      'ask without grants',
    ],
    ['that a rule allows is asked for where it destroys', byRule, { category: 'destructive' }, 'ask without grants'],
    ['that a rule allows does not run where another forbids it', byRule, { forbidden: 'never' }, 'deny'],
    ['runs in the mode autonomous', {}, autonomous, 'allow'],
    ['without bounds is asked for even in the mode autonomous', bare, autonomous, 'ask'],
    ['without bounds runs where the operator says that nothing asks', bare, silent, 'allow'],
    ['that no rule can read is asked for, for this one time', opaque, {}, 'ask without grants'],
    ['that no rule can read is asked for in the mode autonomous, too', opaque, autonomous, 'ask without grants'],
    ['that no rule can read runs where the operator says that nothing asks', opaque, silent, 'allow'],
  ])('%s', (_what, facets, more, expected) => {
    expect(asExpected(ask({ category: 'shell', toolName: 'shell', facets, ...more }))).toBe(expected);
  });
});

function denied(reason: string) {
  return { type: 'deny', reason: expect.stringContaining(reason) };
}

function asked(reason: AskReason) {
  return { type: 'ask', reason, grantable: false };
}
