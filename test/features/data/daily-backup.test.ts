import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDailyBackup } from '../../../src/features/data/daily-backup.ts';
import { dataWords } from '../../../src/features/data/words.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { wordsIn } from '../../../src/lib/words.ts';
import { verifyBackup } from '../../../src/store/backup/read-backup.ts';
import { workerProcesses } from '../../../src/tools/guard/worker/run-in-worker.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { newStore } from '../../support/store-setting.ts';
import { waitUntil } from '../../support/wait-for.ts';

const look = 11 * 60_000;
const day = 86_400_000;

const folderOf = (it: DaemonSetting): string => join(it.folder, 'data/backups');
const backupsOf = (it: DaemonSetting): readonly string[] =>
  existsSync(folderOf(it)) ? readdirSync(folderOf(it)).filter((name) => name.endsWith('.gz')) : [];

/** Lets time pass until that is so. */
function inTime<Found>(it: DaemonSetting, found: () => Found) {
  return waitUntil(found, { meanwhile: () => it.clock.waits.includes(look) && it.clock.advance(look) });
}

test('one backup a day is made, and as many are kept as the config says', async () => {
  const it = await daemonSetting({ config: { data: { backups: 2 } } });
  await it.channel.say('hello');
  await it.channel.whenIdle();
  mkdirSync(folderOf(it), { recursive: true });
  writeFileSync(join(folderOf(it), 'keyturn-2001-01-01T000000.tar.gz'), 'made by hand');
  writeFileSync(join(folderOf(it), 'keyturn-2001-01-01.tar.gz'), 'old');
  const daily = () => backupsOf(it).filter((name) => /\d\d-\d\d\.tar/.test(name));
  await inTime(it, () => daily().length === 2);
  const [, first = ''] = daily();
  const { manifest } = await verifyBackup(join(folderOf(it), first), []);
  expect(manifest.files.map(({ name }) => name)).toContain('data/keyturn.db');
  await it.clock.waitsFor(look);
  it.clock.advance(day - look);
  await inTime(it, () => daily().length === 2 && !daily().includes('keyturn-2001-01-01.tar.gz'));
  expect(daily()[0]).toBe(first);
  expect(backupsOf(it)).toContain('keyturn-2001-01-01T000000.tar.gz');
});

test('none is made if the config wants none, and from an edit on if it does', async () => {
  const it = await daemonSetting({ config: { data: { backups: 0 } } });
  for (let looks = 0; looks < 140; looks += 1) await it.clock.passes(look);
  expect(backupsOf(it)).toEqual([]);
  await it.edit({ data: { backups: 1 } });
  await inTime(it, () => backupsOf(it).length === 1);
});

test('owners are told once that it cannot be made, and that it works again', async () => {
  const it = await daemonSetting({ config: { data: { backups: 1 } } });
  await it.channel.say('hello');
  await it.channel.whenIdle();
  writeFileSync(folderOf(it), 'no folder');
  const told = (words: string) => it.channel.screen.filter(({ text }) => text.includes(words)).length;
  const [failed = ''] = dataWords.en.backupFailed({ why: '' }).split(':');
  await inTime(it, () => told(failed) > 0);
  for (let looks = 0; looks < 12; looks += 1) await it.clock.passes(look);
  expect(told(failed)).toBe(1);
  rmSync(folderOf(it));
  await inTime(it, () => told(dataWords.en.backupWorks) === 1);
  expect(backupsOf(it)).toHaveLength(1);
  expect(readFileSync(join(folderOf(it), backupsOf(it)[0] ?? '')).length).toBeGreaterThan(1000);
});

test('a folder with the name of an old backup is none of them: it stays, and all goes on', async () => {
  const it = await daemonSetting({ config: { data: { backups: 1 } } });
  await it.channel.say('hello');
  await it.channel.whenIdle();
  mkdirSync(join(folderOf(it), 'keyturn-2001-01-01.tar.gz'), { recursive: true });
  const old = 'keyturn-2001-01-02.tar.gz';
  writeFileSync(join(folderOf(it), old), 'old');
  await inTime(it, () => !backupsOf(it).includes(old));
  const [first = ''] = backupsOf(it).filter((name) => !name.includes('2001'));
  await it.clock.waitsFor(look);
  it.clock.advance(day);
  await inTime(it, () => backupsOf(it).length === 2 && !backupsOf(it).includes(first));
  expect(backupsOf(it)).toContain('keyturn-2001-01-01.tar.gz');
});

test('that old ones cannot be removed is told once, rejects nothing, and stands in the health until it works', async () => {
  const { file } = await newStore();
  const folder = join(file, '..', 'backups');
  const told: string[] = [];
  let isTaken = true;
  const backup = createDailyBackup({
    dataFolder: join(file, '..'),
    most: () => 1,
    clock: systemClock,
    ending: new AbortController().signal,
    redact: (text) => text,
    tellOwners: (words) => told.push(wordsIn('en', words)),
    // Somebody moves the folder away right after a backup is made.
    log: { ...silentLog, info: () => isTaken && rmSync(folder, { recursive: true }) },
    runInWorker: workerProcesses({ clock: systemClock, most: 1 }),
  });
  for (const today of ['2026-03-01', '2026-03-02']) await backup.make(today);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(dataWords.en.oldStay({ folder: '', why: '' }).slice(0, 30));
  expect(backup.fault()).toBeDefined();
  isTaken = false;
  for (const today of ['2026-03-03', '2026-03-04']) await backup.make(today);
  expect(readdirSync(folder)).toEqual(['keyturn-2026-03-04.tar.gz']);
  expect([told.length, backup.fault()]).toEqual([1, undefined]);
});
