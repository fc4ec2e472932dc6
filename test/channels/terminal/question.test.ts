import { expect, test } from 'vitest';
import { promptFor, subjectOf } from '../../../channels/terminal/question.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { card, here, takeSeat } from './seat.ts';

test.each([
  ['🔑 May I **run `echo two`**?\n\nTool `shell`', 'run `echo two`'],
  ['🔑 May I **write a\\_b\\*.txt (3 bytes)**?', 'write a_b*.txt (3 bytes)'],
  ['🔑 May I **run `a ** \\_b`**?', 'run `a ** \\_b`'],
  ['\n\nDelete it?', 'Delete it'],
  ['', ''],
])('%j is about %j', (markdown, subject) => {
  expect(subjectOf(markdown)).toBe(subject);
});

test('the prompt says which card it asks about, and of how many', async () => {
  const { terminal, screen, enter } = await takeSeat({ columns: 100 });
  await terminal.send(here, card('1', '🔑 May I **run `echo one`**?'));
  await terminal.send(here, card('2', '🔑 May I **run `echo two`**?'));
  expect(screen.rows.at(-1)).toMatch(/^│ Allow run `echo two`\? \(1 of 2\) \[Y\]es once .* ›$/);
  await enter('y', '[ok:2]');
  expect(screen.rows.at(-1)).toMatch(/^│ Allow run `echo one`\? \[Y\]es once .* ›$/);
});

test('the number follows when another card is decided elsewhere', async () => {
  const { terminal, screen } = await takeSeat({ columns: 100 });
  const first = await terminal.send(here, card('1'));
  await terminal.send(here, card('2'));
  await terminal.edit?.(here, first, { id: 'm', kind: 'card', markdown: 'Denied' });
  expect(screen.rows.at(-1)).toMatch(/^│ Allow Card 2\? \[Y\]/);
});

test('a long question is shortened to a row, and the answers follow in the next', () => {
  const buttons = [{ actionId: 'ok', label: 'Yes', shortcut: 'y', style: 'primary' }] as const;
  const question = { card: { id: '1', subject: `run ${'x'.repeat(100)} end`, buttons }, waiting: 3 };
  const [head = '', tail] = promptFor(question, 40).split('\n');
  expect(head).toMatch(/^│ Allow run x+….*end\? \(1 of 3\)$/);
  expect(head.length).toBeLessThanOrEqual(40);
  expect(tail).toBe('│ [Y]es');
});

test('the number follows, too, when that happens while a line is typed', async () => {
  const { terminal, screen, type } = await takeSeat({ columns: 100 });
  const first = await terminal.send(here, card('1'));
  await terminal.send(here, card('2'));
  type('x');
  await terminal.edit?.(here, first, { id: 'm', kind: 'card', markdown: 'Denied' });
  expect(screen.rows.at(-1)).toMatch(/^│ Allow Card 2\? \(1 of 2\) .* x$/);
  type('\u007f');
  await waitUntil(() => screen.rows.at(-1)?.startsWith('│ Allow Card 2? [Y]'));
});
