import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countSql, GrowingLog } from '../support/count-sql.ts';
import { countSyncs } from '../support/count-syncs.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';

/*
 * What a message asks of SQLite and the disk, in a chat that goes on. No load changes these counts; times stand in `npm run bench`.
 * The limits may only fall.
 */

const rounds = 20;

/** In a round, on average. */
interface Cost {
  readonly statements: number;
  readonly commits: number;
  /** Full commits: what is waited for. */
  readonly syncs: number;
  /** In the write-ahead log. */
  readonly kilobytes: number;
}

/** What a round costs once as many have been. */
async function costOf(work: (setting: DaemonSetting, text: string) => Promise<void>): Promise<Cost> {
  const deploy = new RecordingTool('deploy', 'shell');
  const look = new RecordingTool('look', 'memory');
  const setting = await daemonSetting({ channel: { streams: true }, tools: [deploy.registration, look.registration] });
  for (let round = 0; round < rounds; round += 1) await work(setting, `before ${round}`);
  const log = new GrowingLog(join(setting.folder, 'data', 'keyturn.db'));
  const [sql, syncs] = [countSql(), countSyncs()];
  for (let round = 0; round < rounds; round += 1) {
    await work(setting, `now ${round}`);
    log.look();
  }
  return {
    statements: sql.statements / rounds,
    commits: sql.commits / rounds,
    syncs: syncs.count / rounds,
    kilobytes: log.written / rounds / 1024,
  };
}

/** Each of the cost is at most this, and is counted at all. */
function expectAtMost(cost: Cost, most: Cost): void {
  const over = Object.entries(most).filter(([what, limit]) => !(Reflect.get(cost, what) <= limit));
  expect(over, `It costs ${JSON.stringify(cost)}.`).toEqual([]);
  expect(Math.min(...Object.values(cost)), `It costs ${JSON.stringify(cost)}.`).toBeGreaterThan(0.5);
}

test('a message and its answer', async () => {
  const cost = await costOf(({ channel }, text) => channel.askAtRest(text, `echo: ${text}`));
  expectAtMost(cost, { statements: 32, commits: 3, syncs: 1, kilobytes: 43 });
});

test('a message, a call that may run, and the answer', async () => {
  const cost = await costOf(async ({ channel, model }, text) => {
    model.next([call('look', { what: 'here' })], text);
    await channel.askAtRest(text, text);
  });
  expectAtMost(cost, { statements: 66, commits: 5.4, syncs: 2.5, kilobytes: 87 });
});

test('a message, its card, the press, the call and the answer', async () => {
  const cost = await costOf(async ({ channel, model }, text) => {
    model.next([call('deploy', { what: text })], text);
    const card = await channel.cardFor('deploy');
    await channel.pressToSee(card, text);
    await channel.whenIdle();
  });
  expectAtMost(cost, { statements: 150, commits: 11, syncs: 5, kilobytes: 205 });
});
