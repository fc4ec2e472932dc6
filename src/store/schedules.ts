import type { OutboundMessage } from '../contract.ts';
import type { Brought } from '../engine/journal.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as inbox from './inbox.ts';
import * as outbox from './outbox.ts';
import { columns, insertInto, oneOf, optional, optionalText, type Row, type Sql, text, texts } from './sql.ts';

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/**
 * Tasks and reminders. Moving or ending one is a compare-and-set. Call `add` and `cancel` inside the effect of a call (see
 * `StoredEffect`). `fire` is one transaction, on disk before it resolves.
 */
export function createScheduleStore(database: Database) {
  const { sql } = database;
  return {
    /** `full`: the person has reached the limit across these accounts (default: only this one). */
    add: (schedule: Schedule, most: number, accounts: readonly string[] = [schedule.principal]): 'added' | 'full' => {
      if (sql.number(countOfPerson, accounts) >= most) return 'full';
      const { sources, isPrivate } = conversations.readIn(sql, schedule.conversationId);
      const { name: person, title: label, createdAt: at, principal: actor } = schedule;
      insert(sql, { ...schedule, person, label, taintSources: sources, private: isPrivate });
      note(sql, 'schedule-made', schedule, { at, actor });
      return 'added';
    },
    /** The person's schedules across these accounts, earliest due first. */
    ofPerson: async (accounts: readonly string[]): Promise<readonly KeptSchedule[]> =>
      sql.list(toKept, ofPerson, accounts),
    /** Deletes and returns it; undefined if the person has no such schedule. */
    cancel: ({ id, accounts, conversationId, at, principal: actor }: Cancellation): KeptSchedule | undefined => {
      const ended = sql.find(toKept, cancel, id, accounts, conversationId);
      if (ended !== undefined) note(sql, 'schedule-cancelled', ended, { at, actor });
      return ended;
    },
    /** The earliest due schedules after an entry, or from the start; at most `most`. */
    earliest: async (
      beyond: Pick<Schedule, 'nextAt' | 'id'> | undefined,
      most: number,
    ): Promise<readonly DueSchedule[]> =>
      sql.list(
        toDueSchedule,
        `SELECT schedules.*, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title, roles
           FROM schedules JOIN conversations ON conversations.id = schedules.conversation_id
             LEFT JOIN participants ON participants.conversation_id = schedules.conversation_id AND participants.principal = schedules.principal
           WHERE (next_at, schedules.id) > (?, ?) ORDER BY next_at, schedules.id LIMIT ?`,
        ...[beyond?.nextAt ?? -1, beyond?.id ?? '', most],
      ),
    /** The conversations with something to show; undefined if it was cancelled or has fired already. */
    fire: (firing: Firing): Promise<readonly string[] | undefined> =>
      database.write(() => {
        const { schedule, result, notice, told, at } = firing;
        const { conversationId } = schedule;
        const read = readAt(sql, schedule.id);
        if (!advance(sql, firing)) return undefined;
        // A task is as untrusted and private as what was read before it was planned.
        conversations.addLabels(sql, conversationId, read);
        addEvent(sql, firing);
        if (notice !== undefined) outbox.add(sql, { conversationId, message: notice }, at);
        note(sql, 'schedule-due', schedule, { at, actor: 'keyturn', result });
        const here = notice === undefined ? [] : [conversationId];
        if (told === undefined) return here;
        const chats = conversations.directConversationsOf(sql, told.principals);
        return [...here, ...outbox.sayTo(sql, chats, told.markdown, at)];
      }),
  };
}

const insert = insertInto(
  `schedules (id, type, conversation_id, principal, person, label, text, cron, time_zone, next_at, created_at, taint_sources, private)`,
);

/** What had been read when it was planned. */
const readAt = (sql: Sql, id: string): Brought =>
  sql.find(toBrought, 'SELECT taint_sources AS sources, private AS is_private FROM schedules WHERE id = ?', id) ?? {
    sources: [],
    isPrivate: false,
  };
const toBrought = columns({ sources: 'texts', isPrivate: 'flag' });

/** The accounts are a JSON array. */
const theirs = 'principal IN (SELECT value FROM json_each(?))';
const ofPerson = `SELECT * FROM schedules WHERE ${theirs} ORDER BY next_at, id`;
const countOfPerson = `SELECT count(*) FROM schedules WHERE ${theirs}`;
const cancel = `DELETE FROM schedules WHERE id = ? AND ${theirs} AND conversation_id = coalesce(?, conversation_id) RETURNING *`;

/** False if it was not due at that instant: nothing has changed. */
function advance(sql: Sql, { schedule: { id, nextAt }, nextAt: next }: Firing): boolean {
  return next === undefined
    ? sql.changed('DELETE FROM schedules WHERE id = ? AND next_at = ?', id, nextAt)
    : sql.changed('UPDATE schedules SET next_at = ? WHERE id = ? AND next_at = ?', next, id, nextAt);
}

function addEvent(sql: Sql, { schedule: { conversationId, principal, name }, event, at }: Firing): void {
  if (event === undefined) return;
  const isNew = inbox.addEvent(sql, { ...event, conversationId, principal, name, at });
  if (isNew && event.wantsAnswer) conversations.setOpen(sql, conversationId);
}

function note(
  sql: Sql,
  kind: audit.AuditKind,
  { id, type, conversationId, nextAt }: Schedule,
  { at, actor, result = null }: { readonly at: number; readonly actor: string; readonly result?: string | null },
): void {
  const detail = { schedule: id, type, slot: nextAt, result };
  audit.add(sql, { at, kind, conversationId, actor, detail });
}

const scheduleShape = {
  /** Short enough to say. */
  id: 'text',
  /** `task`: the assistant does it · `reminder`: its text is sent. */
  type: oneOf('task', 'reminder'),
  conversationId: 'text',
  /** The person who planned it and for whom it is done: `telegram:123456`. */
  principal: 'text',
  /** What to do, or what to say. */
  text: 'text',
  /** Five fields. Omitted for one-time schedules. */
  cron: 'text?',
  /** Stored, so that a new default does not move existing schedules. */
  timeZone: 'text',
  nextAt: 'integer',
  createdAt: 'integer',
  name: (row: Row) => text(row, 'person'),
  title: (row: Row) => optionalText(row, 'label'),
} as const;

const toKept = columns({
  ...scheduleShape,
  /** The untrusted sources that the conversation had read when it was planned. */
  untrusted: (row) => texts(row, 'taint_sources'),
});

const toDueSchedule = columns({
  ...scheduleShape,
  conversation: conversations.placeOf,
  /** The platform roles that its maker had when last heard there. */
  roles: (row, column) => optional(texts)(row, column) ?? [],
});

type Kept = ReturnType<typeof toKept>;

/** Something planned by a person, in the conversation where they planned it. */
export type Schedule = Omit<Kept, 'untrusted' | 'cron' | 'title'> & Partial<Pick<Kept, 'cron' | 'title'>>;

export type KeptSchedule = Schedule & Pick<Kept, 'untrusted'>;

export type ScheduleType = Schedule['type'];

/** Cancels a person's own schedule; in a group only one that was planned there. */
export interface Cancellation {
  readonly id: string;
  readonly principal: string;
  /** All of their accounts. */
  readonly accounts: readonly string[];
  /** Omitted where the person sees all their schedules. */
  readonly conversationId?: string;
  readonly at: number;
}

/** A schedule with its place and its maker's roles. */
export type DueSchedule = ReturnType<typeof toDueSchedule>;

/** The atomic effect of a due schedule. */
export interface Firing {
  /** As it was read. Nothing happens if it is no longer due at that instant. */
  readonly schedule: Schedule;
  /** The next due time. Omitted: it ends. */
  readonly nextAt?: number;
  readonly result: FiringResult;
  /** For the model. Ignored if the key exists already. */
  readonly event?: { readonly key: string; readonly text: string; readonly wantsAnswer: boolean };
  /** Sent to the conversation. */
  readonly notice?: OutboundMessage;
  /** Sent to these people's direct chats. */
  readonly told?: { readonly principals: readonly string[]; readonly markdown: string };
  readonly at: number;
}

/**
 * `fired`: it was done or said · `skipped`: too late, so the next time counts · `missed`: too late, and there is no
 * next time · `revoked`: its maker may not talk there any longer · `broken`: its times are unreadable.
 */
export type FiringResult = 'fired' | 'skipped' | 'missed' | 'revoked' | 'broken';
