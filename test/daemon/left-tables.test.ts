import { join } from 'node:path';
import { expect, test } from 'vitest';
import { features } from '../../src/features/index.ts';
import { leftFeaturesIn } from '../../src/store/left-tables.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { rowsOf, tamperWith } from '../support/store-setting.ts';
import { type LogLine, recordingLog } from '../tools/setting.ts';

test('a start says which features have tables and are not there, and leaves these as they are', async () => {
  const lines: LogLine[] = [];
  const setting = await daemonSetting({ log: recordingLog(lines) });
  const said = () => lines.filter(({ message }) => message.startsWith('the database has tables of features'));
  expect(said()).toEqual([]);
  await setting.stop();
  const file = join(setting.folder, 'data', 'keyturn.db');
  tamperWith(file, `CREATE TABLE songs (title TEXT); INSERT INTO feature_steps (feature, step) VALUES ('singing', 7)`);
  await setting.start();
  expect(said()).toEqual([expect.objectContaining({ level: 'warn', fields: { features: ['singing'] } })]);
  await setting.stop();
  expect(rowsOf(file, `SELECT step FROM feature_steps WHERE feature = 'singing'`)).toEqual([{ step: 7 }]);
  expect(rowsOf(file, 'SELECT * FROM songs')).toEqual([]);
});

test('tables whose feature got another name are not said to be left, before a start has noted the new one either', async () => {
  const setting = await daemonSetting();
  await setting.stop();
  const file = join(setting.folder, 'data', 'keyturn.db');
  tamperWith(file, `UPDATE feature_steps SET feature = 'extensions' WHERE feature = 'trust'; PRAGMA user_version = 16`);
  expect(rowsOf(file, `SELECT step FROM feature_steps WHERE feature = 'extensions'`)).not.toEqual([]);
  const present = await Promise.all(features.map((load) => load()));
  expect(await leftFeaturesIn(file, present)).toEqual([]);
  expect(await leftFeaturesIn(file, [])).toContain('trust');
});
