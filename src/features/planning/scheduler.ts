import type { Conversation } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { readCron } from '../../lib/cron-slots.ts';
import type { DueSchedule, ScheduleStore, ScheduleType } from '../../store/schedules.ts';
import { firingOf } from './firing.ts';

export interface SchedulerParts extends Core {
  readonly store: Pick<ScheduleStore, 'earliest' | 'fire'>;
  /** How late something may be done that was missed while Keyturn was away, in milliseconds. */
  readonly catchUp: () => number;
  /** The types that are switched on. The rest waits. */
  readonly types: () => readonly ScheduleType[];
  /** Whether the channel is switched on. What was planned elsewhere waits. */
  readonly isReachable: (conversation: Conversation) => boolean;
  /** Whether its maker may still talk there. */
  readonly isWelcome: (schedule: DueSchedule) => boolean;
  readonly owners: () => readonly string[];
}

/** A machine that slept, or whose clock was set, is noticed after that long; in milliseconds. */
const longestWait = 600_000;
const retryAfterFailure = 60_000;
const page = 50;

/** Has done what people have planned, when it is due. One timer, for what is due first; none where nothing is planned. */
export function createScheduler(parts: SchedulerParts) {
  const { store, types, catchUp, clock, log, crashPoint, isReachable, isWelcome, owners, deliver, wake } = parts;
  let callOff = (): void => {};
  let dueAt = Number.POSITIVE_INFINITY;
  let attending = Promise.resolve();
  let isStopped = false;

  function wait(): void {
    callOff();
    callOff = clock.after(Math.min(Math.max(0, dueAt - clock.now()), longestWait), () => {
      if (clock.now() < dueAt) return wait();
      dueAt = Number.POSITIVE_INFINITY;
      attend();
    });
  }

  function attend(): void {
    attending = attending
      .then(lookAfter)
      .catch((error: unknown) => tryLater(error, 'what was planned could not be looked after'));
  }

  function tryLater(error: unknown, words: string, schedule?: string): void {
    log.error({ err: error, ...(schedule === undefined ? {} : { schedule }) }, `${words}; trying again in a minute`);
    watch(clock.now() + retryAfterFailure);
  }

  /** Goes through all that is due, to the first entry that is not. */
  async function lookAfter(): Promise<void> {
    for (let beyond: DueSchedule | undefined; ; ) {
      const found = await store.earliest(beyond, page);
      for (const schedule of found) {
        if (isStopped) return;
        if (!types().includes(schedule.type) || !isReachable(schedule.conversation)) continue;
        if (schedule.nextAt > clock.now()) return watch(schedule.nextAt);
        // One that fails keeps nobody else's from its time.
        await fire(schedule).catch((error: unknown) =>
          tryLater(error, 'something planned could not be done', schedule.id),
        );
      }
      beyond = found.at(-1);
      if (found.length < page) return;
    }
  }

  async function fire(schedule: DueSchedule): Promise<void> {
    const { id, cron, timeZone, conversationId } = schedule;
    const reading = cron === undefined ? {} : { cron: await readCron(cron, timeZone) };
    const facts = { isWelcome: isWelcome(schedule), owners: owners(), catchUp: catchUp(), ...reading };
    const firing = firingOf(schedule, { now: clock.now(), ...facts });
    const places = await store.fire(firing);
    crashPoint('schedule-fired');
    if (firing.nextAt !== undefined) watch(firing.nextAt);
    if (places === undefined) return;
    log.info({ schedule: id, conversation: conversationId, result: firing.result }, 'something planned was due');
    deliver(places);
    if (firing.event?.wantsAnswer === true) wake([conversationId]);
  }

  function begin(): void {
    if (types().length > 0) attend();
  }

  function watch(at: number): void {
    if (isStopped || at >= dueAt) return;
    dueAt = at;
    wait();
  }

  return {
    /** Sees to what became due while no process was there, and to the rest in its time. Returns at once. */
    begin,
    /** Something was stored that is due then. */
    watch,
    /** The time has jumped: what is due is not what the timer waits for. */
    lookAgain(): void {
      if (isStopped) return;
      callOff();
      dueAt = Number.POSITIVE_INFINITY;
      begin();
    },
    /** Begins nothing new, and resolves when what is being stored is stored. */
    async stop(): Promise<void> {
      isStopped = true;
      callOff();
      await attending;
    },
  };
}
