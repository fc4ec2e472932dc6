import { expect, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';

test.each([
  [['--bogus'], "Unknown option '--bogus'."],
  [['--config'], "Option '--config <value>' argument missing"],
  [['config', 'chek'], 'There is no command "config chek".'],
  [['--strict', '--last-good'], 'Use --strict or --last-good, not both.'],
  [['--json'], '--json works only with "config check" and "doctor".'],
])('%j is refused in one sentence', (args, reason) => {
  expect(readArguments(args)).toEqual({ type: 'wrong', reason });
});
