import { expect, test } from 'vitest';
import { type TerminalWords, terminalWords } from '../../../channels/terminal/words.ts';
import { ChannelError } from '../../../src/contract.ts';
import { languages, wordsIn } from '../../../src/lib/words.ts';
import { finishStream } from '../../support/finish-stream.ts';
import { FakeHost } from './fake-host.ts';
import { card, here, message, takePipe, takeSeat } from './seat.ts';

const { zh, en } = terminalWords;

/** A host whose person reads Chinese. */
function chineseHost(): FakeHost {
  const host = new FakeHost();
  host.language = 'zh';
  return host;
}

const choices = '[Y]es once · [15] min · [A]lways · [n] Deny';
const asks = ({ promptAllow }: TerminalWords, waiting = 1): string =>
  `│ ${promptAllow({ subject: 'Card 1', waiting })} ${choices} ›`;

test('the person at the terminal is asked and told in the language that the host says', async () => {
  const host = chineseHost();
  const { terminal, screen, enter, said, type } = await takeSeat({ columns: 80, host });
  await terminal.send(here, card('1'));
  await enter('为什么？');
  await said(zh.sentAside);
  expect(screen.rows.at(-1)).toBe(asks(zh));
  expect(host.events[0]?.conversation?.title).toBe(zh.thisTerminal);
  type('\u0003');
  await said(zh.stopping);
});

test('a language that is changed meanwhile holds for what is said next', async () => {
  const host = new FakeHost();
  const { terminal, screen, enter, said } = await takeSeat({ columns: 80, host });
  await terminal.send(here, card('1'));
  await terminal.send(here, message('Hi'));
  expect(screen.rows.at(-1)).toBe(asks(en));
  host.language = 'zh';
  await enter('/language zh');
  await enter('好吗');
  await said(zh.sentAside);
  expect(screen.rows.at(-1)).toBe(asks(zh));
});

test('how long a tool took is told in the language that the host says', async () => {
  const { screen, terminal } = await takeSeat({ columns: 80, host: chineseHost() });
  const status = { callId: 'c1', toolName: 'shell' };
  terminal.showStatus?.(here, { ...status, state: 'doing' });
  terminal.showStatus?.(here, { ...status, state: 'success', duration: 61_000 });
  expect(screen.rows).toEqual(['⚙ shell', `✓ shell · ${zh.lasted(61_000)}`, '›']);
});

test('a long paste is sent in full under its placeholder in Chinese, too', async () => {
  const { host, paste, screen, type } = await takeSeat({ columns: 80, host: chineseHost() });
  const text = '长'.repeat(500);
  paste(text);
  expect(screen.rows).toEqual([`› ${zh.pasted({ number: 1, lines: 1, characters: 500 })}`]);
  type(' [粘贴 2]\r');
  await host.changes.waitFor(() => host.trace.length > 0);
  expect(host.trace).toEqual([`received ${text} [粘贴 2]`]);
});

test('a line of Chinese behind the bar is broken where the row ends, and the row of the prompt is found again', async () => {
  const { terminal, screen, stream } = await takeSeat({ columns: 11, host: chineseHost() });
  await terminal.send(here, message('一二三四五六七', { kind: 'card' }));
  stream.push('八九十百千万亿');
  await finishStream(stream, message('八九十百千万亿'));
  expect(screen.rows).toEqual(['│ 一二三四', '│ 五六七', '八九十百千', '万亿', '›']);
});

test('a pipe is asked and told in that language, too', async () => {
  const { input, host, terminal, written, wrote } = await takePipe(chineseHost());
  await terminal.send(here, card('1'));
  input.end('什么？\n');
  await host.told('ended');
  await wrote(zh.stillWaiting({ count: 1, shortcut: 'y' }));
  expect(written().split('\n').slice(0, 2)).toEqual(['Card 1', zh.askAllow({ choices })]);
});

test('a message that comes before the terminal is open, or for elsewhere, is refused in words of each language', async () => {
  const { terminal } = await takeSeat();
  await expect(terminal.send({ ...here, chatId: 'x' }, message('Hi'))).rejects.toSatisfy(says('onlyLocal'));
  await terminal.stop();
  await expect(terminal.send(here, message('Hi'))).rejects.toSatisfy(says('notOpen'));
});

function says(key: 'onlyLocal' | 'notOpen'): (error: unknown) => boolean {
  return (error) =>
    error instanceof ChannelError &&
    languages.every((language) => wordsIn(language, error.words) === terminalWords[language][key]);
}
