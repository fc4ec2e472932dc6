import { describe, expect, test } from 'vitest';
import { planningWords } from '../../../src/features/planning/words.ts';
import { type DaemonSetting, daemonSetting, group } from '../../support/daemon-setting.ts';
import { buttonOf } from '../../support/platform-traffic.ts';
import { call, wordsOf } from '../../support/scripted-model.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { daily, planningSetting } from './planning-setting.ts';

const words = planningWords.en;

async function withReminder(): Promise<DaemonSetting> {
  const { setting, channel, model } = await daemonSetting({ allowFrom: ['bob'] });
  model.next([call('remind', { text: 'call Lin', in_minutes: 60 })], 'I will.');
  await channel.askAtRest('remind me', 'I will.');
  return setting;
}

async function withTask() {
  const { setting, channel, model, plan } = await planningSetting({ allowFrom: ['bob'] });
  await plan('schedule', daily);
  const [{ id = '', next_at } = {}] = setting.rows('SELECT id, next_at FROM schedules');
  return { setting, channel, model, task: { id, next_at } };
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

  test('is run now by a press, once for each list, in the words of who planned it; its times stay', async () => {
    const { setting, channel, model, task } = await withTask();
    const list = await channel.ask('/schedules', 'News');
    const run = buttonOf(list, words.buttonRunNumber({ number: 1 }));
    const before = model.requests.length + 1;
    model.next('Here are the news.');
    expect(await channel.press(run)).toEqual({ notice: words.runs({ what: 'News', isElsewhere: false }) });
    await channel.seesAtRest('Here are the news.');
    expect(wordsOf(await model.asked(before))).toContain('> tell me the news');
    expect(await channel.press(run)).toEqual({ notice: words.ranBefore({ what: 'News' }) });
    await channel.whenIdle();
    expect(model.requests).toHaveLength(before);
    expect(setting.rows('SELECT id, next_at FROM schedules')).toEqual([task]);
    // A list that is shown anew has buttons of its own.
    setting.clock.advance(1);
    const anew = buttonOf(await channel.ask('/schedules', 'News'), words.buttonRunNumber({ number: 1 }));
    model.next('The same news.');
    await channel.press(anew);
    await channel.seesAtRest('The same news.');
  });

  test('a reminder that is run now is said now, and again when it is due', async () => {
    const setting = await withReminder();
    const { channel, clock } = setting;
    const [{ id } = {}] = setting.rows('SELECT id FROM schedules');
    await channel.ask(`/schedules run ${id}`, words.runs({ what: 'call Lin', isElsewhere: false }));
    const reminder = words.reminder({ person: undefined, text: 'call Lin', isLong: false, late: undefined, slot: '' });
    await channel.seesAtRest(reminder);
    const said = () => channel.screen.filter(({ text }) => text === reminder);
    expect(said()).toHaveLength(1);
    clock.advance(3_600_000);
    await waitUntil(() => said().length === 2, { what: 'the reminder when it is due' });
  });

  test('is run by nobody else, and not while its tool is off', async () => {
    const { setting, channel, task } = await withTask();
    const run = `/schedules run ${task.id}`;
    await channel.ask(run, words.noSuchSchedule, { by: 'bob', at: 'test:bob' });
    await channel.ask(run, words.noSuchSchedule, { in: group, at: 'test:team' });
    await setting.edit({ tools: { schedule: { enabled: false } } });
    await channel.ask(run, words.cannotRun({ why: 'off', what: 'News', channel: 'test' }));
  });

  test('is run from the list of what waits, too', async () => {
    const { channel, model } = await withTask();
    const status = await channel.ask('/status', 'News');
    model.next('Here are the news.');
    await channel.press(buttonOf(status, `${words.buttonRun} 1`));
    await channel.seesAtRest('Here are the news.');
  });

  test('is misspelt with a hint', async () => {
    const { channel } = await daemonSetting();
    await channel.ask('/schedules cancle x', 'Did you mean `/schedules cancel`?');
    await channel.ask('/schedules cancel', words.usage);
  });
});
