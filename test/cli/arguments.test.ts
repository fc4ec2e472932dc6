import { expect, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
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
  [['config'], 'There is no command "config". Did you mean "config check"?'],
  [['check'], 'There is no command "check". Did you mean "config check"?'],
  [['docter'], 'There is no command "docter". Did you mean "doctor"?'],
  [['help'], 'There is no command "help". Did you mean "--help"?'],
  [['start'], 'There is no command "start". Without a command, this program starts.'],
  [['status'], '"status" is a chat command: type /status in the chat.'],
  [['/approve', 'abc'], '"approve" is a chat command: type /approve in the chat.'],
  [['staus'], 'There is no command "staus". Did you mean the chat command /status? Type it in the chat.'],
  [['xyzzyplugh'], 'There is no command "xyzzyplugh".'],
  [['--strict', '--last-good'], 'Use --strict or --last-good, not both.'],
  [['--json'], '--json works only with "config check" and "doctor".'],
])('%j is refused in one sentence', (args, reason) => {
  expect(readArguments(args, ['approve', 'status', 'stop'])).toEqual({ type: 'wrong', reason });
});
