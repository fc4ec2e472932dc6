import { link, mkdir, readdir, readFile, rename, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspaceWords } from '../../../../src/tools/guard/workspace/words.ts';
import { workspaceSetting } from './workspace-setting.ts';

const say = workspaceWords.en;

describe.each([true, false])('a held file (by handle: %s)', (byHandle) => {
  test('is read by the path that the work gets, with its name and size', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    await workspace.write('docs/report.txt', 'hallo');
    await symlink('docs/report.txt', join(root, 'latest'));
    const told = workspace.withFile('latest', 100, async ({ path, name, size }) => [
      await readFile(path, 'utf8'),
      name,
      size,
    ]);
    expect(await told).toEqual(['hallo', 'report.txt', 5]);
  });

  test('is refused if it is too large, has a second name, or lies outside', async () => {
    const { root, outside, workspace } = await workspaceSetting(byHandle);
    await workspace.write('large.txt', 'x'.repeat(101));
    await link(join(outside, 'secret.txt'), join(root, 'hard.txt'));
    await symlink(join(outside, 'secret.txt'), join(root, 'soft.txt'));
    const read = (path: string): Promise<string> =>
      workspace.withFile(path, 100, (file) => readFile(file.path, 'utf8'));
    await expect(read('large.txt')).rejects.toThrow(
      say.tooLargeToRead({ path: '"large.txt"', size: '101 bytes', most: '100 bytes' }),
    );
    await expect(read('hard.txt')).rejects.toThrow(say.hardLink({ path: '"hard.txt"', toRead: true }));
    await expect(read('soft.txt')).rejects.toThrow('outside the workspace');
    await expect(read('.')).rejects.toThrow('is a directory');
  });

  test('passes on what the work throws', async () => {
    const { workspace } = await workspaceSetting(byHandle);
    await workspace.write('a.txt', 'x');
    const failing = workspace.withFile('a.txt', 100, async () => {
      throw new Error('no connection');
    });
    await expect(failing).rejects.toThrow('no connection');
  });
});

test('a file that is held stays the one that was checked, whatever takes its name', async () => {
  const { root, outside, workspace } = await workspaceSetting(true);
  await workspace.write('a.txt', 'checked');
  const content = await workspace.withFile('a.txt', 100, async ({ path }) => {
    await rename(join(root, 'a.txt'), join(root, 'b.txt'));
    await symlink(join(outside, 'secret.txt'), join(root, 'a.txt'));
    await unlink(join(root, 'b.txt'));
    await writeFile(join(root, 'b.txt'), 'another');
    return readFile(path, 'utf8');
  });
  expect(content).toBe('checked');
});

const bytes = Buffer.from('what came in');

describe.each([true, false])('a file that is added (by handle: %s)', (byHandle) => {
  test('gets its folder, and only its owner can read it', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    expect(await workspace.add('received/1-a.txt', bytes)).toBe('received/1-a.txt');
    expect(await readFile(join(root, 'received/1-a.txt'), 'utf8')).toBe('what came in');
    const { mode, nlink } = await stat(join(root, 'received/1-a.txt'));
    expect([mode & 0o777, nlink]).toEqual([0o600, 1]);
    expect(await readdir(join(root, 'received'))).toEqual(['1-a.txt']);
  });

  test('is never seen before it is complete', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    const sizes = new Set<number>();
    const adds = (async () => {
      for (let number = 0; number < 40; number += 1) await workspace.add(`${number}.txt`, bytes);
      return true;
    })();
    for (let isOver = false; !isOver; isOver = await Promise.race([adds, Promise.resolve(false)]))
      for (const name of await readdir(root)) if (!name.startsWith('.')) sizes.add((await stat(join(root, name))).size);
    expect([...sizes]).toEqual([bytes.length]);
  });

  test('never takes a name that another one has taken meanwhile', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    const texts = Array.from({ length: 8 }, (_, index) => `file ${index}`);
    const names = await Promise.all(texts.map((text) => workspace.add('a.txt', Buffer.from(text))));
    expect(await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')))).toEqual(texts);
    expect((await readdir(root)).sort()).toEqual(names.toSorted());
  });

  test('exists once, however often it is added', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    await workspace.add('received/1-a.txt', bytes);
    expect(await workspace.add('received/1-a.txt', bytes)).toBe('received/1-a.txt');
    expect(await readdir(join(root, 'received'))).toEqual(['1-a.txt']);
  });

  test('overwrites nothing', async () => {
    const { root, outside, workspace } = await workspaceSetting(byHandle);
    await mkdir(join(root, 'received'));
    await writeFile(join(root, 'received/1-a.txt'), 'somebody else');
    await mkdir(join(root, 'received/1-a-2.txt'));
    await symlink(join(outside, 'secret.txt'), join(root, 'received/1-a-3.txt'));
    expect(await workspace.add('received/1-a.txt', bytes)).toBe('received/1-a-4.txt');
    expect(await readFile(join(root, 'received/1-a.txt'), 'utf8')).toBe('somebody else');
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('does not leave the workspace through a link, in place of the folder or the file', async () => {
    const { root, outside, workspace } = await workspaceSetting(byHandle);
    await symlink(outside, join(root, 'received'));
    await expect(workspace.add('received/1-a.txt', bytes)).rejects.toThrow('outside the workspace');
    await symlink(join(outside, 'new.txt'), join(root, '1-b.txt'));
    await expect(workspace.add('1-b.txt', bytes)).rejects.toThrow('outside the workspace');
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  test('goes where a link inside the workspace leads, and says so', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    await mkdir(join(root, 'inbox'));
    await symlink('inbox', join(root, 'received'));
    expect(await workspace.add('received/1-a.txt', bytes)).toBe('inbox/1-a.txt');
  });

  test('does not reuse a file of the same content that has a second name and so cannot be read', async () => {
    const { root, workspace } = await workspaceSetting(byHandle);
    await writeFile(join(root, 'other.txt'), bytes);
    await mkdir(join(root, 'received'));
    await link(join(root, 'other.txt'), join(root, 'received/1-a.txt'));
    expect(await workspace.add('received/1-a.txt', bytes)).toBe('received/1-a-2.txt');
    expect(await workspace.read('received/1-a-2.txt')).toEqual(bytes);
  });
});
