import { link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { searchTree } from '../../../../src/tools/builtin/files/search-tree.ts';
import { fileToolsSetting, plant } from './file-tools-setting.ts';

describe('search_files', () => {
  test('looks for the text as it stands, in files with a place and a name', async () => {
    const { workspace, call } = await fileToolsSetting();
    await plant(workspace, { 'a.md': 'one (1)\ntwo\nThree (1)', 'b/c.txt': '\ufeff(1)\r\n', '.git/x': '(1)' });
    expect((await call('search_files', { pattern: '(1)' })).forLlm).toBe(
      '[3 lines in 2 files]\na.md:1: one (1)\na.md:3: Three (1)\nb/c.txt:1: (1)',
    );
    expect((await call('search_files', { pattern: '(1)', files: '*.txt' })).forLlm).toBe(
      '[1 line in 1 file]\nb/c.txt:1: (1)',
    );
    expect((await call('search_files', { pattern: 'three', path: 'a.md', ignore_case: true })).forLlm).toBe(
      '[1 line in 1 file]\na.md:3: Three (1)',
    );
    expect((await call('search_files', { pattern: 'three' })).forLlm).toBe('[no line matches; 2 files searched]');
    expect((await call('search_files', { pattern: '^t\\w+$', is_regex: true })).forLlm).toBe(
      '[1 line in 1 file]\na.md:2: two',
    );
  });

  test('shows the lines around, once each, and divides what is apart', async () => {
    const { workspace, call } = await fileToolsSetting();
    const lines = Array.from({ length: 12 }, (_, index) => ([1, 3, 10].includes(index) ? 'hit' : `line ${index + 1}`));
    await plant(workspace, { 'a.txt': lines.join('\n'), 'b.txt': 'hit' });
    expect((await call('search_files', { pattern: 'hit', context: 1 })).forLlm.split('\n')).toEqual([
      '[4 lines in 2 files]',
      'a.txt-1- line 1',
      'a.txt:2: hit',
      'a.txt-3- line 3',
      'a.txt:4: hit',
      'a.txt-5- line 5',
      '--',
      'a.txt-10- line 10',
      'a.txt:11: hit',
      'a.txt-12- line 12',
      '--',
      'b.txt:1: hit',
    ]);
  });

  test('counts what is beyond the limit, and cuts long lines around the match', async () => {
    const { workspace, call } = await fileToolsSetting({ maxResults: 2 });
    await plant(workspace, { 'a.txt': `${'x'.repeat(5000)}hit${'y'.repeat(5000)}\nhit\rforged\nhit`, 'b.txt': 'hit' });
    const [note, long, second, ...rest] = (await call('search_files', { pattern: 'hit' })).forLlm.split('\n');
    expect(note).toBe('[the first 2 of 4 lines in 2 files, from 1 file; give a narrower pattern]');
    expect(long).toMatch(/^a\.txt:1: …x{100}hity{197}…$/);
    expect(second).toBe('a.txt:2: hit\\rforged');
    expect(rest).toEqual([]);
  });

  test('passes over what is binary, too large, has another name elsewhere, or is a link', async () => {
    const { folder, workspace, call } = await fileToolsSetting({ maxFileBytes: 1000 });
    await plant(folder, { 'secret.txt': 'hit' });
    await plant(workspace, { 'nul.bin': 'hit\0', 'large.txt': 'hit'.repeat(400), 'small.txt': 'hit' });
    await writeFile(join(workspace, 'latin1.txt'), Buffer.from([0xfc, 0x68, 0x69, 0x74]));
    await link(join(folder, 'secret.txt'), join(workspace, 'hard.txt'));
    await symlink(join(folder, 'secret.txt'), join(workspace, 'link.txt'));
    expect((await call('search_files', { pattern: 'hit' })).forLlm).toBe(
      '[1 line in 1 file]\nsmall.txt:1: hit\n[files passed over: 2 binary, 1 above 1000 bytes, 1 that may not be read]',
    );
  });

  test('ends an expression that would take for ever, and what runs beside it goes on', async () => {
    const { workspace, call } = await fileToolsSetting({ timeout: 1500 });
    await plant(workspace, { 'a.txt': `${'a'.repeat(60)}!` });
    const begun = performance.now();
    let turns = 0;
    const counting = setInterval(() => turns++, 10);
    const output = await call('search_files', { pattern: '^(a+)+$', is_regex: true });
    clearInterval(counting);
    expect(output).toMatchObject({ isError: true, forLlm: expect.stringContaining('took longer than 1.5 s') });
    expect(performance.now() - begun).toBeLessThan(4000);
    expect(turns).toBeGreaterThan(50);
  });

  test('gives what it found when most of the time is over', async () => {
    const { workspace } = await fileToolsSetting();
    await plant(workspace, { 'a.txt': 'hit' });
    const args = { pattern: 'hit', path: '.', context: 0, is_regex: false, ignore_case: false };
    const order = { root: workspace, rules: {}, args, maxResults: 10, maxFileBytes: 100 };
    expect((await searchTree({ ...order, timeout: 0 })).text).toBe(
      '[no line matches; 0 files searched]\n[the time was over before all files were searched: search a smaller part]',
    );
    expect((await searchTree({ ...order, timeout: 10_000 })).text).toBe('[1 line in 1 file]\na.txt:1: hit');
  });

  test.each([
    [{ pattern: '(', is_regex: true }, 'cannot be read'],
    [{ pattern: 'a\nb' }, 'a line end'],
    [{ pattern: 'a', path: '../x' }, 'outside the workspace'],
    [{ pattern: 'a', path: 'absent' }, 'does not exist'],
    [{ pattern: 'a', files: '../*' }, 'leads outside'],
  ])('says why it does not search for %j', async (args, message) => {
    const { call } = await fileToolsSetting();
    expect(await call('search_files', args)).toMatchObject({ isError: true, forLlm: expect.stringContaining(message) });
  });
});
