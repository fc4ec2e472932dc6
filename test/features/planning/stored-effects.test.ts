import { expect, test } from 'vitest';
import { killedAndStopped, killedBeforeEnd } from '../../engine/killed-before-end.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { call } from '../../support/scripted-model.ts';

test.each([
  ['remind', { text: 'tea', in_minutes: 20 }],
  ['schedule', { action: 'create', task: 'the news', cron: '0 9 * * *' }],
])('%s that was killed before its end has done nothing, and is done once after the restart', (name, args) =>
  killedBeforeEnd(name, args, { table: 'schedules' }),
);

test('remind that was killed before its end, in a run that a person has stopped since, has done nothing and says so', () =>
  killedAndStopped('remind', { text: 'tea', in_minutes: 20 }, { table: 'schedules' }));

test('a call that a person has stopped meanwhile stores nothing', async () => {
  let isStopped = false;
  const { setting, channel, model } = await daemonSetting({
    crashPoint: (point) => {
      if (point !== 'call-begun' || isStopped) return;
      isStopped = true;
      void setting.channel.say('/stop');
    },
  });
  model.next([call('remind', { text: 'tea', in_minutes: 20 })]);
  await channel.askAtRest('go', /Stopped/);
  const [{ outcome } = {}] = setting.rows('SELECT outcome FROM calls');
  expect(setting.rows('SELECT * FROM schedules')).toHaveLength(outcome === 'success' ? 1 : 0);
});
