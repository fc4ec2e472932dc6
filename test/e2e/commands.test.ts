import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seeWords } from '../../src/cli/commands/see/words.ts';
import { doctorWords } from '../../src/cli/doctor/words.ts';
import { cliWords } from '../../src/cli/words.ts';
import { socketName } from '../../src/daemon/local-socket/socket-place.ts';
import { storeWords } from '../../src/store/words.ts';
import { daemonEntry } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { runCommandOf } from '../support/run-command.ts';
import { modelKey } from './daemon-config.ts';
import { TelegramSetting } from './telegram-setting.ts';

const wish = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] };

test('in another terminal, one sees how it is, and decides what it asks in the chat', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon, model } = setting;
  const chat = setting.newOwner();
  model.onUser('write it', wish);
  const card = await setting.askFor(chat, 'write it');

  const status = await runCommandOf(daemon, ['status']);
  expect(status).toMatchObject({ code: 0, stderr: '' });
  expect(status.stdout).toContain(seeWords.en.waiting({ approvals: 1, questions: 0, undelivered: 0, strangers: 0 }));
  expect(status.stdout).toMatch(/^ {2}telegram +connected/m);
  const facts = JSON.parse((await runCommandOf(daemon, ['status', '--json'])).stdout);
  expect(facts).toMatchObject({
    running: true,
    pid: daemon.pid,
    channels: expect.arrayContaining([expect.objectContaining({ name: 'telegram', status: 'connected' })]),
  });

  const { approvals } = JSON.parse((await runCommandOf(daemon, ['approvals', '--json'])).stdout);
  const { id } = approvals[0];
  const listed = await runCommandOf(daemon, ['approvals'], { LANG: 'zh_CN.UTF-8' });
  expect(listed.stdout).toContain(seeWords.zh.howToDecide({ id }));
  const byTool = await runCommandOf(daemon, ['approvals', 'approve', id], { KEYTURN_CALL: 'x' });
  expect(byTool).toEqual({ code: 1, stdout: '', stderr: `${seeWords.en.fromTool}\n` });
  expect(await runCommandOf(daemon, ['approvals', 'approve', id])).toMatchObject({ code: 0, stderr: '' });
  await setting.shows(chat, card.id, /^✅/);
  expect(await runCommandOf(daemon, ['approvals'])).toMatchObject({ code: 0, stdout: `${seeWords.en.noApprovals}\n` });
});

test('without a process they say so, with the code 3; after a kill the next one can be asked', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon } = setting;
  await daemon.kill();
  const notRunning = cliWords.en.notRunning({ folder: daemon.dataDir });
  expect(existsSync(join(daemon.dataDir, socketName))).toBe(true);
  expect(await runCommandOf(daemon, ['status'])).toEqual({ code: 3, stdout: '', stderr: `${notRunning}\n` });
  const { code, stdout } = await runCommandOf(daemon, ['status', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([3, { running: false, problem: notRunning }]);
  expect(await runCommandOf(daemon, ['approvals', 'approve', 'x'])).toMatchObject({ code: 3, stdout: '' });
  await setting.restart();
  await expect.poll(async () => (await runCommandOf(daemon, ['status'])).code).toBe(0);
  await daemon.stop();
  expect(existsSync(join(daemon.dataDir, socketName))).toBe(false);
});

test('a run is told from the message to the reply, while it runs and after the end', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon, model, telegram } = setting;
  const chat = setting.newOwner();
  model.onUser('write it', wish);
  const card = await setting.askFor(chat, 'write it');
  telegram.press(chat, card.id, '✅ Approve');
  await setting.shows(chat, card.id, /^✅/);
  await expect
    .poll(async () => JSON.parse((await runCommandOf(daemon, ['runs', '--json'])).stdout))
    .toMatchObject({ runs: [{ turns: 2, calls: 1, isOpen: false }] });
  const { runs } = JSON.parse((await runCommandOf(daemon, ['runs', '--json'])).stdout);
  const { id } = runs[0];
  await daemon.stop();
  const before = readdirSync(daemon.dataDir).toSorted();

  const listed = await runCommandOf(daemon, ['runs', '--limit', '5']);
  expect(listed.stdout).toContain(`${id} for telegram:${chat}`);
  const story = (await runCommandOf(daemon, ['runs', 'show', id])).stdout;
  expect(story).toMatch(/\d\d:\d\d {2}\S.*: write it$/m);
  expect(story).toMatch(/^ +write_file \{"path":"a\.txt","content":"x"\}/m);
  const decided = seeWords.en.decision({ state: 'approved', by: `telegram:${chat}`, at: undefined });
  expect(story).toContain(decided);
  const { calls } = JSON.parse((await runCommandOf(daemon, ['runs', 'show', id, '--json'])).stdout);
  expect(calls).toMatchObject([{ name: 'write_file', outcome: 'success', approval: { state: 'approved' } }]);
  for (const known of [calls[0].id, calls[0].approval.id])
    expect((await runCommandOf(daemon, ['runs', 'show', known])).stdout).toBe(story);
  const zh = await runCommandOf(daemon, ['runs', 'show', 'nothing'], { LANG: 'zh_CN.UTF-8' });
  expect(zh).toEqual({ code: 1, stdout: '', stderr: `${seeWords.zh.noRun({ id: 'nothing' })}\n` });
  expect((await runCommandOf(daemon, ['usage'])).stdout).toMatch(/^ {2}20\d\d-\d\d-\d\d {2}main {2}[\d,]+ tokens/m);
  expect((await runCommandOf(daemon, ['grants'])).stdout).toBe(`${seeWords.en.noGrants}\n`);
  expect(await runCommandOf(daemon, ['runs', '--limit', 'many'])).toMatchObject({
    code: 2,
    stderr: `${seeWords.en.wrongNumber({ option: 'limit', written: 'many' })}\n`,
  });
  // Nothing was left beside the database, which may be another user's.
  expect(readdirSync(daemon.dataDir).toSorted()).toEqual(before);
});

test('without a database, what reads it says so', async () => {
  const folder = await newFolder();
  const daemon = { folder, configFile: join(folder, 'config.json') };
  for (const command of ['runs', 'usage', 'grants'])
    expect(await runCommandOf(daemon, [command])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${storeWords.en.noneToRead({ file: join(folder, 'data', 'keyturn.db') })}\n`,
    });
});

test('the doctor looks at a Keyturn that runs, and says why its model does not answer', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon, model } = setting;
  const env = { TEST_MODEL_KEY: modelKey, TEST_TELEGRAM_TOKEN: setting.telegram.token };
  chmodSync(daemon.configFile, 0o600);
  chmodSync(daemon.dataDir, 0o700);
  const report = await runCommandOf(daemon, ['doctor', '--json'], env);
  const { checks } = JSON.parse(report.stdout);
  expect(checks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'process', ok: true, state: expect.stringContaining(String(daemon.pid)) }),
      expect.objectContaining({ name: 'telegram', ok: true }),
      expect.objectContaining({ name: 'permissions', ok: true }),
    ]),
  );
  const unknown = await runCommandOf(daemon, ['doctor', 'model', 'nope'], env);
  expect(unknown).toEqual({
    code: 2,
    stdout: '',
    stderr: `${doctorWords.en.noSuchModel({ name: 'nope', names: ['main'] })}\n`,
  });
  await model.close();
  const silent = await runCommandOf(daemon, ['doctor', 'model'], env);
  expect(silent.code).toBe(1);
  expect(silent.stdout).toContain(doctorWords.en.modelSilent({ model: 'main (test)', problem: '' }).trim());
  const schema = await runCommandOf(daemon, ['config', 'schema']);
  expect(JSON.parse(schema.stdout)).toHaveProperty('properties.channels');
});

test('logs prints the end of a log that goes to a file, from a level on; else it tells where it goes', async () => {
  const folder = await newFolder();
  const file = join(folder, 'keyturn.log');
  const config = {
    model: 'offline',
    channels: { telegram: { enabled: true, token: '1:AAAA', api_root: 'http://127.0.0.1:4' } },
  };
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(config));
  const log = openSync(file, 'a');
  const started = spawn(process.execPath, [daemonEntry(), '--config', configFile], {
    cwd: folder,
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  onTestFinished(() => void started.kill('SIGKILL'));
  const place = { folder, configFile };
  await expect.poll(async () => (await runCommandOf(place, ['status'])).code).toBe(0);
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('"level":40');
  const all = await runCommandOf(place, ['logs', '--lines', '1000']);
  expect(all.stdout).toContain('Keyturn ');
  const warnings = (await runCommandOf(place, ['logs', '--level', 'warn'])).stdout.trim().split('\n');
  expect(warnings.map((line) => JSON.parse(line).level).every((level) => level >= 40)).toBe(true);
  const [last] = (await runCommandOf(place, ['logs', '--lines', '1'])).stdout.split('\n');
  expect(readFileSync(file, 'utf8')).toContain(last);
  expect(await runCommandOf(place, ['logs', '--level', 'constructor'])).toMatchObject({
    code: 2,
    stderr: `${seeWords.en.wrongLevel({ written: 'constructor', levels: ['debug', 'info', 'warn', 'error'] })}\n`,
  });
});

/** A `keyturn logs --follow` that goes on until the test ends. */
function follower({ folder, configFile }: Place, args: readonly string[]) {
  const child = spawn(process.execPath, [daemonEntry(), 'logs', '-f', ...args, '--config', configFile], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    written.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    written.stderr += String(chunk);
  });
  return { child, written };
}

/** Where a Keyturn runs as a service does, with a Telegram that cannot be reached, so that its log has something to say. */
interface Place {
  readonly folder: string;
  readonly configFile: string;
  readonly log: string;
}

async function newPlace(): Promise<Place> {
  const folder = await newFolder();
  const channels = { telegram: { enabled: true, token: '1:AAAA', api_root: 'http://127.0.0.1:4' } };
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify({ model: 'offline', channels, log: { level: 'info' } }));
  return { folder, configFile, log: join(folder, 'keyturn.log') };
}

/** Starts it; its log goes to the file, or to a pipe that nobody reads. */
async function started(place: Place, errors: 'file' | 'pipe') {
  const log = errors === 'file' ? openSync(place.log, 'a') : undefined;
  const child = spawn(process.execPath, [daemonEntry(), '--config', place.configFile], {
    cwd: place.folder,
    stdio: ['ignore', 'ignore', log ?? 'pipe'],
  });
  if (log !== undefined) closeSync(log);
  child.stderr?.resume();
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(async () => (await runCommandOf(place, ['status'])).code).toBe(0);
  return child;
}

test('logs -f follows the file of the log: emptied, renamed, and of the next process', async () => {
  const place = await newPlace();
  const first = await started(place, 'file');
  const { child, written } = follower(place, ['-n', '1']);
  await expect.poll(() => written.stdout).toContain('\n');
  appendFileSync(place.log, '{"level":30,"msg":"one"}\n');
  await expect.poll(() => written.stdout).toContain('"one"');
  truncateSync(place.log);
  appendFileSync(place.log, '{"level":30,"msg":"two"}\n');
  await expect.poll(() => written.stdout).toContain('"two"');
  renameSync(place.log, `${place.log}.1`);
  appendFileSync(`${place.log}.1`, '{"level":30,"msg":"th');
  appendFileSync(`${place.log}.1`, 'ree"}\n');
  await expect.poll(() => written.stdout).toContain('{"level":30,"msg":"three"}\n');
  first.kill('SIGKILL');
  await expect.poll(() => written.stderr).toContain(seeWords.en.logWaits);
  await started(place, 'file');
  appendFileSync(place.log, '{"level":30,"msg":"four"}\n');
  await expect.poll(() => written.stdout).toContain('"four"');
  child.kill('SIGINT');
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  for (const word of ['one', 'two', 'three', 'four']) expect(written.stdout.split(`"${word}"`)).toHaveLength(2);
});

test('logs -f has the process tell its lines where they go to no file, and those of the next one, from a level on', async () => {
  const place = await newPlace();
  const first = await started(place, 'pipe');
  const all = follower(place, []);
  const errors = follower(place, ['--level', 'error']);
  for (const { written } of [all, errors]) await expect.poll(() => written.stderr).toContain(seeWords.en.logFollowed);
  first.kill('SIGTERM');
  await expect.poll(() => all.written.stderr).toContain(seeWords.en.logWaits);
  const next = await started(place, 'pipe');
  // The config is read again, which the log tells.
  next.kill('SIGHUP');
  writeFileSync(place.configFile, `${readFileSync(place.configFile, 'utf8')}\n`);
  await expect.poll(() => all.written.stdout).toMatch(/^\{"level":\d+,.*\}$/m);
  expect(errors.written.stdout).toBe('');
  const without = await runCommandOf(place, ['logs']);
  expect(without).toMatchObject({ code: 1, stdout: '' });
});
