import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { editedEnv } from '../../../src/cli/setup/env-text.ts';

const token = '7:new-token';

test.each([
  ['', `T=${token}\n`],
  ['A=1', `A=1\nT=${token}\n`],
  ['A=1\r\n', `A=1\r\nT=${token}\r\n`],
  ['T=old\nA=1\n', `T=${token}\nA=1\n`],
  ['  export T = "old" # mine\nA=1\n', `  export T=${token}\nA=1\n`],
  ['T="first\nsecond"\nA=1\n', `T=${token}\nA=1\n`],
  ['# T=not this\nTT=1\n', `# T=not this\nTT=1\nT=${token}\n`],
  ['T=1\nT=2\n', `T=${token}\nT=${token}\n`],
  // It stands within another value.
  ['A="x\nT=1\ny"\n', `A="x\nT=1\ny"\nT=${token}\n`],
  [`T=${token}\n`, `T=${token}\n`],
])('%j with a variable becomes %j', (before, after) => {
  expect(editedEnv(before, new Map([['T', token]]))).toBe(after);
  expect(parseEnv(after)).toEqual({ ...parseEnv(before), T: token });
});

test.each(['a b', 'a#b', "it's", 'say "hi"', 'x=y z', "`a` 'b'"])('the value %j is read as it was', (value) => {
  expect(parseEnv(editedEnv('', new Map([['T', value]]))).T).toBe(value);
});
