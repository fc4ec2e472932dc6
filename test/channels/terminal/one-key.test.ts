import { expect, test } from 'vitest';
import type { Button } from '../../../src/contract.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { card, here, message, type Seat, takeSeat } from './seat.ts';

const plain = { style: 'plain' } as const;

/** Types keys one after the other, and then nothing for a while. */
async function press({ type, host, screen }: Seat, keys: string): Promise<void> {
  for (const key of keys) type(key);
  await waitUntil(() => screen.beforeCursor.endsWith(`› ${keys}`));
  host.pass();
}

async function asked(buttons?: readonly Button[]): Promise<Seat> {
  const seat = await takeSeat({ columns: 80 });
  await seat.terminal.send(here, { ...card('1'), ...(buttons && { buttons: [buttons] }) });
  return seat;
}

test.each([
  ['y', 'ok:1'],
  ['N', 'deny:1'],
  ['a', 'always:1'],
  ['15', 'quarter:1'],
])('%s alone answers without Enter', async (keys, actionId) => {
  const seat = await asked();
  await press(seat, keys);
  await seat.host.told(`received [${actionId}]`);
  expect(seat.screen.rows.at(-1)).toBe('›');
});

test('who goes on typing writes a text, and the card waits', async () => {
  const seat = await asked();
  await press(seat, 'n');
  const other = await asked();
  await press(other, 'now what?');
  expect(other.host.events).toEqual([]);
  await other.enter('', 'now what?');
  expect(seat.host.trace).toEqual(['received [deny:1]']);
});

test('a letter that is left of a longer text answers nothing', async () => {
  const seat = await asked();
  seat.type('yes\u007f\u007f');
  await waitUntil(() => seat.screen.beforeCursor.endsWith('› y'));
  seat.host.pass();
  expect(seat.host.events).toEqual([]);
  await seat.enter('', '[ok:1]');
});

test('a paste of one letter answers nothing', async () => {
  const seat = await asked();
  seat.paste('y');
  await waitUntil(() => seat.screen.beforeCursor.endsWith('› y'));
  seat.host.pass();
  expect(seat.host.events).toEqual([]);
});

test('without a card, a letter alone is sent by nothing but Enter', async () => {
  const seat = await takeSeat();
  await press(seat, 'y');
  expect(seat.host.events).toEqual([]);
  await seat.enter('', 'y');
});

test('a card that comes while a letter stands there is not answered by it', async () => {
  const seat = await takeSeat();
  seat.type('y');
  await seat.terminal.send(here, card('1'));
  seat.host.pass();
  expect(seat.host.events).toEqual([]);
});

test('a card that is decided elsewhere just then is not answered', async () => {
  const seat = await asked();
  seat.type('y');
  await seat.terminal.edit?.(here, { id: '1' }, message('Denied', { kind: 'card' }));
  seat.host.pass();
  expect(seat.host.events).toEqual([]);
});

test('what is dangerous wants an Enter, and says so; to refuse it does not', async () => {
  const buttons = [
    { actionId: 'deny:1', label: 'Deny', shortcut: 'n', ...plain },
    { actionId: 'ok:1', label: 'Delete 3 files', shortcut: 'y', style: 'danger' },
    { actionId: 'always:1', label: 'Always', shortcut: 'a', ...plain },
  ] as const;
  const seat = await asked(buttons);
  expect(seat.screen.rows.at(-1)).toBe('│ [n] Deny · [y ⏎] Delete 3 files · [a ⏎] Always ›');
  await press(seat, 'y');
  expect(seat.host.events).toEqual([]);
  await seat.enter('', '[ok:1]');
  const other = await asked(buttons);
  await press(other, 'n');
  await other.host.told('received [deny:1]');
});

test('a digit that may be the beginning of a longer one waits for Enter', async () => {
  const choice = (shortcut: string): Button => ({
    actionId: `as:${shortcut}`,
    label: `No. ${shortcut}`,
    shortcut,
    ...plain,
  });
  const seat = await asked(['1', '2', '12'].map(choice));
  await press(seat, '1');
  expect(seat.host.events).toEqual([]);
  await seat.enter('2', '[as:12]');
});

test('d answers only where it shows something', async () => {
  const drop: Button = { actionId: 'drop:1', label: 'Drop', shortcut: 'd', ...plain };
  const seat = await asked([drop]);
  await press(seat, 'd');
  expect(seat.host.events).toEqual([]);
  const other = await asked([{ ...drop, unfolds: true }]);
  await press(other, 'd');
  await other.host.told('received [drop:1]');
});

test.each([
  ['y', 'es', undefined],
  ['a', 'lways', undefined],
  ['n', 'o', undefined],
  ['n', 'o, use the other one', 'no, use the other one'],
  ['y', 'our turn', 'our turn'],
])('of a slow %s, %j says %j', async (key, rest, said) => {
  const seat = await asked();
  await press(seat, key);
  await seat.host.changes.waitFor(() => seat.host.events.length === 1);
  seat.type(`${rest}\r`);
  await seat.enter('end');
  expect(seat.host.trace.slice(1)).toEqual([...(said === undefined ? [] : [`received ${said}`]), 'received end']);
});
