import { expect, test } from 'vitest';
import { terminalWords } from '../../../channels/terminal/words.ts';
import { finishStream } from '../../support/finish-stream.ts';
import { card, here, message, type SeatOptions, takePipe, takeSeat } from './seat.ts';

const { thinking } = terminalWords.en;

/** A seat where the model thinks; `rest` ends that. */
async function thinkingSeat(options: SeatOptions = {}) {
  const seat = await takeSeat(options);
  const idle = Promise.withResolvers<void>();
  seat.host.idle = () => idle.promise;
  await seat.terminal.showTyping?.(here);
  const rest = async (): Promise<void> => {
    idle.resolve();
    await seat.host.told('idle local');
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...seat, rest };
}

test('while the model thinks, a sign stands above the prompt, and goes when it rests', async () => {
  const { host, screen, rest } = await thinkingSeat();
  expect(screen.rows).toEqual([`⠋ ${thinking({ seconds: 0 })}`, '›']);
  host.clock.time += 12_000;
  host.pass();
  expect(screen.rows).toEqual([`⠙ ${thinking({ seconds: 12 })}`, '›']);
  await rest();
  expect(screen.rows).toEqual(['›']);
  host.pass();
  expect(screen.rows).toEqual(['›']);
});

test('the prompt is not drawn again when the sign changes', async () => {
  const { host, written, screen, type } = await thinkingSeat({ columns: 16 });
  type('one two three four');
  const before = written().length;
  host.pass();
  expect(written().slice(before)).not.toContain('›');
  expect(screen.rows).toEqual([`⠙ ${thinking({ seconds: 0 })}`, '› one two three', 'four']);
  expect(screen.beforeCursor).toBe('four');
});

test('what is shown takes its place, and after a while it comes back', async () => {
  const { host, terminal, screen, rest } = await thinkingSeat();
  await terminal.send(here, message('Hi'));
  expect(screen.rows).toEqual(['Hi', '›']);
  host.pass();
  expect(screen.rows).toEqual(['Hi', `⠙ ${thinking({ seconds: 0 })}`, '›']);
  const stream = terminal.openStream?.(here);
  stream?.push('One');
  expect(screen.rows).toEqual(['Hi', 'One', '›']);
  host.pass();
  expect(screen.rows).toEqual(['Hi', 'One', `⠹ ${thinking({ seconds: 0 })}`, '›']);
  if (stream !== undefined) await finishStream(stream, message('One two'));
  expect(screen.rows).toEqual(['Hi', 'One two', '›']);
  await rest();
});

test('a sent line stands where it was typed, without the sign above it', async () => {
  const { screen, enter } = await thinkingSeat();
  await enter('hello');
  expect(screen.rows).toEqual(['› hello', '›']);
});

test('a card that is answered by one key leaves no sign behind', async () => {
  const { host, terminal, type, screen } = await thinkingSeat({ columns: 80 });
  await terminal.send(here, card('1'));
  host.pass();
  type('y');
  await host.changes.waitFor(() => screen.beforeCursor.endsWith('y'));
  host.pass();
  await host.told('received [ok:1]');
  expect(screen.rows.join('\n')).not.toContain(thinking({ seconds: 0 }));
});

test('neither a shell nor what comes after the end sees it', async () => {
  const { host, type, process, screen, terminal } = await thinkingSeat();
  type('\u001a');
  expect(screen.rows).toEqual([]);
  host.pass();
  expect(screen.rows).toEqual([]);
  process.goOn();
  host.pass();
  expect(screen.rows).toHaveLength(2);
  await terminal.stop();
  host.pass();
  expect(screen.rows).toEqual([]);
});

test('it is dim, or plain where no colour is wanted, and a pipe has none', async () => {
  const coloured = await thinkingSeat({ color: true });
  expect(coloured.written()).toContain(`\u001b[2m⠋ ${thinking({ seconds: 0 })}\u001b[22m`);
  const plain = await thinkingSeat({ color: false });
  expect(plain.written()).not.toContain('\u001b[2m');
  const pipe = await takePipe();
  await pipe.terminal.showTyping?.(here);
  expect(pipe.written()).toBe('');
});
