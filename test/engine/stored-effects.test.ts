import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';

/** While it is there, no call can end: as for a process that is killed right before. */
const deadly = `CREATE TRIGGER dead BEFORE UPDATE ON calls WHEN NEW.state = 'done' BEGIN SELECT RAISE(ABORT, 'dead'); END`;

test.each([
  ['remind', { text: 'tea', in_minutes: 20 }, 'schedules'],
  ['schedule', { action: 'create', task: 'the news', cron: '0 9 * * *' }, 'schedules'],
  ['memory_store', { text: 'Ada likes tea.' }, 'memories'],
])(
  '%s that was killed before its end has done nothing, and is done once after the restart',
  async (name, args, table) => {
    let executed = 0;
    const setting = await daemonSetting({
      crashPoint: (point) => {
        if (point === 'call-executed') executed += 1;
      },
    });
    const { channel, model } = setting;
    await channel.say('hi');
    await channel.sees('echo: hi');
    setting.tamper(deadly);
    model.next([call(name, args)]);
    await channel.say('go');
    await expect.poll(() => setting.rows('SELECT state FROM calls')).toEqual([{ state: 'begun' }]);
    await expect.poll(() => executed).toBe(1);
    await setting.stop();
    expect(setting.rows(`SELECT * FROM ${table}`)).toEqual([]);
    setting.tamper('DROP TRIGGER dead');
    model.next('All done.');
    await setting.start();
    await channel.sees('All done.');
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'success' }]);
    expect(setting.rows(`SELECT * FROM ${table}`)).toHaveLength(1);
    expect(channel.textsIn('test:ada').join()).not.toContain('unknown');
  },
);

test('what is forgotten, and what is cancelled, is there until the call has ended', async () => {
  let executed = 0;
  const setting = await daemonSetting({
    crashPoint: (point) => {
      if (point === 'call-executed') executed += 1;
    },
  });
  const { channel, model } = setting;
  model.next([call('memory_store', { text: 'Ada likes tea.' })], 'noted');
  await channel.say('remember');
  await channel.sees('noted');
  const [memory] = setting.rows('SELECT id FROM memories');
  setting.tamper(deadly);
  model.next([call('memory_forget', { id: String(memory?.id) })]);
  await channel.say('forget');
  await expect
    .poll(() => setting.rows(`SELECT name FROM calls WHERE state = 'begun'`))
    .toEqual([{ name: 'memory_forget' }]);
  await expect.poll(() => executed).toBe(2);
  await setting.stop();
  expect(setting.rows('SELECT id FROM memories')).toEqual([memory]);
  setting.tamper('DROP TRIGGER dead');
  model.next('Forgotten.');
  await setting.start();
  await channel.sees('Forgotten.');
  expect(setting.rows('SELECT id FROM memories')).toEqual([]);
  expect(setting.rows('SELECT DISTINCT outcome FROM calls')).toEqual([{ outcome: 'success' }]);
});

test('a call that a person has stopped meanwhile stores nothing', async () => {
  let isStopped = false;
  const setting = await daemonSetting({
    crashPoint: (point) => {
      if (point !== 'call-begun' || isStopped) return;
      isStopped = true;
      void setting.channel.say('/stop');
    },
  });
  const { channel, model } = setting;
  model.next([call('remind', { text: 'tea', in_minutes: 20 })]);
  await channel.say('go');
  await channel.sees(/Stopped/);
  await channel.whenIdle();
  const [{ outcome } = {}] = setting.rows('SELECT outcome FROM calls');
  expect(setting.rows('SELECT * FROM schedules')).toHaveLength(outcome === 'success' ? 1 : 0);
});
