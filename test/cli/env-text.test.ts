import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editedEnv, envEdit, envTextOf, isWritable } from '../../src/cli/env-text.ts';
import { cliWords } from '../../src/cli/words.ts';
import { variablesIn } from '../../src/config/environment.ts';
import { variable } from '../e2e/daemon-config.ts';

const numRuns = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 300);
const token = '7:new-token';

function withToken(text: string, value = token) {
  return envEdit(text, new Map([['T', value]]));
}

/** What a start finds in a text. */
function readIn(text: string) {
  return variablesIn(Buffer.from(text))?.variables;
}

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
  // As editors of Windows begin a file.
  ['\ufeff', `\ufeffT=${token}\n`],
  ['\ufeffT=old\nA=1\n', `\ufeffT=${token}\nA=1\n`],
  ['not a variable\nA=1\n', `not a variable\nA=1\nT=${token}\n`],
])('%j with a variable becomes %j', (before, after) => {
  expect(withToken(before)).toEqual({ type: 'edited', text: after });
  expect(readIn(after)).toEqual({ ...readIn(before), T: token });
});

test.each(['', 'a b', 'a#b', "it's", "it's\\nhere", 'say "hi"', 'x=y z', "`a` 'b'", '$HOME', 'first\nsecond', '密钥'])(
  'the value %j is read as it was',
  (value) => {
    const edit = withToken('A=1\n', value);
    expect(edit.type === 'edited' && parseEnv(edit.text)).toEqual({ A: '1', T: value });
  },
);

test.each([
  ['all three quotation marks', `a'b"c\``],
  ['what double quotes turn into a line break, and both others', `it's\\n\`here\``],
  ['a line end of Windows', 'a\r\nb'],
  ['a character that makes the file unreadable', 'a\0b'],
  ['half a character', 'a\ud800'],
])('a value with %s is not written', (_what, value) => {
  expect(withToken('A=1\n', value)).toEqual({ type: 'unwritable', name: 'T' });
  expect(isWritable(value)).toBe(false);
});

test('below a quotation mark that is never closed nothing is written, unless all is there already', () => {
  const text = `B=1\nA="x\nT=${token}\n`;
  expect(withToken(text, 'other')).toEqual({ type: 'open', line: 2 });
  expect(withToken(text)).toEqual({ type: 'edited', text });
});

describe('says', () => {
  const file = '/etc/keyturn/.env';
  test.each([
    ['where the quotation mark is', `A='x\n`, 'v', cliWords.en.openQuote({ file, line: 1 })],
    ['which variable it is, and not its value', '', `a'b"c\``, cliWords.en.unwritableVariable({ file, name: 'T' })],
    ['that it is UTF-16', 'A\0=\0', 'v', cliWords.en.envNotUtf8({ file })],
  ])('%s', (_what, text, value, words) => {
    expect(() => editedEnv(text, new Map([['T', value]]), file)).toThrow(words);
  });

  test('that it is in another encoding, in which a line would be written back otherwise', () => {
    expect(envTextOf(Buffer.from('\ufeff# Schlüssel\nA=1'), file)).toBe('\ufeff# Schlüssel\nA=1');
    for (const bytes of [Buffer.from('# Schl\u00fcssel', 'latin1'), Buffer.from('A=1', 'utf16le')])
      expect(() => envTextOf(bytes, file)).toThrow(cliWords.en.envNotUtf8({ file }));
  });
});

/** Whatever people, programs and editors leave in a `.env`. */
const oddPart = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '=',
    '#',
    '"',
    "'",
    '`',
    '\\',
    '\\n',
    '$',
    variable('T'),
    'export ',
    'T',
    'T=',
    'A=',
    'B',
    '\0',
  ],
  ...['\ufeff', '\u2028', '\ud800', 'é', '密', '🔑', 'T="', "T='", '\nT=', '\nexport T = `'],
);
const odd = fc.oneof(
  fc.array(oddPart, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string(),
);

test('in any text, any value is read back as it was and all others as before; or it is refused', () => {
  const seen = { edited: 0, refused: 0 };
  const property = fc.property(odd, odd, fc.constantFrom('T', 'A', 'NEW'), (text, value, name) => {
    const before = readIn(text);
    const edit = envEdit(text, new Map([[name, value]]));
    if (edit.type !== 'edited') {
      seen.refused += 1;
      return;
    }
    seen.edited += 1;
    expect(readIn(edit.text)).toEqual({ ...before, [name]: value });
    // Once is enough.
    expect(envEdit(edit.text, new Map([[name, value]]))).toEqual(edit);
  });
  fc.assert(property, { seed: 7, numRuns });
  expect(Math.min(seen.edited, seen.refused)).toBeGreaterThan(numRuns / 10);
});

test('a key or token as people get them is never refused in a file without faults', () => {
  const secret = fc.stringMatching(/^[!-~]{1,80}$/).filter((one) => !/["'`\\]/.test(one));
  const line = fc.oneof(
    fc.constant('# remark'),
    fc.constant(''),
    secret.map((one) => `A='${one}'`),
    secret.map((one) => `export T = "${one}" # mine`),
  );
  const property = fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), secret, (lines, eol, value) => {
    const text = lines.map((one) => `${one}${eol}`).join('');
    const edit = withToken(text, value);
    expect(edit.type === 'edited' && readIn(edit.text)).toEqual({ ...readIn(text), T: value });
  });
  fc.assert(property, { seed: 11, numRuns });
});
