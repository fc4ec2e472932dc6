import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGlob } from '../../../../src/tools/builtin/files/glob.ts';
import { searchTree } from '../../../../src/tools/builtin/files/search-tree.ts';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { errorSaying, listed } from '../../setting.ts';
import { fileToolsSetting, plant } from './file-tools-setting.ts';

describe('find_files', () => {
  test('lists what matches by path, with sizes, and does not follow links', async () => {
    const { workspace, call } = await fileToolsSetting();
    await plant(workspace, { 'b.md': 'x'.repeat(1500), 'a/c.md': '', 'a/d.txt': '', 'z/two\nlines.md': 'x' });
    await symlink('/etc', join(workspace, 'etc.md'));
    await symlink('a', join(workspace, 'again'));
    expect((await call('find_files', { pattern: '*.md' })).forLlm).toBe(
      'a/c.md  0 bytes\nb.md  1.5 KB\netc.md@\nz/two ⏎ lines.md  1 byte',
    );
    expect((await call('find_files', { pattern: './*', path: 'a' })).forLlm).toBe('a/c.md  0 bytes\na/d.txt  0 bytes');
    expect((await call('find_files', { pattern: '*.txt', path: 'again' })).forLlm).toBe('a/d.txt  0 bytes');
    expect((await call('find_files', { pattern: 'b*', path: 'b.md' })).forLlm).toBe('b.md  1.5 KB');
  });

  test('passes over what tools made for themselves, unless it is named', async () => {
    const { workspace, call } = await fileToolsSetting();
    await plant(workspace, { '.git/config': '', 'node_modules/x/config': '', '.keyturn/config': '', 'a/config': '' });
    expect((await call('find_files', { pattern: 'config' })).forLlm).toBe('a/config  0 bytes');
    expect((await call('find_files', { pattern: '**/.git/*' })).forLlm).toBe('.git/config  0 bytes');
    expect((await call('find_files', { pattern: 'config', path: 'node_modules' })).forLlm).toBe(
      'node_modules/x/config  0 bytes',
    );
    expect((await call('find_files', { pattern: 'absent' })).forLlm).toBe(
      '[no file matches absent; .git, node_modules and .keyturn are passed over unless they are named]',
    );
  });

  test('stops at the limit and says so', async () => {
    const { workspace, call } = await fileToolsSetting({ maxResults: 2 });
    await plant(workspace, { a: '', b: '' });
    expect((await call('find_files', { pattern: '*' })).forLlm).toBe('a  0 bytes\nb  0 bytes');
    await plant(workspace, { c: '' });
    expect((await call('find_files', { pattern: '*' })).forLlm).toBe(
      '[the first 2 files; there are more: give a narrower pattern or path]\na  0 bytes\nb  0 bytes',
    );
  });

  test.each([
    [{ pattern: '../*' }, 'leads outside'],
    [{ pattern: '*', path: '..' }, 'outside the workspace'],
    [{ pattern: '*', path: 'link' }, 'outside the workspace'],
    [{ pattern: '*', path: 'absent' }, 'does not exist'],
    [{ pattern: '{a,b}'.repeat(30) }, 'too many alternatives'],
  ])('says why it does not look for %j', async (args, message) => {
    const { workspace, call } = await fileToolsSetting();
    await symlink('/etc', join(workspace, 'link'));
    expect(await call('find_files', args)).toEqual(errorSaying(message));
  });

  test('does not look into folders that lie too deep, and says so', async () => {
    const { workspace, call } = await fileToolsSetting();
    await plant(workspace, { [`${'d/'.repeat(70)}x`]: '', [`${'d/'.repeat(60)}x`]: '' });
    expect((await call('find_files', { pattern: 'x' })).forLlm).toBe(
      `${'d/'.repeat(60)}x  0 bytes\n[folders that could not be opened, or lie too deep: 1]`,
    );
  });

  test('lets others have their turn, and ends when it is told to', async () => {
    const { workspace } = await fileToolsSetting();
    for (let folder = 0; folder < 4; folder++) {
      await mkdir(join(workspace, `${folder}`));
      const names = Array.from({ length: 500 }, (_, index) => [`${folder}/${index}`, ''] as const);
      await plant(workspace, Object.fromEntries(names));
    }
    const controller = new AbortController();
    let [turns, met, isOver] = [0, 0, false];
    const others = (async () => {
      for (; !isOver; turns++) await setImmediate();
    })();
    const walk = (): Promise<unknown> =>
      workspaces()(workspace).walk(
        '.',
        () => (++met === 1500 ? controller.abort(new Error('enough')) : undefined) ?? 'on',
        controller.signal,
      );
    await expect(walk()).rejects.toThrow('enough');
    isOver = true;
    await others;
    expect(met).toBe(1500);
    expect(turns).toBeGreaterThan(20);
  });
});

function glob(pattern: string): Exclude<ReturnType<typeof parseGlob>, string> {
  const parsed = parseGlob(pattern);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

function matches(pattern: string, path: string): boolean {
  return glob(pattern).matches(path.split('/'));
}

describe('a pattern for names of files', () => {
  const fitting = listed`*.md for a.md ¦ *.md for deep/er/a.md ¦ ./*.md for a.md ¦ docs/*.md for docs/a.md
      ¦ docs/**/*.md for docs/a.md ¦ docs/**/*.md for docs/b/c/a.md ¦ docs/ for docs/b/c ¦ docs/** for docs/b/c
      ¦ ** for a/b ¦ * for .hidden ¦ ?.txt for ä.txt ¦ ?.txt for 😀.txt ¦ [a-c]x for bx ¦ [^a-c]x for dx
      ¦ []]x for ]x ¦ [x for [x ¦ {a,b{c,d}}.ts for bd.ts ¦ {docs,src}/**/*.{md,txt} for src/x/y.txt
      ¦ a{b}c for a{b}c ¦ a{b for a{b ¦ \*.md for *.md ¦ a**b for axxb ¦ {a,}b for b`;
  const others = listed`./*.md for deep/a.md ¦ docs/*.md for docs/b/a.md ¦ docs/** for docs ¦ ?.txt for .txt
      ¦ [!a-c]x for bx ¦ {a,b{c,d}}.ts for b.ts ¦ \*.md for x.md ¦ A.md for a.md`;

  test.each([...fitting, ...others])('%s', (pair) => {
    const [pattern = '', path = ''] = pair.split(' for ');
    expect(matches(pattern, path)).toBe(fitting.includes(pair));
  });

  test('means what the pattern matcher of Node means', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]', '**', '/');
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
    const patterns = fc
      .array(part, { minLength: 1, maxLength: 8 })
      .map((parts) => `x/${parts.join('')}`.replace(/\/+/g, '/').replace(/\*{3,}/g, '**'))
      // Next to other characters two stars are one; after a slash at the end Node has no opinion.
      .filter((pattern) => !pattern.endsWith('/') && !/[^/]\*\*|\*\*[^/]/.test(pattern));
    fc.assert(
      fc.property(patterns, fc.array(name, { minLength: 1, maxLength: 3 }), (pattern, names) => {
        const way = ['x', ...names];
        expect(glob(pattern).matches(way)).toBe(matchesGlob(way.join('/'), pattern));
      }),
      { seed: 5, numRuns: 2000 },
    );
  });

  test('is not looked for where it cannot be', () => {
    const { mayHold } = glob('src/*/deep/*.ts');
    expect([['src'], ['src', 'any'], ['src', 'any', 'deep']].map(mayHold)).toEqual([true, true, true]);
    expect([['docs'], ['src', 'any', 'flat'], ['src', 'a', 'deep', 'er']].map(mayHold)).toEqual([false, false, false]);
    expect(glob('*.ts').mayHold(['any', 'where'])).toBe(true);
  });

  test.each([
    ['../*', /leads outside/],
    ['a/../../*', /leads outside/],
    ['{a,..}/x', /leads outside/],
    ['/etc/*', /leads outside/],
    ['~/x', /leads outside/],
    ['~root/*', /leads outside/],
    ['C:\\*', /leads outside/],
    ['a\0b', /NUL/],
    ['/', /leads outside/],
    ['.', /names no file/],
    ['x'.repeat(501), /too long/],
    ['{a,b}'.repeat(30), /too many alternatives/],
    [`{${'a,'.repeat(200)}}`, /too many alternatives/],
    ['{'.repeat(100) + 'a,b'.repeat(60), undefined],
  ])('%j is told what is wrong with it, at once', (pattern, message) => {
    const parsed = parseGlob(pattern);
    if (message === undefined) expect(parsed).not.toBeTypeOf('string');
    else expect(parsed).toMatch(message);
  });

  test.each([
    [`${'*a'.repeat(100)}b`, 'a'.repeat(255)],
    [`${'**/a/'.repeat(90)}b`, `${'a/'.repeat(2000)}c`],
    [`${'?*'.repeat(200)}x`, 'a'.repeat(255)],
    ['{*a*a*a*a*b,*a*a*a*a*c}'.repeat(6), 'a'.repeat(255)],
  ])('that is made to take for ever comes to an end: %j', (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });
});

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
    await writeFile(join(workspace, 'latin1.txt'), Buffer.from([0x67, 0xfc, 0x74, 0x20, 0x68, 0x69, 0x74]));
    await link(join(folder, 'secret.txt'), join(workspace, 'hard.txt'));
    await symlink(join(folder, 'secret.txt'), join(workspace, 'link.txt'));
    expect((await call('search_files', { pattern: 'hit' })).forLlm).toBe(
      '[2 lines in 2 files]\nlatin1.txt:1: güt hit\nsmall.txt:1: hit\n[files passed over: 1 binary, 1 above 1000 bytes, 1 that may not be read]',
    );
  });

  test('ends an expression that would take for ever, and what runs beside it goes on', async () => {
    const { workspace, call } = await fileToolsSetting({ timeout: 1500 });
    await plant(workspace, { 'a.txt': `${'a'.repeat(60)}!` });
    let turns = 0;
    const counting = setInterval(() => turns++, 10);
    const output = await call('search_files', { pattern: '^(a+)+$', is_regex: true });
    clearInterval(counting);
    expect(output).toEqual(errorSaying('took longer than 1.5 s'));
    // On this thread they would have waited until it was over.
    expect(turns).toBeGreaterThan(2);
  });

  test('gives what it found when most of the time is over', async () => {
    const { workspace } = await fileToolsSetting();
    await plant(workspace, { 'a.txt': 'hit' });
    const args = { pattern: 'hit', path: '.', context: 0, is_regex: false, ignore_case: false };
    const order = { root: workspace, rules: {}, args, maxResults: 10, maxFileBytes: 100 };
    expect((await searchTree({ ...order, timeout: 0 })).forLlm).toBe(
      '[no line matches; 0 files searched]\n[the time was over before all files were searched: search a smaller part]',
    );
    expect((await searchTree({ ...order, timeout: 10_000 })).forLlm).toBe('[1 line in 1 file]\na.txt:1: hit');
  });

  test.each([
    [{ pattern: '(', is_regex: true }, 'cannot be read'],
    [{ pattern: 'a\nb' }, 'a line end'],
    [{ pattern: 'a', path: '../x' }, 'outside the workspace'],
    [{ pattern: 'a', path: 'absent' }, 'does not exist'],
    [{ pattern: 'a', files: '../*' }, 'leads outside'],
  ])('says why it does not search for %j', async (args, message) => {
    const { call } = await fileToolsSetting();
    expect(await call('search_files', args)).toEqual(errorSaying(message));
  });
});
