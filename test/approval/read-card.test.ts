import { expect, test } from 'vitest';
import { readCard } from '../../src/approval/read-card.ts';

const open = 'Open until <time datetime="2026-03-05T14:05:00.000Z">14:05</time>.';
const fold = '> [!details]- Everything\n> - tool';

test('why, what speaks against it and what must be read are apart; the first line, the deadline and the fold are left out', () => {
  const body = '```sh\nrm a\n\nrm b\n```';
  const card = ['🔑 **May I run `rm a`?**\nYou asked: “tidy”\n- no sandbox\n- leads elsewhere', body, open, fold].join(
    '\n\n',
  );
  expect(readCard(card)).toEqual({ notes: ['You asked: “tidy”', 'no sandbox', 'leads elsewhere'], body });
});

test('a card that says no more has nothing to read', () => {
  expect(readCard(['🔑 **May I unlock it?**', open, fold].join('\n\n'))).toEqual({ notes: [], body: '' });
});

test('a card that was passed on is read like the one before it', () => {
  const shown = ['🔑 **May I unlock it?**\nBob asked: “open”', '(1) **one**\n(2) **two**', open, fold].join('\n\n');
  const read = { notes: ['Bob asked: “open”'], body: '(1) **one**\n(2) **two**' };
  expect(readCard(shown)).toEqual(read);
  expect(readCard(`↪️ From \`team\`\n\n${shown}`)).toEqual(read);
});

test('a deadline that others wrote, above what they wrote, stays', () => {
  const said = `a word\n${open}`;
  expect(readCard(['🔑 **May I send it?**', said, fold].join('\n\n')).body).toBe(said);
});
