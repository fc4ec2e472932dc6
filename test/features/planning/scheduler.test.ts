import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FeatureCore } from '../../../src/feature-points.ts';
import { createScheduler } from '../../../src/features/planning/scheduler.ts';
import { createScheduleStore, type Schedule, type ScheduleStore } from '../../../src/features/planning/tables.ts';
import { planningWords } from '../../../src/features/planning/words.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anything, sayingOnly } from '../../support/saying.ts';
import { newStore, originOf, rowsOf, said } from '../../support/store-setting.ts';
import { wholeSchema } from '../../support/whole-schema.ts';
import { type LogLine, recordingLog } from '../../tools/setting.ts';
import { schedulerCore } from './planning-setting.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-03-23T12:00Z');

/** A scheduler on a real store, in which Ada has chats on two channels. */
async function schedulerSetting(changed: Partial<Record<keyof FeatureCore, unknown>> = {}) {
  const { store, database, file } = await newStore();
  const clock = new ManualClock(start);
  const lines: LogLine[] = [];
  const queries: number[] = [];
  const woken: string[] = [];
  const disk = { isFull: false };
  for (const channel of ['test', 'other']) {
    await store.inbox.accept(said(originOf('ada', { channel, chatId: 'ada', kind: 'direct' }), 'hello'));
  }
  const schedules = createScheduleStore(database);
  const watched: Pick<ScheduleStore, 'earliest' | 'fire'> = {
    earliest: (beyond, most) => {
      queries.push(most);
      return schedules.earliest(beyond, most);
    },
    fire: async (firing) => {
      if (disk.isFull) throw new Error('the disk is full');
      return schedules.fire(firing);
    },
  };
  const wake = (ids: readonly string[]): unknown => woken.push(...ids);
  const scheduler = createScheduler(schedulerCore({ clock, log: recordingLog(lines), wake, ...changed }), watched);
  onTestFinished(() => scheduler.stop());
  const events = (): readonly unknown[] =>
    rowsOf(file, `SELECT key FROM inbox WHERE kind = 'event' ORDER BY seq`).map(({ key }) => key);
  const notices = (): readonly unknown[] => rowsOf(file, 'SELECT markdown FROM outbox').map(({ markdown }) => markdown);
  const limit = { most: 999, accounts: ['test:ada'] };
  const add = (one: Schedule) => database.write((sql) => schedules.add(one, limit, { transaction: sql }));
  const cancellation = { principal: 'test:ada', accounts: ['test:ada'], at: start };
  const cancel = (id: string) =>
    database.write((sql) => schedules.cancel({ id, ...cancellation }, { transaction: sql }));
  return { schedules, add, cancel, scheduler, clock, lines, queries, woken, disk, events, notices };
}

function entry(id: string, nextAt: number, changed: Partial<Schedule> = {}): Schedule {
  const place = { conversationId: 'test:ada', principal: 'test:ada', name: 'ada' };
  return { id, type: 'task', ...place, text: id, timeZone: 'UTC', nextAt, createdAt: start, ...changed };
}

describe('the scheduler', () => {
  test('asks once at start, and waits for nothing where nothing is planned', async () => {
    const { scheduler, clock, queries } = await schedulerSetting();
    scheduler.begin();
    await setImmediate();
    await setImmediate();
    expect(queries).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  test('asks nothing where all of it is switched off', async () => {
    const { scheduler, queries } = await schedulerSetting({
      config: wholeSchema().parse({ tools: { disabled: ['schedule', 'remind'] } }),
    });
    scheduler.begin();
    await setImmediate();
    expect(queries).toEqual([]);
  });

  test('looks at the time now and then, since machines sleep, and asks nothing before it is due', async () => {
    const { add, scheduler, clock, queries, events } = await schedulerSetting();
    await add(entry('late', start + 30 * minute));
    scheduler.begin();
    await clock.passes(10 * minute);
    expect(clock.waits).toEqual([10 * minute]);
    clock.advance(15 * minute);
    expect(clock.waits).toEqual([5 * minute]);
    expect(queries).toHaveLength(1);
    clock.advance(5 * minute);
    await expect.poll(events).toEqual([`schedule:late:${start + 30 * minute}`]);
    await expect.poll(() => clock.waits).toEqual([]);
  });

  test('takes what is due earlier than what it waits for', async () => {
    const { add, scheduler, clock, events } = await schedulerSetting();
    await add(entry('later', start + 9 * minute));
    scheduler.begin();
    await clock.waitsFor(9 * minute);
    await add(entry('sooner', start + minute));
    scheduler.watch(start + minute);
    expect(clock.waits).toEqual([minute]);
    clock.advance(minute);
    await expect.poll(events).toHaveLength(1);
    await clock.passes(8 * minute);
    await expect.poll(events).toHaveLength(2);
  });

  test('lets what was planned on a channel that is switched off wait, however much that is, and does the rest', async () => {
    const { schedules, add, scheduler, clock, events } = await schedulerSetting({ adapters: new Set(['test']) });
    const elsewhere = { conversationId: 'other:ada', principal: 'other:ada' };
    for (let index = 0; index < 120; index += 1) await add(entry(`off${index}`, start - 1, elsewhere));
    await add(entry('on', start));
    await add(entry('next', start + minute));
    scheduler.begin();
    await expect.poll(events).toEqual([`schedule:on:${start}`]);
    await clock.waitsFor(minute);
    expect(await schedules.ofPerson(['other:ada'])).toHaveLength(120);
  });

  test('tries again in a minute when it could not be stored, and says so in the log', async () => {
    const { add, scheduler, clock, lines, events, woken, disk } = await schedulerSetting();
    await add(entry('one', start));
    disk.isFull = true;
    scheduler.begin();
    await clock.waitsFor(minute);
    expect(lines.map(({ level }) => level)).toEqual(['error']);
    disk.isFull = false;
    clock.advance(minute);
    await expect.poll(events).toEqual([`schedule:one:${start}`]);
    await expect.poll(() => woken).toEqual(['test:ada']);
  });

  test.each([{ cron: '0 9 * * *', timeZone: 'Gone/Away' }, { timeZone: 'Gone/Away' }, { cron: 'nonsense' }])(
    'ends what it can no longer read (%j), and says so in the chat',
    async (changed) => {
      const { schedules, add, scheduler, notices } = await schedulerSetting();
      await add(entry('odd', start, changed));
      scheduler.begin();
      await expect.poll(() => schedules.ofPerson(['test:ada'])).toEqual([]);
      expect(notices()).toEqual([
        expect.stringMatching(sayingOnly(planningWords.en.broken({ type: 'task', text: 'odd', fault: anything }))),
      ]);
    },
  );

  test('does the rest when one of them fails', async () => {
    let dead = true;
    const crashPoint = (): void => {
      if (dead) {
        dead = false;
        throw new Error('dead');
      }
    };
    const { add, scheduler, events, lines } = await schedulerSetting({ crashPoint });
    await add(entry('one', start - 1));
    await add(entry('two', start));
    scheduler.begin();
    await expect.poll(events).toHaveLength(2);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test.each([
    ['again and again', { cron: '0 12 * * *' }, start + 24 * hour],
    ['once', {}, undefined],
  ])('fires a time of what is due %s but once, though two have read it', async (_how, changed, nextAt) => {
    const { schedules, add, events } = await schedulerSetting();
    await add(entry('twice', start, changed));
    const [read] = await schedules.earliest(undefined, 1);
    if (read === undefined) throw new Error('nothing was found');
    const fired = { schedule: read, ...(nextAt === undefined ? {} : { nextAt }), result: 'fired', at: start } as const;
    // Under another key, so that nothing else keeps the second one out.
    const fire = (key: string) => schedules.fire({ ...fired, event: { key, text: '', wantsAnswer: true } });
    expect(await Promise.all([fire('first'), fire('second')])).toEqual([[], undefined]);
    expect(events()).toEqual(['first']);
    expect((await schedules.ofPerson(['test:ada'])).map((left) => left.nextAt)).toEqual(
      nextAt === undefined ? [] : [nextAt],
    );
  });

  test('fires nothing that was cancelled in the same instant', async () => {
    const { schedules, cancel, add, scheduler, events, woken } = await schedulerSetting();
    await add(entry('gone', start));
    const [read] = await schedules.earliest(undefined, 1);
    await cancel('gone');
    if (read === undefined) throw new Error('nothing was found');
    expect(await schedules.fire({ schedule: read, result: 'fired', at: start })).toBeUndefined();
    scheduler.begin();
    await setImmediate();
    expect([events(), woken]).toEqual([[], []]);
  });
});
