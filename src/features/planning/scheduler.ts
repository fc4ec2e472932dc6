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
  /** The owners who can be reached. */
  readonly owners: () => readonly string[];
}

/** A machine that slept, or whose clock was set, is noticed after that long; in milliseconds. */
const longestWait = 600_000;
const retryAfterFailure = 60_000;
/** How many entries are looked at together. */
const page = 50;

/** Has done what people have planned, when it is due. One timer, for what is due first; none where nothing is planned. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  #callOff: (() => void) | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #attending: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** Sees to what became due while no process was there, and to the rest in its time. Returns at once. */
  begin(): void {
    if (this.#parts.types().length > 0) this.#attend();
  }

  /** Something was stored that is due then. */
  watch(at: number): void {
    if (this.#stopped || at >= this.#dueAt) return;
    this.#dueAt = at;
    this.#wait();
  }

  /** The time has jumped: what is due is not what the timer waits for. */
  lookAgain(): void {
    if (this.#stopped) return;
    this.#callOff?.();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.begin();
  }

  /** Begins nothing new, and resolves when what is being stored is stored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    await this.#attending;
  }

  #wait(): void {
    const { clock } = this.#parts;
    this.#callOff?.();
    const wait = Math.min(Math.max(0, this.#dueAt - clock.now()), longestWait);
    this.#callOff = clock.after(wait, () => {
      if (clock.now() < this.#dueAt) return this.#wait();
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#attend();
    });
  }

  #attend(): void {
    this.#attending = this.#attending
      .then(() => this.#lookAfter())
      .catch((error: unknown) => this.#tryLater(error, 'what was planned could not be looked after'));
  }

  #tryLater(error: unknown, words: string, schedule?: string): void {
    const { log, clock } = this.#parts;
    log.error({ err: error, ...(schedule === undefined ? {} : { schedule }) }, `${words}; trying again in a minute`);
    this.watch(clock.now() + retryAfterFailure);
  }

  /** Goes through all that is due, to the first entry that is not. */
  async #lookAfter(): Promise<void> {
    const { store, clock } = this.#parts;
    for (let beyond: DueSchedule | undefined; ; ) {
      const found = await store.earliest(beyond, page);
      for (const schedule of found) {
        if (this.#stopped) return;
        if (!this.#isOn(schedule)) continue;
        if (schedule.nextAt > clock.now()) return this.watch(schedule.nextAt);
        // One that fails keeps nobody else's from its time.
        await this.#fire(schedule).catch((error: unknown) =>
          this.#tryLater(error, 'something planned could not be done', schedule.id),
        );
      }
      beyond = found.at(-1);
      if (found.length < page) return;
    }
  }

  #isOn({ type, conversation }: DueSchedule): boolean {
    const { types, isReachable } = this.#parts;
    return types().includes(type) && isReachable(conversation);
  }

  async #fire(schedule: DueSchedule): Promise<void> {
    const { store, catchUp, clock, log, crashPoint, isWelcome, owners, deliver, wake } = this.#parts;
    const { id, cron, timeZone, conversationId } = schedule;
    const reading = cron === undefined ? {} : { cron: await readCron(cron, timeZone) };
    const facts = {
      now: clock.now(),
      isWelcome: isWelcome(schedule),
      owners: owners(),
      catchUp: catchUp(),
      ...reading,
    };
    const firing = firingOf(schedule, facts);
    const places = await store.fire(firing);
    crashPoint('schedule-fired');
    if (firing.nextAt !== undefined) this.watch(firing.nextAt);
    if (places === undefined) return;
    log.info({ schedule: id, conversation: conversationId, result: firing.result }, 'something planned was due');
    deliver(places);
    if (firing.event?.wantsAnswer === true) wake([conversationId]);
  }
}
