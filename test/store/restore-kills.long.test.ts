import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRestoring } from '../../src/store/backup/backup-format.ts';
import { makeBackup } from '../../src/store/backup/make-backup.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

const sources = join(import.meta.dirname, '../../src/store/backup');

async function newData(messages: number, picture: string): Promise<string> {
  const { store, file } = await newStore();
  const folder = join(file, '..');
  for (let count = 0; count < messages; count += 1)
    await store.inbox.accept(said(originOf('ada', direct('test')), `message ${count}`));
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(folder, 'files', 'a'), picture);
  await store.close();
  return folder;
}

/** Ends the process itself by SIGKILL before the step of this number; prints it. */
async function restoreIn(folder: string, archive: string, last: number) {
  const script = `import { restoreBackup, finishRestore } from '${join(sources, 'restore.ts')}';
    let steps = 0;
    const before = (step) => { if (++steps === ${last}) { process.kill(process.pid, 'SIGKILL'); for (;;); } };
    await restoreBackup({ archive: '${archive}', dataFolder: '${folder}', features: [], at: 0, before });`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: 'inherit' });
  const [, signal] = await once(child, 'close');
  return signal === 'SIGKILL';
}

test('a restore that is killed at any step is the old folder or the new one, and the next start knows which', async () => {
  const source = await newData(3, 'new');
  const archive = join(await newFolder(), 'backup.tar.gz');
  const order = { dataFolder: source, target: archive, replaces: false, config: undefined, secrets: undefined, at: 0 };
  await makeBackup(order);
  let kills = 0;
  for (let last = 1; ; last += 1) {
    const folder = await newData(7, 'old');
    const isKilled = await restoreIn(folder, archive, last);
    const hasBegun = isRestoring(folder);
    const inPlace = rowsOf.bind(undefined, join(folder, 'keyturn.db'), 'SELECT seq FROM inbox');
    const isNew = hasBegun || inPlace().length === 3;
    // As a start does.
    const script = `import { finishRestore } from '${join(sources, 'restore.ts')}'; finishRestore('${folder}');`;
    const [code] = await once(spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]), 'close');
    expect(code).toBe(0);
    expect(inPlace()).toHaveLength(isNew ? 3 : 7);
    expect(readFileSync(join(folder, 'files/a'), 'utf8')).toBe(isNew ? 'new' : 'old');
    expect(readdirSync(folder).filter((name) => name.startsWith('restor'))).toEqual([]);
    if (!isKilled) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(8);
});
