import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terminalWords } from '../../../channels/terminal/words.ts';
import { newFolder } from '../../support/new-folder.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { FakeHost } from './fake-host.ts';
import { card, here, message, type Seat, takeSeat } from './seat.ts';

const up = '\u001b[A';
const down = '\u001b[B';
const left = '\u001b[D';
const search = '\u0012';
const { searching } = terminalWords.en;

/** The rows, once the last one is that. */
async function rowsUntil({ screen }: Seat, last: string): Promise<readonly string[]> {
  await waitUntil(() => screen.rows.at(-1) === last);
  return screen.rows;
}

describe('several lines', () => {
  test.each([
    ['alt-enter', '\u001b\r'],
    ['ctrl-j', '\n'],
    ['shift-enter', '\u001b[13;2u'],
    ['a backslash and Enter', '\\\r'],
  ])('%s begins another line of the same message', async (_name, key) => {
    const seat = await takeSeat();
    seat.type(`one${key}`);
    expect(await rowsUntil(seat, '…')).toEqual(['› one', '…']);
    await seat.enter('two', 'one\ntwo');
    expect(seat.screen.rows).toEqual(['› one', '… two', '›']);
  });

  test('what comes in stands above all of them, and the line is broken where the cursor is', async () => {
    const seat = await takeSeat();
    seat.type(`one two${left.repeat(3)}\n`);
    await rowsUntil(seat, '… two');
    expect(seat.screen.beforeCursor).toBe('… ');
    await seat.terminal.send(here, message('Hi'));
    expect(seat.screen.rows).toEqual(['Hi', '› one', '… two']);
    await seat.enter('', 'one \ntwo');
  });

  test('backspace at the start of a line joins it to the one before', async () => {
    const seat = await takeSeat();
    seat.type(`one\ntwo${left.repeat(3)}\u007f`);
    expect(await rowsUntil(seat, '› onetwo')).toEqual(['› onetwo']);
    await seat.enter('x', 'onextwo');
  });

  test('ctrl-c takes all of them back, and ctrl-d does not end Keyturn', async () => {
    const seat = await takeSeat();
    seat.type('one\n\u0004');
    await rowsUntil(seat, '…');
    seat.type('\u0003');
    expect(await rowsUntil(seat, '›')).toEqual(['›']);
    await seat.enter('two');
    expect(seat.host.trace).toEqual(['received two']);
  });

  test('a line of them answers no card', async () => {
    const seat = await takeSeat({ columns: 80 });
    await seat.terminal.send(here, card('1'));
    seat.type('why\ny');
    await rowsUntil(seat, '… y');
    seat.host.pass();
    expect(seat.host.events).toEqual([]);
    await seat.enter('', 'why\ny');
  });
});

describe('the history', () => {
  async function withHistory(lines: string) {
    const host = new FakeHost();
    host.dataFolder = await newFolder();
    const file = join(host.dataFolder, 'terminal-history');
    await writeFile(file, lines);
    return { host, file, seat: await takeSeat({ host, columns: 60 }) };
  }

  test('is there after a restart, for its owner alone', async () => {
    const { host, file, seat } = await withHistory('');
    await seat.enter('first');
    await seat.enter('two\nlines', 'two\nlines');
    await seat.terminal.stop();
    const next = await takeSeat({ host });
    next.type(up);
    await rowsUntil(next, '› two⏎lines');
    next.type(up);
    await rowsUntil(next, '› first');
    next.type(down + down);
    await rowsUntil(next, '›');
    const other = new FakeHost();
    other.dataFolder = await newFolder();
    await (await takeSeat({ host: other })).enter('x');
    expect((await stat(join(other.dataFolder, 'terminal-history'))).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain('first\n');
  });

  test('keeps a thousand lines, and each once', async () => {
    const { file } = await withHistory([...Array(1500).keys()].map((line) => `line ${line % 1200}\n`).join(''));
    const kept = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(kept).toHaveLength(1000);
    expect(kept.at(-1)).toBe('line 299');
  });

  test('has no answers, no codes, and nothing that begins with a blank', async () => {
    const { host, file, seat } = await withHistory('');
    const question = card('1');
    const plain = question.buttons?.map((row) => row.map((button) => ({ ...button, style: 'plain' }) as const));
    await seat.terminal.send(here, { ...question, buttons: plain });
    await seat.enter('my password');
    await seat.enter('y', '[ok:1]');
    await seat.terminal.send(here, card('2'));
    await seat.enter('yes', '[ok:2]');
    await seat.enter(' secret', 'secret');
    await seat.enter('/claim abcd1234');
    await seat.enter('hello');
    expect(await readFile(file, 'utf8')).toBe('hello\n');
    expect(host.trace).toContain('received /claim abcd1234');
  });

  test('that cannot be written costs nothing but the history', async () => {
    const host = new FakeHost();
    host.dataFolder = '/nowhere';
    const seat = await takeSeat({ host });
    await seat.enter('one');
    seat.type(up);
    await rowsUntil(seat, '› one');
  });

  test('is recalled by what was typed', async () => {
    const { seat } = await withHistory('read a\nwrite b\nread c\n');
    seat.type(`re${up}`);
    await rowsUntil(seat, '› read c');
    seat.type(up);
    await rowsUntil(seat, '› read a');
    seat.type(up + down + down);
    await rowsUntil(seat, '› re');
  });

  test('is searched by ctrl-r, letter by letter, and Enter sends what is found', async () => {
    const { seat } = await withHistory('read apples\nwrite pears\nread plums\n');
    seat.type(search);
    await rowsUntil(seat, `${searching({ query: '', isFound: true })} ›`);
    seat.type('r');
    await rowsUntil(seat, `${searching({ query: 'r', isFound: true })} › read plums`);
    seat.type(search);
    await rowsUntil(seat, `${searching({ query: 'r', isFound: true })} › write pears`);
    seat.type('EAD');
    await rowsUntil(seat, `${searching({ query: 'rEAD', isFound: true })} › read plums`);
    seat.type('x');
    await rowsUntil(seat, `${searching({ query: 'rEADx', isFound: false })} › read plums`);
    await seat.enter('\u007f', 'read plums');
    await rowsUntil(seat, '›');
  });

  test('a search that is called off gives back what was typed, and another key edits what was found', async () => {
    const { seat } = await withHistory('read apples\n');
    seat.type(`draft${search}apple\u0007`);
    await rowsUntil(seat, '› draft');
    seat.type(`${search}apple${left}`);
    await rowsUntil(seat, '› read apples');
    await seat.enter('!', 'read apple!s');
  });
});

describe('Tab', () => {
  test('completes a command, and lists those that may be meant', async () => {
    const seat = await takeSeat();
    seat.type('/st\t');
    await rowsUntil(seat, '› /stop');
    seat.type('\u0015/ap\t');
    await waitUntil(() => seat.screen.beforeCursor === '› /approve ');
    seat.type('\u0015/\t');
    expect((await rowsUntil(seat, '› /')).join(' ')).toMatch(/\/approve .*\/exit .*\/people .*\/quit .*\/stop/);
  });

  test('completes the commands that a list shows', async () => {
    const seat = await takeSeat({ columns: 80 });
    const buttons = [[{ actionId: 'cmd:revoke k3f9', label: 'Revoke', shortcut: '1', style: 'plain' }]] as const;
    await seat.terminal.send(here, { id: 'l', kind: 'notice', markdown: 'One grant', buttons });
    seat.type('/revoke \t');
    await rowsUntil(seat, '› /revoke k3f9');
  });

  test.each([
    ['read sh', 'read shopping.txt'],
    ['read @sh', 'read @shopping.txt'],
    ['look at no', 'look at notes/'],
    ['look at notes/t', 'look at notes/today.md'],
    ['read .h', 'read .hidden'],
    ['read zzz', 'read zzz'],
    ['read ', 'read'],
  ])('completes the names of files: %j', async (typed, completed) => {
    const host = new FakeHost();
    host.folders.set('.', ['shopping.txt', 'notes/', '.hidden', 'sh\u001b[2J']);
    host.folders.set('notes/', ['today.md', 'yesterday.md']);
    const seat = await takeSeat({ host });
    seat.type(`${typed}\t`);
    await rowsUntil(seat, `› ${completed}`);
    expect(seat.written()).not.toContain('\t');
  });

  test('what is typed on before the names are there is left alone', async () => {
    const host = new FakeHost();
    host.folders.set('.', ['shopping.txt']);
    const seat = await takeSeat({ host });
    seat.type('sh\tx');
    await new Promise((resolve) => setImmediate(resolve));
    expect(seat.screen.rows).toEqual(['› shx']);
  });
});

test('ctrl-l clears the screen, and keeps what is typed', async () => {
  const seat = await takeSeat();
  await seat.terminal.send(here, message('Hi'));
  seat.type('half\u000c');
  await waitUntil(() => seat.written().includes('\u001b[2J'));
  expect(seat.screen.beforeCursor).toBe('› half');
});
