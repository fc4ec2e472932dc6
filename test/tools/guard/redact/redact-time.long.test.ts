import { test } from 'vitest';
import { redactor } from '../../../../src/tools/guard/redact/redact.ts';
import { expectLinear } from '../../../support/processor-time.ts';

/** In characters. */
const size = 200_000;
const secrets = [
  ...Array.from({ length: 30 }, (_, index) => `some-known-secret-${index}-of-thirty`),
  'abcdef',
  'aaaaaaab',
  `-----BEGIN PRIVATE KEY-----\n${'0123456789abcdef'.repeat(100)}`,
];

const hostile: Readonly<Record<string, string>> = {
  'one letter': 'a',
  hyphens: '-',
  points: '.',
  blanks: ' ',
  'line ends': '\n',
  'NUL characters': '\0',
  'beginnings of a key': 'sk-',
  'beginnings of keys': ' sk-ant-',
  'beginnings of addresses': '://a:',
  'beginnings of a JWT': 'eyJ.',
  'halves of a JWT': ' eyJaaaaaaaaaaaa.',
  'beginnings of a private key': '-----BEGIN PRIVATE KEY-----\n',
  'beginnings of a bot token': '123456789:A',
  'beginnings of another bot token': 'Maaaaaaaaaaaaaaaaaaaaaaaa.',
  'names of a header': 'Authorization: Bearer ',
  'hexadecimal digits': '0a ',
  'lines of a hex dump': '00000000: 0a0a 0a0a 0a0a 0a0a  ................\n',
  'beginnings of a known secret': 'some-known-secret-',
  'known secrets': 'abcdef',
  'characters of two units': '😀ü',
  'everything at once': 'sk-ant- AKIA ghp_ :A . eyJ uthorization Bearer Basic :// ecret xox AIza SG. PRIVATE KEY ',
};

const redact = redactor(secrets);

test.each(Object.entries(hostile))('a text of %s takes time in proportion to its length', async (_what, piece) => {
  await expectLinear((length) => redact(piece.repeat(Math.ceil(length / piece.length))), size);
});

test('a private key that is all headers and has no end takes time in proportion to its length', async () => {
  await expectLinear((length) => redact(`-----BEGIN PRIVATE KEY-----\n${'Aaa: b\n'.repeat(length / 7)}`), size);
});
