import { isToolOn } from '../../config/tool-rules.ts';
import { partsOf } from '../../contract.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { planningSettings } from './settings.ts';
import type { DueSchedule, ScheduleStore, ScheduleType } from './tables.ts';

/** The longest timer, so that sleep and clock changes are noticed; in ms. */
const longestWait = 600_000;
const retryAfterFailure = 60_000;
const page = 50;

/** Fires planned entries when they are due. Keeps one timer, for the earliest entry. */
export function createScheduler(core: FeatureCore, schedules: Pick<ScheduleStore, 'earliest' | 'fire'>) {
  const settings = core.settings(planningSettings);
  const { config, rules, adapters, ownersChats, clock, log, crashPoint, deliver, wake } = core;
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

  /** The enabled types. Entries of other types, and of channels that do not run, wait. */
  function types(): readonly ScheduleType[] {
    const isOn = (name: string): boolean => isToolOn(config, { name, category: 'memory' });
    return [...(isOn('schedule') ? ['task' as const] : []), ...(isOn('remind') ? ['reminder' as const] : [])];
  }

  /** Fires all due entries, then sets the timer for the next one. */
  async function lookAfter(): Promise<void> {
    for (let beyond: DueSchedule | undefined; ; ) {
      const found = await schedules.earliest(beyond, page);
      for (const schedule of found) {
        if (isStopped) return;
        if (!types().includes(schedule.type) || !adapters.has(schedule.conversation.channel)) continue;
        if (schedule.nextAt > clock.now()) return watch(schedule.nextAt);
        // A failing entry does not delay the others.
        await fire(schedule).catch((error: unknown) =>
          tryLater(error, 'something planned could not be done', schedule.id),
        );
      }
      beyond = found.at(-1);
      if (found.length < page) return;
    }
  }

  async function fire(schedule: DueSchedule): Promise<void> {
    const { id, cron, timeZone, conversation, conversationId, principal, name, roles } = schedule;
    // Loaded only once something is due.
    const [{ firingOf }, { readCron }] = await Promise.all([import('./firing.ts'), import('../../lib/cron-slots.ts')]);
    const reading = cron === undefined ? {} : { cron: await readCron(cron, timeZone) };
    const maker = { id: partsOf(principal).senderId, name, isPerson: true, roles };
    const isWelcome = rules.isWelcome(maker, conversation);
    const firing = firingOf(schedule, {
      ...{ now: clock.now(), isWelcome },
      owners: isWelcome ? [] : (await ownersChats.best()).map((chat) => chat.principal),
      catchUp: settings.tools.schedule.catch_up_secs * 1000,
      ...reading,
    });
    const places = await schedules.fire(firing);
    crashPoint?.('schedule-fired');
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
    /** Fires what became due while no process ran, and sets the timer. Returns at once. */
    begin,
    /** Sets the timer for a newly stored entry. */
    watch,
    /** Re-reads what is due, after the clock jumped or the config changed. */
    lookAgain(): void {
      if (isStopped) return;
      callOff();
      dueAt = Number.POSITIVE_INFINITY;
      begin();
    },
    /** Starts nothing new; resolves when the current entry is stored. */
    async stop(): Promise<void> {
      isStopped = true;
      callOff();
      await attending;
    },
  };
}
