import { expect, test } from 'vitest';
import { takeSeat } from './seat.ts';

test('ctrl-c on a half-typed line takes it back and sends nothing', async () => {
  const { type, host, screen, enter } = await takeSeat();
  type('half a line\u001b[D\u001b[D\u0003');
  expect(screen.rows).toEqual(['›']);
  await enter('x');
  expect(host.trace).toEqual(['received x']);
});

test('a line that is sent after a ctrl-c makes the next ctrl-c a first one', async () => {
  const { type, host } = await takeSeat();
  type('\u0003');
  await host.told('received /stop');
  type('go on\r\u0003');
  await host.changes.waitFor(() => host.trace.length === 3);
  expect(host.trace).toEqual(['received /stop', 'received go on', 'received /stop']);
});

test('a line that is taken back makes the next ctrl-c a first one', async () => {
  const { type, host } = await takeSeat();
  type('\u0003half\u0003\u0003');
  await host.changes.waitFor(() => host.trace.length === 2);
  expect(host.trace).toEqual(['received /stop', 'received /stop']);
});
