import { expect, test } from 'vitest';
import { terminalWords } from '../../../channels/terminal/words.ts';
import { finishStream } from '../../support/finish-stream.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { FakeHost } from './fake-host.ts';
import { card, here, message, type Seat, takePipe } from './seat.ts';

test('a line is read when nothing is left to do for the one before', async () => {
  const host = new FakeHost();
  const finished: (() => void)[] = [];
  host.idle = () => new Promise((resolve) => finished.push(resolve));
  const { input } = await takePipe(host);
  input.end('one\ntwo\n');
  await host.told('received one');
  await waitUntil(() => finished.length === 1);
  expect(host.trace).toEqual(['received one']);
  finished[0]?.();
  await host.told('received two');
  expect(host.trace).toEqual(['received one', 'idle local', 'received two']);
});

test('a slow answer holds back the pipe and not the memory', async () => {
  const host = new FakeHost();
  host.idle = () => new Promise(() => {});
  const { input } = await takePipe(host);
  input.write('first\n');
  await host.told('received first');
  let written = 0;
  while (input.write('x'.repeat(1023).concat('\n')) && written < 10_000) written += 1;
  expect(written).toBeLessThan(200);
});

test('the end of the input is told when all is done', async () => {
  const { input, host } = await takePipe();
  input.end('one\n');
  await host.told('ended');
  expect(host.trace).toEqual(['received one', 'idle local', 'idle local', 'ended']);
});

test('an empty input is an end like any other', async () => {
  const { input, host } = await takePipe();
  input.end();
  await host.told('ended');
  expect(host.events).toEqual([]);
});

test('lines may end like those of Windows, be empty, and the last one needs no end', async () => {
  expect(await textsOf(['a\r\n\r\n  \n', 'b\n', 'c'])).toEqual(['a', 'b', 'c']);
});

test('a character may be cut between two chunks', async () => {
  const bytes = Buffer.from('grüße 👍\n');
  expect(await textsOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(['grüße 👍']);
});

test('a line may have a megabyte, and one that is longer is left out and said to be', async () => {
  const seat = await takePipe();
  seat.input.end(`${'x'.repeat(1_048_576)}\n${'y'.repeat(1_048_577)}\nz\n`);
  await seat.host.told('ended');
  expect(seat.host.events.map((event) => event.type === 'message' && event.text.length)).toEqual([1_048_576, 1]);
  expect(seat.written()).toBe(`${terminalWords.en.lineTooLong({ most: 1_048_576 })}\n`);
});

test('answers are printed as they are, without prompt, colour, status or preview', async () => {
  const { terminal, written, stream } = await takePipe();
  await terminal.send(here, message('**Hi**\u001b[31m'));
  await terminal.send(here, message('Careful', { kind: 'notice' }));
  terminal.showStatus?.(here, { callId: 'c', toolName: 'shell', state: 'doing' });
  stream.push('draft');
  await finishStream(stream, message('final'));
  expect(written()).toBe('**Hi**\nCareful\nfinal\n');
});

test('a line that is a shortcut answers the open card', async () => {
  const { input, host, terminal, written } = await takePipe();
  host.answer = async (event) => {
    if (event.type === 'message') await terminal.send(here, card('1'));
    return {};
  };
  input.end('do it\nyes\n');
  await host.told('ended');
  expect(host.trace.filter((line) => line.startsWith('received'))).toEqual(['received do it', 'received [ok:1]']);
  const choices = '[Y]es once · [15] min · [A]lways · [n] Deny';
  expect(written()).toBe(`Card 1\n${terminalWords.en.askAllow({ choices })}\n`);
});

test('a card that waits at the end of the input is spoken of', async () => {
  const { input, host, terminal, wrote } = await takePipe();
  await terminal.send(here, card('1'));
  input.end('what?\n');
  await host.told('ended');
  expect(host.trace).toContain('received what?');
  await wrote(terminalWords.en.stillWaiting({ count: 1, shortcut: 'y' }));
});

test('exit is a message for a pipe, which ends by itself', async () => {
  expect(await textsOf(['/exit\n'])).toEqual(['/exit']);
});

test('a line that cannot be stored is offered again until it is, with the same key', async () => {
  const { input, host, wrote } = await takePipe();
  const keys: string[] = [];
  host.answer = async ({ key }) => {
    keys.push(key);
    if (keys.length < 3) throw new Error('disk full');
    return {};
  };
  input.end('one\n');
  await wrote(terminalWords.en.lineHeld);
  for (const count of [1, 2]) {
    const timer = await waitUntil(() => host.clock.timers[count - 1]);
    timer();
  }
  await host.told('ended');
  expect(new Set(keys).size).toBe(1);
  expect(host.trace[0]).toBe('received one');
});

test('a reader that has seen enough ends Keyturn quietly', async () => {
  const { output, host, terminal } = await takePipe();
  output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await host.told('stop');
  const sent = terminal.send(here, message('more'));
  await expect(sent).rejects.toMatchObject({ name: 'ChannelError', fault: { type: 'transient' } });
  expect(host.trace).toEqual(['stop']);
});

test('stopping stops to read, while it waits for a line and while it waits for an answer', async () => {
  const waiting = await takePipe();
  await waiting.terminal.stop();
  waiting.input.write('late\n');
  const busy = await takePipe();
  busy.host.idle = () => new Promise(() => {});
  busy.input.write('one\ntwo\n');
  await busy.host.told('received one');
  await busy.terminal.stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(waiting.host.trace).toEqual([]);
  expect(busy.host.trace).toEqual(['received one']);
  expect(waiting.input.listenerCount('data')).toBe(0);
});

test('a line that is stored while Keyturn stops is not waited for', async () => {
  const { input, host, terminal } = await takePipe();
  const offered: (() => void)[] = [];
  host.answer = () => new Promise((resolve) => offered.push(() => resolve({})));
  host.idle = () => Promise.reject(new Error('Keyturn is closed'));
  input.write('one\n');
  const store = await waitUntil(() => offered[0]);
  await terminal.stop();
  store();
  await host.told('received one');
  await new Promise((resolve) => setImmediate(resolve));
  expect(host.trace).toEqual(['received one']);
});

test('an end that comes while Keyturn stops is not told', async () => {
  const { input, host, terminal } = await takePipe();
  let waits = 0;
  host.idle = () => {
    waits += 1;
    return waits === 1 ? Promise.resolve() : new Promise(() => {});
  };
  input.end('one\n');
  await waitUntil(() => waits === 2);
  await terminal.stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(host.trace).toEqual(['received one', 'idle local']);
});

async function textsOf(chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const { input, host }: Seat = await takePipe();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await host.told('ended');
  return host.events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
}
