import { isToolOn } from '../../config/tool-rules.ts';
import { partsOf } from '../../contract.ts';
import type { FeatureCore } from '../../feature-points.ts';
import type { Clock } from '../../lib/clock.ts';
import { planningSettings } from './settings.ts';
import type { DueSchedule, Firing, ScheduleStore, ScheduleType } from './tables.ts';

/** Fires planned entries when they are due. Keeps one timer, for the earliest entry. */
export interface Scheduler {
  /** Fires what became due while no process ran, and sets the timer. Returns at once. */
  begin(): void;
  /** Sets the timer for a newly stored entry. */
  watch(at: number): void;
  /** Re-reads what is due, after the clock jumped or the config changed. */
  lookAgain(): void;
  /** Starts nothing new; resolves when the current entry is stored. */
  stop(): Promise<void>;
}

interface SchedulerContext {
  readonly core: FeatureCore;
  readonly schedules: Pick<ScheduleStore, 'earliest' | 'fire'>;
  readonly timer: DueTimer;
}

/** The longest timer, so that sleep and clock changes are noticed; in ms. */
const longestWait = 600_000;
const retryAfterFailure = 60_000;
const page = 50;

export function createScheduler(core: FeatureCore, schedules: Pick<ScheduleStore, 'earliest' | 'fire'>): Scheduler {
  const timer = new DueTimer(core.clock, () => attend({ core, schedules, timer }));
  const begin = (): void => (typesOn(core).length > 0 ? timer.attend() : undefined);
  return {
    begin,
    watch: (at) => timer.watch(at),
    lookAgain() {
      if (timer.isStopped) return;
      timer.forget();
      begin();
    },
    stop: () => timer.stop(),
  };
}

/** Waits for the earliest instant, and lets one look after what is due run at a time. */
class DueTimer {
  readonly #clock: Clock;
  /** Never rejects. */
  readonly #onDue: () => Promise<void>;
  #callOff = (): void => {};
  #dueAt = Number.POSITIVE_INFINITY;
  #attending = Promise.resolve();
  #isStopped = false;

  constructor(clock: Clock, onDue: () => Promise<void>) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  attend(): void {
    this.#attending = this.#attending.then(this.#onDue);
  }

  watch(at: number): void {
    if (this.#isStopped || at >= this.#dueAt) return;
    this.#dueAt = at;
    this.#wait();
  }

  forget(): void {
    this.#callOff();
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff();
    await this.#attending;
  }

  #wait(): void {
    this.#callOff();
    this.#callOff = this.#clock.after(Math.min(Math.max(0, this.#dueAt - this.#clock.now()), longestWait), () => {
      if (this.#clock.now() < this.#dueAt) return this.#wait();
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.attend();
    });
  }
}

async function attend(context: SchedulerContext): Promise<void> {
  const { core, timer } = context;
  try {
    await lookAfter(context);
  } catch (err) {
    core.log.error({ err }, 'what was planned could not be looked after; trying again in a minute');
    timer.watch(core.clock.now() + retryAfterFailure);
  }
}

/** Fires all due entries, then sets the timer for the next one. */
async function lookAfter(context: SchedulerContext): Promise<void> {
  const { core, schedules, timer } = context;
  for (let beyond: DueSchedule | undefined; ; ) {
    const found = await schedules.earliest(beyond, page);
    for (const schedule of found) {
      if (timer.isStopped) return;
      if (!typesOn(core).includes(schedule.type) || !core.adapters.has(schedule.conversation.channel)) continue;
      if (schedule.nextAt > core.clock.now()) return timer.watch(schedule.nextAt);
      await tryToFire(schedule, context);
    }
    beyond = found.at(-1);
    if (found.length < page) return;
  }
}

/** The enabled types. Entries of other types, and of channels that do not run, wait. */
export function typesOn({ config }: Pick<FeatureCore, 'config'>): readonly ScheduleType[] {
  const isOn = (name: string): boolean => isToolOn(config, { name, category: 'memory' });
  return [...(isOn('schedule') ? ['task' as const] : []), ...(isOn('remind') ? ['reminder' as const] : [])];
}

/** A failing entry does not delay the others. */
async function tryToFire(schedule: DueSchedule, context: SchedulerContext): Promise<void> {
  const { core, timer } = context;
  try {
    await fire(schedule, context);
  } catch (err) {
    core.log.error({ err, schedule: schedule.id }, 'something planned could not be done; trying again in a minute');
    timer.watch(core.clock.now() + retryAfterFailure);
  }
}

async function fire(schedule: DueSchedule, { core, schedules, timer }: SchedulerContext): Promise<void> {
  const { id, conversationId } = schedule;
  const firing = await firingNow(schedule, core);
  const conversationIds = await schedules.fire(firing);
  core.crashPoint?.('schedule-fired');
  if (firing.nextAt !== undefined) timer.watch(firing.nextAt);
  if (conversationIds === undefined) return;
  core.log.info({ schedule: id, conversation: conversationId, result: firing.result }, 'something planned was due');
  core.deliver(conversationIds);
  if (firing.event?.wantsAnswer === true) core.wake([conversationId]);
}

/** Whether who planned it may still talk there. */
export function isMakerWelcome(
  { principal, name, roles, conversation }: DueSchedule,
  { rules }: Pick<FeatureCore, 'rules'>,
): boolean {
  return rules.isWelcome({ id: partsOf(principal).senderId, name, isPerson: true, roles }, conversation);
}

async function firingNow(schedule: DueSchedule, core: FeatureCore): Promise<Firing> {
  const { cron, timeZone, conversationId } = schedule;
  const { ownersChats, clock, languages, readers } = core;
  // Loaded only once something is due.
  const [{ firingOf }, { readCron }] = await Promise.all([import('./firing.ts'), import('../../lib/cron-slots.ts')]);
  const reading = cron === undefined ? {} : { cron: await readCron(cron, timeZone) };
  await readers.prepare([conversationId]);
  const isWelcome = isMakerWelcome(schedule, core);
  const now = clock.now();
  const owners = isWelcome ? [] : await ownersChats.best();
  return firingOf(schedule, {
    now,
    isWelcome,
    language: readers.forConversation(conversationId).language,
    owners: owners.map((owner) => ({ principal: owner.principal, language: languages.of(owner).language })),
    catchUp: core.settings(planningSettings).tools.schedule.catch_up_secs * 1000,
    ...reading,
  });
}
