import { expect, test } from 'vitest';
import { here, message, takeSeat } from './seat.ts';

test('ctrl-z gives the terminal to the shell', async () => {
  const { type, process, screen, written, rawModes } = await takeSeat();
  type('half\u001a');
  expect(process.isStopped).toBe(true);
  expect(screen.rows).toEqual([]);
  expect(written()).toMatch(/\[\?2004l$/);
  expect(rawModes).toEqual([true, false]);
});

test('after fg the line stands there again, and keys and pastes are heard', async () => {
  const { type, paste, process, screen, output, written, rawModes, terminal, enter } = await takeSeat();
  await terminal.send(here, message('Hi'));
  type('half\u001a');
  output.write('[1]+ Stopped\n$ fg\n');
  const before = written().length;
  process.goOn();
  expect(screen.rows).toEqual(['Hi', '[1]+ Stopped', '$ fg', '› half']);
  expect(written().slice(before)).toContain('\u001b[?2004h');
  expect(rawModes.slice(-2)).toEqual([false, true]);
  paste(' a\ny');
  await enter('', 'half a\ny');
});

test('a stop from outside is recovered from as well', async () => {
  const { process, rawModes, screen, enter } = await takeSeat();
  process.goOn();
  expect(rawModes.slice(-2)).toEqual([false, true]);
  await enter('hello');
  expect(screen.rows).toEqual(['› hello', '›']);
});

test('a reply that is being written goes on after fg', async () => {
  const { type, process, screen, output, stream } = await takeSeat();
  stream.push('One');
  type('\u001a');
  output.write('$ fg\n');
  process.goOn();
  stream.push(' two');
  expect(screen.rows).toEqual(['One', '$ fg', ' two', '›']);
});

test('a terminal that was left is not taken back', async () => {
  const { type, process, terminal, written } = await takeSeat();
  type('\u001a');
  await terminal.stop();
  const before = written();
  process.goOn();
  expect(written()).toBe(before);
});

test('nothing that the shell has shown is erased', async () => {
  const { type, process, screen, output } = await takeSeat({ columns: 10 });
  type('one two three\u001a');
  output.write('Stopped\n$ fg\n');
  process.goOn();
  expect(screen.rows).toEqual(['Stopped', '$ fg', '› one two', 'three']);
});
