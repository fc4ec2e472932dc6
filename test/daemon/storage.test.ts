import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { healthWords } from '../../src/conversation/health/words.ts';
import { firstDamage } from '../../src/store/examine.ts';
import { type Loss, storageWords } from '../../src/store/words.ts';
import { countSyncs } from '../support/count-syncs.ts';
import { DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { damage } from '../support/store-setting.ts';

const config = { gateway: { enabled: true, port: 0 } };

const diskIsFull = storageWords.en.brief('full');
const cannotStore = storageWords.en.cannotStore({ cause: 'full', reason: '' });

/** What happened to the files, which is said first. */
function lossOf(file: string, loss: Loss): string {
  return storageWords.en.rescued({ file, loss }).split('. ')[0] ?? '';
}

/** What is said of a database whose damage was found while it was worked with. */
function damagedWords(file: string): string {
  return storageWords.en.damaged({ file, damage: firstDamage(file) ?? '', backup: undefined });
}

class FullDiskError extends Error {
  readonly code = 'ENOSPC';
}

/** Ada has talked with it, so that it knows where to tell her something. */
async function known(options: DaemonSettingOptions = {}) {
  const setting = await daemonSetting({ config, ...options });
  await setting.channel.askAtRest('hello', 'echo: hello');
  const ask = async (path: string) => {
    const response = await fetch(`${setting.gatewayAddress}${path}`);
    return { status: response.status, body: await response.json() };
  };
  /** The disk is looked at twice a minute. */
  const nextLook = async (): Promise<void> => {
    await setting.clock.waitsFor(30_000);
    setting.clock.advance(30_000);
  };
  return { setting, channel: setting.channel, clock: setting.clock, ask, nextLook };
}

/** What the disk is asked for from now on, it refuses. */
async function refused(syncs: ReturnType<typeof countSyncs>, saying: () => Promise<unknown>): Promise<void> {
  syncs.fail(new FullDiskError('no space left on device'));
  await expect(saying()).rejects.toThrow();
}

describe('a full disk', () => {
  test('is told to the owner once and in the health, and once that it is over', async () => {
    const { channel, clock, ask, nextLook } = await known();
    expect(await ask('/readyz')).toEqual({
      status: 200,
      body: { status: 'ready', storage: 'ok', config: 'ok', channels: { test: 'connected' } },
    });
    const syncs = countSyncs();
    await refused(syncs, () => channel.say('one'));
    await channel.sees(cannotStore);
    expect(await ask('/readyz')).toEqual({
      status: 503,
      body: { status: 'not ready', storage: diskIsFull, config: 'ok', channels: { test: 'connected' } },
    });
    for (const path of ['/healthz', '/health'])
      expect(await ask(path)).toEqual({ status: 503, body: { status: diskIsFull, require_pairing: true } });
    await refused(syncs, () => channel.say('two'));
    syncs.release();
    await nextLook();

    await channel.say('three');
    for (const path of ['/readyz', '/healthz', '/health']) expect((await ask(path)).status).toBe(200);
    clock.advance(30_000);
    await channel.sees(healthWords.en.storesAgain);
    const texts = channel.textsIn('test:ada');
    expect(texts.filter((text) => text.includes(cannotStore))).toHaveLength(1);
    expect(texts.filter((text) => text === healthWords.en.storesAgain)).toHaveLength(1);
  });

  test.each([
    ['where they were heard last', false, 'test:ada2'],
    ['in another chat if that refuses', true, 'test:ada'],
  ])('is told once to an owner with several accounts, %s', async (_where, isRefusing, told) => {
    const people = { Ada: ['test:ada', 'test:ada2'] };
    const { channel, clock } = await known({ config: { ...config, owners: ['test:ada'], people } });
    clock.advance(1);
    await channel.say('hello', { by: 'ada2' });
    await channel.whenIdle(direct('test', 'ada2'));
    if (isRefusing) channel.failNext({ type: 'permanent' }, { says: cannotStore, in: 'test:ada2' });
    await refused(countSyncs(), () => channel.say('one', { by: 'ada2' }));
    await channel.sees(cannotStore, told);
    const conversationIds = channel.screen
      .filter(({ text }) => text.includes(cannotStore))
      .map(({ conversationId }) => conversationId);
    expect(conversationIds).toEqual([told]);
  });

  test('is told by /status, whose answer is no row; delivered again, it is not answered again', async () => {
    const { channel } = await known();
    const syncs = countSyncs();
    await refused(syncs, () => channel.say('one'));
    await channel.sees(cannotStore);
    const answers = () => channel.textsIn('test:ada').filter((text) => text.includes('is up for'));
    await channel.say('/status', { key: 'k1' });
    expect(answers()).toEqual([expect.stringContaining(`⚠️ ${cannotStore}`)]);
    syncs.release();
    await channel.say('/status', { key: 'k1' });
    expect(answers()).toHaveLength(1);
  });
});

describe('a database that is touched while it is worked with', () => {
  const replace = (path: string): void => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  };
  const file = (setting: DaemonSetting): string => join(setting.folder, 'data', 'keyturn.db');

  test.each([
    ['deleted', (path: string) => rmSync(path), 'moved'],
    ['moved', (path: string) => renameSync(path, `${path}.moved`), 'moved'],
    ['replaced', replace, 'replaced'],
    ['cut off', (path: string) => writeFileSync(path, ''), 'cut'],
    ['robbed of its log', (path: string) => rmSync(`${path}-wal`), 'logMoved'],
    ['robbed of what stood in its log', (path: string) => truncateSync(`${path}-wal`), 'logCut'],
  ] as const)(
    'because it is %s is told to the owner, and nothing is acknowledged any more',
    async (_what, touch, loss) => {
      const { setting, channel, ask, nextLook } = await known();
      await setting.restart();
      await channel.say('here again');
      touch(file(setting));
      await nextLook();
      const words = lossOf(file(setting), loss);
      await channel.sees(words);
      await expect(channel.say('is that stored?')).rejects.toThrow(words);
      expect(await ask('/readyz')).toMatchObject({ status: 503, body: { storage: storageWords.en.brief('gone') } });
      // Until a restart nothing is taken: an orchestrator may as well begin that.
      expect((await ask('/healthz')).status).toBe(503);
    },
  );

  test('is told to an owner who has written since the start', async () => {
    const { setting, channel, nextLook } = await known();
    await nextLook();
    await channel.askAtRest('again', 'echo: again');
    // Then what is cached of it is not used any more.
    setting.tamper('CREATE TABLE filler (content BLOB); PRAGMA wal_checkpoint(TRUNCATE)');
    truncateSync(file(setting));
    await nextLook();
    await channel.sees(lossOf(file(setting), 'cut'));
    expect(existsSync(`${file(setting)}.rescued`)).toBe(false);
  });

  test('and cannot be read any more is told, and an earlier copy of it stays as it is', async () => {
    const { setting, channel, nextLook } = await known();
    await setting.stop();
    setting.tamper('CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (zeroblob(40000000));');
    writeFileSync(`${file(setting)}.rescued`, 'saved on an earlier day');
    await setting.start();
    await channel.say('here again');
    truncateSync(file(setting));
    await nextLook();
    await channel.sees(/keyturn\.db\.rescued there is from/);
    expect(readFileSync(`${file(setting)}.rescued`, 'utf8')).toBe('saved on an earlier day');
    expect(existsSync(`${file(setting)}.rescuing`)).toBe(false);
    await setting.stop();
    await expect(setting.start()).rejects.toThrow(/keyturn\.db (?:is empty|is damaged|lacks|is older)/);
  });

  test('is saved beside it, and Keyturn goes on from there', async () => {
    const { setting, channel, nextLook } = await known();
    const path = file(setting);
    writeFileSync(`${path}.rescued`, 'saved on an earlier day');
    rmSync(path);
    await nextLook();
    await channel.sees(storageWords.en.rescued({ file: path, loss: 'moved' }));
    await setting.stop();
    expect(statSync(`${path}.rescued`).mode & 0o777).toBe(0o600);
    renameSync(`${path}.rescued`, path);
    for (const end of ['-wal', '-shm']) if (existsSync(path + end)) rmSync(path + end);
    await setting.start();
    expect(setting.rows('SELECT text FROM inbox')).toEqual([{ text: 'hello' }]);
    await channel.ask('go on', 'echo: go on');
  });
});

test.each([
  { what: 'was not closed', size: 70_000_000, isClosed: false },
  { what: 'was closed', size: 5_000_000, isClosed: true },
])('a large database that $what is read through beside the work, and damage stops it', async ({ size, isClosed }) => {
  const { setting } = await known();
  setting.tamper(`CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (zeroblob(${size}));`);
  const folder = await newFolder();
  mkdirSync(join(folder, 'data'));
  const [from, to] = [file(setting.folder), file(folder)];
  if (isClosed) await setting.stop();
  for (const end of ['', '-wal', '.numbers']) if (existsSync(from + end)) copyFileSync(from + end, to + end);
  damage(to, 'grants');

  const other = new DaemonSetting(folder, { config });
  onTestFinished(() => other.stop());
  await other.start();
  await other.channel.sees('is damaged');
  await expect(other.channel.say('is that stored?')).rejects.toMatchObject({
    name: 'StoreError',
    message: damagedWords(to),
  });

  function file(folder: string): string {
    return join(folder, 'data', 'keyturn.db');
  }
});

test('/readyz says of a channel that nothing was heard of it lately, until that is seen to', async () => {
  const { clock, ask } = await known({ channel: { capabilities: { heartbeat: 45_000 } } });
  clock.jump(60_000);
  expect((await ask('/readyz')).status).toBe(200);
  clock.jump(1);
  expect(await ask('/readyz')).toMatchObject({ status: 503, body: { channels: { test: 'silent' } } });
});

test('/readyz names a channel that is switched on and does not run', async () => {
  const { setting } = await known();
  const channel_plugins = { ghost: { path: join(setting.folder, 'ghost.ts') } };
  const { ask } = await known({ config: { ...config, channel_plugins, channels: { test: {}, ghost: {} } } });
  expect(await ask('/readyz')).toMatchObject({ status: 503, body: { channels: { ghost: 'dead' } } });
});
