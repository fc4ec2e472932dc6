/* The data as it lies on the disk, while nobody works with it: looked at from outside, as to open it may change it. */

import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jsonCopy, valueAt } from '../../../lib/json.ts';
import { migrations } from '../../../store/migrations.ts';
import { type CheckContext, doubt, fault, type Problem, type Seen, said } from '../check.ts';
import { dataWords } from './words.ts';

const name = 'database';
/** How SQLite begins its files: https://www.sqlite.org/fileformat.html */
const magic = 'SQLite format 3\0';
const headerLength = 100;

/** Whether the database is one, whole, and of a version that this program knows; and whether there is a backup of late. */
export async function checkDatabase({ dataFolder, isRunning, loaded, clock }: CheckContext): Promise<Seen | undefined> {
  const file = join(dataFolder, 'keyturn.db');
  if (!existsSync(dataFolder)) return undefined;
  const state: Seen['state'] = (language) => dataWords[language].sound;
  if (!existsSync(file)) {
    const left = leftIn(dataFolder);
    if (left.length === 0) return undefined;
    return { name, state, problems: [fault(said((language) => dataWords[language].gone, { file, left }))] };
  }
  const fileProblems = isRunning ? [] : headerProblems(file);
  const wanted = loaded === undefined ? 0 : valueAt(jsonCopy(loaded.config), ['data', 'backups']);
  const backups =
    fileProblems.length > 0 || wanted === 0 || wanted === undefined
      ? []
      : backupProblems(dataFolder, file, clock.now());
  return { name, state, problems: [...fileProblems, ...backups] };
}

/** What a start would take for the rest of a database that is gone. */
function leftIn(folder: string): readonly string[] {
  return ['keyturn.db-wal', 'keyturn.db.numbers', 'files', 'device-files', 'config-history'].filter((one) =>
    existsSync(join(folder, one)),
  );
}

function headerProblems(file: string): readonly Problem[] {
  const header = beginningOf(file);
  const { size } = statSync(file);
  if (size === 0) return [fault(said((language) => dataWords[language].empty, { file }))];
  if (header.length < headerLength || header.toString('latin1', 0, magic.length) !== magic)
    return [fault(said((language) => dataWords[language].noDatabase, { file }))];
  // Until the log is taken in, the header may be older than the data.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return [];
  const schema = header.readUInt32BE(60);
  const known = migrations.length;
  if (schema > known) return [fault(said((language) => dataWords[language].newer, { file, schema, known }))];
  const pageSize = header.readUInt16BE(16);
  const bytes = (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28);
  return size < bytes ? [fault(said((language) => dataWords[language].cut, { file, size, bytes }))] : [];
}

function beginningOf(file: string): Buffer {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(headerLength);
    return bytes.subarray(0, readSync(opened, bytes, 0, headerLength, 0));
  } finally {
    closeSync(opened);
  }
}

const day = 86_400_000;
/** One is made each day; a machine may be off for some. */
const mostDays = 4;

/** What was not used since needs no new backup. */
function backupProblems(dataFolder: string, file: string, now: number): readonly Problem[] {
  const { birthtimeMs, mtimeMs } = statSync(file);
  const folder = join(dataFolder, 'backups');
  const files = existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith('.tar.gz')) : [];
  const isNone = files.length === 0;
  const since = isNone ? birthtimeMs : Math.max(...files.map((one) => statSync(join(folder, one)).mtimeMs));
  const days = Math.floor((now - since) / day);
  // Some systems do not know when a file was made.
  if (since === 0 || days < mostDays || mtimeMs - since < day) return [];
  return [doubt(said((language) => dataWords[language].backupOld, { days, isNone, folder }))];
}
