import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeCommand } from '../../../../src/tools/guard/command/command-reading.ts';
import { commandRules } from '../../../../src/tools/guard/command/command-rules.ts';
import { readCommands } from '../../../../src/tools/guard/command/read-commands.ts';
import { dangerousCommands, onlyReading } from './command-corpus.ts';

const rules = commandRules({
  deny: ['@recursive_deletion', '@system_change', '@network_listener'],
  allow: ['@read_only', 'ls', 'echo', 'command', 'timeout', 'true', 'git status'],
});
const readOnly = commandRules({ deny: [], allow: ['@read_only'] });
const property = { seed: 20_261_121, numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 500) };

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Ways to write a simple command so that it does the same and looks otherwise. */
const spellings: readonly ((command: string) => string)[] = [
  (command) => `  ${command}\t`,
  (command) => command.replace(' ', '  \t'),
  (command) => command.replace(' ', ' \\\n '),
  (command) => command.replace(/^(\w)(\w)/, '$1""$2'),
  (command) => command.replace(/^(\w)(\w)/, "$1''$2"),
  (command) => command.replace(/^(\w)(\w)/, '$1\\$2'),
  (command) => command.replace(/^(\w+)/, '"$1"'),
];

/** Places for a command where it runs all the same. */
const surroundings: readonly ((command: string) => string)[] = [
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `ls; ${command}`,
  (command) => `ls && ${command}`,
  (command) => `ls | ${command}`,
  (command) => `${command} | cat`,
  (command) => `{ ! ${command}; }`,
  (command) => `if ls; then ${command}; fi`,
  (command) => `while ${command}; do ls; done`,
  (command) => `for i in a; do ${command}; done`,
  (command) => `f() { ${command}; }; f`,
  (command) => `echo $( ${command} )`,
  (command) => `echo "a $( ${command} ) b"`,
  (command) => `cat <(${command})`,
  (command) => `x=$( ${command} )`,
  (command) => `ls # no\n${command}`,
  (command) => `bash -c ${quoted(command)}`,
  (command) => `sh -ec ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `sudo sh -c ${quoted(command)}`,
  (command) => `env X=1 sh -c ${quoted(command)}`,
  (command) => `timeout 5 bash -c ${quoted(command)}`,
  (command) => `nohup sh -c ${quoted(command)} &`,
  (command) => `find . -exec sh -c ${quoted(command)} \\;`,
  (command) => `busybox sh -c ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `ssh host ${quoted(command)}`,
  (command) => `watch ${quoted(command)}`,
];

const disguised = (commands: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...commands),
      fc.array(fc.constantFrom(...spellings), { maxLength: 2 }),
      fc.array(fc.constantFrom(...surroundings), { maxLength: 4 }),
    )
    .map(([command, spelled, layers]) => [...spelled, ...layers].reduce((text, disguise) => disguise(text), command));

test('no disguise makes a dangerous command one that only looks, or that a rule allows', () => {
  fc.assert(
    fc.property(disguised(dangerousCommands.map(([command]) => command)), (text) => {
      const reading = readCommands(text);
      expect(readOnly.allows(reading)).toBe(false);
      expect(rules.allows(reading)).toBe(false);
    }),
    property,
  );
});

test('no disguise of those that can be read hides from a rule what it forbids', () => {
  const plain = [
    'rm -rf build',
    'rm -fr -- x',
    'apt-get install x',
    'reboot',
    'nc -l 4444',
    'find . -delete',
    'mkfs.ext4 x',
  ];
  fc.assert(
    fc.property(disguised(plain), (text) => {
      expect(rules.forbids(readCommands(text))).toMatch(/tools\.shell\.deny/);
    }),
    property,
  );
});

test('what only looks still only looks where it stands in a loop, a pipe or a list', () => {
  const harmless = surroundings.slice(0, 10).filter((disguise) => !disguise('x').includes('f()'));
  // A here-document ends only at the end of a line, and some words have their meaning only at the beginning.
  const commands = onlyReading.filter((command) => !/<<|#|^(?:time |! |\()/.test(command));
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.constantFrom(...harmless), (command, disguise) => {
      expect(readOnly.allows(readCommands(disguise(command)))).toBe(true);
    }),
    property,
  );
});

test('any text is read, and described in one short line', () => {
  const pieces = [
    ...`rm -rf $( ) " ' ; | & < > EOF $(( )) [[ ]] { } ( if do sudo env -S $x * = 💥`.split(/\s+/),
    '`',
    '\\',
    '\n',
    ' ',
    '<<EOF\n',
    'bash -c',
    '\0',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      const phrase = describeCommand(readCommands(parts.join('')));
      expect(phrase).not.toContain('\n');
      expect(phrase.length).toBeLessThanOrEqual(250);
    }),
    property,
  );
});
