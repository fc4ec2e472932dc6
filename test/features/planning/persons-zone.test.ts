import { expect, test } from 'vitest';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { useTool } from '../../support/use-tool.ts';

const hour = 3_600_000;
const inTokyo = { tools: { schedule: { time_zone: 'Asia/Tokyo' } } };

test('a schedule is made in the time zone of its person, and keeps it', async () => {
  const setting = await daemonSetting({ config: inTokyo });
  const { channel } = setting;
  await channel.ask('/timezone Beijing', /Asia\/Shanghai/);
  const result = await useTool(setting, 'remind', { text: 'tea', at: '2023-11-15T09:00' });
  expect(result).toContain('once, Wed 15 Nov 2023, 09:00, Asia/Shanghai');
  await channel.ask('/timezone New York', /America\/New_York/);
  expect(setting.rows('SELECT time_zone FROM schedules')).toEqual([{ time_zone: 'Asia/Shanghai' }]);
  setting.clock.advance(3 * hour);
  await channel.sees(/⏰ tea/);
});

test('a person is asked once where they are', async () => {
  const setting = await daemonSetting();
  const remind = () => useTool(setting, 'remind', { text: 'tea', at: '2023-12-01T09:00' });
  expect(await remind()).toContain('/timezone');
  expect(await remind()).not.toContain('/timezone');
  await setting.restart();
  expect(await remind()).not.toContain('/timezone');
});
