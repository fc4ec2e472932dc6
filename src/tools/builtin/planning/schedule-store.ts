/** `task`: the assistant is asked to do it · `reminder`: it is said. */
export type ScheduleType = 'task' | 'reminder';

/** Something that a person has planned, in the conversation where it was planned. */
export interface Schedule {
  /** Short enough to say. */
  readonly id: string;
  readonly type: ScheduleType;
  readonly conversationId: string;
  /** Who planned it, and for whom it is done: `telegram:123456`. */
  readonly principal: string;
  readonly name: string;
  readonly title?: string;
  /** What to do, or what to say. */
  readonly text: string;
  /** Five fields. Left out where it is due once. */
  readonly cron?: string;
  /** Kept with it: another default moves nothing that was planned. */
  readonly timeZone: string;
  /** When it is due next. */
  readonly nextAt: number;
  readonly createdAt: number;
}

/** Who asks for an end: only what he has planned himself is ended, and in a group only what was planned there. */
export interface Cancellation {
  readonly id: string;
  readonly principal: string;
  /** All accounts of his. */
  readonly accounts: readonly string[];
  /** Left out where he sees all that he has planned. */
  readonly conversationId?: string;
  readonly at: number;
}

/** Where what people have planned is kept. Each method is one transaction, and is on disk before it resolves. */
export interface ScheduleStore {
  /** `full`: the person has as many as he may have, with all these accounts of his; this one alone, if none are named. */
  add(schedule: Schedule, most: number, accounts?: readonly string[]): Promise<'added' | 'full'>;
  /** All that the person has planned with these accounts, what is due first before the rest. */
  ofPerson(accounts: readonly string[]): Promise<readonly Schedule[]>;
  /** Ends it, and resolves with what it was; undefined if the person has planned no such thing. */
  cancel(cancellation: Cancellation): Promise<Schedule | undefined>;
}
