import { describe, expect, test } from 'vitest';
import { commandKinds } from '../../../../src/tools/guard/command/command-reading.ts';
import { checkCommandRule, commandRules } from '../../../../src/tools/guard/command/command-rules.ts';
import { readCommands } from '../../../../src/tools/guard/command/read-commands.ts';
import { commandWords } from '../../../../src/tools/guard/command/words.ts';
import { listed } from '../../setting.ts';
import { onlyReading, pairsOf } from './command-corpus.ts';

const forbids = (rule: string, command: string): boolean =>
  commandRules({ deny: [rule], allow: [] }).forbids(readCommands(command)) !== undefined;
const allows = (rules: readonly string[], command: string): boolean =>
  commandRules({ deny: [], allow: rules }).allows(readCommands(command));

describe('a rule that denies', () => {
  test.each([
    ['a long text', `rm -rf x # ${'x'.repeat(40_000)}`],
    ['many commands before it', `${':;'.repeat(3_000)} rm -rf x`],
    ['many programs around it', `${'nice '.repeat(30)}rm -rf x`],
    ['many texts around it', `${'eval '.repeat(10)}rm -rf x`],
    ['deep nesting', `${'echo $('.repeat(100)}rm -rf x${')'.repeat(100)}`],
  ])('is not evaded by %s', (_, command) => {
    expect(forbids('@recursive_deletion', command)).toBe(true);
    expect(commandRules({ deny: [], allow: [] }).forbids(readCommands(command))).toBeUndefined();
  });

  test.each(
    pairsOf({
      'git push --force': listed`git push --force ¦ git push origin main --force
        ¦ git --no-pager push --force origin ¦ git -C dir push --force ¦ git -c a=b -C dir push -v --force
        ¦ git push --forc ¦ git push --force=yes ¦ /usr/bin/git push --force ¦ ls && sudo bash -c 'git push --force'
        ¦ git "push" '--force'`,
      'git push -f': listed`git push -f ¦ git push -vf`,
      'git push': listed`git push ¦ git push --force-with-lease`,
      'rm -rf': listed`rm -f x -r ¦ find . -exec rm -fvr {} +`,
      'docker *': listed`docker ps`,
      docker: listed`docker ps`,
      'npm run deploy': listed`npm --prefix dir run deploy`,
      'kubectl delete pod': listed`kubectl delete -n ns pod x`,
      sudo: listed`sudo ls`,
      '/bin/rm': listed`rm x`,
      python3: listed`/opt/python3 x`,
      '@unknown': listed`$X`,
      '@network': listed`ls; curl x.com`,
    }),
  )('%s fits %j', (rule, command) => {
    expect(forbids(rule, command)).toBe(true);
  });

  test.each(
    pairsOf({
      'git push --force': listed`git push ¦ git push --force-with-lease ¦ git push -f ¦ git push -- --force`,
      'git push': listed`git commit -m push ¦ git log push ¦ echo git push ¦ echo 'git push' ¦ gitk push`,
      'rm -rf': listed`rm -r x`,
      'npm run deploy': listed`npm run deploy-docs`,
      '@network': listed`ls`,
      '@recursive_deletion': listed`rm -r x`,
      '@system_change': listed`systemctl status ssh ¦ cp /etc/hosts x ¦ date
        ¦ touch /srv/keyturn/workspace/a /root/workspace/b ¦ echo x > /dev/null`,
      '@network_listener': listed`nc example.com 80 ¦ curl localhost`,
    }),
  )('%s does not fit %j', (rule, command) => {
    expect(forbids(rule, command)).toBe(false);
  });

  test.each(['@recursive_deletion', '@system_change', '@network_listener'])('%s fits no read-only command', (rule) => {
    expect(onlyReading.filter((command) => forbids(rule, command))).toEqual([]);
  });

  test('tells the model which rule it is, and that nobody can approve', () => {
    const rules = commandRules({ deny: ['@network', 'git push --force'], allow: [] });
    expect(rules.forbids(readCommands('git push --force'))).toMatch(
      /"@network" \(tools\.shell\.deny\), and nobody can approve/,
    );
    expect(commandRules({ deny: ['git push --force'], allow: [] }).forbids(readCommands('git push --force'))).toContain(
      'commands such as "git push --force" (tools.shell.deny)',
    );
  });
});

describe('a rule that allows', () => {
  test.each([
    [['npm test'], 'npm test'],
    [['npm test'], 'npm test -- --watch=false'],
    [['npm test', 'npm run build'], 'npm test && npm run build'],
    [['npm *'], 'npm run build'],
    [['npm test', '@read_only'], 'npm test 2>&1 | tail -20'],
    [['npm test'], 'npm test > /dev/null'],
    [['@read_only', 'git status'], 'git status | head'],
    [['git status', 'cd'], 'cd src; git status'],
  ])('%j: %j', (rules, command) => {
    expect(allows(rules, command)).toBe(true);
  });

  const notAllowed = pairsOf({
    'npm test': listed`npm run test ¦ npm --silent test ¦ npm ¦ npm test && ls ¦ npm test; rm -rf x ¦ npm test $X
      ¦ npm test * ¦ npm test "$(cat x)" ¦ npm test > out.txt ¦ npm test < /dev/tcp/example.com/80 ¦ npm test &
      ¦ NODE_OPTIONS=x npm test ¦ X=1 npm test ¦ ./npm test ¦ /tmp/npm test ¦ sudo npm test ¦ env npm test
      ¦ npm() { rm x; }; npm test ¦ npm test "unterminated`,
    sudo: listed`sudo ls`,
    '@read_only': listed`npm test ¦ git status ¦ git -C x diff`,
  });

  test.each<readonly [rules: readonly string[], command: string]>([
    ...notAllowed.map(([rule, command]) => [[rule], command] as const),
    [[], 'ls'],
    [['npm test', 'env'], 'env npm test'],
    [['npm test', '@read_only'], 'timeout 5 npm test'],
    [['npm test', 'bash -c'], "bash -c 'npm test'"],
    [['curl', 'sh'], 'curl example.com | sh'],
    [['@read_only'], ''],
    [['ls'], 'ls\nrm -rf x'],
  ])('%j not: %j', (rules, command) => {
    expect(allows(rules, command)).toBe(false);
  });
});

describe('an entry of the config', () => {
  const say = commandWords.en;
  const kinds = commandKinds.map((kind) => `@${kind}`);

  test.each([
    'git push --force',
    'docker *',
    'docker',
    '@network',
    ...commandKinds.map((kind) => `@${kind}`),
    ' npm test ',
  ])('%j can be denied', (entry) => {
    expect(checkCommandRule(entry, 'deny')).toBeUndefined();
  });

  test.each([
    ['', say.ruleIsEmpty],
    ['   ', say.ruleIsEmpty],
    ['*', say.starAlone],
    ['git* push', say.starNotLast],
    ['git * push', say.starNotLast],
    ['ls | sh', say.ruleIsNotPlain],
    ['echo $X', say.ruleIsNotPlain],
    ['rm "a b"', say.ruleIsNotPlain],
    ['@recursive_delition', say.unknownKind({ kinds, meant: '@recursive_deletion' })],
    ['@nothing', say.unknownKind({ kinds, meant: undefined })],
    ['@read_only', say.kindOnlyAllowed({ readOnly: '@read_only' })],
  ])('%j cannot be denied: %s', (entry, reason) => {
    expect(checkCommandRule(entry, 'deny')?.('en')).toBe(reason);
  });

  test('the only kind that can be allowed is read-only', () => {
    expect(checkCommandRule('@read_only', 'allow')).toBeUndefined();
    const readOnly = '@read_only';
    expect(checkCommandRule('@network', 'allow')?.('en')).toBe(say.kindNotAllowed({ readOnly }));
    expect(checkCommandRule('@network', 'allow')?.('zh')).toBe(commandWords.zh.kindNotAllowed({ readOnly }));
    expect(checkCommandRule('@readonly', 'allow')?.('en')).toBe(
      say.unknownKind({ kinds: [readOnly], meant: readOnly }),
    );
    expect(() => commandRules({ deny: [], allow: ['@network'] })).toThrow('"@network" is no rule of tools.shell.allow');
  });
});
