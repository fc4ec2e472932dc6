import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { loadFeatures } from '../../src/daemon/command-menu.ts';
import { makeBackup } from '../../src/store/backup/make-backup.ts';
import { finishRestore } from '../../src/store/backup/restore.ts';
import { openDatabase } from '../../src/store/open.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { PlayedDisk } from '../support/power/disk.ts';
import { type Recorded, readRecordings, recordingInto } from '../support/power/recording.ts';
import { SeededRandom } from '../support/random.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';
import { isThorough } from '../support/thorough.ts';
import { waitUntil } from '../support/wait-for.ts';
import { contentOf, failureOf, onDisk } from './power-images.ts';

/** How often the power fails at each deed. */
const failures = isThorough ? 25 : 1;

/** A data folder that nobody works with, with so many messages, and a file beside them that says how many. */
async function newData(messages: number): Promise<string> {
  const { store, file } = await newStore();
  for (let count = 0; count < messages; count += 1)
    await store.inbox.accept(said(originOf('ada', direct('test')), `number ${count}`));
  await store.close();
  mkdirSync(join(dirname(file), 'files', 'm1'), { recursive: true });
  writeFileSync(join(dirname(file), 'files', 'm1', '0'), String(messages));
  return dirname(file);
}

async function recordRestore(archive: string, dataFolder: string): Promise<readonly Recorded[]> {
  const [home, folder] = [await newFolder(), await newFolder()];
  writeFileSync(join(home, 'config.json'), JSON.stringify({ data_dir: dataFolder }));
  const start = resolve(import.meta.dirname, '../../src/start.js');
  const [program = '', ...under] = recordingInto(join(folder, 'restore'));
  const child = spawn(program, [...under, process.execPath, start, 'restore', archive, '--json'], {
    env: { PATH: process.env.PATH ?? '', KEYTURN_HOME: home },
  });
  const [stdout] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(stdout).toContain('before-restore-');
  await waitUntil(() => readFileSync(join(folder, 'restore'), 'latin1').includes(`${child.pid} `) && isOver(folder));
  return readRecordings([join(folder, 'restore')]);
}

function isOver(folder: string): boolean {
  const [last = ''] = readFileSync(join(folder, 'restore'), 'latin1').trimEnd().split('\n').slice(-1);
  return last.includes('+++ exited');
}

/** How many messages there are once a start has finished what was begun, and what the file beside them says. */
async function startedWith(folder: string): Promise<readonly unknown[]> {
  finishRestore(folder);
  await openDatabase(join(folder, 'keyturn.db'), await loadFeatures()).close();
  const [row] = rowsOf(join(folder, 'keyturn.db'), 'SELECT count(*) AS messages FROM inbox');
  return [row?.messages, Number(readFileSync(join(folder, 'files', 'm1', '0'), 'utf8'))];
}

test('whenever the power fails in a restore, the data are the old ones or those of the backup', async () => {
  const archive = join(await newFolder(), 'backup.tar.gz');
  const order = { replaces: false, config: undefined, secrets: undefined, at: Date.UTC(2026, 2, 30) };
  await makeBackup({ ...order, dataFolder: await newData(3), target: archive });
  const dataFolder = await newData(7);
  const there = contentOf(dataFolder);
  const recorded = await recordRestore(archive, dataFolder);
  const told = recorded.find(({ deed }) => deed.type === 'told' && deed.bytes.includes('before-restore-'));
  const own = recorded.filter(({ deed }) => deed.type !== 'told' && deed.path.startsWith(dataFolder));
  const disk = new PlayedDisk(dataFolder, recorded, there);
  const random = new SeededRandom(4711);
  const sides = new Set<unknown>();
  const broken: unknown[] = [];
  for (const { began } of own) {
    disk.playTo(began);
    for (let left = failures; left > 0; left -= 1) {
      const failure = failureOf(random);
      const image = disk.fail(failure, random);
      const found = await onDisk({ image }, dataFolder, startedWith).catch((error: unknown) => [String(error)]);
      sides.add(found[0]);
      const isWhole = found[0] === found[1] && (found[0] === 3 || (found[0] === 7 && began < (told?.began ?? 0)));
      if (!isWhole) broken.push({ began, failure, found });
    }
  }
  expect(broken).toEqual([]);
  expect(sides).toEqual(new Set([7, 3]));
  disk.playTo(Number.POSITIVE_INFINITY);
  expect(
    await onDisk(
      { image: disk.fail({ hasJournal: false, names: 'none', arrival: { type: 'none' } }, random) },
      dataFolder,
      startedWith,
    ),
  ).toEqual([3, 3]);
});
