import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { workspaceWords } from '../../../../src/tools/guard/workspace/words.ts';
import {
  liesInWorkspace,
  type Visit,
  type Workspace,
  workspaces,
} from '../../../../src/tools/guard/workspace/workspace.ts';
import { DaemonSetting } from '../../../support/daemon-setting.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { useTool } from '../../../support/use-tool.ts';

const say = workspaceWords.en;

/** A workspace that contains the config, its `.env` and the data folder of the daemon. */
async function setting(byHandle: boolean) {
  const root = await newFolder();
  await mkdir(join(root, 'data/inner'), { recursive: true });
  await writeFile(join(root, 'data/keyturn.db'), 'private');
  await writeFile(join(root, 'config.json'), 'private');
  await writeFile(join(root, 'notes.txt'), 'mine');
  const privatePaths = ['config.json', '.env', 'data'].map((name) => join(root, name));
  return { root, workspace: workspaces({ privatePaths }, byHandle)(root) };
}

async function namesIn(workspace: Workspace): Promise<readonly string[]> {
  const names: string[] = [];
  const { signal } = new AbortController();
  const note: Visit = ({ path }) => {
    names.push(path);
    return 'on';
  };
  await workspace.walk('.', note, signal);
  return names;
}

describe.each([true, false])('what belongs to the daemon itself (by handle: %s)', (byHandle) => {
  const own = 'config.json ./data/../config.json .env data data/keyturn.db data/inner/new data/inner';
  test.each(own.split(' '))('is not for tools, though the workspace contains it: %s', async (path) => {
    const { root, workspace } = await setting(byHandle);
    for (const work of [
      () => workspace.read(path),
      () => workspace.write(path, 'x'),
      () => workspace.add(path, Buffer.from('x')),
      () => workspace.list(path, 10),
      () => workspace.walk(path, () => 'on', new AbortController().signal),
      () => workspace.withFile(path, 100, async () => 'read'),
    ]) {
      await expect(work()).rejects.toThrow(say.isPrivate({ path: `"${path}"` }));
    }
    expect((await readdir(root)).sort()).toEqual(['config.json', 'data', 'notes.txt']);
    expect(await readdir(join(root, 'data/inner'))).toEqual([]);
    expect(await readFile(join(root, 'config.json'), 'utf8')).toBe('private');
    expect((await workspace.read('notes.txt')).toString()).toBe('mine');
  });

  test('is not reached by links of either kind', async () => {
    const { root, workspace } = await setting(byHandle);
    await symlink('data', join(root, 'soft'));
    await symlink(join(root, 'config.json'), join(root, 'soft.json'));
    await link(join(root, 'config.json'), join(root, 'hard.json'));
    await link(join(root, 'data/keyturn.db'), join(root, 'hard.db'));
    for (const path of ['soft/keyturn.db', 'soft', 'soft.json', 'hard.json']) {
      await expect(workspace.read(path)).rejects.toThrow(say.isPrivate({ path: `"${path}"` }));
      await expect(workspace.write(path, 'x')).rejects.toThrow(say.isPrivate({ path: `"${path}"` }));
    }
    await expect(workspace.read('hard.db')).rejects.toThrow(say.hardLink({ path: '"hard.db"', toRead: true }));
  });

  test('is the same when its path leads through a link', async () => {
    const root = await newFolder();
    const away = await newFolder();
    await mkdir(join(root, 'real'));
    await writeFile(join(root, 'real/keyturn.db'), 'private');
    await symlink(join(root, 'real'), join(away, 'data'));
    const privatePaths = [join(away, 'data'), join(away, 'data/later/.env')];
    const workspace = workspaces({ privatePaths }, byHandle)(root);
    await expect(workspace.read('real/keyturn.db')).rejects.toThrow(say.isPrivate({ path: '"real/keyturn.db"' }));
    const file = workspaces({ privatePaths: [join(away, 'data/.env')] }, byHandle)(root);
    await expect(file.write('real/.env', 'x')).rejects.toThrow(say.isPrivate({ path: '"real/.env"' }));
    await file.write('real/other', 'x');
  });

  test('is not met by a walk, not even under another name', async () => {
    const { root, workspace } = await setting(byHandle);
    await symlink('data', join(root, 'soft'));
    expect(await namesIn(workspace)).toEqual(['notes.txt', 'soft']);
  });

  test('does not hide a workspace that lies in it', async () => {
    const data = await newFolder();
    await mkdir(join(data, 'workspace'));
    const workspace = workspaces({ privatePaths: [data] }, byHandle)(join(data, 'workspace'));
    await workspace.write('notes.txt', 'mine');
    expect((await workspace.read('notes.txt')).toString()).toBe('mine');
    await expect(workspace.read('../keyturn.db')).rejects.toThrow('outside the workspace');
  });

  test('may not be the workspace', async () => {
    const data = await newFolder();
    await expect(workspaces({ privatePaths: [data] }, byHandle)(data).read('x')).rejects.toThrow('Keyturn itself');
  });
});

test('if a disk ignores case and normalisation, so does the guard', async () => {
  const { workspace } = await setting(false);
  for (const path of ['CONFIG.json', '.ENV', 'Data/keyturn.db']) {
    await expect(workspace.write(path, 'x')).rejects.toThrow(say.isPrivate({ path: `"${path}"` }));
  }
});

test('on Linux such names are different', async () => {
  const { root, workspace } = await setting(true);
  await workspace.write('CONFIG.json', 'mine');
  await workspace.write('re\u0301sume\u0301.txt', 'one');
  await workspace.write('r\u00e9sum\u00e9.txt', 'other');
  expect((await workspace.read('re\u0301sume\u0301.txt')).toString()).toBe('one');
  expect(await readFile(join(root, 'config.json'), 'utf8')).toBe('private');
});

test('a folder whose name begins with two dots is in the workspace of that name', async () => {
  const base = await newFolder();
  const template = join(base, '{chat}/work');
  expect(await liesInWorkspace(join(base, '..x/work/plugin'), template)).toBe(true);
  expect(await liesInWorkspace(join(base, '../x/work/plugin'), template)).toBe(false);
});

test('a config that lies in the workspace reaches no tool and no chat', async () => {
  const folder = await newFolder();
  const config = join(folder, 'workspace/config.json');
  const setting = new DaemonSetting(folder, { privatePaths: [config, join(folder, 'workspace/.env')] });
  onTestFinished(() => setting.stop());
  await mkdir(join(folder, 'workspace'));
  await writeFile(config, '{"token": "canary"}');
  await writeFile(join(folder, 'workspace/.env'), 'TOKEN=canary');
  await setting.start();
  for (const [tool, path] of [
    ['read_file', 'config.json'],
    ['read_file', './x/../.env'],
    ['send_file', 'config.json'],
  ] as const) {
    expect(await useTool(setting, tool, { path })).toContain(say.isPrivate({ path: `"${path}"` }));
  }
  expect(JSON.stringify([setting.channel.screen, setting.model.requests])).not.toContain('canary');
});
