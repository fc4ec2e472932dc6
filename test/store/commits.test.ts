import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { countSyncs } from '../support/count-syncs.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, held } from '../support/scripted-model.ts';

/** Counts the commits that the daemon makes from now on, by listening to what SQLite and the file system are told. */
function listenToCommits() {
  const syncs = countSyncs();
  const commits = { count: 0 };
  const sqlite = new Sqlite(':memory:');
  const statement: { run(): unknown; readonly source: string } = Object.getPrototypeOf(sqlite.prepare('BEGIN'));
  sqlite.close();
  const { run } = statement;
  const runs = vi.spyOn(statement, 'run').mockImplementation(function (this: typeof statement, ...parameters: []) {
    if (this.source === 'COMMIT') commits.count += 1;
    return run.apply(this, parameters);
  });
  onTestFinished(() => runs.mockRestore());
  const counts = {
    get all(): number {
      return commits.count;
    },
    get full(): number {
      return syncs.count;
    },
  };
  const restart = (): void => {
    commits.count = 0;
    syncs.count = 0;
  };
  return { syncs, counts, restart };
}

/** A daemon that is at rest, after which commits are counted. */
async function listening() {
  const commits = listenToCommits();
  const deploy = new RecordingTool('deploy', 'shell');
  const look = new RecordingTool('look', 'memory');
  const setting = await daemonSetting({ channel: { streams: true }, tools: [deploy.registration, look.registration] });
  await setting.channel.sayAtRest('hello');
  commits.restart();
  return { setting, model: setting.model, channel: setting.channel, ...commits };
}

test('a plain message costs one full commit, which stores it; its answer is relaxed', async () => {
  const { channel, counts } = await listening();
  await channel.askAtRest('how are you?', 'echo: how are you?');
  expect(counts.full).toBe(1);
  expect(counts.all).toBeGreaterThan(counts.full);
});

test('a message with a call that may run costs no more than three', async () => {
  const { model, channel, counts } = await listening();
  model.next([call('look', { what: 'here' })], 'seen');
  await channel.askAtRest('look', 'seen');
  expect(counts.full).toBeLessThanOrEqual(3);
});

test('a command costs one', async () => {
  const { channel, counts } = await listening();
  await channel.askAtRest('/status', 'is up for');
  expect(counts.full).toBe(1);
});

test('a message that asks costs two at most, and the press with all that follows four', async () => {
  const { model, channel, counts, restart } = await listening();
  model.next([call('deploy', { what: 'site' })], 'deployed');
  const card = await channel.cardFor('deploy');
  await channel.whenIdle();
  expect(counts.full).toBeLessThanOrEqual(2);
  restart();
  await channel.pressToSee(card, 'deployed');
  await channel.whenIdle();
  expect(counts.full).toBeGreaterThanOrEqual(2);
  expect(counts.full).toBeLessThanOrEqual(4);
});

test('a redelivered message costs one, and a stranger none that is full', async () => {
  const { channel, counts, restart } = await listening();
  await channel.sayAtRest('once', { key: 'k1' });
  restart();
  await channel.sayAtRest('once', { key: 'k1' });
  expect(counts.full).toBe(1);
  restart();
  await channel.ask('let me in', 'people I know', { by: 'eve', at: 'test:eve' });
  expect(counts.full).toBe(0);
});

test('while the disk does not answer, a stop ends the run and says so, and the platform hears of neither until it does', async () => {
  const { model, channel, syncs } = await listening();
  const thinking = held('a thought');
  model.next(thinking.script);
  syncs.hold();
  const told: string[] = [];
  const asked = channel.say('think').then(() => told.push('asked'));
  await model.asked(2);
  const stopped = channel.say('/stop').then(() => told.push('stopped'));
  await channel.sees('Stopped.');
  expect(told).toEqual([]);
  syncs.release();
  await Promise.all([asked, stopped]);
  expect(told).toEqual(['asked', 'stopped']);
  await channel.whenIdle();
  expect(channel.screen.map(({ text }) => text)).not.toContain('a thought');
});
