import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { daemonEntry } from '../support/daemon-process.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

const root = resolve(import.meta.dirname, '../..');

test('the commands of docs/backup.md do what it says, one after the other', async () => {
  const page = readFileSync(join(root, 'docs/backup.md'), 'utf8');
  const commands = Array.from(page.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) =>
    block.trim().split('\n'),
  ).flat();
  expect(commands.length).toBeGreaterThanOrEqual(5);
  const [home, disk] = [await newFolder(), join(await newFolder(), 'disk')];
  const { store, file } = await newStore();
  await store.inbox.accept(said(originOf('ada', direct('test')), 'hello'));
  await store.close();
  for (const folder of [join(home, 'data'), disk]) mkdirSync(folder);
  writeFileSync(join(home, 'data/keyturn.db'), readFileSync(file));
  for (const command of commands) {
    const [program, ...words] = command.replaceAll('/mnt/disk', disk).split(' ');
    expect(program).toBe('keyturn');
    const env = { PATH: process.env.PATH, KEYTURN_HOME: home };
    const args = [daemonEntry(), ...words];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: home, env, encoding: 'utf8' });
    expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' });
  }
  expect(rowsOf(join(home, 'data/keyturn.db'), 'SELECT text FROM inbox')).toEqual([{ text: 'hello' }]);
});
