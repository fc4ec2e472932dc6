import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFeatures } from '../../src/daemon/command-menu.ts';
import { verifyData } from '../../src/store/backup/verify-data.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newFolder } from '../support/new-folder.ts';
import { type DiskImage, PlayedDisk } from '../support/power/disk.ts';
import { readRecordings, recordingInto } from '../support/power/recording.ts';
import { SeededRandom } from '../support/random.ts';
import { rowsOf } from '../support/store-setting.ts';
import { isThorough } from '../support/thorough.ts';
import { answer } from './numbered-tasks.ts';
import { faultsOf, recorderEnds } from './power-deeds.ts';
import { TelegramSetting } from './telegram-setting.ts';

const seed = Number(process.env.KEYTURN_SEED ?? (isThorough ? Date.now() % 100_000 : 4711));
const plan = { count: isThorough ? 300 : 8, seed };
const files = isThorough ? 8 : 2;

const saved = `SELECT name, path FROM attachments WHERE state = 'saved'`;

test('a file that is noted as received is there and whole, and none stands half under its name', async () => {
  const recording = join(await newFolder(), 'recording');
  await using setting = await TelegramSetting.start({ under: recordingInto(recording) });
  const { telegram, daemon, model } = setting;
  model.otherwise(answer);
  const chat = setting.newOwner();
  const random = new SeededRandom(seed);
  const sent = new Map<string, Buffer>();
  for (let count = 0; count < files; count += 1) {
    const name = `letter-${count}.bin`;
    const bytes = Buffer.from(Array.from({ length: 9000 }, () => random.integer(0, 255)));
    sent.set(name, bytes);
    telegram.people.send(chat, { type: 'document', bytes, name }, { caption: `#${count} talk` });
    await telegram.waitFor(() => setting.said(chat).some((words) => words.includes(` #${count}`)), {
      what: `an answer to ${name}`,
    });
  }
  await setting.allNoted();
  await daemon.stop();
  await recorderEnds(recording);
  const workspace = daemon.workspace;
  const there: DiskImage = new Map([daemon.folder, workspace].map((path) => [path, 'folder' as const]));
  const deeds = { folder: daemon.folder, recorded: readRecordings([recording]), there };
  expect(faultsIn(daemon.folder, sent)).toEqual([]);
  // The recording has them, too.
  const disk = new PlayedDisk(deeds.folder, deeds.recorded, there);
  disk.playTo(Number.POSITIVE_INFINITY);
  const played = [...disk.content()].filter(([path]) => sent.has(basename(path)));
  expect(played.map(([path, bytes]) => [basename(path), bytes])).toEqual([...sent]);
  expect(rowsOf(join(daemon.dataDir, 'keyturn.db'), saved)).toHaveLength(files);
  const faults = await faultsOf(deeds, plan, async (folder) => {
    if (!existsSync(join(folder, 'data'))) return [];
    await openDatabase(join(folder, 'data/keyturn.db'), await loadFeatures()).close();
    verifyData(join(folder, 'data'), await loadFeatures());
    return faultsIn(folder, sent);
  });
  expect(faults).toEqual([]);
});

function faultsIn(folder: string, sent: ReadonlyMap<string, Buffer>): readonly string[] {
  const workspace = join(folder, 'workspace');
  const isWhole = (path: string, name: string): boolean =>
    existsSync(path) && sent.get(name)?.equals(readFileSync(path)) === true;
  const noted = rowsOf(join(folder, 'data/keyturn.db'), saved)
    .filter(({ name, path }) => !isWhole(join(workspace, String(path)), String(name)))
    .map(({ path }) => `${path} is noted, and not whole`);
  const named = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith('letter-'))
    .filter(({ parentPath, name }) => !isWhole(join(parentPath, name), name))
    .map(({ name }) => `${name} is half there`);
  return [...noted, ...named];
}
