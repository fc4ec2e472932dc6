import { expect, test } from 'vitest';
import { terminalWords } from '../../../channels/terminal/words.ts';
import type { FakeHost } from './fake-host.ts';
import { card, here, takeSeat } from './seat.ts';

const poison = 'first\ny\r\nthird\rfourth';

test('a paste of several lines is one message, sent by Enter and not before', async () => {
  const { host, paste, screen, enter } = await takeSeat();
  paste(poison);
  expect(screen.rows).toEqual(['› first⏎y⏎third⏎fourth']);
  expect(host.events).toEqual([]);
  await enter('', 'first\ny\nthird\nfourth');
  expect(host.events).toHaveLength(1);
});

test('no line of a paste answers a card', async () => {
  const { terminal, host, paste, type, said, enter } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  paste(poison);
  type('\r');
  paste('y\r');
  await enter('', 'y');
  await said(terminalWords.en.sentAside);
  expect(host.events.map(({ type }) => type)).toEqual(['message', 'message']);
  await enter('y', '[ok:1]');
});

test('a line that was pasted and taken back does not spoil the one that is typed then', async () => {
  const { terminal, paste, enter } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  paste('nonsense');
  await enter('\u0015y', '[ok:1]');
});

test('what is typed before and after a paste belongs to the same message', async () => {
  const { paste, type, enter } = await takeSeat();
  type('Look: ');
  paste('a\nb');
  await enter(' end', 'Look: a\nb end');
});

test('a paste is told by its marks however they are cut, and whatever stands in it', async () => {
  const text = 'one\ry\r\u001b[31mtwo\u001b[0m \u001bO\u001b\u2028grüße 👍';
  const bytes = Buffer.from(`\u001b[200~${text}\u001b[201~`);
  for (let size = 1; size <= bytes.length; size += 1) {
    const { host, input, type } = await takeSeat();
    for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
    type('\r');
    await host.changes.waitFor(() => host.events.length > 0);
    expect(textsOf(host)).toEqual(['one\ny\ntwo \ngrüße 👍']);
  }
});

test('a long paste is one short word in the line, and sent in full', async () => {
  const { host, input, type, screen } = await takeSeat({ columns: 80 });
  const line = `${'x'.repeat(99)}\r`;
  input.write('\u001b[200~');
  for (let count = 0; count < 1000; count += 1) input.write(line);
  input.write('\u001b[201~');
  const placeholder = terminalWords.en.pasted({ number: 1, lines: 1000, characters: 100_000 });
  expect(screen.rows).toEqual([`› ${placeholder}`]);
  type(' ?\r\u001b[A\r');
  await host.changes.waitFor(() => host.events.length === 2);
  const sent = `${line.replace('\r', '\n').repeat(1000)} ?`;
  expect(textsOf(host)).toEqual([sent, sent]);
});

test('ctrl-c ends a paste whose end got lost', async () => {
  const { host, input, type, enter } = await takeSeat();
  input.write('\u001b[200~lost');
  host.clock.time += 1000;
  type('\u0003');
  await host.told('received /stop');
  await enter('hello');
});

test('the terminal is asked to mark pastes while it is read, and no longer', async () => {
  const { terminal, process, written, rawModes } = await takeSeat();
  expect(written()).toContain('\u001b[?2004h');
  expect(written()).not.toContain('\u001b[?2004l');
  await terminal.stop();
  expect(written()).toMatch(/\[\?2004l$/);
  expect(rawModes).toEqual([true, false]);
  expect(process.listeners).toBe(0);
});

test('a process that ends by itself leaves the terminal without marks', async () => {
  const { process, written } = await takeSeat();
  process.exit();
  expect(written()).toMatch(/\[\?2004l$/);
});

function textsOf(host: FakeHost): readonly string[] {
  return host.events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
}
