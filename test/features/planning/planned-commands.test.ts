import { describe, expect, test } from 'vitest';
import { planningWords } from '../../../src/features/planning/words.ts';
import { type DaemonSetting, daemonSetting, group } from '../../support/daemon-setting.ts';
import { buttonOf } from '../../support/platform-traffic.ts';
import { call } from '../../support/scripted-model.ts';

const words = planningWords.en;

async function withReminder(): Promise<DaemonSetting> {
  const { setting, channel, model } = await daemonSetting({ allowFrom: ['bob'] });
  model.next([call('remind', { text: 'call Lin', in_minutes: 60 })], 'I will.');
  await channel.askAtRest('remind me', 'I will.');
  return setting;
}

describe('what a person has planned', () => {
  test('is listed, and cancelled by a press, of which the list then knows', async () => {
    const setting = await withReminder();
    const { channel } = setting;
    const list = await channel.ask('/schedules', 'call Lin');
    const button = buttonOf(list, words.buttonCancelNumber({ number: 1 }));
    expect(await channel.press(button)).toEqual({ notice: words.cancelled({ what: 'call Lin' }) });
    await channel.whenIdle();
    expect(setting.rows('SELECT id FROM schedules')).toEqual([]);
    expect(channel.screen.find(({ ref }) => ref === list.ref)?.text).toBe(words.plannedHere({ lines: [] }));
    await channel.pressToSee(button, words.noSuchSchedule);
  });

  test('stands in /status with its button', async () => {
    const setting = await withReminder();
    const { channel } = setting;
    const status = await channel.ask('/status', 'call Lin');
    await channel.press(buttonOf(status, `${words.buttonCancel} 1`));
    await channel.whenIdle();
    expect(setting.rows('SELECT id FROM schedules')).toEqual([]);
  });

  test('is neither shown to others nor cancelled by them, nor told where a group reads along', async () => {
    const setting = await withReminder();
    const { channel } = setting;
    const [{ id } = {}] = setting.rows('SELECT id FROM schedules');
    await channel.ask('/schedules', words.plannedHere({ lines: [] }), { by: 'bob', at: 'test:bob' });
    await channel.press(`cmd:schedules cancel ${id}`, { by: 'bob' });
    await channel.sees(words.noSuchSchedule, 'test:bob');
    await channel.ask('/schedules', words.plannedHere({ lines: [] }), { in: group, at: 'test:team' });
    await channel.ask(`/schedules cancel ${id}`, words.noSuchSchedule, { in: group, at: 'test:team' });
    expect(setting.rows('SELECT id FROM schedules')).toHaveLength(1);
  });

  test('is misspelt with a hint', async () => {
    const { channel } = await daemonSetting();
    await channel.ask('/schedules cancle x', 'Did you mean `/schedules cancel`?');
    await channel.ask('/schedules cancel', words.usage);
  });
});
