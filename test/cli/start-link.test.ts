import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { type LinkFacts, startLinkText } from '../../src/cli/start-link.ts';
import { cliWords } from '../../src/cli/words.ts';
import { languages } from '../../src/lib/words.ts';

const url = 'https://t.me/a_bot_with_a_long_name?start=k3f9abcd';
const facts: LinkFacts = { channel: 'telegram', link: { url, sendsCode: true }, command: '/claim k3f9abcd' };

/** The modules that a camera sees: dark ones are true. Only the two colours that are set explicitly count. */
function modulesIn(lines: readonly string[]): readonly (readonly boolean[])[] {
  return lines.flatMap((line) => {
    const drawn = line.split('\u001b[38;5;16;48;5;231m').at(1)?.split('\u001b[0m').at(0) ?? '';
    return ['▀█', '▄█'].map((dark) => [...drawn].map((block) => dark.includes(block)));
  });
}

test.each(languages)('the link stands whole above its QR code, in %s', (language) => {
  const text = startLinkText(facts, 80, language);
  expect(text.startsWith(`${cliWords[language].openLink({ channel: 'telegram', url })}\n\n`)).toBe(true);
  const seen = modulesIn(text.split('\n').slice(2, -2));
  const { data, size } = encode(url, { ecc: 'L', border: 2 });
  expect(seen.slice(0, size)).toEqual(data);
  expect(seen[0]).not.toContain(true);
});

test.each([undefined, 0, 39])('no code is drawn on %s columns, and the link is there', (columns) => {
  expect(startLinkText(facts, columns, 'en')).toBe(`${cliWords.en.openLink({ channel: 'telegram', url })}\n\n`);
});

test('a code that is wider than the terminal is not drawn', () => {
  const link = { url: `https://discord.com/${'x'.repeat(300)}`, sendsCode: false };
  const text = startLinkText({ ...facts, link, channel: 'discord' }, 45, 'en');
  expect(text).toBe(
    `${cliWords.en.openLinkAndClaim({ channel: 'discord', url: link.url, command: facts.command })}\n\n`,
  );
});
