import { describe, expect, test } from 'vitest';
import { DataLockedError } from '../../src/store/data-lock.ts';
import { approveButton, deploySetting } from '../agent/deploy-setting.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, held } from '../support/scripted-model.ts';

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
    const button = await approveButton(channel);
    await setting.restart();
    await channel.whenIdle();
    expect(channel.screen).toHaveLength(1);
    await channel.press(button);
    await channel.sees('deployed');
    expect(deploy.executed).toEqual(['site']);
  });

  test('shows open cards again where people cannot see what was', async () => {
    const { setting, model, channel } = await deploySetting({ channel: { capabilities: { history: false } } });
    model.next([call('deploy', { what: 'site' })]);
    await channel.say('deploy');
    await channel.card();
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
    await clock.waitsFor(2500);
    clock.advance(2500);
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
