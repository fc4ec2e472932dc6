import { expect, test } from 'vitest';
import { openReply } from '../../../channels/terminal/growing-reply.ts';
import { plainStyle } from '../../../channels/terminal/render.ts';
import { finishStream } from '../../support/finish-stream.ts';
import { here, message, takeSeat } from './seat.ts';

test('a reply is shown while it is written, and typing goes on under it', async () => {
  const { screen, type, terminal, stream } = await takeSeat({ columns: 12 });
  type('my ');
  stream.push('The quick');
  expect(screen.rows).toEqual(['The quick', '› my']);
  type('next');
  stream.push(' brown fox\njumps');
  expect(screen.rows).toEqual(['The quick br', 'own fox', 'jumps', '› my next']);
  await finishStream(stream, message('The quick brown fox\njumps'));
  expect(screen.rows).toEqual(['The quick br', 'own fox', 'jumps', '› my next']);
  await terminal.send(here, message('Next'));
  expect(screen.rows).toEqual(['The quick br', 'own fox', 'jumps', 'Next', '› my next']);
});

test.each([
  ['the kind "@recursive\\_deletion" (a)', 'the kind "@recursive_deletion" (a)'],
  ['\\*no list\\*', '*no list*'],
  ['请看\\_这里\\_。', '请看_这里_。'],
  ['in C:\\x\\*.txt too', 'in C:\\x\\*.txt too'],
  ['use `a\\_b` now\\.', 'use `a\\_b` now.'],
  ['use `ls \\*.txt here`, a\\_b', 'use `ls \\*.txt here`, a_b'],
  ['one ` alone\na\\_b', 'one ` alone\na_b'],
  ['```\na\\_b\n```\na\\_b', '```\na\\_b\n```\na_b'],
  ['a\\', 'a\\'],
])('a reply in one piece or letter by letter shows %j as %j', async (markdown, shown) => {
  for (const pieces of [[markdown], [...markdown]]) {
    const { screen, stream } = await takeSeat();
    for (const piece of pieces) stream.push(piece);
    await finishStream(stream, message(markdown));
    expect(screen.rows).toEqual([...shown.split('\n'), '›']);
  }
});

test('a row that is just full is not broken twice', async () => {
  const { screen, stream } = await takeSeat({ columns: 6 });
  for (const letter of 'abcdefghijklmnopqr') stream.push(letter);
  expect(screen.rows).toEqual(['abcdef', 'ghijkl', 'mnopqr', '›']);
});

test('of a final text that goes on, only the rest is added', async () => {
  const { screen, stream } = await takeSeat();
  stream.push('\n\nOne ');
  const ref = await finishStream(stream, message('One two', { id: 'm9' }));
  expect(screen.rows.filter((row) => row !== '')).toEqual(['One two', '›']);
  expect(ref).toEqual({ id: 'm9' });
});

test('a final text that differs is shown again', async () => {
  const { screen, stream } = await takeSeat();
  stream.push('Eins');
  await finishStream(stream, message('One'));
  expect(screen.rows).toEqual(['Eins', 'One', '›']);
});

test('an edit shows a text once, and one that is shown already not at all', async () => {
  const { screen, terminal, stream } = await takeSeat();
  stream.push('One');
  const ref = await finishStream(stream, message('One'));
  await terminal.edit?.(here, ref, message('One'));
  await terminal.edit?.(here, ref, message('Two'));
  await terminal.edit?.(here, ref, message('Two'));
  expect(screen.rows).toEqual(['One', 'Two', '›']);
});

test('a reply that is not finished ends its line, and nothing is added to it', async () => {
  const { screen, terminal, stream } = await takeSeat();
  stream.push('One');
  await stream.cancel();
  stream.push(' two');
  await terminal.send(here, message('three'));
  expect(screen.rows).toEqual(['One', 'three', '›']);
});

test('a line that is sent while a reply is written does not mix with it', async () => {
  const { screen, type, stream } = await takeSeat();
  stream.push('One');
  type('hi\r');
  stream.push(' two');
  await finishStream(stream, message('One two'));
  expect(screen.rows).toEqual(['One', '› hi', ' two', '›']);
});

test('what arrives after ctrl-d is still shown', async () => {
  const { host, type, terminal, screen, stream } = await takeSeat();
  stream.push('One');
  type('\u0004');
  await host.told('stop');
  stream.push(' two');
  await finishStream(stream, message('One two'));
  await terminal.send(here, message('three'));
  expect(screen.rows).toEqual(['One two', 'three']);
});

test.each([
  ['goes on', 'One two', 'One two'],
  ['differs', 'Eins', 'One(whole: Eins)'],
])('a final text that %s is shown once, though finishing failed before', async (_how, final, expected) => {
  let shown = '';
  let failures = 1;
  const fail = async (): Promise<void> => {
    failures -= 1;
    if (failures >= 0) throw new Error('not now');
  };
  const reply = openReply(
    {
      isLive: true,
      columns: 80,
      print: fail,
      append: (text) => {
        shown += text;
      },
      endRow: fail,
      showWorking() {},
      ask() {},
    },
    async ({ id, markdown }) => {
      shown += `(whole: ${markdown})`;
      return { id };
    },
    () => {},
    plainStyle,
  );
  reply.push('One');
  await expect(finishStream(reply, message(final))).rejects.toThrow('not now');
  expect(await finishStream(reply, message(final))).toEqual({ id: 'm1' });
  expect(shown).toBe(expected);
});

test('a reply that nobody can see is not finished, however often it is tried', async () => {
  const { output, host, stream } = await takeSeat();
  stream.push('One');
  output.destroy(new Error('EIO'));
  await host.told('stop');
  for (let time = 0; time < 2; time += 1) {
    await expect(finishStream(stream, message('One'))).rejects.toMatchObject({ fault: { type: 'transient' } });
  }
});

test('an output that breaks lets Keyturn fail, unless its reader has closed it', async () => {
  const broken = await takeSeat();
  broken.output.destroy(new Error('EIO'));
  await broken.host.told('stop');
  expect(broken.process.hasFailed).toBe(true);
  const closed = await takeSeat();
  closed.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await closed.host.told('stop');
  expect(closed.process.hasFailed).toBe(false);
});

test('with colour, a reply is rendered while it is written, and typing goes on under it', async () => {
  const { screen, type, stream, written } = await takeSeat({ columns: 12, color: true });
  const text = 'Look: **very bold words** and\n\n```sh\nls *x*\n```\n- `one`\n- two';
  type('my');
  for (const letter of text) stream.push(letter);
  expect(screen.rows).toEqual(['Look: very b', 'old words an', 'd', '', '  ls *x*', '• one', '• two', '› my']);
  await finishStream(stream, message(text));
  expect(screen.rows).toEqual(['Look: very b', 'old words an', 'd', '', '  ls *x*', '• one', '• two', '› my']);
  expect(written()).toContain('\u001b[1mvery bold words\u001b[22m');
  expect(written()).not.toContain('```');
});
