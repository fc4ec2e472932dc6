import { copyFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { dataWords } from '../../../src/cli/doctor/data/words.ts';
import { processWords } from '../../../src/cli/doctor/process/words.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { examine, problemsOf, type Row, type Setup, testRows } from './setups.ts';

const inData = ({ folder }: { readonly folder: string }): string => join(folder, 'data');
const database = ({ folder }: { readonly folder: string }): string => join(folder, 'data', 'keyturn.db');

/** The first page of a database that says this of itself. */
function header({ schema = 1, pages = 1 }): Buffer {
  const page = Buffer.alloc(4096);
  page.write('SQLite format 3\0', 'latin1');
  page.writeUInt16BE(4096, 16);
  page.writeUInt32BE(pages, 28);
  page.writeUInt32BE(schema, 60);
  return page;
}

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

function agedBackup(days: number) {
  return (folder: string): void => {
    copyFileSync(inject('emptyDatabase') ?? '', join(folder, 'data', 'keyturn.db'));
    utimesSync(join(folder, 'data/backups/keyturn-2026-03-30.tar.gz'), daysAgo(days), daysAgo(days));
  };
}

function withoutData(folder: string): void {
  rmSync(join(folder, 'data'), { recursive: true });
}

const backup = { 'data/backups/keyturn-2026-03-30.tar.gz': 'x' };

const rows: readonly Row[] = [
  [
    'a data folder of another user',
    { facts: { owner: 1001 } },
    (language, at) => {
      const values = { folder: inData(at), owner: 1001, user: 1000 };
      const { what, mend } = dataWords[language].otherOwner;
      return { check: 'folders', what: what(values), mend: mend(values) };
    },
  ],
  [
    'a data folder of another user, looked at by root',
    { facts: { user: 0 } },
    (language, at) => ({
      check: 'folders',
      what: dataWords[language].otherOwner.what({ folder: inData(at), owner: 1000, user: 0 }),
    }),
  ],
  ...['EACCES', 'EPERM'].map(
    (code): Row => [
      `a data folder without write permission (${code})`,
      { facts: { refusal: code } },
      (language, at) => ({
        check: 'folders',
        what: dataWords[language].notWritable.what({ folder: inData(at), code }),
        mend: dataWords[language].notWritable.mend({ folder: inData(at), code }),
      }),
    ],
  ),
  [
    'a workspace without write permission',
    { config: { workspace: './desk' }, facts: { refusal: 'EACCES' } },
    (language, { folder }) => ({
      check: 'folders',
      what: dataWords[language].notWritable.what({ folder: join(folder, 'desk'), code: 'EACCES' }),
    }),
  ],
  [
    'a read-only disk',
    { facts: { refusal: 'EROFS' } },
    (language, at) => ({
      check: 'folders',
      what: dataWords[language].readOnly.what({ folder: inData(at), code: 'EROFS' }),
    }),
  ],
  ...(
    [
      [0x6969, 'NFS'],
      [0xff534d42, 'CIFS'],
      [0x01021997, '9p'],
    ] as const
  ).map(
    ([fileSystem, kind]): Row => [
      `data on ${kind}`,
      { facts: { fileSystem } },
      (language, at) => ({
        check: 'folders',
        what: dataWords[language].remoteDisk.what({ folder: inData(at), kind }),
      }),
    ],
  ),
  [
    'a disk that takes no more files',
    { facts: { freeFiles: 3 } },
    (language, at) => ({
      check: 'folders',
      what: dataWords[language].noFilesLeft.what({ folder: inData(at), left: 3 }),
    }),
  ],
  [
    'a database that is gone',
    { files: { 'data/config-history/001790000000000.json': '{}' } },
    (language, at) => ({
      check: 'database',
      what: dataWords[language].gone.what({ file: database(at), left: ['config-history'] }),
    }),
  ],
  [
    'a database that is gone, with its log and its files',
    { files: { 'data/keyturn.db-wal': 'x', 'data/files/1': 'x' } },
    (language, at) => ({
      check: 'database',
      what: dataWords[language].gone.what({ file: database(at), left: ['keyturn.db-wal', 'files'] }),
    }),
  ],
  [
    'a database that a full disk has left empty',
    { files: { 'data/keyturn.db': '' } },
    (language, at) => ({ check: 'database', what: dataWords[language].empty.what({ file: database(at) }) }),
  ],
  [
    'a database overwritten by something else',
    { files: { 'data/keyturn.db': 'PK\u0003\u0004'.padEnd(300, 'x') } },
    (language, at) => ({ check: 'database', what: dataWords[language].noDatabase.what({ file: database(at) }) }),
  ],
  [
    'a database of a newer version',
    { files: { 'data/keyturn.db': header({ schema: migrations.length + 3 }) } },
    (language, at) => ({
      check: 'database',
      what: dataWords[language].newer.what({
        file: database(at),
        schema: migrations.length + 3,
        known: migrations.length,
      }),
    }),
  ],
  [
    'a database whose end is missing',
    { files: { 'data/keyturn.db': header({ pages: 9 }) } },
    (language, at) => ({
      check: 'database',
      what: dataWords[language].cut.what({ file: database(at), size: 4096, bytes: 9 * 4096 }),
    }),
  ],
  [
    'a backup that is too old',
    { files: backup, prepare: agedBackup(9) },
    (language) => ({
      check: 'database',
      what: dataWords[language].backupOld.what({ days: 9, isNone: false, folder: '' }),
    }),
  ],
  ['root', { user: 0 }, (language) => ({ check: 'user', what: processWords[language].asRoot.what() })],
  ...['Mars/Phobos', 'Peking', 'UTC+8 hours'].map(
    (zone): Row => [
      `the time zone ${zone}`,
      { env: { TZ: zone } },
      (language) => ({ check: 'user', what: processWords[language].unknownZone.what({ zone }) }),
    ],
  ),
];

testRows(rows);

test.each([
  ['a new data folder', {}],
  [
    'a data folder that is not there yet, above which another user has all',
    { facts: { owner: 0 }, prepare: withoutData },
  ],
  ['a database with a backup of today', { files: backup, prepare: agedBackup(0) }],
  ['an old backup where none are wanted', { config: { data: { backups: 0 } }, files: backup, prepare: agedBackup(9) }],
  [
    'a log that is not taken in yet',
    {
      files: { 'data/keyturn.db': header({ pages: 9 }) },
      prepare: (folder: string) => writeFileSync(join(folder, 'data/keyturn.db-wal'), 'x'),
    },
  ],
  ['a time zone by its file', { env: { TZ: ':/etc/localtime' } }],
  ['a time zone by its name', { env: { TZ: 'Asia/Shanghai' } }],
])('%s is in order', async (_what, setup: Setup) => {
  const { reports } = await examine(setup, 'en');
  const problems = ['folders', 'database', 'user'].flatMap((check) => problemsOf(reports, check));
  expect(problems).toEqual([]);
});
