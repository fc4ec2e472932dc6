import { expect, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { cliWords } from '../../src/cli/words.ts';

test.each([
  [['--bogus'], cliWords.zh.unknownOption({ option: '--bogus', reason: '' })],
  [['--config'], cliWords.zh.optionLacksValue({ option: '--config', reason: '' })],
  [['--config', '--strict'], cliWords.zh.optionLacksValue({ option: '--config', reason: '' })],
  [['--strict=5'], cliWords.zh.optionTakesNoValue({ option: '--strict', reason: '' })],
  [
    ['--jsn'],
    cliWords.zh.meantOption({ reason: cliWords.zh.unknownOption({ option: '--jsn', reason: '' }), meant: 'json' }),
  ],
])('%j is refused in Chinese without the English words of Node', (args, reason) => {
  expect(readArguments(args, [], 'zh')).toEqual({ type: 'wrong', reason });
});

test.each([
  [['--bogus'], "Unknown option '--bogus'."],
  [['--config'], "Option '--config <value>' argument missing"],
  [['--conifg', 'x.json'], `Unknown option '--conifg'. Did you mean "--config"?`],
  [['--last_good'], `Unknown option '--last_good'. Did you mean "--last-good"?`],
  [['config', 'chek'], 'There is no command "config chek". Did you mean "config check"?'],
  [['check'], 'There is no command "check". Did you mean "config check"?'],
  [['docter'], 'There is no command "docter". Did you mean "doctor"?'],
  [['help'], 'There is no command "help". Did you mean "--help"?'],
  [['/help'], cliWords.en.chatCommand({ name: 'help' })],
  [['start'], 'There is no command "start". Without a command, this program starts.'],
  [['stop'], cliWords.en.chatCommand({ name: 'stop' })],
  [['/status'], cliWords.en.chatCommand({ name: 'status' })],
  [['approve', 'abc'], cliWords.en.meantCommand({ written: 'approve abc', meant: 'approvals approve' })],
  [['/approve', 'abc'], '"approve" is a chat command: type /approve in the chat.'],
  [['staus'], cliWords.en.meantCommand({ written: 'staus', meant: 'status' })],
  [['langage'], cliWords.en.meantChatCommand({ written: 'langage', meant: 'language' })],
  [['approvals', 'approve'], cliWords.en.lacksOperand({ name: 'approvals approve', takes: 'ID' })],
  [['xyzzyplugh'], 'There is no command "xyzzyplugh".'],
  [['--strict', '--last-good'], 'Use --strict or --last-good, not both.'],
  [['--json'], cliWords.en.optionOfOthers({ option: '--json', command: '' })],
  [['doctor', '--strict'], cliWords.en.optionOfOthers({ option: '--strict', command: 'doctor' })],
  [['config', 'check', 'a', 'b'], cliWords.en.extraOperand({ name: 'config check', extra: 'b', takes: '[FILE]' })],
  [['doctor', 'x'], cliWords.en.extraOperand({ name: 'doctor', extra: 'x', takes: undefined })],
])('%j is refused in one sentence', (args, reason) => {
  expect(readArguments(args, ['approve', 'status', 'stop', 'language', 'help'])).toEqual({ type: 'wrong', reason });
});

test.each([
  [['config', 'check', '--json', 'x.json'], 'config check', ['x.json'], { json: true }],
  [['--config', 'x.json', 'doctor'], 'doctor', [], { config: 'x.json' }],
  [['--config=x.json', '--strict'], '', [], { config: 'x.json', strict: true }],
  [[], '', [], {}],
] as const)('%j is the command, its options and what stands behind it', (args, name, operands, given) => {
  expect(readArguments(args, [])).toEqual({
    type: 'command',
    command: commands.find((command) => command.name === name),
    operands,
    given: new Map(Object.entries(given)),
  });
});

test.each([
  [['--help'], ''],
  [['-h', 'doctor'], 'doctor'],
  [['config', 'check', '--help'], 'config check'],
  [['config', '--help'], 'config'],
  [['nonsense', '--help'], ''],
])('%j asks for the help of %s', (args, of) => {
  expect(readArguments(args, [])).toEqual({ type: 'help', of });
});

test('one letter stands for an option that has one, wherever it is, and no two options have the same', () => {
  const read = readArguments(['logs', '-f', '-n', '5', '--level', 'warn'], []);
  expect(read).toMatchObject({ type: 'command', operands: [] });
  const given = read.type === 'command' ? [...read.given].toSorted() : [];
  expect(given).toEqual([
    ['follow', true],
    ['level', 'warn'],
    ['lines', '5'],
  ]);
  expect(readArguments(['status', '-f'], [])).toMatchObject({ type: 'wrong' });
  const letters = commands.flatMap(({ options = [] }) =>
    options.flatMap(({ name, short }) => (short === undefined ? [] : [[short, name] as const])),
  );
  expect(new Set(letters.map(([, name]) => name)).size).toBe(
    new Map([['h', 'help'], ['v', 'version'], ...letters]).size - 2,
  );
});

test('options of one name are alike in all commands, as they are read before the command is known', () => {
  const seen = new Map<string, readonly unknown[]>();
  for (const { name, short, takes } of commands.flatMap(({ options = [] }) => options)) {
    const form = [short, takes === undefined];
    expect(seen.get(name) ?? form, name).toEqual(form);
    seen.set(name, form);
  }
});
