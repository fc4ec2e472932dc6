import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileWords } from '../../../../src/tools/builtin/files/words.ts';
import { builtinSetting, errorSaying, previewOf } from '../../setting.ts';

describe('read_file', () => {
  test('gives the lines with a note which they are', async () => {
    const { workspace, call } = await builtinSetting();
    await writeFile(join(workspace, 'a.txt'), '\ufeffone\ntwo\r\nthree\n');
    expect((await call('read_file', { path: 'a.txt' })).forLlm).toBe('[a.txt: lines 1 to 3 of 3]\none\ntwo\nthree');
    expect((await call('read_file', { path: 'a.txt', offset: '2', limit: 1 })).forLlm).toBe(
      '[a.txt: lines 2 to 2 of 3; to go on, use offset 3]\ntwo',
    );
    expect(await call('read_file', { path: 'a.txt', offset: 9 })).toMatchObject({
      isError: true,
      forLlm: 'a.txt has only 3 lines, so there is no line 9.',
    });
  });

  test('comes in parts that fit, cut at a line', async () => {
    const { workspace, call } = await builtinSetting();
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`);
    await writeFile(join(workspace, 'long.txt'), lines.join('\n'));
    let read = '';
    for (let offset: string | undefined = '1'; offset !== undefined; ) {
      const { forLlm }: { forLlm: string } = await call('read_file', { path: 'long.txt', offset });
      expect(forLlm).not.toContain('left out');
      offset = /use offset (\d+)\]/.exec(forLlm)?.[1];
      read += `${forLlm.slice(forLlm.indexOf('\n') + 1)}\n`;
    }
    expect(read.trimEnd().split('\n')).toEqual(lines);
  });

  test('says of other files what they are', async () => {
    const { workspace, call } = await builtinSetting();
    await writeFile(join(workspace, 'nul.bin'), 'a\0b');
    await writeFile(join(workspace, 'empty.txt'), '');
    expect(await call('read_file', { path: 'nul.bin' })).toEqual(errorSaying('a binary file of 3 bytes'));
    expect(await call('read_file', { path: 'empty.txt' })).toMatchObject({
      isError: false,
      forLlm: '[empty.txt is empty]',
    });
    expect(await call('read_file', { path: '../x' })).toEqual(errorSaying('outside the workspace'));
  });
});

describe('list_dir', () => {
  test('shows what is there, sorted, with kinds and sizes', async () => {
    const { workspace, call } = await builtinSetting();
    await mkdir(join(workspace, 'folder'));
    await symlink('/etc', join(workspace, 'link'));
    await writeFile(join(workspace, 'b.txt'), 'x'.repeat(1500));
    await writeFile(join(workspace, 'two\nlines'), '');
    expect((await call('list_dir', {})).forLlm).toBe('b.txt  1.5 KB\nfolder/\nlink@\ntwo ⏎ lines  0 bytes');
    expect((await call('list_dir', { path: 'folder' })).forLlm).toBe('[folder is empty]');
    expect(await call('list_dir', { path: 'link' })).toEqual(errorSaying('outside'));
  });

  test('stops at a thousand entries and says so', async () => {
    const { workspace, call } = await builtinSetting();
    const names = Array.from({ length: 1100 }, (_, index) => `f${String(index).padStart(4, '0')}`);
    await Promise.all(names.map((name) => writeFile(join(workspace, name), '')));
    const lines = (await call('list_dir', {})).forLlm.split('\n');
    expect(lines).toHaveLength(1001);
    expect(lines[0]).toBe('[the first 1000 of 1100 entries]');
  });
});

describe('write_file', () => {
  test('creates and overwrites, and says which', async () => {
    const { workspace, call } = await builtinSetting();
    expect(await call('write_file', { path: 'a/b.txt', content: 'ä' })).toEqual({
      forLlm: 'Created a/b.txt (2 bytes).',
      did: expect.any(Function),
      isError: false,
      isAsync: false,
    });
    expect((await call('write_file', { path: 'a/b.txt', content: '' })).forLlm).toBe('Overwrote a/b.txt (0 bytes).');
    expect(await readFile(join(workspace, 'a/b.txt'), 'utf8')).toBe('');
  });

  test('keeps content that looks like JSON or a boolean as it is', async () => {
    const { workspace, call } = await builtinSetting();
    await call('write_file', { path: 'a.json', content: '{"a":1}' });
    await call('write_file', { path: 'b', content: 'true' });
    expect(await readFile(join(workspace, 'a.json'), 'utf8')).toBe('{"a":1}');
    expect(await readFile(join(workspace, 'b'), 'utf8')).toBe('true');
  });

  test('tells an approver where and how much', async () => {
    const { prepare } = await builtinSetting();
    const line = async (path: string): Promise<string> =>
      (await prepare('write_file', { path, content: 'x'.repeat(1230) })).describe();
    expect(await line('notes.txt')).toBe('write notes.txt (1.2 KB)');
    expect(await line('[a](http://b)`\u202etxt')).toBe('write ``[a](http://b)`\\u202etxt`` (1.2 KB)');
  });
});

describe('edit_file', () => {
  async function editing(content: string) {
    const setting = await builtinSetting();
    const path = join(setting.workspace, 'notes.txt');
    await writeFile(path, content);
    return {
      ...setting,
      edit: async (args: Record<string, string | boolean>) =>
        await setting.call('edit_file', { path: 'notes.txt', ...args }),
      read: () => readFile(path, 'utf8'),
      preview: async (args: Record<string, string | boolean>) =>
        previewOf(await setting.prepare('edit_file', { path: 'notes.txt', ...args }), setting.workspace),
    };
  }

  test('replaces the one place, and takes nothing for a pattern', async () => {
    const { edit, read } = await editing('a $& b (c) b.\n');
    expect((await edit({ old_text: '(c)', new_text: '$& $1 $$' })).forLlm).toBe('Changed notes.txt.');
    expect(await read()).toBe('a $& b $& $1 $$ b.\n');
  });

  test('refuses what stands there more than once, and says where', async () => {
    const { edit, read } = await editing('x\nb\nx\nx x\n');
    const output = await edit({ old_text: 'x', new_text: 'y' });
    expect(output.isError).toBe(true);
    expect(output.forLlm).toContain('stands 4 times in the file, on lines 1, 3, 4.');
    expect(await read()).toBe('x\nb\nx\nx x\n');
    expect((await edit({ old_text: 'x', new_text: 'y', replace_all: 'true' })).forLlm).toBe(
      'Changed notes.txt in 4 places.',
    );
    expect(await read()).toBe('y\nb\ny\ny y\n');
  });

  test('shows what is near when it is not found', async () => {
    const { edit } = await editing('first\nif (a) {\n\treturn  1;\n}\nlast\n');
    const output = await edit({ old_text: 'if (a) {\n  return 1;\n}', new_text: 'x' });
    expect(output).toMatchObject({ isError: true });
    expect(output.forLlm).toMatch(
      /with other spaces or line ends begins on line 2[^\n]*\nif \(a\) \{\n\treturn {2}1;\n\}$/,
    );
    expect((await edit({ old_text: 'absent', new_text: 'x' })).forLlm).toContain(
      'old_text is not in the file. Read the file again',
    );
    expect((await edit({ old_text: 'last', new_text: 'last' })).forLlm).toContain('are the same');
  });

  test('keeps the line ends and the byte order mark of a Windows file', async () => {
    const { edit, read } = await editing('\ufeffa\r\nb\r\nc\r\n');
    await edit({ old_text: 'a\nb', new_text: 'x\ny\nz' });
    expect(await read()).toBe('\ufeffx\r\ny\r\nz\r\nc\r\n');
  });

  test('leaves a binary file and a missing one alone', async () => {
    const { edit, call } = await editing('a\0b');
    expect(await edit({ old_text: 'a', new_text: 'x' })).toEqual(errorSaying('binary file'));
    expect((await call('edit_file', { path: 'no.txt', old_text: 'a', new_text: 'b' })).forLlm).toContain(
      'does not exist',
    );
  });

  test('previews the change with line numbers and two lines around', async () => {
    const { preview, read } = await editing('1\n2\n3\n4\n5\n6\n7\n8\n');
    expect(await preview({ old_text: '4\n5', new_text: '4\nfour and a half\n5!' })).toBe(
      '```diff\n@@ -3,5 +3,6 @@\n 3\n 4\n-5\n+four and a half\n+5!\n 6\n 7\n```',
    );
    expect(await read()).toContain('4\n5\n');
  });

  test('previews every place, and counts on', async () => {
    const { preview } = await editing('a\n1\n2\n3\n4\n5\na a\n');
    expect(await preview({ old_text: 'a', new_text: 'b\nc', replace_all: true })).toBe(
      '```diff\n@@ -1,3 +1,4 @@\n-a\n+b\n+c\n 1\n 2\n@@ -5,3 +6,5 @@\n 4\n 5\n-a a\n+b\n+c b\n+c\n```',
    );
  });

  test('previews code fences safely, and what will fail as that', async () => {
    const { preview } = await editing('```js\nx\n```\n');
    expect(await preview({ old_text: 'x', new_text: '`' })).toMatch(/^````diff\n[\s\S]*\n````$/);
    expect(await preview({ old_text: 'absent', new_text: 'x' })).toBe(fileWords.en.willFail({ why: 'absent' }));
  });
});
