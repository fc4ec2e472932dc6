import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandFacts } from '../../src/tools/command-facts.ts';
import { commandRules } from '../../src/tools/guard/command/command-rules.ts';
import { plainShell } from '../../src/tools/guard/process/command-shell.ts';
import { workspaces } from '../../src/tools/guard/workspace/workspace.ts';
import { fileTarget, hostTarget } from '../../src/tools/rule-target.ts';
import { newFolder } from '../support/new-folder.ts';

const facts = commandFacts((command: string) => command, commandRules({ deny: [], allow: [] }), {
  workspaceAt: workspaces(),
  commandShell: () => plainShell,
});

test.each([
  'npm test',
  'npm run lint',
  'make build',
  'sh build.sh',
  'touch a',
  'ls -la',
  'git commit -m done',
  './x.sh',
  'scripts/check.sh fast',
  'mkdir -p out',
  'git add notes.md',
  'cat notes.txt',
  'python3 tools/check.py',
])('a rule may name the command %s', (command) => {
  expect(facts.ruleTarget(command)).toEqual({ of: 'command', command });
});

test.each<readonly [string, string]>([
  ['shell signs', 'npm test; ls'],
  ['a list', 'npm test && ls'],
  ['a pipe', 'npm test | tail'],
  ['a redirection', 'npm test > log'],
  ['a variable', 'npm test $X'],
  ['a pattern', 'touch *.md'],
  ['quotes', 'git commit -m "all of it"'],
  ['a substitution', 'touch $(ls)'],
  ['a comment', 'npm test # quickly'],
  ['a second line', 'npm test\nls'],
  ['the background', 'npm test &'],
  ['an assignment', 'PATH=. npm test'],
  ['two spaces', 'npm  test'],
  ['letters that look alike', 'npm tеst'],
  ['code that nothing names', 'node -e 1'],
  ['what nobody knows', 'foo bar'],
  ['a test runner that finds its files by itself', 'pytest -q'],
  ['deleting', 'rm a'],
  ['the network', 'curl https://example.com'],
  ['sending', 'git push origin main'],
  ['installing', 'npm install left-pad'],
  ['a foreign package', 'npx foo'],
  ['ending processes', 'kill 3'],
  ['rights', 'chmod 777 a'],
  ['another person', 'sudo ls'],
  ['another shell', 'bash -c ls'],
  ...['mv a b', 'rename a b', 'install a b', 'git mv a b', 'ln -sf a b', 'make install', 'npm run move-all'].map(
    (command): readonly [string, string] => ['moving', command],
  ),
  ...[
    ...['truncate -s 0 a', 'dd if=a of=b', 'tee a', 'cp a b', 'cp a .env', 'gzip a', 'tar xf a.tar', '/bin/cp a b'],
    ...['git reset --hard', 'git checkout .', 'git restore .', 'git merge a', 'git apply a', 'git stash drop'],
    ...['git commit --amend', 'git clean -fd', 'git branch -D main', 'git rebase main', 'rmdir a', 'shred a'],
    ...['make clean', 'npm run db:reset', 'pnpm run drop-all', './wipe.sh', 'sed -i s/a/b/ a', 'rsync -a --delete a b'],
  ].map((command): readonly [string, string] => ['overwriting or undoing', command]),
  ...[
    ...['npm run deploy', 'npm run publish', 'npm run release', 'npm run preDeploy', 'yarn run deploy', 'npm publish'],
    ...['make deploy', 'make push', 'sh deploy.sh', './release.sh', 'node send.js', 'python3 tools/upload.py'],
    ...['git remote add a b', 'git fetch', 'git pull', 'ssh host', 'scp a b:c', 'wget x', 'docker run x', 'nc host 1'],
  ].map((command): readonly [string, string] => ['sending', command]),
  ['a program outside the workspace', '/tmp/x'],
  ['a program above the workspace', '../x.sh'],
  ['a program that a path hides', 'scripts/../../x.sh'],
])('no rule may name a command with %s: %s', (_what, command) => {
  expect(facts.ruleTarget(command)).toBeUndefined();
});

test('a rule about a file names the real path, with all links followed, and no hidden or unreadable name', async () => {
  const folder = await newFolder();
  await mkdir(join(folder, 'notes'));
  await mkdir(join(folder, 'other'));
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, 'other/b.md'), '');
  await symlink('../other', join(folder, 'notes/link'));
  await symlink('../other/b.md', join(folder, 'notes/b.md'));
  await symlink('/etc', join(folder, 'notes/etc'));
  const workspace = workspaces()(folder);
  const real = async (path: string) => {
    const target = await fileTarget(workspace, path);
    return target?.of === 'file' ? target.path : target;
  };
  expect(await real('notes/a.md')).toBe('notes/a.md');
  expect(await real('notes/../notes/./a.md')).toBe('notes/a.md');
  expect(await real('new/deep/a.md')).toBe('new/deep/a.md');
  expect(await real('notes/link/a.md')).toBe('other/a.md');
  expect(await real('notes/link/new/a.md')).toBe('other/new/a.md');
  expect(await real('notes/b.md')).toBe('other/b.md');
  expect(await real('notes/链接.md')).toBe('notes/链接.md');
  const none = [
    '../a.md',
    'new/../../a.md',
    'notes/etc/passwd',
    '/etc/passwd',
    '.git/hooks',
    'notes/.env',
    'notes/a\u202e.md',
    'notes/a\u200b.md',
    'notes/\u3164.md',
    'notes/a\u115f.md',
    'notes/a\ufe0f.md',
    'notes\u034f/a.md',
    'notes/a`.md',
    `notes/${'a'.repeat(201)}.md`,
  ];
  for (const path of none) expect(await real(path), path).toBeUndefined();
});

test.each([
  ['https://docs.example.com/a?b=c', 'https://docs.example.com'],
  ['http://docs.example.com/', 'http://docs.example.com'],
  ['https://docs.example.com:443/', 'https://docs.example.com'],
  ['http://docs.example.com:443/', 'http://docs.example.com:443'],
  ['http://docs.example.com:8080/', 'http://docs.example.com:8080'],
  ['https://DOCS.example.com/', 'https://docs.example.com'],
  ['https://docs.exam\u3164ple.com/', 'https://docs.example.com'],
  ['https://docs.example.com@evil.example/', undefined],
  ['ftp://docs.example.com/', undefined],
  ['no address', undefined],
])('the origin of %s: %s', (url, host) => {
  expect(hostTarget(url)).toEqual(host && { of: 'host', host });
});
