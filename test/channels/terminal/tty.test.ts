import { expect, test } from 'vitest';
import { createTerminal, terminal as terminalChannel } from '../../../channels/terminal/index.ts';
import { terminalWords } from '../../../channels/terminal/words.ts';
import { ChannelError } from '../../../src/contract.ts';
import { finishStream } from '../../support/finish-stream.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { FakeHost } from './fake-host.ts';
import { card, here, message, takeSeat } from './seat.ts';

test('a line that is typed becomes a message of the local owner', async () => {
  const { host, terminal, enter } = await takeSeat();
  await enter('hello');
  expect(host.events[0]).toMatchObject({
    type: 'message',
    text: 'hello',
    addressed: true,
    conversation: { channel: 'terminal', chatId: 'local', kind: 'direct', title: terminalWords.en.thisTerminal },
    sender: { id: 'local', isPerson: true },
    sentAt: host.clock.time,
  });
  expect(terminal.localOwner).toEqual(host.events[0]?.sender);
});

test('every event has a key of its own, after a restart too', async () => {
  const host = new FakeHost();
  for (let run = 0; run < 2; run += 1) {
    const { type, terminal } = await takeSeat({ host });
    type('a\ra\r');
    await terminal.stop();
  }
  expect(new Set(host.events.map(({ key }) => key)).size).toBe(4);
});

test('an empty line is no message', async () => {
  const { host, enter } = await takeSeat();
  await enter('  \r\rx', 'x');
  expect(host.events).toHaveLength(1);
});

test('what arrives stands above the prompt, and what is being typed is kept', async () => {
  const { screen, type, terminal } = await takeSeat();
  type('half a sen');
  await terminal.send(here, message('Hello\nthere'));
  expect(screen.rows).toEqual(['Hello', 'there', '› half a sen']);
  expect(screen.beforeCursor).toBe('› half a sen');
});

test('a typed text of several rows is kept, with the cursor in it', async () => {
  const { screen, type, terminal, enter } = await takeSeat({ columns: 10 });
  for (const key of 'one two three four') type(key);
  await terminal.send(here, message('Hello'));
  await terminal.send(here, message('again'));
  expect(screen.rows).toEqual(['Hello', 'again', '› one two', 'three four']);
  type('\u001b[D\u001b[D\u001b[D\u001b[D');
  await terminal.send(here, message('third'));
  expect(screen.rows).toEqual(['Hello', 'again', 'third', '› one two', 'three four']);
  await enter('x', 'one two three xfour');
});

test('a question of several rows is taken away as a whole', async () => {
  const { screen, terminal, type } = await takeSeat({ columns: 20 });
  await terminal.send(here, card('1'));
  expect(screen.rows).toEqual(['│ Card 1', '│ [Y]es once', '│ [15] min', '│ [A]lways', '│ [n] Deny ›']);
  await terminal.send(here, message('Hi'));
  expect(screen.rows).toEqual([
    '│ Card 1',
    'Hi',
    `│ ${terminalWords.en.promptAllow({ subject: 'Card 1', waiting: 1 })}`,
    '│ [Y]es once',
    '│ [15] min',
    '│ [A]lways',
    '│ [n] Deny ›',
  ]);
  type('y\r');
  await terminal.send(here, message('Done'));
  expect(screen.rows.slice(-2)).toEqual(['Done', '›']);
});

test('what tools do is told once for each change', async () => {
  const { screen, terminal } = await takeSeat();
  const status = { callId: 'c1', toolName: 'shell' };
  terminal.showStatus?.(here, { ...status, state: 'wait' });
  terminal.showStatus?.(here, { ...status, state: 'doing', tip: 'run ls\n-la' });
  terminal.showStatus?.(here, { ...status, state: 'doing', tip: 'run ls\n-la' });
  terminal.showStatus?.(here, { ...status, state: 'success', duration: 123 });
  terminal.showStatus?.(here, { ...status, state: 'error', duration: 61_000, tip: 'no' });
  expect(screen.rows).toEqual(['⚙ shell · run ls -la', '✓ shell · 0.1 s', '✗ shell · 1 min 1 s · no', '›']);
});

test('what Keyturn says is told apart from what the model says', async () => {
  const { screen, terminal } = await takeSeat();
  await terminal.send(here, message('Hi'));
  await terminal.send(here, message('Budget reached', { kind: 'notice' }));
  await terminal.send(here, message('For you', { kind: 'for_user' }));
  expect(screen.rows).toEqual(['Hi', '│ keyturn · Budget reached', 'For you', '›']);
});

test('markdown is rendered where there is colour, and there only', async () => {
  const coloured = await takeSeat({ color: true });
  await coloured.terminal.send(here, message('a **b**'));
  expect(coloured.written()).toContain('a \u001b[1mb\u001b[22m\n');
  const plain = await takeSeat({ color: false });
  await plain.terminal.send(here, message('a **b**'));
  expect(plain.written()).toContain('a **b**\n');
});

test('nothing that comes from outside steers the terminal', async () => {
  const { screen, terminal, written, stream } = await takeSeat();
  const hostile = '\u001b[2J\u001b[1;1H\u001b]0;x\u0007evil\r\u009b2J';
  await terminal.send(here, message(hostile));
  await terminal.send(here, { ...card('1', hostile), buttons: [[button(hostile)]] });
  terminal.showStatus?.(here, { callId: 'c', toolName: hostile, state: 'doing', tip: hostile });
  for (const letter of hostile) stream.push(letter);
  await finishStream(stream, message('other'));
  for (const part of ['\u001b[2J', '\u001b[1;1H', '\u001b]', '\u009b', '\u0007']) expect(written()).not.toContain(part);
  expect(screen.rows).toEqual([
    'evil',
    '│ evil',
    '⚙ evil · evil',
    'evil',
    'other',
    `│ ${terminalWords.en.promptAllow({ subject: 'evil', waiting: 1 })} [y] evil ›`,
  ]);
});

function button(label: string) {
  return { actionId: 'ok', label, shortcut: 'y', style: 'primary' } as const;
}

test('the first ctrl-c stops the run', async () => {
  const { host, type, said } = await takeSeat();
  type('\u0003');
  await host.told('received /stop');
  await said(terminalWords.en.stopping);
  host.clock.time += 2000;
  type('\u0003');
  await host.changes.waitFor(() => host.trace.length === 2);
  expect(host.trace).toEqual(['received /stop', 'received /stop']);
});

test('the second ctrl-c within two seconds ends Keyturn', async () => {
  const { host, type } = await takeSeat();
  type('\u0003');
  host.clock.time += 1999;
  type('\u0003');
  await host.told('stop');
});

test.each([
  ['/exit', '/exit\r'],
  ['/quit', '/quit\r'],
  ['ctrl-d', '\u0004'],
])('%s ends Keyturn and is no message', async (_name, keys) => {
  const { host, type } = await takeSeat();
  type(keys);
  await host.told('stop');
  expect(host.events).toEqual([]);
});

test('a terminal that goes away ends Keyturn', async () => {
  const { host, input } = await takeSeat();
  input.destroy(new Error('EIO'));
  await host.told('stop');
});

test('a message that could not be stored is said to be lost', async () => {
  const { host, type, said } = await takeSeat();
  host.answer = () => Promise.reject(new Error('disk full'));
  type('hello\r');
  await said(terminalWords.en.notStored);
  expect(host.trace).toEqual([]);
});

test('stopping takes the prompt away, and asks nothing of the host', async () => {
  const { host, terminal, type, screen, input } = await takeSeat();
  await terminal.send(here, message('Hi'));
  type('half');
  await terminal.stop();
  await terminal.stop();
  expect(screen.rows).toEqual(['Hi']);
  expect(screen.beforeCursor).toBe('');
  expect(host.trace).toEqual([]);
  expect(input.isPaused()).toBe(true);
  expect(input.listenerCount('keypress')).toBe(0);
  await expect(terminal.send(here, message('late'))).rejects.toMatchObject({ fault: { type: 'transient' } });
});

test('a message for another place is refused', async () => {
  const { terminal } = await takeSeat();
  const sent = terminal.send({ ...here, chatId: 'other' }, message('x'));
  await expect(sent).rejects.toBeInstanceOf(ChannelError);
  await expect(sent).rejects.toMatchObject({ fault: { type: 'permanent' } });
});

test('the settings are strict', () => {
  expect(terminalChannel.create({}).capabilities.maxLength).toBe(1_000_000);
  expect(() => terminalChannel.create({ enable: true })).toThrow();
});

test('nothing is read or written before the start', async () => {
  const { input, output } = await takeSeat();
  const before = input.listenerCount('keypress');
  createTerminal({ input, output, isTty: true });
  expect(input.listenerCount('keypress')).toBe(before);
});

test('a text is as long as its markdown', async () => {
  const { terminal } = await takeSeat();
  expect(terminal.measure('**é**')).toBe(5);
});

test('a window that becomes narrower or wider shows everything once', async () => {
  const { screen, terminal, type, resize, host, stream } = await takeSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  type('my answer');
  await terminal.showTyping?.(here);
  host.pass();
  stream.push('A reply that is written');
  await terminal.showTyping?.(here);
  resize(20);
  const answers = (): readonly string[] => screen.rows.filter((row) => row.includes('es once'));
  expect(answers()).toHaveLength(1);
  expect(screen.rows.slice(0, 3)).toEqual(['│ Card 1', 'A reply that is writ', 'ten']);
  expect(screen.rows.slice(-2)).toEqual(['│ [n] Deny › my answ', 'er']);
  resize(80);
  expect(answers()).toHaveLength(1);
  expect(screen.beforeCursor).toMatch(/› my answer$/);
  type('!');
  await waitUntil(() => screen.beforeCursor.endsWith('› my answer!'));
  expect(screen.rows.slice(0, 2)).toEqual(['│ Card 1', 'A reply that is written']);
});
