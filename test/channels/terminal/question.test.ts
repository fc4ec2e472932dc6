import { expect, test } from 'vitest';
import { promptFor, subjectOf } from '../../../channels/terminal/question.ts';
import { terminalWords } from '../../../channels/terminal/words.ts';
import { textWidth } from '../../../src/lib/text-width.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { card, here, message, takeSeat } from './seat.ts';

const { promptAllow, promptOneOf } = terminalWords.en;
const choices = '[Y]es once · [15] min · [A]lways · [n] Deny';

test.each([
  ['🔑 May I **run `echo two`**?\n\nTool `shell`', 'run `echo two`'],
  ['🔑 May I **write a\\_b\\*.txt (3 bytes)**?', 'write a_b*.txt (3 bytes)'],
  ['🔑 May I **run `a ** \\_b`**?', 'run `a ** \\_b`'],
  ['\n\nDelete it?', 'Delete it'],
  ['🔑 可以**运行 `echo two`** 吗？', '运行 `echo two`'],
  ['删除它？', '删除它'],
  ['⚠️ **Cannot be undone.** Run `rm -r a`?\nYou asked: “x”', 'run `rm -r a`'],
  ['⚠️ **无法撤销。** 运行 `rm -r a`？', '运行 `rm -r a`'],
  ['', ''],
])('%j is about %j', (markdown, subject) => {
  expect(subjectOf(markdown)).toBe(subject);
});

test('the prompt says which card it asks about, and of how many', async () => {
  const { terminal, screen, enter } = await takeSeat({ columns: 100 });
  await terminal.send(here, card('1', '🔑 May I **run `echo one`**?'));
  await terminal.send(here, card('2', '🔑 May I **run `echo two`**?'));
  expect(screen.rows.at(-1)).toBe(`│ ${promptOneOf({ waiting: 2 })} ${choices} ›`);
  await terminal.send(here, message('Hi'));
  expect(screen.rows.at(-1)).toBe(`│ ${promptAllow({ subject: 'run `echo two`', waiting: 2 })} ${choices} ›`);
  await enter('y', '[ok:2]');
  expect(screen.rows.at(-1)).toBe(`│ ${promptAllow({ subject: 'run `echo one`', waiting: 1 })} ${choices} ›`);
});

test('the number of an answer is not taken for its beginning', async () => {
  const { terminal, screen } = await takeSeat({ columns: 100 });
  const buttons = ['19:00', '2', '3 p.m.'].map((label, at) => {
    return { actionId: `as:x:${at}`, label, shortcut: `${at + 1}`, style: 'plain' } as const;
  });
  await terminal.send(here, { ...card('1', '❓ When?'), buttons: [buttons] });
  expect(screen.rows.at(-1)).toBe('│ [1] 19:00 · [2] 2 · [3] p.m. ›');
});

test('the number follows when another card is decided elsewhere', async () => {
  const { terminal, screen } = await takeSeat({ columns: 100 });
  const first = await terminal.send(here, card('1'));
  await terminal.send(here, card('2'));
  await terminal.edit?.(here, first, { id: 'm', kind: 'card', markdown: 'Denied' });
  expect(screen.rows.at(-1)).toBe(`│ ${promptAllow({ subject: 'Card 2', waiting: 1 })} ${choices} ›`);
});

test.each([
  ['English', 'en', `run ${'x'.repeat(100)} end`, 'end'],
  ['Chinese', 'zh', `运行${'很'.repeat(100)}结束`, '结束'],
  ['both languages', 'zh', `运行 ${'x很'.repeat(100)} end`, 'end'],
] as const)(
  'a long question in %s is shortened to a row, and the answers follow in the next',
  (_name, language, subject, end) => {
    const words = terminalWords[language];
    const buttons = [{ actionId: 'ok', label: 'Yes', shortcut: 'y', style: 'primary' }] as const;
    const question = { card: { id: '1', subject, buttons }, waiting: 3 };
    for (let columns = 40; columns < 60; columns += 1) {
      const [head = '', tail] = promptFor(question, false, { columns, words }).split('\n');
      const shown = head.slice(2);
      const [begun = '', ended = ''] = shown.split('…');
      expect(words.promptAllow({ subject, waiting: 3 }).startsWith(begun)).toBe(true);
      expect(words.promptAllow({ subject, waiting: 3 }).endsWith(ended)).toBe(true);
      expect(ended).toContain(end);
      expect(textWidth(head)).toBeLessThan(columns);
      expect(textWidth(head)).toBeGreaterThan(columns - 4);
      expect(tail).toBe('│ [Y]es');
    }
  },
);

test('the number follows, too, when that happens while a line is typed', async () => {
  const { terminal, screen, type } = await takeSeat({ columns: 100 });
  const first = await terminal.send(here, card('1'));
  await terminal.send(here, card('2'));
  type('x');
  await terminal.edit?.(here, first, { id: 'm', kind: 'card', markdown: 'Denied' });
  expect(screen.rows.at(-1)).toBe(`│ ${promptAllow({ subject: 'Card 2', waiting: 2 })} ${choices} › x`);
  type('\u007f');
  const asked = `│ ${promptAllow({ subject: 'Card 2', waiting: 1 })} ${choices} ›`;
  await waitUntil(() => screen.rows.at(-1) === asked);
});

test('many answers are laid out in rows, and none is broken inside', () => {
  const buttons = ['Approve', 'Always this command', 'Deny with a reason', 'Show everything'].map(
    (label, index) => ({ actionId: label, label, shortcut: String(index + 1), style: 'plain' }) as const,
  );
  const question = { card: { id: '1', subject: 'x', buttons }, waiting: 1 };
  for (let columns = 26; columns < 100; columns += 1) {
    const rows = promptFor(question, true, { columns, words: terminalWords.en }).split('\n');
    for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(columns);
    for (const { label } of buttons) expect(rows.filter((row) => row.includes(label))).toHaveLength(1);
    expect(textWidth(rows.at(-1) ?? '')).toBeLessThanOrEqual(columns - 4);
  }
});
