import { expect, test } from 'vitest';
import { terminalWords } from '../../../channels/terminal/words.ts';
import type { AskedQuestion } from '../../../src/approval/approval.ts';
import { answeredCard, questionCard } from '../../../src/approval/question-cards.ts';
import { approvalWords } from '../../../src/approval/words.ts';
import { personWords } from '../../../src/lib/plain-text.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { card, here, message, takeSeat } from './seat.ts';

const { promptAllow } = terminalWords.en;
const choices = '[Y]es once · [15] min · [A]lways · [n] Deny ›';
const question = `│ ${promptAllow({ subject: 'Card 1', waiting: 1 })} ${choices}`;

test('a card is shown as a block, and the prompt below it has the answers and does not ask again', async () => {
  const { terminal, screen } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1', 'Run this?\n\nrm x'));
  expect(screen.rows).toEqual(['│ Run this?', '│', '│ rm x', `│ ${choices}`]);
});

test('as soon as something else stands between them, the prompt says what is asked', async () => {
  const { terminal, screen, type } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  type('y');
  await terminal.send(here, message('Hi'));
  expect(screen.rows).toEqual(['│ Card 1', 'Hi', `${question} y`]);
});

test('what a card leaves out is shown by d, and the card waits on', async () => {
  const { terminal, host, screen, enter, said } = await takeSeat({ columns: 80 });
  const all = { actionId: 'all:1', label: 'Show everything', shortcut: 'd', style: 'plain', unfolds: true } as const;
  const asked = card('1');
  await terminal.send(here, { ...asked, buttons: [...(asked.buttons ?? []), [all]] });
  host.answer = async () => ({ notice: 'category x\n\n{ "path": "a.txt" }' });
  await enter('d', '[all:1]');
  await said('{ "path": "a.txt" }');
  const answers = `│ ${choices.replace(' ›', '')} · [d] Show everything ›`;
  expect(screen.rows.slice(-4)).toEqual(['│ category x', '│', '│ { "path": "a.txt" }', answers]);
  host.answer = async () => ({});
  await enter('y', '[ok:1]');
  expect(screen.rows.at(-1)).toBe('›');
});

test('buttons of what is no card take no keys: what to type stands below it', async () => {
  const { terminal, screen, enter } = await takeSeat({ columns: 80 });
  const button = (line: string) =>
    ({ actionId: `cmd:${line}`, label: 'Revoke', shortcut: `/${line}`, style: 'plain' }) as const;
  const list = { id: 'l', kind: 'notice', markdown: 'A grant' } as const;
  await terminal.send(here, { ...list, buttons: [[button('revoke k3f9')]] });
  expect(screen.rows).toEqual(['│ keyturn · A grant', '│', '│ - Revoke: `/revoke k3f9`', '›']);
  await enter('y');
});

test.each([
  ['y', 'ok:1'],
  ['Y', 'ok:1'],
  ['yes', 'ok:1'],
  ['YES', 'ok:1'],
  ['15', 'quarter:1'],
  ['15 min', 'quarter:1'],
  ['a', 'always:1'],
  ['always', 'always:1'],
  ['n', 'deny:1'],
  ['no', 'deny:1'],
  ['deny', 'deny:1'],
])('%s presses %s', async (line, actionId) => {
  const { terminal, host, enter } = await takeSeat();
  await terminal.send(here, card('1'));
  await enter(`${line}`, `[${actionId}]`);
  expect(host.events[0]).toMatchObject({ type: 'action', actionId, sender: { id: 'local' } });
});

test('without a card, a shortcut is a message like any other', async () => {
  const { enter } = await takeSeat();
  await enter('y');
});

test('any other line is a message, and the card waits on', async () => {
  const { terminal, said, screen, enter } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  await enter('why?');
  await said(terminalWords.en.sentAside);
  expect(screen.rows.at(-1)).toBe(question);
  await enter('n', '[deny:1]');
});

test('of two cards the newest is asked first, then the other', async () => {
  const { terminal, host, screen, enter } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  await terminal.send(here, card('2'));
  await enter('y\rn', '[deny:1]');
  expect(host.trace).toEqual(['received [ok:2]', 'received [deny:1]']);
  expect(screen.rows.at(-1)).toBe('›');
});

test('the notice of a press is shown', async () => {
  const { terminal, host, type, wrote } = await takeSeat();
  host.answer = async () => ({ notice: 'That was decided already.' });
  await terminal.send(here, card('1'));
  type('y\r');
  await wrote('keyturn · That was decided already.');
});

test('a press that could not be stored is asked for again', async () => {
  const { terminal, host, type, said, screen } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  host.answer = () => Promise.reject(new Error('disk full'));
  type('y\r');
  await said(terminalWords.en.notStored);
  expect(screen.rows.at(-1)).toBe(question);
});

test('a card that is decided shows its outcome once and is asked no more', async () => {
  const { terminal, screen, enter } = await takeSeat({ columns: 80 });
  const ref = await terminal.send(here, card('1'));
  const outcome = message('Approved by Ann at 12:00\n\nrm x', { id: 'm2', kind: 'card' });
  await terminal.edit?.(here, ref, outcome);
  await terminal.edit?.(here, ref, outcome);
  expect(screen.rows).toEqual(['│ Card 1', '│ Approved by Ann at 12:00', '›']);
  await enter('y');
});

test.each([
  ['in place of what was asked for', '✅ Ann allowed it: rm x', '✅ Ann allowed it · ✔️ removed x', '✔️ removed x'],
  ['behind it', '✅ Ann allowed it: rm x', '✅ Ann allowed it: rm x · ⚠️ failed', '⚠️ failed'],
  ['in other words', '✅ Ann allowed it: rm x', '🚫 Cancelled: rm x', '🚫 Cancelled: rm x'],
])('a decided card stands there once, and what comes of it %s is a line of its own', async (_, decided, then, line) => {
  const { terminal, screen } = await takeSeat({ columns: 80 });
  const ref = await terminal.send(here, card('1'));
  for (const text of [decided, then]) await terminal.edit?.(here, ref, message(text, { id: 'm2', kind: 'card' }));
  expect(screen.rows).toEqual(['│ Card 1', `│ ${decided}`, `│ ${line}`, '›']);
});

test('an answered question stands there once, and below it the answer', async () => {
  const { terminal, screen } = await takeSeat({ columns: 80 });
  const asked: AskedQuestion = { text: 'Which day?\n\nThe shop is *open*.', options: ['Monday'] };
  const ref = await terminal.send(here, card('1', questionCard(asked, 'en')));
  const ann = { principal: 'test:ann', name: 'Ann' };
  const answered = answeredCard(asked, { person: ann, answer: 'Monday' }, 'en');
  for (const id of ['m2', 'm3']) await terminal.edit?.(here, ref, message(answered, { id, kind: 'card' }));
  expect(screen.rows.filter((row) => row.includes('Which day?'))).toHaveLength(1);
  expect(screen.rows.slice(-2)).toEqual([
    `│ ${approvalWords.en.answered({ person: personWords(ann), answer: 'Monday' })}`,
    '›',
  ]);
});

test('the outcome of a card from before a restart is shown too', async () => {
  const { terminal, screen } = await takeSeat();
  await terminal.edit?.(here, { id: 'old' }, message('Expired', { kind: 'card' }));
  expect(screen.rows).toEqual(['│ Expired', '›']);
});

test('a card that comes while a line is typed is not answered by that line', async () => {
  const { terminal, type, screen, enter } = await takeSeat({ columns: 80 });
  type('y');
  await terminal.send(here, card('1'));
  expect(screen.rows.at(-1)).toBe('› y');
  await enter('', 'y');
  expect(screen.rows.at(-1)).toBe(question);
  await enter('y', '[ok:1]');
});

test('a card that came while a line was typed is asked as soon as the line is empty', async () => {
  const { terminal, type, screen, enter } = await takeSeat({ columns: 80 });
  type('y');
  await terminal.send(here, card('1'));
  type('\u007f');
  await waitUntil(() => screen.rows.at(-1) === `│ ${choices}`);
  await enter('y', '[ok:1]');
});

test('an answer that is being typed is for the card that was asked when it was begun', async () => {
  const { terminal, type, enter } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  type('y');
  await terminal.send(here, card('2'));
  await enter('', '[ok:1]');
});

test('an answer to a card that was decided while it was typed does nothing', async () => {
  const { terminal, host, type, said } = await takeSeat({ columns: 80 });
  const ref = await terminal.send(here, card('1'));
  type('y');
  await terminal.edit?.(here, ref, message('Denied', { kind: 'card' }));
  type('\r');
  await said(terminalWords.en.answeredMeanwhile);
  expect(host.events).toEqual([]);
});

test('a card that is shown again is one card', async () => {
  const { terminal, screen, enter } = await takeSeat({ columns: 80 });
  const ref = await terminal.send(here, card('1'));
  await terminal.edit?.(here, ref, card('1', 'Card 1, 15 minutes left'));
  await enter('y', '[ok:1]');
  expect(screen.rows.at(-1)).toBe('›');
});
