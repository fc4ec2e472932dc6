import { describe, expect, test } from 'vitest';
import { planningWords } from '../../../src/features/planning/words.ts';
import { group } from '../../support/daemon-setting.ts';
import { daily, planningSetting, untilNine } from './planning-setting.ts';

const words = planningWords.en;

async function withTask() {
  const { setting, channel, clock, plan } = await planningSetting({ allowFrom: ['bob'] });
  await plan('schedule', daily);
  const stored = () => setting.rows('SELECT id, text, cron, next_at FROM schedules')[0] ?? {};
  return { setting, channel, clock, id: String(stored().id), stored };
}

describe('what is planned', () => {
  test('gets another text, with its lines, and is done in those words', async () => {
    const { setting, channel, clock, id, stored } = await withTask();
    await channel.askAtRest(`/schedules edit ${id.toUpperCase()} tell me\n  the weather`, 'News');
    expect(stored().text).toBe('tell me\n  the weather');
    expect(setting.rows("SELECT kind FROM audit WHERE kind = 'schedule-changed'")).toHaveLength(1);
    clock.advance(untilNine);
    await channel.seesAtRest('the weather');
  });

  test('gets other times: once, or again and again, in its own time zone; it is due then, and not before', async () => {
    const { setting, channel, clock, id, stored } = await withTask();
    await channel.askAtRest(`/schedules time ${id} 2023-11-14T23:00`, '23:00');
    expect([stored().cron, stored().next_at]).toEqual([null, Date.UTC(2023, 10, 14, 23)]);
    await channel.askAtRest(`/schedules time ${id} 30 23 * * *`, '23:30');
    expect([stored().cron, stored().next_at]).toEqual(['30 23 * * *', Date.UTC(2023, 10, 14, 23, 30)]);
    const asked = setting.model.requests.length;
    clock.advance(60 * 60_000);
    await channel.whenIdle();
    expect(setting.model.requests).toHaveLength(asked);
    clock.advance(20 * 60_000);
    await setting.model.asked(asked + 1);
  });

  test.each(['2020-01-01T09:00', 'tomorrow', '0 9 31 2 *', '99 9 * * *'])(
    'keeps its times where %s is none that comes',
    async (time) => {
      const { channel, id, stored } = await withTask();
      const before = stored();
      await channel.askAtRest(`/schedules time ${id} ${time}`, words.unreadableTime({ time: `\`${time}\`` }));
      expect(stored()).toEqual(before);
    },
  );

  test('is changed by its person alone, there where they see it, and within its length', async () => {
    const { channel, id, stored } = await withTask();
    const before = stored();
    await channel.askAtRest(`/schedules edit ${id} mine`, words.noSuchSchedule, { by: 'bob', at: 'test:bob' });
    await channel.askAtRest(`/schedules edit ${id} mine`, words.noSuchSchedule, { in: group, at: 'test:team' });
    await channel.askAtRest(`/schedules edit ${id} ${'x'.repeat(2001)}`, words.tooLong({ length: 2001, most: 2000 }));
    await channel.askAtRest(`/schedules edit ${id}`, words.usage);
    await channel.askAtRest(`/schedules time ${id}`, words.usage);
    expect(stored()).toEqual(before);
  });
});
