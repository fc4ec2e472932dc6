import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { lockData } from '../../src/store/examine.ts';
import { openStore } from '../../src/store/index.ts';
import { DataLockedError } from '../../src/store/store-error.ts';
import { storeWords } from '../../src/store/words.ts';
import { newFolder } from '../support/new-folder.ts';

/** Another process that holds the lock. */
async function otherProcess(folder: string): Promise<ChildProcess> {
  const module = JSON.stringify(join(import.meta.dirname, '../../src/store/examine.ts'));
  const program = `import { lockData } from ${module};
    process.once('SIGTERM', lockData(${JSON.stringify(folder)}));
    process.stdout.write('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a second process is refused, in words that name the first', async () => {
  const folder = await newFolder();
  const { pid } = await otherProcess(folder);
  expect(() => lockData(folder)).toThrow(DataLockedError);
  expect(() => lockData(folder)).toThrow(storeWords.en.locked({ process: `${pid}`, folder }));
});

test('the lock of a process that was killed is taken over', async () => {
  const folder = await newFolder();
  const child = await otherProcess(folder);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const unlock = lockData(folder);
  expect(() => lockData(folder)).toThrow(storeWords.en.locked({ process: `${process.pid}`, folder }));
  unlock();
});

test('a lock that was given back can be taken, and other folders are free all the time', async () => {
  const [folder, other] = [await newFolder(), join(await newFolder(), 'new')];
  const unlock = lockData(folder);
  lockData(other)();
  unlock();
  lockData(folder)();
});

test('a folder that cannot be used is told to be that', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'keyturn.pid'));
  for (const unusable of [join(folder, 'file'), folder])
    expect(() => lockData(unusable)).toThrow(
      storeWords.en.unusableFolder({ folder: unusable, reason: '' }).split('.')[0],
    );
});

test('whose lock it is, is not known where that is written nowhere', async () => {
  const folder = await newFolder();
  const unlock = lockData(folder);
  await rm(join(folder, 'keyturn.pid'));
  expect(() => lockData(folder)).toThrow(storeWords.en.locked({ process: undefined, folder }));
  unlock();
});

test('a database that another program has open is left alone, though nobody holds the lock', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  await openStore(file).close();
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.prepare('SELECT count(*) FROM identity').get();
  expect(() => openStore(file)).toThrow(DataLockedError);
  other.close();
  await openStore(file).close();
});
