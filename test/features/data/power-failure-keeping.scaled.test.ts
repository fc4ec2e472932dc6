import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { configCommandWords } from '../../../src/cli/commands/config/words.ts';
import { keepGood, keptVersions } from '../../../src/config/last-good.ts';
import { loadFeatures } from '../../../src/daemon/command-menu.ts';
import { makeBackup } from '../../../src/store/backup/make-backup.ts';
import { verifyBackup } from '../../../src/store/backup/read-backup.ts';
import { verifyData } from '../../../src/store/backup/verify-data.ts';
import { forgetPerson } from '../../../src/store/forget-person.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { keptPath } from '../../../src/tools/output.ts';
import { faultsOf, recordCommand, recordKeeping, toldUntil } from '../../e2e/power-deeds.ts';
import { direct } from '../../support/deed.ts';
import { newFolder } from '../../support/new-folder.ts';
import { newStore, originOf, rowsOf, said, tamperWith } from '../../support/store-setting.ts';
import { isThorough, sampled } from '../../support/thorough.ts';
import { keep, keptFrom } from './keeping.ts';

const seed = Number(process.env.KEYTURN_SEED ?? (isThorough ? Date.now() % 100_000 : 4711));
/** So many power failures in each. */
const plan = { count: isThorough ? 150 : 8, seed };
const databases = join(import.meta.dirname, '../../store/databases');
const fileIn = (folder: string): string => join(folder, 'data/keyturn.db');

/** A folder with data in which so many messages stand, a workspace and a config. */
async function newHome(messages: number): Promise<string> {
  const folder = await newFolder();
  for (const name of ['data', 'workspace']) mkdirSync(join(folder, name));
  const { store, file } = await newStore();
  for (let count = 0; count < messages; count += 1)
    await store.inbox.accept(said(originOf('ada', direct('test')), `the words of ada ${count}`, 1));
  await store.close();
  copyFileSync(file, fileIn(folder));
  writeConfig(folder, {});
  return folder;
}

function writeConfig(folder: string, config: object): string {
  const text = JSON.stringify({ data_dir: './data', workspace: './workspace', ...config });
  writeFileSync(join(folder, 'config.json'), text);
  return text;
}

const turnOf = (id: number, principal: string, at: number): string =>
  `INSERT INTO turns (id, conversation_id, run_id, principal, kind, seen_seq, parts, input_tokens, output_tokens, created_at)
     SELECT ${id}, min(id), 'r${id}', '${principal}', 'turn', 1, '[{"type":"text","text":"an answer for ${principal}"}]', 0, 0, ${at}
     FROM conversations;
   INSERT INTO calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, state, result)
     SELECT 'c${id}', ${id}, 0, min(id), 'r${id}', '${principal}', 'shell', '{}', 'done', 'stands in ${keptPath(`c${id}`)}'
     FROM conversations;`;

const countOf = (file: string, from: string): number => Number(rowsOf(file, `SELECT count(*) AS n FROM ${from}`)[0]?.n);

/** How many rows each table has, without what is noted about the schema itself. */
function countsOf(file: string): Readonly<Record<string, number>> {
  const tables = rowsOf(file, `SELECT name FROM sqlite_schema WHERE type = 'table'`).map(({ name }) => String(name));
  const own = tables.filter((name) => !['written_by', 'feature_steps'].includes(name));
  return Object.fromEntries(own.map((name) => [name, countOf(file, `"${name}"`)]));
}

/** What a start and a check say against the data, if anything. */
async function openedAgain(folder: string): Promise<readonly string[]> {
  await keep('open', folder);
  const { audit } = await verifyData(join(folder, 'data'), await loadFeatures());
  const lost = rowsOf(fileIn(folder), 'PRAGMA foreign_key_check');
  return [
    ...(audit.type === 'broken' || audit.type === 'cut' ? [`the audit is ${audit.type}`] : []),
    ...(lost.length === 0 ? [] : [`rows refer to what is gone: ${JSON.stringify(lost)}`]),
  ];
}

test.each(sampled([19, 1, 10], 3))('a start that brings the schema %i to the newest loses nothing', async (from) => {
  const folder = await newHome(0);
  writeFileSync(fileIn(folder), gunzipSync(readFileSync(join(databases, `${from}.db.gz`))));
  const before = countsOf(fileIn(folder));
  const deeds = await recordKeeping('open', folder);
  const copies = migrations.map((_, index) => index).filter((index) => index >= from);
  const faults = await faultsOf(deeds, plan, async (found) => {
    const opened = await openedAgain(found);
    const now = countsOf(fileIn(found));
    const fewer = Object.entries(before).filter(([table, rows]) => table in now && now[table] !== rows);
    return [
      ...opened,
      ...fewer.map(([table, rows]) => `${table} had ${rows} rows, and has ${now[table]}`),
      ...copies.flatMap((step) => faultOfCopy(`${fileIn(found)}.v${step}.bak`, step)),
    ];
  });
  expect(faults).toEqual([]);
});

/** The copy from before a step, once that is taken. */
function faultOfCopy(copy: string, step: number): readonly string[] {
  if (!existsSync(copy)) return [`no copy of the schema ${step}`];
  const [{ user_version: found } = {}] = rowsOf(copy, 'PRAGMA user_version');
  const [{ quick_check: health } = {}] = rowsOf(copy, 'PRAGMA quick_check(1)');
  return found === step && health === 'ok' ? [] : [`the copy of the schema ${step} is ${String(found)}, ${health}`];
}

test('what is too old goes with its files, or stays with its row, and the rest goes later', async () => {
  const folder = await newHome(isThorough ? 450 : 210);
  mkdirSync(join(folder, 'workspace/.keyturn/results'), { recursive: true });
  const old = [1, 2, 3, 4];
  tamperWith(fileIn(folder), 'UPDATE conversations SET is_open = 0');
  tamperWith(fileIn(folder), [...old, 5].map((id) => turnOf(id, 'test:ada', id === 5 ? keptFrom + 1 : 1)).join('\n'));
  for (const id of [...old, 5]) writeFileSync(join(folder, 'workspace', keptPath(`c${id}`)), 'a long result');
  const deeds = await recordKeeping('retention', folder);
  const faults = await faultsOf(deeds, plan, async (found) => {
    const opened = await openedAgain(found);
    const calls = new Set(rowsOf(fileIn(found), 'SELECT id FROM calls').map(({ id }) => `${id}.txt`));
    const files = () => readdirSync(join(found, 'workspace/.keyturn/results'));
    const half = files().filter((name) => !calls.has(name));
    await keep('retention', found);
    const rest = [countOf(fileIn(found), 'turns'), countOf(fileIn(found), 'calls'), countOf(fileIn(found), 'inbox')];
    return [
      ...opened,
      ...half.map((name) => `${name} belongs to no call`),
      ...(JSON.stringify([rest, files()]) === '[[1,1,1],["c5.txt"]]' ? [] : [`${rest} and ${files()} are left`]),
    ];
  });
  expect(faults).toEqual([]);
});

test('a person is forgotten as a whole, also in the bytes of the file, or not at all', async () => {
  const folder = await newHome(3);
  const words = 'INSERT INTO memory_words (rowid, words) VALUES';
  const memory = (seq: number, person: string, text: string): string =>
    `INSERT INTO memories (seq, id, principal, conversation_id, scope, digest, tags, stored_at, text)
       VALUES (${seq}, 'm${seq}', '${person}', 'test:team', 'everywhere', 'd', '[]', 1, 'likes ${text}'); ${words} (${seq}, '${text}');`;
  tamperWith(
    fileIn(folder),
    [turnOf(1, 'test:ada', 1), memory(1, 'test:ada', 'quinces'), memory(2, 'test:ben', 'walnuts')].join('\n'),
  );
  const before = countsOf(fileIn(folder));
  const deeds = await recordCommand(['forget', 'test:ada', '--yes', '--json'], folder);
  const faults = await faultsOf(deeds, plan, async (found, { place }) => {
    const opened = await openedAgain(found);
    const now = countsOf(fileIn(found));
    const isThere = now.turns === before.turns;
    const isHalf = isThere && JSON.stringify(now) !== JSON.stringify(before);
    const left = isThere ? [] : leftOfAda(found);
    const wasTold = toldUntil(deeds, place, '"accounts"');
    // Once more: nothing stands in the way, and nothing is left.
    const order = { dataFolder: join(found, 'data'), accounts: ['test:ada'], features: await loadFeatures(), at: 2 };
    await forgetPerson(order);
    return [
      ...opened,
      ...(isHalf ? [`half of ada is left: ${JSON.stringify(now)}`] : []),
      ...(isThere && wasTold ? ['ada is back'] : []),
      ...[...left, ...leftOfAda(found)].map((word) => `${word} is left in the file`),
      ...(countOf(fileIn(found), `memories WHERE text = 'likes walnuts'`) === 1 ? [] : ['ben has lost something']),
    ];
  });
  expect(faults).toEqual([]);
});

/** Words of hers that still stand somewhere in the data. */
function leftOfAda(folder: string): readonly string[] {
  const files = readdirSync(join(folder, 'data')).filter((name) => name.startsWith('keyturn.db'));
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(folder, 'data', name))));
  return ['the words of ada', 'an answer for test:ada', 'likes quinces', 'quinc'].filter((word) =>
    bytes.includes(word),
  );
}

test.each([
  ['works', { language: 'en', agent: { max_turns: 7 } }],
  ['does not work', { language: 'en', agent: { max_turns: 'seven' } }],
])('a rollback of a config that %s leaves the one or the other, and a copy of the former', async (_kind, config) => {
  const folder = await newHome(1);
  const former = writeConfig(folder, { language: 'en' });
  await keepGood(join(folder, 'data'), former, 1000);
  const present = writeConfig(folder, config);
  const deeds = await recordCommand(['config', 'rollback'], folder);
  const after = readFileSync(join(folder, 'config.json'), 'utf8');
  expect(JSON.parse(after)).toEqual(JSON.parse(former));
  const end = configCommandWords.en.wentBack({ file: '…', at: '…' }).split('…')[1] ?? '';
  expect(end.length).toBeGreaterThan(3);
  // Few deeds, so that each is met.
  const faults = await faultsOf(deeds, { ...plan, count: plan.count * 3 }, async (found, { place }) => {
    const text = readFileSync(join(found, 'config.json'), 'utf8');
    const versions = await keptVersions({ path: 'config.json', cwd: found, env: {} });
    const edits = join(found, 'config.json.edits');
    const names = existsSync(edits) ? readdirSync(edits, { withFileTypes: true }) : [];
    const copies = names.filter((one) => one.isFile()).map(({ name }) => readFileSync(join(edits, name), 'utf8'));
    const isKept = [...versions.map((version) => version.text), ...copies].includes(present);
    return [
      ...(await openedAgain(found)),
      ...(text === present || text === after ? [] : [`the config is neither: ${text}`]),
      ...(text === after && !isKept ? ['the former config is lost'] : []),
      ...(text === present && toldUntil(deeds, place, end) ? ['the rollback is lost'] : []),
    ];
  });
  expect(faults).toEqual([]);
});

test('while backups of days take each other’s place, a whole one is always there', async () => {
  const folder = await newHome(5);
  const first = join(folder, 'data/backups/keyturn-2001-01-01.tar.gz');
  const order = { replaces: false, config: undefined, secrets: undefined, at: 1 };
  await makeBackup({ ...order, dataFolder: join(folder, 'data'), target: first });
  const deeds = await recordKeeping('rotation', folder);
  const faults = await faultsOf(deeds, plan, async (found) => {
    const backups = join(found, 'data/backups');
    const names = readdirSync(backups).filter((name) => name.endsWith('.tar.gz'));
    const features = await loadFeatures();
    const torn: string[] = [];
    for (const name of names) await verifyBackup(join(backups, name), features).catch(() => torn.push(name));
    return [
      ...(await openedAgain(found)),
      ...torn.map((name) => `${name} is not whole`),
      ...(names.length > torn.length ? [] : ['no backup is left']),
    ];
  });
  expect(faults).toEqual([]);
});
