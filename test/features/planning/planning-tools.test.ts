import { beforeEach, describe, expect, test } from 'vitest';
import type { HeldZone } from '../../../src/conversation/access/time-zones.ts';
import { cronPlan } from '../../../src/features/planning/cron-plan.ts';
import { planningTools } from '../../../src/features/planning/planning-tools.ts';
import type { KeptSchedule, ScheduleStore } from '../../../src/features/planning/tables.ts';
import { planningWords } from '../../../src/features/planning/words.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Language } from '../../../src/lib/words.ts';
import { coreWith } from '../../support/core-with.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { canBeSwitchedOff } from '../../support/switched-off.ts';
import { wholeSchema } from '../../support/whole-schema.ts';
import { contextIn, prepared, scopeIn } from '../../tools/setting.ts';

/** Mon 23 Mar 2026, 12:00 UTC. */
const now = Date.parse('2026-03-23T12:00Z');

let kept: KeptSchedule[] = [];
let planned: number[] = [];
let zone: HeldZone;
beforeEach(() => {
  zone = { timeZone: 'Europe/Berlin', source: 'config' };
  kept = [];
  planned = [];
});

const store: Pick<ScheduleStore, 'add' | 'ofPerson' | 'cancel'> = {
  add: async (entry) => {
    kept.push({ ...entry, untrusted: [] });
    return 'added';
  },
  ofPerson: async () => kept,
  cancel: async ({ id }) => kept.find((entry) => entry.id === id),
};

function tool(name: 'schedule' | 'remind') {
  const core = coreWith({
    store: { timeZones: { askOnce: async () => true } },
    timeZones: { of: () => zone },
    accounts: { accountsOf: (principal: string) => [principal] },
    clock: new ManualClock(now),
    config: wholeSchema().parse({ tools: { schedule: { time_zone: 'Europe/Berlin' } } }),
  });
  return planningTools(core, store, (at) => planned.push(at), scopeIn('/tmp'))[name];
}

async function run(name: 'schedule' | 'remind', args: JsonObject) {
  const output = await (await prepared(tool(name), args)).execute(contextIn('/tmp'));
  const ended = output.effect?.apply({ transaction: store }) ?? output;
  output.effect?.stored?.();
  return ended;
}

async function words(name: 'schedule' | 'remind', args: JsonObject, language?: Language) {
  return (await prepared(tool(name), args)).describe(language);
}

const task = { action: 'create', task: 'the news' };

describe('schedule', () => {
  test('shows the next three dates, so that the model sees what it has planned', async () => {
    const { forLlm, isError } = await run('schedule', { ...task, cron: '0 9 * * 1-5' });
    expect(isError).toBe(false);
    expect(forLlm).toMatch(
      /^Planned as [a-z0-9]{6}: every weekday at 09:00, Europe\/Berlin\. Due: Tue 24 Mar 2026, 09:00; Wed 25 Mar 2026, 09:00; Thu 26 Mar 2026, 09:00; and so on\. Now it is Mon 23 Mar 2026, 13:00 \(Europe\/Berlin\)\.$/,
    );
    expect(kept[0]).toMatchObject({
      cron: '0 9 * * 1-5',
      timeZone: 'Europe/Berlin',
      principal: 'terminal:1',
      name: 'Ada',
    });
    expect(planned).toEqual([Date.parse('2026-03-24T08:00Z')]);
  });

  test.each<[JsonObject, string, ('schedule' | 'remind')?]>([
    [
      { ...task, at: '2026-03-23T12:59' },
      'Not planned. That is past. Now it is Mon 23 Mar 2026, 13:00 (Europe/Berlin).',
    ],
    [{ text: 'tea', at: '2026-03-23T13:00' }, 'That is past.', 'remind'],
    [{ ...task, at: 'tomorrow' }, 'at: expected a date and a time such as "2026-03-30T09:00", got "tomorrow".'],
    [{ ...task, cron: '0 9 * * *', time_zone: 'Atlantis' }, 'There is no time zone "Atlantis". Use an IANA name'],
    [{ ...task, at: '2026-04-31T09:00' }, 'at: there is no "2026-04-31T09:00". April has 30 days.'],
    [{ text: 'tea', at: '2027-02-29 09:00' }, 'February 2027 has 28 days.', 'remind'],
    [{ text: 'tea', at: '2026-13-01T09:00' }, 'There is no month 13.', 'remind'],
    [{ text: 'tea', at: '2026-06-01T24:00' }, '24:00 is 00:00 of the next day.', 'remind'],
    [{ ...task, at: '2026-06-01T09:60' }, 'Minutes and seconds run from 00 to 59.'],
    [{ ...task, at: '2026-06-01T09:00+15:00' }, 'No place has such an offset from UTC.'],
    [
      { ...task, cron: '0 9 * * *', time_zone: 'CST' },
      'Not planned. "CST" is no time zone by itself: it may mean America/Chicago (UTC-6) or Asia/Shanghai (UTC+8) or America/Havana (UTC-5).',
    ],
    [{ text: 'tea', at: '2026-06-01T09:00', time_zone: 'ist' }, 'Asia/Kolkata (UTC+5:30) or Asia/Jerusalem', 'remind'],
    [{ ...task, cron: '0 0 30 2 *' }, 'cron: "0 0 30 2 *" is a time that never comes.'],
    [{ ...task, cron: '* * * * * *' }, 'There is no field for seconds: once a minute is the most.'],
    [{ ...task, cron: '99 9 * * *' }, 'cron: Invalid value for minute: 99'],
  ])('refuses %j, and keeps nothing', async (args, fault, name = 'schedule') => {
    expect(await run(name, args)).toMatchObject({ isError: true, forLlm: expect.stringContaining(fault) });
    expect([kept, planned]).toEqual([[], []]);
  });

  test.each<[JsonObject, string]>([
    [{ at: '', in_minutes: 5, time_zone: '' }, 'Europe/Berlin'],
    [{ at: 'None', in_minutes: 5, time_zone: 'null' }, 'Europe/Berlin'],
    [{ at: '2026-06-01T09:00', in_minutes: '' }, 'Europe/Berlin'],
    [{ at: '2026-06-01T09:00', time_zone: 'Beijing' }, 'Asia/Shanghai'],
    [{ at: '2026-06-01T09:00', time_zone: 'UTC+8' }, '+08:00'],
  ])('remind %j is set in %s', async (args, timeZone) => {
    expect((await run('remind', { text: 'tea', ...args })).forLlm).toContain('is set: once, ');
    expect(kept).toMatchObject([{ timeZone }]);
  });

  test('a name that had to be read is told, to the person who is asked and to the model', async () => {
    const beijing = { ...task, cron: '0 9 * * *', at: '', title: '', id: '', time_zone: '北京时间' };
    expect(await words('schedule', beijing)).toContain('every day at 09:00, Asia/Shanghai');
    expect((await run('schedule', beijing)).forLlm).toContain('"北京时间" was read as Asia/Shanghai, the IANA name.');
    expect(await words('schedule', { ...task, cron: '0 9 * * *', time_zone: 'GMT+5:30' })).toContain('UTC+5:30');
  });

  test('where only the machine’s time zone is known, the model has the person asked', async () => {
    zone = { timeZone: 'Etc/UTC', source: 'machine' };
    const guessed = await run('remind', { text: 'tea', at: '2026-06-01T09:00' });
    expect(guessed.forLlm).toContain('/timezone Shanghai');
    const knowing: readonly JsonObject[] = [{ in_minutes: 5 }, { at: '2026-06-01T09:00', time_zone: 'Asia/Tokyo' }];
    for (const known of knowing)
      expect((await run('remind', { text: 'tea', ...known })).forLlm).not.toContain('/timezone');
    zone = { timeZone: 'Asia/Tokyo', source: 'set' };
    expect((await run('remind', { text: 'tea', at: '2026-06-01T09:00' })).forLlm).not.toContain('/timezone');
  });

  test.each<[JsonObject, string, ('schedule' | 'remind')?]>([
    [{ action: 'create', at: '2026-03-24T09:00' }, 'task: say what to do'],
    [task, 'at: say when: "at" for once, or "cron" for again and again'],
    [{ ...task, at: '2026-03-24T09:00', cron: '0 9 * * *' }, 'not both'],
    [{ action: 'cancel' }, 'id: say which one; list shows the ids'],
    [{ ...task, task: 'x'.repeat(2001), cron: '0 9 * * *' }, 'at most 2000 characters'],
    [{ action: 'delete' }, 'action'],
    [{ text: 'tea' }, 'say when: "at" or "in_minutes"', 'remind'],
    [{ text: 'tea', at: '2026-03-24T09:00', in_minutes: 5 }, 'give "at" or "in_minutes", not both', 'remind'],
    [{ text: 'tea', in_minutes: -5 }, 'in_minutes', 'remind'],
    [{ text: '', in_minutes: 5 }, 'text', 'remind'],
  ])('has no valid call in %j', async (args, problem, name = 'schedule') => {
    const preparation = await tool(name).prepare(args);
    expect(preparation).toMatchObject({ valid: false, message: expect.stringContaining(problem) });
  });

  test('tells an approver in plain words what is planned and when', async () => {
    const create = { ...task, cron: '0 9 * * 1-5', title: 'News' };
    expect(await words('schedule', create)).toBe(
      'plan the task `News`, every weekday at 09:00, Europe/Berlin: `the news`',
    );
    expect(await words('schedule', { ...task, at: '2026-03-24T09:00', time_zone: 'Asia/Kolkata' })).toBe(
      'plan the task, once, 2026-03-24 09:00, Asia/Kolkata: `the news`',
    );
    expect(await words('schedule', { ...task, at: '2026-03-24T09:00+02:00' })).toContain(
      'once, 2026-03-24 09:00+02:00: ',
    );
    expect(await words('schedule', { action: 'cancel', id: 'abc234' })).toBe(
      planningWords.en.cancel({ id: '`abc234`' }),
    );
    expect(await words('schedule', { action: 'list' })).toBe(planningWords.en.list);
    expect(await words('schedule', create, 'zh')).toBe(
      '安排任务 `News`，每周一至周五 09:00，Europe/Berlin：`the news`',
    );
    expect(await words('remind', { text: 'tea', in_minutes: 20 }, 'zh')).toBe('在这里提醒，20 分钟后：`tea`');
  });

  test('changes what is planned unless it lists it', async () => {
    const facets = async (args: JsonObject) => (await prepared(tool('schedule'), args)).facets;
    expect(await facets({ action: 'list' })).toMatchObject({ writesMemory: false });
    expect(await facets({ action: 'cancel', id: 'abc' })).toMatchObject({ writesMemory: true });
    expect(await facets({ ...task, cron: '0 9 * * *' })).toMatchObject({ writesMemory: true });
  });

  test('has a schema without unions, which every provider takes', async () => {
    for (const name of ['schedule', 'remind'] as const) {
      const { parameters } = await tool(name).spec();
      expect(JSON.stringify(parameters)).not.toMatch(/anyOf|oneOf|allOf|\$ref/);
    }
  });
});

describe('remind', () => {
  test('what the model gives as a time is no markdown on a card', async () => {
    const time = { at: '[yes](https://x.example)', time_zone: '**Berlin**' };
    const shown = String.raw`once, \[yes\](https://x.example), \*\*Berlin\*\*`;
    expect(await words('schedule', { action: 'create', task: 'tea', ...time })).toBe(
      `plan the task, ${shown}: \`tea\``,
    );
    expect(await words('remind', { text: 'tea', ...time })).toBe(`remind here, ${shown}: \`tea\``);
  });

  test('takes a time, or how long it is until then', async () => {
    expect((await run('remind', { text: 'tea', in_minutes: 20 })).forLlm).toMatch(
      /^The reminder [a-z0-9]{6} is set: once, Mon 23 Mar 2026, 13:20, Europe\/Berlin\. Now it is/,
    );
    await run('remind', { text: 'tea', at: '2026-03-29T02:30' });
    expect(planned).toEqual([now + 1_200_000, Date.parse('2026-03-29T01:30Z')]);
    expect(kept.map(({ type }) => type)).toEqual(['reminder', 'reminder']);
    expect(await words('remind', { text: 'tea', in_minutes: 20 })).toBe('remind here, in 20 min: `tea`');
  });
});

test.each([
  ['0 9 * * 1-5', 'every weekday at 09:00', '每周一至周五 09:00'],
  ['0 9 * * MON-FRI', 'every weekday at 09:00', '每周一至周五 09:00'],
  ['5 9 * * *', 'every day at 09:05', '每天 09:05'],
  ['0 9,17 * * *', 'every day at 09:00 and 17:00', '每天 09:00、17:00'],
  ['0 9 * * 1', 'every Monday at 09:00', '每周一 09:00'],
  ['0 9 * * 7', 'every Sunday at 09:00', '每周日 09:00'],
  ['0 9 * * mon,wed,fri', 'every Monday, Wednesday and Friday at 09:00', '每周一、周三、周五 09:00'],
  ['0 9 * * 0,6', 'every Saturday and Sunday at 09:00', '每周六、周日 09:00'],
  ['0 9 1 * *', 'on day 1 of every month at 09:00', '每月 1 日 09:00'],
  ['0 9 L * *', 'on the last day of every month at 09:00', '每月最后一天 09:00'],
  ['* * * * *', 'every minute', '每分钟'],
  ['*/15 * * * *', 'every 15 minutes', '每 15 分钟'],
  ['*/15 * * * 1-5', 'every 15 minutes, every weekday', '每周一至周五，每 15 分钟'],
  ['30 * * * *', 'every hour at minute 30', '每小时的第 30 分钟'],
  ['0 */2 * * *', 'every 2 hours at minute 0', '每 2 小时的第 0 分钟'],
  // What is not plain stays as it is, so that nobody reads something else than what will be.
  ...['*/7 * * * *', '0 9 1 * 1', '0 9 * 1 *', '0 9-17 * * *', '0 9 * * 6,6', '0 25 * * *', 'nonsense'].map(
    (expression) => [expression, `at the times of \`${expression}\``, `按 \`${expression}\` 的时间`],
  ),
])('the cron expression "%s" is %s in English, and %s in Chinese', (expression = '', english = '', chinese = '') => {
  const again = { plan: cronPlan(expression), zone: 'UTC' };
  expect(planningWords.en.again(again)).toBe(`${english}, UTC`);
  expect(planningWords.zh.again(again)).toBe(`${chinese}，UTC`);
});

test.each(['schedule', 'remind'])('%s is there, and not when it is switched off', canBeSwitchedOff);
