import { describe, expect, test } from 'vitest';
import type { RuleGrant } from '../../src/approval/approval.ts';
import { mayBeRuled, type RuleScope, scopeCovers, scopesOf } from '../../src/approval/rules/rule.ts';
import { ruleWords } from '../../src/approval/rules/words.ts';
import { judge, matchingGrant } from '../../src/approval/verdict.ts';
import { textWidth } from '../../src/lib/text-width.ts';
import type { RuleTarget } from '../../src/tools/lasting-target.ts';
import { SeededRandom } from '../support/random.ts';

const inNotes: RuleScope = { of: 'folder', folder: 'notes', ending: '.md', isDeep: false };
const belowNotes: RuleScope = { ...inNotes, isDeep: true };
const file = (path: string): RuleTarget => ({ of: 'file', path });
const command = (text: string): RuleTarget => ({ of: 'command', command: text });

test.each([
  ['notes/a.md', true, true],
  ['notes/deep/a.md', false, true],
  ['notes/deep/er/a.md', false, true],
  ['notes/a.sh', false, false],
  ['notes/a', false, false],
  ['notes/a.md.sh', false, false],
  ['notes/a.MD', false, false],
  ['Notes/a.md', false, false],
  ['notes2/a.md', false, false],
  ['notes.md', false, false],
  ['a.md', false, false],
  ['other/notes/a.md', false, false],
  ['/notes/a.md', false, false],
  ['./notes/a.md', false, false],
  ['notes//a.md', false, false],
  ['notes/../a.md', false, false],
  ['notes/../notes/a.md', false, false],
  ['notes/./a.md', false, false],
  ['notes/.git/a.md', false, false],
  ['notes/.a.md', false, false],
  ['notes\\a.md', false, false],
  ['nоtes/a.md', false, false],
  ['ｎotes/a.md', false, false],
  ['notes\u200b/a.md', false, false],
])('a rule about a folder and %s: directly %s, below it %s', (path, direct, below) => {
  expect(scopeCovers(inNotes, file(path))).toBe(direct);
  expect(scopeCovers(belowNotes, file(path))).toBe(below);
});

test.each([
  ['npm test', true],
  ['npm  test', false],
  ['npm test ', false],
  ['npm test -- --watch', false],
  ['npm run test', false],
  ['NPM test', false],
  ['npm test; rm -rf .', false],
  ['npm test && curl evil.example', false],
  ['npm test\nrm x', false],
  ['npm test # x', false],
  ['npm $(test)', false],
])('a rule about a command and %j: %s', (text, covered) => {
  expect(scopeCovers({ of: 'command', command: 'npm test' }, command(text))).toBe(covered);
});

test('a rule about a host covers neither the same host unencrypted, nor on another port', () => {
  const scope = { of: 'host', host: 'https://docs.example.com' } as const;
  expect(scopeCovers(scope, { of: 'host', host: 'https://docs.example.com' })).toBe(true);
  for (const host of ['http://docs.example.com', 'https://docs.example.com:8443', 'docs.example.com'])
    expect(scopeCovers(scope, { of: 'host', host }), host).toBe(false);
});

test('the scopes of a file go from itself to the first folder of the workspace, never to all of it', () => {
  expect(scopesOf(file('a/b/c.md'))).toEqual([
    file('a/b/c.md'),
    { of: 'folder', folder: 'a/b', ending: '.md', isDeep: false },
    { of: 'folder', folder: 'a/b', ending: '.md', isDeep: true },
    { of: 'folder', folder: 'a', ending: '.md', isDeep: true },
  ]);
  expect(scopesOf(file('c.md'))).toEqual([file('c.md')]);
  expect(scopesOf(command('npm test'))).toEqual([command('npm test')]);
});

describe('a rule as a grant', () => {
  const grant: RuleGrant = {
    id: 'r1',
    kind: 'rule',
    conversationId: 'test:ada',
    requester: 'test:ada',
    toolName: 'write_file',
    description: '',
    grantedBy: 'test:ada',
    createdAt: 0,
    tool: 't1',
    scope: inNotes,
  };
  const written = {
    toolName: 'write_file',
    category: 'filesystem_write',
    hash: 'h1',
    ruled: { tool: 't1', target: file('notes/a.md') },
  } as const;
  const opens = (changed: object) => matchingGrant([grant], { ...written, ...changed }, 0) !== undefined;

  test('opens a call within its scope, of the tool as it was', () => {
    expect(opens({})).toBe(true);
    expect(opens({ toolName: 'edit_file' })).toBe(false);
    expect(opens({ ruled: { tool: 't2', target: file('notes/a.md') } })).toBe(false);
    expect(opens({ ruled: undefined })).toBe(false);
  });

  test.each([[{ unconfined: true }], [{ unreadable: true }], [{ irreversible: true }], [{ leavesConversation: true }]])(
    'opens none that is %o',
    (facets) => {
      expect(opens({ facets })).toBe(false);
      expect(mayBeRuled('filesystem_write', facets)).toBe(false);
    },
  );

  test.each(['destructive', 'messaging', 'network_write', 'hardware', 'memory', 'filesystem_read'] as const)(
    'opens none of the category %s',
    (category) => {
      expect(opens({ category })).toBe(false);
    },
  );

  test('comes after what is forbidden, destructive, or has read what others wrote', () => {
    const settings = {
      mode: 'assistant',
      policy: 'require_for_dangerous',
      requireFor: [],
      dangerousTools: [],
      dangerousCategories: ['filesystem_write'],
      allowOwnWords: false,
      taint: 'ask',
    } as const;
    const labels = { tainted: false, private: false, sources: [] };
    const question = { ...written, labels, grants: [grant], settings, now: 0 };
    expect(judge(question)).toEqual({ type: 'allow', grant });
    expect(judge({ ...question, forbidden: 'no' }).type).toBe('deny');
    expect(judge({ ...question, labels: { ...labels, tainted: true } })).toMatchObject({
      type: 'ask',
      grantable: false,
    });
    expect(judge({ ...question, facets: { unreadable: true } }).type).toBe('ask');
    expect(judge({ ...question, category: 'destructive' }).type).toBe('ask');
    expect(judge({ ...question, grants: [] })).toMatchObject({ type: 'ask', grantable: true });
  });
});

test('whatever the path, a rule covers nothing outside its folder', () => {
  const random = new SeededRandom(35);
  const parts = [
    'notes',
    'notes2',
    'Notes',
    'nоtes',
    '..',
    '.',
    '',
    '.git',
    'a.md',
    'b.md',
    'c.sh',
    'deep',
    'notes ',
    '~',
    '\u202e',
    'e\u0301.md',
  ];
  const runs = 3000 * Number(process.env.KEYTURN_PROPERTY_RUNS ?? 1);
  let covered = 0;
  for (let run = 0; run < runs; run += 1) {
    const path = Array.from(
      { length: 1 + random.integer(0, 3) },
      () => parts[random.integer(0, parts.length - 1)] ?? '',
    ).join('/');
    const isInside = /^notes(?:\/[^./][^/]*)*\/[^./][^/]*\.md$/.test(path);
    if (scopeCovers(belowNotes, file(path))) {
      covered += 1;
      expect(isInside, JSON.stringify(path)).toBe(true);
    }
    if (scopeCovers(inNotes, file(path))) expect(path.split('/'), JSON.stringify(path)).toHaveLength(2);
    // Each scope of a path covers the path itself, and no other path that stands outside its folder.
    for (const scope of scopesOf(file(path)))
      if (scope.of === 'folder') expect(path.startsWith(`${scope.folder}/`)).toBe(true);
  }
  expect(covered).toBeGreaterThan(20);
});

test('a button names the rule, cut to what a phone shows', () => {
  const scopes: readonly RuleScope[] = [
    inNotes,
    { ...belowNotes, folder: 'a/very/long/folder/that/does/not/fit/on/it' },
    { of: 'command', command: 'npm test' },
    { of: 'host', host: 'https://docs.example.com' },
    { of: 'host', host: 'http://docs.example.com' },
  ];
  for (const scope of scopes)
    for (const words of [ruleWords.en, ruleWords.zh])
      expect(textWidth(words.buttonRule({ toolName: 'write_file', scope }))).toBeLessThanOrEqual(30);
  const labels = scopes.map((scope) => ruleWords.en.buttonRule({ toolName: 'web_fetch', scope }));
  expect(labels).toContain('Always: notes/*.md');
  expect(labels).toContain('Always: docs.example.com');
  expect(labels.at(-1)).toMatch(/^Always: http:\/\//);
});
