import { join } from 'node:path';
import { expect, test } from 'vitest';
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
