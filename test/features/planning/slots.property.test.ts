import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createScheduler } from '../../../src/features/planning/scheduler.ts';
import { createScheduleStore, type Firing, type ScheduleStore } from '../../../src/features/planning/tables.ts';
import { type CronSlots, readCron } from '../../../src/lib/cron-slots.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { newStore, originOf, said } from '../../support/store-setting.ts';
import { schedulerCore } from './planning-setting.ts';

/** Each takes as long as dozens of documents of the others. */
const numRuns = Math.min(300, Number(process.env.KEYTURN_PROPERTY_RUNS ?? 10));
const minute = 60_000;
/** The clocks of most zones below move in the days behind each. */
const starts = [
  '2026-03-07T05:00Z',
  '2026-03-28T20:00Z',
  '2026-04-04T10:00Z',
  '2026-10-03T10:00Z',
  '2026-10-24T20:00Z',
];

const field = (most: number) => fc.integer({ min: 0, max: most }).map(String);
const expressions = fc.oneof(
  fc.tuple(field(59), field(23)).map(([at, hour]) => `${at} ${hour} * * *`),
  fc.tuple(field(59), field(23), field(23)).map(([at, one, other]) => `${at} ${one},${other} * * *`),
  fc.constantFrom('*/15 * * * *', '0 * * * *', '7 */3 * * *', '30 1-3 * * *', '* 2 * * *', '0 9 * * 1-5'),
);
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe');

/** Time passes, and then nothing happens, or the process ends: by itself, or in the midst of the next firing. */
const steps = fc.array(
  fc.record({
    pass: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 3000 })).map((length) => length * minute),
    end: fc.constantFrom('none', 'none', 'stop', 'dies before', 'dies after'),
  }),
  { minLength: 5, maxLength: 25 },
);

type End = 'none' | 'stop' | 'dies before' | 'dies after';

/** One thing that is planned, and processes that look after it one after the other. */
class Lives {
  readonly clock: ManualClock;
  readonly fired: string[] = [];
  readonly #inner: Pick<ScheduleStore, 'earliest' | 'fire'>;
  #scheduler: ReturnType<typeof createScheduler>;
  #end: End = 'none';
  #firing = 0;

  constructor(inner: Pick<ScheduleStore, 'earliest' | 'fire'>, clock: ManualClock) {
    this.#inner = inner;
    this.clock = clock;
    this.#scheduler = this.#live();
  }

  async pass(milliseconds: number, end: End): Promise<void> {
    this.#end = end;
    this.clock.advance(milliseconds);
    if (end === 'none') await this.settled();
    else await setImmediate();
    await this.#restart(end);
  }

  /** Resolves when nothing is due: what does not fire runs into the time limit of the test. */
  async settled(): Promise<void> {
    for (;;) {
      const [first] = await this.#inner.earliest(undefined, 1);
      const isDue = first !== undefined && first.nextAt <= this.clock.now();
      // A commit is seen before it is on disk, and only then has it fired for the process.
      if (!isDue && this.#firing === 0) return;
      await setImmediate();
    }
  }

  async stop(): Promise<void> {
    await this.#scheduler.stop();
  }

  async #restart(end: End): Promise<void> {
    if (end === 'none') return;
    await this.stop();
    this.#end = 'none';
    this.#scheduler = this.#live();
    await this.settled();
  }

  #live() {
    const { earliest } = this.#inner;
    const watched = { earliest, fire: (firing: Firing) => this.#fire(firing) };
    const scheduler = createScheduler(schedulerCore({ clock: this.clock }, Number.MAX_SAFE_INTEGER), watched);
    scheduler.begin();
    return scheduler;
  }

  async #fire(firing: Firing): Promise<readonly string[] | undefined> {
    if (this.#end === 'dies before') throw new Error('dead');
    this.#firing += 1;
    const places = await this.#inner.fire(firing);
    this.#firing -= 1;
    if (places !== undefined && firing.event !== undefined) this.fired.push(firing.event.key);
    if (this.#end === 'dies after') throw new Error('dead');
    return places;
  }
}

test('each time of whatever is planned fires once at most, and the newest one always, however often the process ends', {
  timeout: 60_000 + numRuns * 1000,
}, async () => {
  const { store, database } = await newStore();
  const schedules = createScheduleStore(database);
  const origin = originOf('ada', { channel: 'test', chatId: 'ada', kind: 'direct' });
  await store.inbox.accept(said(origin, 'hello'));
  let runs = 0;
  const property = fc.asyncProperty(
    expressions,
    zones,
    fc.constantFrom(...starts),
    steps,
    async (cron, timeZone, from, passes) => {
      runs += 1;
      const id = `run${runs}`;
      const start = Date.parse(from);
      const slots = await slotsOf(cron, timeZone);
      const nextAt = slots.next(start) ?? 0;
      const { conversationId, principal, name } = origin;
      const rest = { conversationId, principal, name, text: 'news', createdAt: start };
      const planned = { id, type: 'task', cron, timeZone, nextAt, ...rest } as const;
      const limit = { most: 1_000_000, accounts: [principal] };
      await database.write((sql) => schedules.add(planned, limit, { transaction: sql }));
      const lives = new Lives(schedules, new ManualClock(start));
      for (const { pass, end } of passes) {
        await lives.pass(pass, end);
        const newest = slots.newest(lives.clock.now()) ?? 0;
        if (newest > start) expect(lives.fired).toContain(`schedule:${id}:${newest}`);
      }
      await lives.stop();
      const cancellation = { id, principal, accounts: [principal], at: 0 };
      await database.write((sql) => schedules.cancel(cancellation, { transaction: sql }));
      expect(new Set(lives.fired).size).toBe(lives.fired.length);
      const wanted = keysUpTo(slots, id, [start, lives.clock.now()]);
      expect(lives.fired.filter((key) => !wanted.has(key))).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns, seed: 20_261_121 });
});

async function slotsOf(cron: string, timeZone: string): Promise<CronSlots> {
  const reading = await readCron(cron, timeZone);
  if (!reading.valid) throw new Error(reading.fault);
  return reading.slots;
}

function keysUpTo(slots: CronSlots, id: string, [from, to]: readonly [number, number]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (let at = slots.next(from); at !== undefined && at <= to; at = slots.next(at)) keys.add(`schedule:${id}:${at}`);
  return keys;
}
