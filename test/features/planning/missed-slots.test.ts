import { describe, expect, test } from 'vitest';
import { planningWords } from '../../../src/features/planning/words.ts';
import type { CrashPoint } from '../../../src/lib/crash-points.ts';
import { anything, saying } from '../../support/saying.ts';
import { wordsOf } from '../../support/scripted-model.ts';
import { daily, day, hour, minute, planningSetting, untilNine } from './planning-setting.ts';

const once = { action: 'create', task: 'water the plants', at: '2023-11-15T09:00' };

function tools(catchUp: number) {
  return { config: { tools: { schedule: { time_zone: 'UTC', catch_up_secs: catchUp / 1000 } } } };
}

describe('what was missed while Keyturn was away', () => {
  test('is done once, for the newest time, and says how late it is', async () => {
    const { model, channel, clock, plan, away } = await planningSetting();
    await plan('schedule', daily);
    await away(untilNine + 3 * day + 2 * hour);
    await channel.sees('It is time for the task');
    expect(wordsOf(await model.asked(3))).toContain(
      'Planned for Sat 18 Nov 2023, 09:00, UTC. It is 2 h late, since Keyturn was away.',
    );
    await channel.whenIdle();
    expect(model.requests).toHaveLength(3);
    clock.advance(22 * hour);
    expect(wordsOf(await model.asked(4))).toContain('Planned for Sun 19 Nov 2023, 09:00, UTC.\n');
  });

  test('by too much is left out, and the next time is kept', async () => {
    const { setting, model, channel, clock, plan, away } = await planningSetting(tools(hour));
    await plan('schedule', daily);
    await away(untilNine + hour + 1);
    await expect
      .poll(() => setting.rows('SELECT next_at FROM schedules'))
      .toEqual([{ next_at: Date.parse('2023-11-16T09:00Z') }]);
    await channel.whenIdle();
    expect(model.requests).toHaveLength(2);
    // The change is seen a moment before the next time is waited for.
    await clock.waitsFor(10 * minute);
    clock.advance(23 * hour);
    expect(wordsOf(await model.asked(3))).toContain('Planned for Thu 16 Nov 2023, 09:00, UTC.');
  });

  test('and was due once is done late', async () => {
    const { model, plan, away } = await planningSetting(tools(hour));
    await plan('schedule', once);
    await away(untilNine + hour);
    expect(wordsOf(await model.asked(3))).toContain('It is 1 h late');
  });

  test('and was due once is ended when it is too late, and people are told', async () => {
    const { setting, model, channel, plan, away } = await planningSetting(tools(hour));
    await plan('schedule', once);
    await away(untilNine + hour + 1);
    const slot = 'Wed 15 Nov 2023, 09:00, UTC';
    await channel.sees(saying(planningWords.en.missed({ type: 'task', text: anything, slot })));
    expect(setting.rows('SELECT * FROM schedules')).toEqual([]);
    expect(model.requests).toHaveLength(2);
    await channel.say('do it now then');
    expect(wordsOf(await model.asked(3))).toContain('kind="schedule_missed"');
  });

  test('is done even where nothing is caught up with, if it is but a moment late', async () => {
    const { model, clock, plan } = await planningSetting(tools(0));
    await plan('schedule', daily);
    clock.advance(untilNine + minute);
    expect(wordsOf(await model.asked(3))).toContain('Planned for Wed 15 Nov 2023, 09:00, UTC.\n');
  });
});

describe('a process that dies', () => {
  test('right after a time has fired is followed by one that answers it, once', async () => {
    let isDying = true;
    const crashPoint = (point: CrashPoint): void => {
      if (point === 'schedule-fired' && isDying) throw new Error('dead');
    };
    const { setting, model, channel, clock, plan } = await planningSetting({ crashPoint });
    await plan('schedule', daily);
    clock.advance(untilNine);
    await expect.poll(() => setting.rows(`SELECT key FROM inbox WHERE kind = 'event'`)).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    isDying = false;
    model.next('Here is the news.');
    await setting.restart();
    await channel.sees('Here is the news.');
    await setting.restart();
    await channel.whenIdle();
    expect(model.requests).toHaveLength(3);
  });

  test('right before it is followed by one that does both, once', async () => {
    const { setting, model, channel, clock, plan } = await planningSetting();
    await plan('schedule', daily);
    clock.advance(untilNine - 1);
    await setting.stop();
    clock.advance(1);
    model.next('Here is the news.');
    await setting.start();
    await channel.sees('Here is the news.');
    await setting.restart();
    await channel.whenIdle();
    expect(model.requests).toHaveLength(3);
    expect(setting.rows(`SELECT key FROM inbox WHERE kind = 'event'`)).toHaveLength(1);
  });

  test('between the reminder and its end cannot be: both are one commit', async () => {
    const crashPoint = (point: CrashPoint): void => {
      if (point === 'schedule-fired') throw new Error('dead');
    };
    const { setting, channel, clock, plan } = await planningSetting({ crashPoint });
    await plan('remind', { text: 'tea', in_minutes: 1 });
    clock.advance(minute);
    await expect.poll(() => setting.rows('SELECT id FROM schedules')).toEqual([]);
    expect(setting.rows(`SELECT markdown FROM outbox WHERE kind = 'for_user' AND markdown LIKE '⏰%'`)).toEqual([
      { markdown: '⏰ tea' },
    ]);
    await setting.restart();
    await channel.seesAtRest('⏰ tea');
    expect(channel.textsIn('test:ada').filter((text) => text.startsWith('⏰'))).toEqual(['⏰ tea']);
  });
});

test('another default time zone moves nothing that was planned', async () => {
  const { setting, clock, model, plan } = await planningSetting();
  await plan('schedule', daily);
  await setting.restart({ tools: { schedule: { time_zone: 'America/New_York' } } });
  clock.advance(untilNine);
  expect(wordsOf(await model.asked(3))).toContain('Planned for Wed 15 Nov 2023, 09:00, UTC.');
  await setting.channel.whenIdle();
  expect(await plan('schedule', { action: 'list' })).toContain('Now it is Wed 15 Nov 2023, 04:00 (America/New_York)');
});
