import type { Conversation, OutboundMessage } from '../contract.ts';
import type { Brought } from '../engine/journal.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as inbox from './inbox.ts';
import * as outbox from './outbox.ts';
import { columns, oneOf, optional, optionalText, type Row, type Sql, text, texts } from './sql.ts';

/** Tasks and reminders. A row is moved or ended only if it is due when we think it is. `add` and `cancel` belong inside a write. */
export function createScheduleStore(database: Database): ScheduleStore {
  const { sql } = database;
  return {
    add: (schedule, most, accounts = [schedule.principal]) => {
      const { id, type, conversationId, principal, name, title, cron, timeZone, nextAt, createdAt } = schedule;
      if (sql.count(countOfPerson, JSON.stringify(accounts)) >= most) return 'full';
      const read = conversations.readIn(sql, conversationId);
      sql.run(
        `INSERT INTO schedules (id, type, conversation_id, principal, person, label, text, cron, time_zone, next_at, created_at, taint_sources, private)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[id, type, conversationId, principal, name, title, schedule.text, cron, timeZone, nextAt, createdAt],
        ...[JSON.stringify(read.sources), read.isPrivate],
      );
      note(sql, 'schedule-made', schedule, { at: createdAt, actor: principal });
      return 'added';
    },
    ofPerson: async (accounts) => sql.all(ofPerson, JSON.stringify(accounts)).map(toKept),
    cancel: ({ id, accounts, conversationId, at, principal: actor }) => {
      const row = sql.get(cancel, id, JSON.stringify(accounts), conversationId);
      if (row === undefined) return undefined;
      const ended = toKept(row);
      note(sql, 'schedule-cancelled', ended, { at, actor });
      return ended;
    },
    earliest: async (beyond = { nextAt: -1, id: '' }, most) =>
      sql
        .all(
          `SELECT schedules.*, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title, roles
           FROM schedules JOIN conversations ON conversations.id = schedules.conversation_id
             LEFT JOIN participants ON participants.conversation_id = schedules.conversation_id AND participants.principal = schedules.principal
           WHERE (next_at, schedules.id) > (?, ?) ORDER BY next_at, schedules.id LIMIT ?`,
          ...[beyond.nextAt, beyond.id, most],
        )
        .map(toDueSchedule),
    fire: (firing) =>
      database.write(() => {
        const { schedule, result, notice, told, at } = firing;
        const { conversationId } = schedule;
        const read = readAt(sql, schedule.id);
        if (!advance(sql, firing)) return undefined;
        // A task that was planned after untrusted content was read is as untrusted as that; and so with what is private.
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

/** What had been read where it was planned. */
const readAt = (sql: Sql, id: string): Brought =>
  sql.find(toBrought, 'SELECT taint_sources AS sources, private AS is_private FROM schedules WHERE id = ?', id) ?? {
    sources: [],
    isPrivate: false,
  };
const toBrought = columns({ sources: 'texts', isPrivate: 'flag' });

/** Of the accounts that stand in a list. */
const theirs = 'principal IN (SELECT value FROM json_each(?))';
const ofPerson = `SELECT * FROM schedules WHERE ${theirs} ORDER BY next_at, id`;
const countOfPerson = `SELECT count(*) AS count FROM schedules WHERE ${theirs}`;
const cancel = `DELETE FROM schedules WHERE id = ? AND ${theirs} AND conversation_id = coalesce(?, conversation_id) RETURNING *`;

/** False if it was not due then: nothing has changed. */
function advance(sql: Sql, { schedule: { id, nextAt }, nextAt: next }: Firing): boolean {
  const changed =
    next === undefined
      ? sql.run('DELETE FROM schedules WHERE id = ? AND next_at = ?', id, nextAt)
      : sql.run('UPDATE schedules SET next_at = ? WHERE id = ? AND next_at = ?', next, id, nextAt);
  return changed === 1;
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

const toSchedule = columns({
  id: 'text',
  type: oneOf('task', 'reminder'),
  conversationId: 'text',
  principal: 'text',
  text: 'text',
  cron: 'text?',
  timeZone: 'text',
  nextAt: 'integer',
  createdAt: 'integer',
  name: (row) => text(row, 'person'),
  title: (row) => optionalText(row, 'label'),
});

function toKept(row: Row): KeptSchedule {
  return { ...toSchedule(row), untrusted: texts(row, 'taint_sources') };
}

function toDueSchedule(row: Row): DueSchedule {
  const roles = optional(texts)(row, 'roles') ?? [];
  return { ...toSchedule(row), conversation: conversations.placeOf(row), roles };
}

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

/** One that is kept. `untrusted`: where the content came from that its conversation had read when it was planned. */
export type KeptSchedule = Schedule & { readonly untrusted: readonly string[] };

/** Who asks for an end: only what they have planned themselves is ended, and in a group only what was planned there. */
export interface Cancellation {
  readonly id: string;
  readonly principal: string;
  /** All of their accounts. */
  readonly accounts: readonly string[];
  /** Left out where they see all that they have planned. */
  readonly conversationId?: string;
  readonly at: number;
}

/** Something planned, with the place where it was planned, and who is there. */
export interface DueSchedule extends Schedule {
  readonly conversation: Conversation;
  /** The groups of people that its maker was counted among when they were last heard there. */
  readonly roles: readonly string[];
}

/** What happens because something is due: all of it together, or nothing. */
export interface Firing {
  /** As it was read: if it is not due at that instant any more, nothing happens. */
  readonly schedule: Schedule;
  /** When it is due next. Left out: it ends. */
  readonly nextAt?: number;
  readonly result: FiringResult;
  /** What the model reads. Under a key that was there before, nothing is added. */
  readonly event?: { readonly key: string; readonly text: string; readonly wantsAnswer: boolean };
  /** Said in the conversation. */
  readonly notice?: OutboundMessage;
  /** Said in the own chats of these people. */
  readonly told?: { readonly principals: readonly string[]; readonly markdown: string };
  readonly at: number;
}

/**
 * `fired`: it was done or said · `skipped`: the time was missed by too much, and the next one is waited for · `missed`: the
 * same, and there is no next one · `revoked`: its maker may not talk there any more · `broken`: its times can't be read.
 */
export type FiringResult = 'fired' | 'skipped' | 'missed' | 'revoked' | 'broken';

/**
 * Where what people have planned is kept, found when it is due, and fires. `add` and `cancel` belong inside the effect of a
 * call (see `StoredEffect`); `fire` is one transaction, on disk before it resolves.
 */
export interface ScheduleStore {
  /** `full`: the person has as many as they may have, with all these accounts; this one alone, if none are named. */
  add(schedule: Schedule, most: number, accounts?: readonly string[]): 'added' | 'full';
  /** All that the person has planned with these accounts, what is due first before the rest. */
  ofPerson(accounts: readonly string[]): Promise<readonly KeptSchedule[]>;
  /** Ends it, and returns what it was; undefined if the person has planned no such thing. */
  cancel(cancellation: Cancellation): KeptSchedule | undefined;
  /** What is due first, beyond an entry in this order or from the beginning, that much at most. */
  earliest(beyond: Pick<Schedule, 'nextAt' | 'id'> | undefined, most: number): Promise<readonly DueSchedule[]>;
  /** The conversations that have something to show. Undefined if it was cancelled, or has fired for that instant. */
  fire(firing: Firing): Promise<readonly string[] | undefined>;
}
