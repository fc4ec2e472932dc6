import { chmod, link, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Surveyed } from '../../../../src/tools/guard/workspace/survey.ts';
import type { Workspace } from '../../../../src/tools/guard/workspace/workspace.ts';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../../../src/tools/guard/workspace/workspace-error.ts';
import { workspaceSetting as setting } from './workspace-setting.ts';

/** What a survey finds, by its path: its kind, and its content as a text. */
async function found(workspace: Workspace, limit = 1_000): Promise<Readonly<Record<string, string | undefined>>> {
  const all: Record<string, string | undefined> = {};
  const visit = ({ state, read }: Surveyed): void => {
    all[state.path] = state.type === 'file' ? read(limit)?.toString() : state.type;
  };
  await workspace.survey({ most: 1_000, skips: (path) => path === 'skipped', visit });
  return all;
}

describe.each([
  ['with open-file paths', true],
  ['without open-file paths', false],
])('a survey of a workspace %s', (_way, byHandle) => {
  test('finds files, folders and links, follows none, and reads what is small, has one name and is not private', async () => {
    const { root, workspace } = await setting(byHandle);
    for (const name of await readdir(root)) expect(Object.keys(await found(workspace))).toContain(name);
    await mkdir(join(root, 'deep/er'), { recursive: true });
    await mkdir(join(root, 'skipped'));
    await writeFile(join(root, 'skipped/x.txt'), 'x');
    await writeFile(join(root, 'deep/er/a.txt'), 'a');
    await writeFile(join(root, 'large.txt'), 'x'.repeat(1_001));
    await writeFile(join(root, 'one.txt'), '1');
    await link(join(root, 'one.txt'), join(root, 'two.txt'));
    await symlink('/etc', join(root, 'out'));
    const all = await found(workspace);
    expect(all).toMatchObject({ deep: 'directory', 'deep/er/a.txt': 'a', out: 'link' });
    expect([all['large.txt'], all['one.txt'], all['two.txt']]).toEqual([undefined, undefined, undefined]);
    expect(Object.keys(all).filter((path) => path.startsWith('out/') || path.startsWith('skipped'))).toEqual([]);
  });

  test('sees nothing that is private', async () => {
    const { root } = await setting(byHandle);
    await mkdir(join(root, 'data'));
    await writeFile(join(root, 'data/keyturn.db'), 'secret');
    const guarded = workspaces({ privatePaths: [join(root, 'data')] }, byHandle)(root);
    expect(Object.keys(await found(guarded)).filter((path) => path.startsWith('data'))).toEqual([]);
    expect(await guarded.look(['data/keyturn.db'], 100)).toEqual([undefined]);
  });

  test('ends when there is too much', async () => {
    const { root, workspace } = await setting(byHandle);
    for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(root, name), name);
    let count = 0;
    const visit = (): void => {
      count += 1;
    };
    expect(await workspace.survey({ most: 2, skips: () => false, visit })).toBe(false);
    expect(count).toBe(2);
  });

  test('leaves no access time', async () => {
    const { root, workspace } = await setting(byHandle);
    const path = join(root, 'a.txt');
    await writeFile(path, 'a');
    await utimes(path, 0, 0);
    expect((await found(workspace))['a.txt']).toBe('a');
    expect((await workspace.look(['a.txt'], 100))[0]?.content?.toString()).toBe('a');
    expect((await stat(path)).atimeMs).toBe(0);
  });
});

describe('what is put back', () => {
  test('has the permissions that are asked for, also in place of a file that is read-only', async () => {
    const { root, workspace } = await setting(true);
    await writeFile(join(root, 'a.txt'), 'new');
    await chmod(join(root, 'a.txt'), 0o444);
    await workspace.putBack('a.txt', Buffer.from('old'), 0o754);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('old');
    expect((await stat(join(root, 'a.txt'))).mode & 0o777).toBe(0o754);
  });

  test('goes through no link, and neither does a removal', async () => {
    const { root, workspace } = await setting(true);
    await mkdir(join(root, 'real'));
    await writeFile(join(root, 'real/a.txt'), 'mine');
    await symlink('real', join(root, 'way'));
    await symlink('real/a.txt', join(root, 'link'));
    for (const path of ['way/a.txt', 'link', '../x']) {
      await expect(workspace.putBack(path, Buffer.from('old'), 0o600)).rejects.toThrow(WorkspaceError);
      await expect(workspace.remove(path)).rejects.toThrow(WorkspaceError);
    }
    expect(await readFile(join(root, 'real/a.txt'), 'utf8')).toBe('mine');
  });

  test('removes no folder with something in it', async () => {
    const { root, workspace } = await setting(true);
    await mkdir(join(root, 'full'));
    await writeFile(join(root, 'full/a.txt'), 'a');
    await workspace.remove('full');
    expect(await readdir(join(root, 'full'))).toEqual(['a.txt']);
    await workspace.remove('full/a.txt');
    await workspace.remove('full');
    expect(await readdir(root)).not.toContain('full');
  });
});
