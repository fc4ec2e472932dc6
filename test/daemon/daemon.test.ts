import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DataInUseError, DataLockedError, StoreError } from '../../src/store/store-error.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, held } from '../support/scripted-model.ts';
import { damage } from '../support/store-setting.ts';

describe('a restart', () => {
  test('goes on with what was not answered, and shows what was not shown, as soon as the channel is there', async () => {
    const { setting, model, channel, clock } = await deploySetting();
    channel.failNext({ type: 'transient' });
    await channel.say('one');
    await clock.waitsFor(500);
    model.next(held('never').script);
    await channel.say('two');
    await model.asked(2);
    await setting.restart();
    await channel.sees('echo: two');
    expect(channel.textsIn('test:ada')).toEqual(['echo: one', 'echo: two']);
    expect(clock.waits).not.toContain(500);
  });

  test('leaves the card that asks as it is, and it still works', async () => {
    const { setting, model, channel, deploy } = await deploySetting();
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await channel.say('deploy');
    const card = await channel.card();
    await setting.restart();
    await channel.whenIdle();
    expect(channel.screen).toHaveLength(1);
    await channel.pressToSee(card, 'deployed');
    expect(deploy.executed).toEqual(['site']);
  });

  test('shows open cards again where people cannot see what was', async () => {
    const { setting, model, channel } = await deploySetting({ channel: { capabilities: { history: false } } });
    model.next([call('deploy', { what: 'site' })]);
    await channel.cardFor('deploy');
    await setting.restart();
    await channel.whenIdle();
    expect(channel.screen.filter(({ buttons }) => buttons.length > 0)).toHaveLength(2);
  });

  test('is no outcome for a call that runs: it is told as unknown by the next process', async () => {
    const slow = new RecordingTool('slow', 'memory', untilStopped);
    const { setting, model, channel, clock } = await deploySetting({}, slow);
    model.next([call('slow', { what: 'work' })], 'I see');
    await channel.say('work');
    await slow.ran(1);
    const stopped = setting.stop();
    await clock.passes(2500);
    await stopped;
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'begun', outcome: null }]);
    await setting.start();
    await channel.sees('I see');
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'unknown' }]);
    expect(slow.executed).toEqual(['work']);
  });
});

test('two daemons do not work with the same data', async () => {
  const setting = await daemonSetting();
  await expect(setting.start()).rejects.toThrow(DataLockedError);
});

test('a second daemon is not let in by somebody who removes the lock', async () => {
  const { channel, folder } = await daemonSetting();
  await rm(join(folder, 'data', 'keyturn.lock'));
  const second = new DaemonSetting(folder, {});
  const start = second.start();
  start.catch(() => undefined);
  for (let pauses = 0; pauses < 8; pauses++) await second.clock.passes(250);
  for (let pauses = 0; pauses < 57; pauses++) await second.clock.passes(1_000);
  await expect(start).rejects.toThrow(DataInUseError);
  await channel.ask('still there?', 'echo: still there?');
});

test.each(['devices', 'owners', 'lifetime'])(
  'damage that a start finds in the %s is told in a sentence that says what to do',
  async (table) => {
    const setting = await daemonSetting({ config: { gateway: { enabled: true, port: 0 } } });
    await setting.stop();
    damage(join(setting.folder, 'data', 'keyturn.db'), table);
    const start = setting.start();
    await expect(start).rejects.toThrow(StoreError);
    await expect(start).rejects.toThrow(/(?:cannot be used|is damaged): .* To restore a backup, copy the folder first/);
  },
);
