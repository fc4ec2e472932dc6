import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { dataCommandWords } from '../../src/cli/commands/data/words.ts';
import { configWords } from '../../src/config/words.ts';
import { languages } from '../../src/lib/words.ts';
import { backupWords } from '../../src/store/backup/words.ts';
import { lockData } from '../../src/store/examine.ts';
import { openDatabase } from '../../src/store/open.ts';
import { daemonEntry } from '../support/daemon-process.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, originOf, rowsOf, said, tamperWith } from '../support/store-setting.ts';

const secret = '7321:AAFakeTokenThatIsLongEnoughToCount12345';

/** Runs `keyturn` with these words, where this config is. */
function keyturn(home: string, args: readonly string[], language = 'en_GB.UTF-8') {
  const env = { PATH: process.env.PATH, KEYTURN_HOME: home, LANG: language, TZ: 'Europe/Berlin' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [daemonEntry(), ...args], {
    cwd: home,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A home with a config that has a literal secret, an .env file, and data. */
async function newHome(messages = 4): Promise<string> {
  const home = await newFolder();
  const data = join(home, 'data');
  mkdirSync(data);
  const { store, file } = await newStore();
  for (let count = 0; count < messages; count += 1)
    await store.inbox.accept(said(originOf('ada', direct('test')), `message ${count}`));
  const effect = store.effects.claim;
  await store.inbox.obey({
    origin: originOf('ada', direct('test')),
    name: 'claim',
    effect,
    answer: () => undefined,
    at: 5,
  });
  await store.close();
  writeFileSync(join(data, 'keyturn.db'), readFileSync(file));
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({ channels: { telegram: { enabled: true, token: secret } }, data_dir: './data' }),
  );
  writeFileSync(join(home, '.env'), 'OPENAI_API_KEY=sk-of-ada\n');
  return home;
}

const messagesIn = (home: string) => rowsOf(join(home, 'data/keyturn.db'), 'SELECT seq, text FROM inbox ORDER BY seq');

describe('keyturn backup, verify and restore', () => {
  test('make no folder that somebody named: the disk may not be mounted', async () => {
    const home = await newHome(1);
    const made = keyturn(home, ['backup', 'disk/mine.tar.gz']);
    expect(made.stderr.trim()).toBe(dataCommandWords.en.noBackupFolder({ folder: join(home, 'disk') }));
    expect(made.status).toBe(1);
    expect(existsSync(join(home, 'disk'))).toBe(false);
  });

  test('move all to another machine, without a secret unless that is wanted', async () => {
    const home = await newHome();
    const made = keyturn(home, ['backup', 'mine.tar.gz']);
    expect(made.stdout).toContain(join(home, 'mine.tar.gz'));
    expect(made.stdout).toContain(dataCommandWords.en.lacksSecrets);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const file = join(home, 'mine.tar.gz');
    const read = (name: string) => spawnSync('tar', ['-xzOf', file, name], { encoding: 'utf8' }).stdout;
    expect(read('config.json')).toContain('data_dir');
    expect(read('config.json')).not.toContain(secret);
    expect(read('.env')).toBe('');
    const verified = keyturn(home, ['verify', 'mine.tar.gz']);
    expect(verified.stdout).toContain(dataCommandWords.en.auditWhole({ rows: 2 }));
    expect(verified.status).toBe(0);

    const elsewhere = await newFolder();
    const restored = keyturn(elsewhere, ['restore', file]);
    expect(restored.stdout).toContain(dataCommandWords.en.setSecrets({ file: join(elsewhere, '.env') }));
    const lacking = { file: join(elsewhere, 'config.json'), keys: ['channels.telegram.token'] };
    expect(restored.stdout).toContain(dataCommandWords.en.lacking(lacking));
    expect(restored.status).toBe(0);
    expect(messagesIn(elsewhere)).toEqual(messagesIn(home));
    // The value is no token: a start would send it to the platform.
    const checked = keyturn(elsewhere, ['config', 'check']);
    expect(checked.stdout + checked.stderr).toContain(configWords.en.leftOut);
    expect(checked.status).not.toBe(0);
    expect(existsSync(join(elsewhere, 'config.json'))).toBe(true);
  });

  test.each([
    `{ "channels": { "telegram": { "token": } }, "api_key": "${secret}", }`,
    `{ "channels": { "telegram" "${secret}" } }`,
    `{ "a": 1 } { "token": "${secret}" }`,
  ])('leave a config with a fault out of a backup without secrets, and say so: %s', async (config) => {
    const home = await newHome(1);
    keyturn(home, ['backup', 'first.tar.gz']);
    writeFileSync(join(home, 'config.json'), config);
    const options = ['--config', 'config.json'];
    const made = keyturn(home, ['backup', 'mine.tar.gz', ...options]);
    expect(made.stdout).toContain(dataCommandWords.en.lacksConfig({ file: join(home, 'config.json') }));
    expect(made.status).toBe(0);
    const archive = gunzipSync(readFileSync(join(home, 'mine.tar.gz')));
    expect(archive.includes(secret)).toBe(false);
    expect(spawnSync('tar', ['-tzf', join(home, 'mine.tar.gz')], { encoding: 'utf8' }).stdout).not.toContain(
      'config.json',
    );
  });

  test('with secrets takes the config as it is, and .env, for its owner alone', async () => {
    const home = await newHome();
    const made = keyturn(home, ['backup', '--with-secrets', '--json']);
    const { file, has_secrets } = JSON.parse(made.stdout);
    expect(has_secrets).toBe(true);
    expect(readdirSync(join(home, 'data/backups'))).toHaveLength(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const elsewhere = await newFolder();
    const restored = keyturn(elsewhere, ['restore', file]);
    expect(restored.stdout).toContain(dataCommandWords.en.startAgain);
    for (const name of ['config.json', '.env']) {
      expect(readFileSync(join(elsewhere, name), 'utf8')).toBe(readFileSync(join(home, name), 'utf8'));
      expect(statSync(join(elsewhere, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('keep what is there: the config, and the former data beside', async () => {
    const home = await newHome(4);
    keyturn(home, ['backup', 'mine.tar.gz']);
    const other = await newHome(9);
    writeFileSync(join(other, 'config.json'), '{ "data_dir": "data", "locale": "zh-CN" }');
    const { stdout, status } = keyturn(other, ['restore', join(home, 'mine.tar.gz'), '--json']);
    expect(status).toBe(0);
    const { former, written } = JSON.parse(stdout);
    expect(written).toEqual([]);
    expect(readFileSync(join(other, 'config.json'), 'utf8')).toContain('zh-CN');
    expect(rowsOf(join(former, 'keyturn.db'), 'SELECT seq FROM inbox')).toHaveLength(10);
    expect(messagesIn(other)).toEqual(messagesIn(home));
  });

  test('write a missing .env also beside a config that is there, and say that another one was kept', async () => {
    const home = await newHome(1);
    keyturn(home, ['backup', 'mine.tar.gz', '--with-secrets']);
    const other = await newHome(2);
    const env = join(other, '.env');
    rmSync(env);
    const written = keyturn(other, ['restore', join(home, 'mine.tar.gz')]);
    expect(written.stdout).toContain(dataCommandWords.en.wroteSecrets({ file: env }));
    expect(readFileSync(env, 'utf8')).toBe(readFileSync(join(home, '.env'), 'utf8'));
    expect(statSync(env).mode & 0o777).toBe(0o600);
    const again = keyturn(other, ['restore', join(home, 'mine.tar.gz')]);
    expect(again.stdout).not.toContain(env);
    writeFileSync(env, 'OPENAI_API_KEY=another\n');
    const kept = keyturn(other, ['restore', join(home, 'mine.tar.gz')]);
    expect(kept.stdout).toContain(dataCommandWords.en.keptSecrets({ file: env }));
    expect(readFileSync(env, 'utf8')).toContain('another');
  });

  test.each(languages)('say in %s what is wrong, leave no config behind, and exit with 1', async (language) => {
    const say = backupWords[language];
    const lang = language === 'zh' ? 'zh_CN.UTF-8' : 'en_GB.UTF-8';
    const home = await newHome(1);
    writeFileSync(join(home, 'bad.tar.gz'), 'no archive');
    const there = keyturn(home, ['backup', 'bad.tar.gz'], lang);
    expect(there.stderr.trim()).toBe(say.isThere({ file: join(home, 'bad.tar.gz') }));
    const empty = await newFolder();
    const nothing = keyturn(empty, ['backup'], lang);
    expect(nothing.stderr.trim()).toBe(say.noDatabase({ file: join(empty, 'data/keyturn.db') }));
    const bad = keyturn(empty, ['restore', join(home, 'bad.tar.gz')], lang);
    expect([there.status, nothing.status, bad.status]).toEqual([1, 1, 1]);
    expect(readdirSync(empty)).toEqual([]);
    const none = keyturn(home, ['verify', 'gone.tar.gz'], lang);
    expect(none.stderr.trim()).toBe(say.noFile({ file: join(home, 'gone.tar.gz') }));
  });

  test('do not restore while Keyturn runs', async () => {
    const home = await newHome(1);
    keyturn(home, ['backup', 'mine.tar.gz']);
    const unlock = lockData(join(home, 'data'));
    const { status, stderr } = keyturn(home, ['restore', 'mine.tar.gz']);
    unlock();
    expect(status).toBe(1);
    expect(stderr).toContain(join(home, 'data'));
    expect(keyturn(home, ['restore', 'mine.tar.gz']).status).toBe(0);
  });
});

describe('keyturn audit', () => {
  test('lists rows by person and tool, as lines or as JSON', async () => {
    const home = await newHome(1);
    const all = keyturn(home, ['audit']);
    expect(all.stdout.trim().split('\n')).toHaveLength(2);
    expect(all.stdout).toContain('owner-claimed  test:ada');
    const rows = JSON.parse(keyturn(home, ['audit', '--json', '--last', '1']).stdout);
    expect(rows).toMatchObject([{ seq: 2, kind: 'command', actor: 'test:ada', detail: { name: 'claim' } }]);
    const none = keyturn(home, ['audit', '--person', 'test:eve']);
    expect(none.stdout.trim()).toBe(dataCommandWords.en.noRows);
    expect(keyturn(home, ['audit', '--since', '1d']).stdout.trim()).toBe(dataCommandWords.en.noRows);
    expect(keyturn(home, ['audit', '--since', '1970-01-01']).stdout).toBe(all.stdout);
    for (const wrong of [
      ['--since', 'soon'],
      ['--last', '0'],
    ])
      expect(keyturn(home, ['audit', ...wrong]).status).toBe(2);
  });

  test('verify tells the newest hash, finds it again, and the first row that was changed', async () => {
    const home = await newHome(1);
    const file = join(home, 'data/keyturn.db');
    const proof = JSON.parse(keyturn(home, ['audit', 'verify', '--json']).stdout);
    expect(proof).toMatchObject({ type: 'whole', rows: 2 });
    expect(keyturn(home, ['audit', 'verify']).stdout).toContain(dataCommandWords.en.auditHash(proof));
    expect(keyturn(home, ['audit', 'verify', '--contains', proof.hash.toUpperCase()]).status).toBe(0);
    const lacking = keyturn(home, ['audit', 'verify', '--contains', 'ab12']);
    expect(lacking.stdout).toContain(dataCommandWords.en.auditLacks({ hash: 'ab12' }));
    expect(lacking.status).toBe(1);
    tamperWith(file, `DROP TRIGGER audit_is_not_changed; UPDATE audit SET actor = 'eve' WHERE seq = 2`);
    const broken = keyturn(home, ['audit', 'verify', '--json']);
    expect(JSON.parse(broken.stdout)).toMatchObject({ type: 'broken', seq: 2, kind: 'command' });
    expect(broken.status).toBe(1);
    expect(keyturn(home, ['verify']).status).toBe(1);
  });
});

describe('keyturn export', () => {
  test('writes what one person said, was answered and had remembered, with their files, and nothing of others', async () => {
    const home = await withTwoPeople();
    const out = keyturn(home, ['export', 'test:ada', 'out', '--json']);
    expect(out).toMatchObject({ status: 0, stderr: '' });
    const { accounts, files } = JSON.parse(out.stdout);
    expect(accounts.toSorted()).toEqual(['other:ada2', 'test:ada']);
    expect(files).toBe(1);
    const folder = join(home, 'out');
    expect(readFileSync(join(folder, 'files', '1-mine.txt'), 'utf8')).toBe('of ada');
    expect(statSync(join(folder, 'rows.jsonl')).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(folder, 'rows.jsonl'), 'utf8');
    const tables = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).table);
    expect(new Set(tables)).toEqual(
      new Set(['attachments', 'calls', 'inbox', 'links', 'memories', 'owners', 'participants', 'schedules', 'turns']),
    );
    for (const own of ['my question', 'an answer for ada', 'likes tea', 'water the plants', 'from my other account'])
      expect(text).toContain(own);
    for (const others of [
      'the words of ben',
      'an answer for ben',
      'a quoted secret',
      'a result of a page',
      'a tool reports',
    ])
      expect(text).not.toContain(others);
  });

  test('names who is not there, and replaces no folder', async () => {
    const home = await withTwoPeople();
    const nobody = keyturn(home, ['export', 'test:eve']);
    expect(nobody.stderr.trim()).toBe(dataCommandWords.en.nobody({ person: 'test:eve' }));
    expect(nobody.status).toBe(1);
    mkdirSync(join(home, 'out'));
    const there = keyturn(home, ['export', 'test:ada', 'out']);
    expect(there.stderr.trim()).toBe(dataCommandWords.en.folderThere({ folder: join(home, 'out') }));
  });

  test('of a run that is shown, no secret of the config, its .env or the environment is printed', async () => {
    const home = await withTwoPeople();
    const long = 'x'.repeat(190);
    tamperWith(
      join(home, 'data/keyturn.db'),
      `UPDATE turns SET parts = '[{"type":"text","text":"${long} it is ${secret}"}]', seen_seq = 99;
       UPDATE inbox SET text = 'my key is a-word-of-the-env-file' WHERE key = 'k1';
       UPDATE calls SET arguments = '{"list":["a-word-of-the-env-file"],"url":"${secret}"}';`,
    );
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ data_dir: './data', channels: { telegram: { token: secret } } }),
    );
    writeFileSync(join(home, '.env'), 'SOME_API_KEY=a-word-of-the-env-file\n');
    for (const format of [[], ['--json']]) {
      const { stdout, stderr } = keyturn(home, ['runs', 'show', 'r', ...format]);
      expect(stderr).toBe('');
      expect(stdout).toContain('my key is [secret');
      expect(stdout).not.toMatch(/7321:AAF|a-word-of/);
    }
  });
});

describe('keyturn forget', () => {
  test('says of a word that is no account, and where there is no data, that there is nothing to forget', async () => {
    const home = await newHome(1);
    const nobody = keyturn(home, ['forget', 'ada']);
    expect(nobody).toMatchObject({ status: 1, stdout: '' });
    expect(nobody.stderr.trim()).toBe(dataCommandWords.en.nobody({ person: 'ada' }));
    rmSync(join(home, 'data'), { recursive: true });
    const { status, stderr } = keyturn(home, ['forget', 'test:ada']);
    expect(status).toBe(1);
    expect(stderr).not.toContain('--yes');
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  test('says first what goes and what stays, and removes nothing without --yes', async () => {
    const home = await withTwoPeople();
    const asked = keyturn(home, ['forget', 'test:ada']);
    expect(asked.stderr.trim()).toBe(dataCommandWords.en.forgetHow({ person: 'test:ada' }));
    expect(asked.status).toBe(1);
    expect(messagesIn(home).length).toBeGreaterThan(4);
  });

  test('removes one person from the file itself, leaves the others and a whole audit, and names the copies', async () => {
    const home = await withTwoPeople();
    keyturn(home, ['backup']);
    const file = join(home, 'data/keyturn.db');
    const done = keyturn(home, ['forget', 'other:ada2', '--yes', '--json']);
    expect(done.stderr).toBe('');
    const { accounts, rows, copies } = JSON.parse(done.stdout);
    expect(accounts.toSorted()).toEqual(['other:ada2', 'test:ada']);
    expect(rows).toBeGreaterThan(9);
    expect(copies).toEqual([expect.stringMatching(/^backups\/keyturn-.*\.tar\.gz$/)]);
    const bytes = readFileSync(file);
    for (const own of ['my question', 'an answer for ada', 'likes tea', 'water the plants', 'from my other account'])
      expect(bytes.includes(own), own).toBe(false);
    // A word of a memory, as the index has it.
    expect(bytes.includes('quinc')).toBe(false);
    for (const others of ['the words of ben', 'an answer for ben']) expect(bytes.includes(others), others).toBe(true);
    const tables = rowsOf(file, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'audit'`);
    for (const { name } of tables)
      expect(JSON.stringify(rowsOf(file, `SELECT * FROM "${name}"`)), String(name)).not.toMatch(
        /"(?:test:ada|other:ada2)"/,
      );
    const proof = JSON.parse(keyturn(home, ['verify', '--json']).stdout);
    expect(proof.audit).toMatchObject({ type: 'whole', rows: 3 });
    const again = keyturn(home, ['forget', 'test:ada', '--yes']);
    expect(again.stderr.trim()).toBe(dataCommandWords.en.nobody({ person: 'test:ada' }));
  });

  test('takes a direct chat as a whole, with what nobody is named by, and is refused while Keyturn runs', async () => {
    const home = await newHome(3);
    const file = join(home, 'data/keyturn.db');
    tamperWith(
      file,
      `INSERT INTO outbox (id, lane, conversation_id, kind, markdown, state, created_at)
         SELECT 'o1', id, id, 'reply', 'a private reply', 'delivered', 1 FROM conversations;
       INSERT INTO summaries (conversation_id, text, up_to_turn, up_to_seq, created_at) SELECT id, 'a summary', 0, 0, 1 FROM conversations;`,
    );
    const unlock = lockData(join(home, 'data'));
    expect(keyturn(home, ['forget', 'test:ada', '--yes']).status).toBe(1);
    unlock();
    writeFileSync(join(home, 'config.json'), '{}');
    expect(keyturn(home, ['forget', 'test:ada', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    for (const table of ['outbox', 'summaries', 'conversations', 'participants', 'owners'])
      expect(rowsOf(file, `SELECT * FROM ${table}`), table).toEqual([]);
    // The newest number stays, with nothing of what was said.
    expect(rowsOf(file, 'SELECT seq, principal, text FROM inbox')).toEqual([{ seq: 4, principal: '', text: '' }]);
    await openDatabase(file).close();
    expect(keyturn(home, ['verify']).status).toBe(0);
  });
});

/** A home in which two people have talked. */
async function withTwoPeople() {
  const home = await newHome(0);
  writeFileSync(join(home, 'config.json'), JSON.stringify({ data_dir: './data', workspace: './workspace' }));
  mkdirSync(join(home, 'workspace/files'), { recursive: true });
  writeFileSync(join(home, 'workspace/files/mine.txt'), 'of ada');
  symlinkSync('/etc/hostname', join(home, 'workspace/files/link.txt'));
  const turn = (principal: string, text: string) =>
    `INSERT INTO turns (conversation_id, run_id, principal, kind, seen_seq, parts, input_tokens, output_tokens, created_at)
        VALUES ('test:team', 'r', '${principal}', 'turn', 1, '[{"type":"text","text":"${text}"}]', 0, 0, 1);`;
  const message = (key: string, principal: string, text: string) =>
    `INSERT INTO inbox (key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at, quote)
        VALUES ('${key}', 'test:team', 'message', '${principal}', 'x', '${text}', 1, 1, 1, '{"text":"a quoted secret"}');`;
  tamperWith(
    join(home, 'data/keyturn.db'),
    [
      `INSERT INTO conversations (id, channel, chat_id, kind, seen_at) VALUES ('test:team', 'test', 'team', 'group', 1);`,
      message('k1', 'test:ada', 'my question'),
      message('k2', 'test:ben', 'the words of ben'),
      message('k3', 'other:ada2', 'from my other account'),
      message('k4', 'test:ada', 'what a tool reports').replace("'message'", "'event'"),
      turn('test:ada', 'an answer for ada'),
      turn('test:ben', 'an answer for ben'),
      `INSERT INTO calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, state, result)
          VALUES ('c1', (SELECT min(id) FROM turns), 0, 'test:team', 'r', 'test:ada', 'web_fetch', '{}', 'done', 'a result of a page');`,
      `INSERT INTO attachments (inbox_key, position, kind, handle, name, state, path) VALUES
          ('k1', 0, 'file', 'h', 'mine.txt', 'saved', 'files/mine.txt'), ('k1', 1, 'file', 'h', 'link.txt', 'saved', 'files/link.txt');`,
      `INSERT INTO links (principal, person, name, linked_at) VALUES ('test:ada', 'p', 'Ada', 1), ('other:ada2', 'p', 'Ada', 1);`,
      `INSERT INTO memories (id, principal, conversation_id, scope, digest, tags, stored_at, text)
          VALUES ('m1', 'test:ada', 'test:team', 'everywhere', 'd', '[]', 1, 'likes tea');`,
      `INSERT INTO memory_words (rowid, words) SELECT seq, 'quinces' FROM memories;`,
      `INSERT INTO schedules (id, type, conversation_id, principal, person, text, time_zone, next_at, created_at)
          VALUES ('s1', 'reminder', 'test:team', 'test:ada', 'Ada', 'water the plants', 'UTC', 1, 1);`,
    ].join('\n'),
  );
  return home;
}
