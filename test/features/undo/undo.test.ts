import { chmod, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { undoWords } from '../../../src/features/undo/words.ts';
import { llmOnly } from '../../../src/tools/output.ts';
import { fileFrom } from '../../../src/tools/taint-sources.ts';
import { group } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { lineOf, type UndoSetting, undoSetting } from './undo-setting.ts';

const words = undoWords.en;

describe('a file that a tool has written', () => {
  test('comes back as it was, with its permissions, once a person who was shown the difference says so', async () => {
    const it = await undoSetting({ files: { 'notes.txt': 'one\ntwo\nthree\n' } });
    await chmod(join(it.daemon.workspace, 'notes.txt'), 0o640);
    await it.write('notes.txt', 'one\n2\nthree\n');
    const card = await it.says('/undo');
    expect(card.text).toContain(words.asBefore('notes.txt'));
    expect(card.text).toMatch(/```diff\n--- notes.txt\n@@ -1 \+1 @@\n one\n-2\n\+two\n three\n```/);
    expect(card.buttons.flat().map(({ label }) => label)).toEqual([words.buttonUndo, words.buttonKeep]);
    expect(await it.content('notes.txt')).toBe('one\n2\nthree\n');

    const done = await it.presses(card);
    expect(await it.content('notes.txt')).toBe('one\ntwo\nthree\n');
    expect(await it.mode('notes.txt')).toBe(0o640);
    const what = 'write notes.txt (12 bytes)';
    const redo = lineOf(done).split(' ')[1] ?? '';
    expect(done.text).toBe(words.undone({ what, count: 1, redo }));

    const again = await it.presses(card);
    expect(again.text).toBe(words.alreadyUndone({ what, redo }));
    expect(await it.content('notes.txt')).toBe('one\ntwo\nthree\n');
  });

  test('stays as it is if they keep it', async () => {
    const it = await undoSetting({ files: { 'notes.txt': 'old' } });
    await it.write('notes.txt', 'new');
    const kept = await it.presses(await it.says('/undo'), 1);
    expect(kept.text).toBe(words.kept('write notes.txt (3 bytes)'));
    expect(await it.content('notes.txt')).toBe('new');
  });

  test('goes away if it was new, with the folders that were made for it', async () => {
    const it = await undoSetting();
    await it.write('deep/er/new.txt', 'hello');
    const card = await it.says('/undo');
    expect(card.text).toContain(words.goesAway('deep/er/new.txt'));
    await it.presses(card);
    expect(await readdir(it.daemon.workspace)).not.toContain('deep');
  });

  test('can be had again after an undo, and the model is told of both', async () => {
    const it = await undoSetting({ files: { 'notes.txt': 'old' } });
    const { model } = it.daemon;
    await it.write('notes.txt', 'new');
    const done = await it.presses(await it.says('/undo'));
    expect(await it.content('notes.txt')).toBe('old');
    const back = await it.presses(done);
    await it.presses(back);
    expect(await it.content('notes.txt')).toBe('new');
    await it.says('and now?');
    const told = JSON.stringify(model.last.messages);
    expect(told.match(/kind=\\"files_put_back\\"/g)).toHaveLength(2);
    expect(told).toContain('notes.txt');
    expect((await it.says('/undo')).text).toContain(words.asBefore('notes.txt'));
  });

  test('is undone one change after the other, the newest first', async () => {
    const it = await undoSetting({ files: { 'notes.txt': 'one' } });
    await it.write('notes.txt', 'two');
    await it.does(['edit_file', { path: 'notes.txt', old_text: 'two', new_text: 'three' }]);
    await it.presses(await it.says('/undo'));
    expect(await it.content('notes.txt')).toBe('two');
    await it.presses(await it.says('/undo'));
    expect(await it.content('notes.txt')).toBe('one');
    expect((await it.says('/undo')).text).toBe(words.nothing({ days: 7 }));
  });

  test('that somebody else has changed since is undone only by who was shown that, and what they had is kept', async () => {
    const it = await undoSetting({ files: { 'notes.txt': 'old' } });
    await it.write('notes.txt', 'new');
    const early = await it.says('/undo');
    await it.daemon.write('notes.txt', 'mine');
    const late = await it.presses(early);
    expect(late.text).toContain(words.changedMeanwhile);
    expect(late.text).toContain(words.changedSince({ paths: ['notes.txt'], more: 0 }));
    expect(late.text).toContain('-mine');
    expect(await it.content('notes.txt')).toBe('mine');
    const done = await it.presses(late);
    expect(await it.content('notes.txt')).toBe('old');
    await it.presses(await it.presses(done));
    expect(await it.content('notes.txt')).toBe('mine');
  });

  test('is found again after a restart, with the same button', async () => {
    const it = await undoSetting({ files: { 'notes.txt': 'old' } });
    await it.write('notes.txt', 'new');
    const card = await it.says('/undo');
    await it.daemon.restart();
    await it.presses(card);
    expect(await it.content('notes.txt')).toBe('old');
  });
});

describe('what a command has changed', () => {
  const files = { 'a.txt': 'a', 'b.txt': 'b', 'sub/c.txt': 'c', '.git/HEAD': 'ref', 'odd\nname': 'odd' };

  test('comes back: changed, deleted, moved, replaced by a folder, made executable, and new files go away', async () => {
    const it = await undoSetting({ files });
    await it.run(
      'echo more >> a.txt; rm -r b.txt sub .git; mkdir b.txt; echo x > b.txt/x; mv "odd\nname" ODD; echo new > new.txt; chmod +x a.txt',
    );
    expect(await it.content('a.txt')).toBe('amore\n');
    const card = await it.says('/undo');
    expect(card.text).toContain(words.comesBack('sub/c.txt'));
    expect(card.text).toContain(words.outside);
    await it.presses(card);
    for (const [name, content] of Object.entries(files)) expect(await it.content(name)).toBe(content);
    expect((await readdir(it.daemon.workspace)).toSorted()).toEqual(
      ['.git', 'a.txt', 'b.txt', 'odd\nname', 'sub', '.keyturn'].filter((name) => name !== '.keyturn').toSorted(),
    );
    expect((await it.mode('a.txt')) & 0o111).toBe(0);
  });

  test('is compared with what was there before it, not with what the last command has left', async () => {
    const it = await undoSetting({ files });
    await it.run('echo one > a.txt');
    await it.daemon.write('a.txt', 'by hand');
    await it.run('echo two > a.txt');
    await it.presses(await it.says('/undo'));
    expect(await it.content('a.txt')).toBe('by hand');
  });

  test('is not listed if that was nothing', async () => {
    const it = await undoSetting({ files });
    await it.run('cat a.txt');
    expect((await it.says('/undo list')).text).not.toContain('/undo ');
    expect(it.daemon.rows('SELECT * FROM kept_changes')).toEqual([]);
  });

  test('names what cannot be brought back, and brings back the rest', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' } });
    const folder = it.daemon.workspace;
    await writeFile(join(folder, 'large.bin'), Buffer.alloc(6 * 2 ** 20));
    await symlink('a.txt', join(folder, 'link'));
    await it.run('echo x > large.bin; rm link; echo b > a.txt');
    const card = await it.says('/undo');
    expect(card.text).toContain(words.stays({ path: 'large.bin', why: 'large' }));
    expect(card.text).toContain(words.stays({ path: 'link', why: 'kind' }));
    await it.presses(card);
    expect(await it.content('a.txt')).toBe('a');
    expect(await it.content('large.bin')).toBe('x\n');
  });

  test('is not written through a link that has taken the place of a folder', async () => {
    const it = await undoSetting({ files: { 'sub/c.txt': 'c' } });
    const folder = it.daemon.workspace;
    await it.run('echo x > sub/c.txt');
    const card = await it.says('/undo');
    const outside = join(it.daemon.folder, 'outside');
    await rename(join(folder, 'sub'), outside);
    await symlink(outside, join(folder, 'sub'));
    const late = await it.presses(card);
    expect(late.text).toContain(words.changedMeanwhile);
    await it.presses(late);
    expect(await readdir(outside)).toEqual(['c.txt']);
    expect((await it.says('/undo list')).text).not.toContain('undone');
  });

  test.each([
    ['write_file', { path: 'a.txt', content: 'half' }],
    ['shell', { command: 'printf half > a.txt' }],
  ])('before the process was killed is known to the next one: %s', async (name, args) => {
    let isDeadly = true;
    const { promise: executed, resolve } = Promise.withResolvers<void>();
    const it = await undoSetting({
      files,
      crashPoint: (point) => {
        if (point !== 'call-executed' || !isDeadly) return;
        isDeadly = false;
        resolve();
        throw new Error('killed');
      },
    });
    const running = it.does([name, args]);
    await executed;
    await it.daemon.dies();
    await running.catch(() => {});
    await it.daemon.start();
    await it.daemon.channel.seesAtRest('That is all.');
    expect(it.daemon.rows('SELECT * FROM kept_calls WHERE ended_at IS NULL')).toEqual([]);
    expect(await it.content('a.txt')).toBe('half');
    const card = await it.says('/undo');
    expect(card.text).toContain(words.asBefore('a.txt'));
    await it.presses(card);
    expect(await it.content('a.txt')).toBe('a');
  });
});

describe('who may undo', () => {
  test('is who had it done, and who may approve, and only where it was done', async () => {
    const it = await undoSetting({
      files: { 'a.txt': 'a' },
      config: { channels: { test: { groups: { team: { allow_from: ['bob', 'cyd', 'ada'] } } } } },
    });
    const bob = { by: 'bob', in: group };
    await it.doesFor(bob, ['write_file', { path: 'a.txt', content: 'b' }]);
    const card = await it.says('/undo', bob);
    const id = lineOf(card).split(' ')[1] ?? '';
    const cyd = { by: 'cyd', in: group };
    expect((await it.says(lineOf(card), cyd)).text).toContain(words.notYours);
    expect((await it.says(lineOf(card, 1), cyd)).text).toContain(words.notYours);
    expect(await it.content('a.txt')).toBe('b');
    expect((await it.says(lineOf(card))).text).toContain(words.notFound(`\`${id}\``));
    await it.presses(card, 0, { by: 'ada', in: group });
    expect(await it.content('a.txt')).toBe('a');
  });
});

test('the question stays for those who may undo if somebody else presses one of its buttons: that person alone is told', async () => {
  const it = await undoSetting({
    files: { 'a.txt': 'a' },
    config: { channels: { test: { groups: { team: { allow_from: ['bob', 'cyd', 'ada'] } } } } },
  });
  const bob = { by: 'bob', in: group };
  const { channel } = it.daemon;
  await it.doesFor(bob, ['write_file', { path: 'a.txt', content: 'b' }]);
  const card = await it.says('/undo', bob);
  const before = channel.screen.length;
  for (const { actionId } of card.buttons.flat()) {
    const told = await channel.press(actionId, { by: 'cyd', in: group });
    await channel.whenIdle(group);
    expect(JSON.stringify(told)).toContain(words.notYours);
  }
  expect(channel.screen.length).toBe(before);
  expect(channel.screen.find(({ ref }) => ref === card.ref)).toEqual(card);
  expect((await it.presses(card, 1, bob)).text).toContain('a.txt');
  expect(await it.content('a.txt')).toBe('b');
});

test('two people who press at once undo it once, and what it was can be had again', async () => {
  const it = await undoSetting({ files: { 'a.txt': 'a' } });
  await it.write('a.txt', 'b');
  const card = await it.says('/undo');
  const { channel } = it.daemon;
  await Promise.all([channel.say(lineOf(card)), channel.say(lineOf(card))]);
  await channel.whenIdle();
  expect(await it.content('a.txt')).toBe('a');
  expect(it.daemon.rows('SELECT * FROM kept_calls WHERE undoes IS NOT NULL')).toHaveLength(1);
});

describe('copies', () => {
  test('are kept for a while, within a size, and their owner alone can read them', async () => {
    const it = await undoSetting({ config: { undo: { max_mb: 1 } } });
    const big = (letter: string): string => letter.repeat(400_000);
    await it.daemon.write('a.txt', big('a'));
    for (const letter of ['b', 'c', 'd', 'e']) await it.write('a.txt', big(letter));
    const kept = it.daemon.rows('SELECT sum(size) AS size FROM kept_contents')[0]?.size;
    expect(Number(kept)).toBeLessThanOrEqual(2 ** 20);
    await it.presses(await it.says('/undo'));
    expect((await it.content('a.txt'))?.[0]).toBe('d');
    const names = await readdir(join(it.daemon.folder, 'data', 'undo'), { recursive: true });
    const files = names.filter((name) => name.length > 10);
    expect(files).toHaveLength(it.daemon.rows('SELECT * FROM kept_contents').length);

    it.daemon.clock.advance(8 * 86_400_000);
    await it.daemon.restart();
    // Old copies are removed beside what comes in.
    await waitUntil(() => it.daemon.rows('SELECT * FROM kept_contents').length === 0);
    expect((await it.says('/undo list')).text).toBe(words.nothing({ days: 7 }));
  });

  test('are removed when the operator switches them off', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' } });
    await it.write('a.txt', 'b');
    await it.daemon.edit({ undo: { enabled: false } });
    expect((await it.says('/undo')).text).toBe(words.off);
    expect(await readdir(join(it.daemon.folder, 'data'))).not.toContain('undo');
    expect(it.daemon.rows('SELECT * FROM kept_calls')).toEqual([]);
    await it.write('a.txt', 'c');
    expect(it.daemon.rows('SELECT * FROM kept_calls')).toEqual([]);
  });

  test('that cannot be written stop no call, and /undo says so', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' } });
    await it.write('b.txt', 'b');
    await it.write('b.txt', 'c');
    const copies = join(it.daemon.folder, 'data', 'undo');
    await rm(copies, { recursive: true });
    await writeFile(copies, 'in the way');
    await it.write('a.txt', 'b');
    expect(await it.content('a.txt')).toBe('b');
    expect((await it.says('/undo')).text).toContain(words.stays({ path: 'a.txt', why: 'full' }));
  });

  test('that are gone are told of', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' } });
    await it.write('a.txt', 'b');
    await rm(join(it.daemon.folder, 'data', 'undo'), { recursive: true });
    expect((await it.says('/undo')).text).toContain(words.stays({ path: 'a.txt', why: 'gone' }));
  });
});

describe('/undo list', () => {
  test('shows the last changes with a button each, and what cannot be undone', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' } });
    await it.write('a.txt', 'b');
    await it.write('b.txt', 'b');
    const list = await it.says('/undo list');
    expect(list.text).toContain(words.list);
    expect(list.text.match(/^- `/gm)).toHaveLength(2);
    const card = await it.presses(list, 1);
    expect(card.text).toContain(words.asBefore('a.txt'));
    await it.presses(card);
    expect(await it.content('a.txt')).toBe('a');
    expect((await it.says('/undo list')).text.match(/undone$/gm)).toHaveLength(1);
  });
});

describe('/undo in reply to', () => {
  const asked = { config: { agent: { mode: 'assistant' }, approval: { policy: 'always_require' } } };
  const cards = (it: UndoSetting) => it.daemon.channel.screen.filter(({ kind }) => kind === 'card');
  const inReply = (it: UndoSetting, ref: string | undefined) => it.says('/undo', { answersTo: ref ?? '' });

  test('a card asks about the call of that card, though others followed', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' }, ...asked });
    await it.write('a.txt', 'b');
    await it.write('c.txt', 'c');
    const question = await inReply(it, cards(it)[0]?.ref);
    expect(question.text).toContain(words.asBefore('a.txt'));
    expect(question.text).not.toContain('c.txt');
    await it.presses(question);
    expect(await it.content('a.txt')).toBe('a');
    expect(await it.content('c.txt')).toBe('c');
  });

  test('what tools do asks about the change that stands there', async () => {
    const begun: (() => void)[] = [];
    const make = new RecordingTool('make', 'filesystem_write', async (what, { workspace }) => {
      await new Promise<void>((resolve) => void begun.push(resolve));
      await writeFile(join(workspace, what), 'b');
      return llmOnly('made');
    });
    const it = await undoSetting({
      files: { 'a.txt': 'a' },
      tools: [make.registration],
      channel: { needsCards: true },
    });
    const { channel, clock } = it.daemon;
    for (const what of ['a.txt', 'c.txt']) {
      const made = it.does(['make', { what }]);
      await waitUntil(() => {
        clock.advance(100);
        return begun.length > 0 && channel.screen.some(({ kind, text }) => kind === 'status' && text.includes(what));
      });
      begun.pop()?.();
      await made;
      clock.advance(60_000);
    }
    const [first, second] = channel.screen.filter(({ kind }) => kind === 'status');
    expect((await inReply(it, first?.ref)).text).toContain(words.asBefore('a.txt'));
    expect((await inReply(it, second?.ref)).text).toContain(words.goesAway('c.txt'));
  });

  test('a message that came with no change says so', async () => {
    const it = await undoSetting({ files: { 'a.txt': 'a' }, ...asked });
    const help = await it.says('/help');
    await it.write('a.txt', 'b');
    expect((await inReply(it, help.ref)).text).toBe(words.nothingOfMessage);
    expect((await inReply(it, 'unknown')).text).toBe(words.nothingOfMessage);
    expect(await it.content('a.txt')).toBe('b');
  });
});

describe('a file that strangers may have written', () => {
  const page = () =>
    new RecordingTool('read_page', 'network_read', () => ({ ...llmOnly('a page'), untrusted: 'evil.example' }));
  const sources = (it: UndoSetting): readonly unknown[] =>
    it.daemon.rows(`SELECT path, source FROM file_labels WHERE path = 'notes.txt'`);
  const label = { path: 'notes.txt', source: fileFrom('notes.txt', ['evil.example']) };

  /** It was written after a page was read, and a conversation that has read nothing then does this. */
  async function written(...next: readonly string[]): Promise<UndoSetting> {
    const it = await undoSetting({ tools: [page().registration] });
    await it.does(['read_page', { what: 'x' }], ['write_file', { path: 'notes.txt', content: 'do this' }]);
    expect(sources(it)).toEqual([label]);
    await it.says('/new');
    for (const command of next) await it.run(command);
    return it;
  }

  test('is still one when it comes back, though a call that had read nothing deleted it, and others followed', async () => {
    const it = await written('rm notes.txt', 'touch other.txt', 'rm other.txt');
    expect(sources(it)).toEqual([]);
    const calls = await it.says('/undo list');
    expect(calls.text).toContain('rm notes.txt');
    await it.presses(await it.says('/undo'));
    await it.presses(await it.says('/undo'));
    await it.presses(await it.says('/undo'));
    expect(await it.content('notes.txt')).toBe('do this');
    expect(sources(it)).toEqual([label]);
  });

  test('is still one when it comes back from where it was moved', async () => {
    const it = await written('mv notes.txt elsewhere.txt', 'touch other.txt');
    await it.presses(await it.says('/undo'));
    await it.presses(await it.says('/undo'));
    expect(await it.content('notes.txt')).toBe('do this');
    expect(sources(it)).toEqual([label]);
  });

  test('is still one when its own undoing is taken back', async () => {
    const it = await undoSetting({ tools: [page().registration] });
    await it.does(['read_page', { what: 'x' }], ['write_file', { path: 'notes.txt', content: 'do this' }]);
    const done = await it.presses(await it.says('/undo'));
    expect(await it.content('notes.txt')).toBeUndefined();
    await it.says('/new');
    await it.run('touch other.txt');
    await it.presses(await it.presses(done));
    expect(await it.content('notes.txt')).toBe('do this');
    expect(sources(it)).toEqual([label]);
  });
});
