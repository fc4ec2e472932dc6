import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
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
    [{ pattern: '/etc/*' }, 'leads outside'],
    [{ pattern: '*', path: '..' }, 'outside the workspace'],
    [{ pattern: '*', path: 'link' }, 'outside the workspace'],
    [{ pattern: '*', path: 'absent' }, 'does not exist'],
    [{ pattern: '{a,b}'.repeat(30) }, 'too many alternatives'],
  ])('says why it does not look for %j', async (args, message) => {
    const { workspace, call } = await fileToolsSetting();
    await symlink('/etc', join(workspace, 'link'));
    expect(await call('find_files', args)).toMatchObject({ isError: true, forLlm: expect.stringContaining(message) });
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
