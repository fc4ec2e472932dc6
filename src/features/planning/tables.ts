import type { Conversation, OutboundMessage } from '../../contract.ts';
import type { Brought } from '../../engine/journal.ts';
import * as audit from '../../store/audit.ts';
import * as conversations from '../../store/conversations.ts';
import type { Transactions } from '../../store/database.ts';
import * as inbox from '../../store/inbox.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import * as outbox from '../../store/outbox.ts';
import {
  columns,
  insertInto,
  oneOf,
  optional,
  optionalText,
  type Row,
  type Sql,
  sqlIn,
  text,
  texts,
} from '../../store/sql.ts';
import type { Within } from '../../tools/output.ts';

/** Tasks and reminders. */
export const planningTables: FeatureTables = {
  steps: [
    `
  -- Each row is due at next_at. Firing compares that instant, and deletes what has ended.
  CREATE TABLE schedules (
    id TEXT PRIMARY KEY, type TEXT NOT NULL CHECK (type IN ('task', 'reminder')), conversation_id TEXT NOT NULL,
    principal TEXT NOT NULL, person TEXT NOT NULL, label TEXT, text TEXT NOT NULL,
    -- NULL if it is due once.
    cron TEXT,
    time_zone TEXT NOT NULL, next_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
    -- What had been read where it was planned: untrusted sources, and whether some of it is private.
    taint_sources TEXT NOT NULL DEFAULT '[]', private INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at, id);
  CREATE INDEX schedules_of_person ON schedules (principal, next_at);
`,
  ],
};

/**
 * Tasks and reminders. Moving or ending one is a compare-and-set. Call `add` and `cancel` inside the effect of a call (see
 * `StoredEffect`). `fire` is one transaction, on disk before it resolves.
 */
export interface ScheduleStore {
  /** `full`: the person has reached the limit across these accounts. */
  add(schedule: Schedule, limit: ScheduleLimit, within: Within): Promise<'added' | 'full'>;
  /** The person's schedules across these accounts, earliest due first. */
  ofPerson(accounts: readonly string[]): Promise<readonly KeptSchedule[]>;
  /** Deletes and returns it; undefined if the person has no such schedule. */
  cancel(cancellation: Cancellation, within: Within): Promise<KeptSchedule | undefined>;
  /** Gives it another text, or other times. Call it inside the effect of a command. Undefined as for `cancel`. */
  change(change: ScheduleChange, within: Within): Promise<KeptSchedule | undefined>;
  /** When these were last done or said, or missed. Without those that never were, or so long ago that it is forgotten. */
  lastAt(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The person's schedule, with its conversation; undefined if they have no such schedule there. */
  find(wanted: Wanted): Promise<DueSchedule | undefined>;
  /** Does it once more, beside its times, which stay. Call it inside the effect of a command. */
  runNow(extra: ExtraRun, within: Within): Promise<ExtraOutcome>;
  /** The earliest due schedules after an entry, or from the start; at most `most`. */
  earliest(beyond: Pick<Schedule, 'nextAt' | 'id'> | undefined, most: number): Promise<readonly DueSchedule[]>;
  /** How many are due. */
  countDue(now: number): Promise<number>;
  /** The conversations with something to show; undefined if it was cancelled or has fired already. */
  fire(firing: Firing): Promise<readonly string[] | undefined>;
}

interface ScheduleLimit {
  readonly most: number;
  readonly accounts: readonly string[];
}

export function createScheduleStore(database: Transactions): ScheduleStore {
  const { sql } = database;
  return {
    async add(schedule, { most, accounts }, within) {
      const sql = sqlIn(within);
      if ((await sql.number(countOfPerson, accounts)) >= most) return 'full';
      const { createdAt: at, principal: actor } = schedule;
      await insertRead(sql, schedule, await conversations.readIn(sql, schedule.conversationId));
      await note(sql, 'schedule-made', schedule, { at, actor });
      return 'added';
    },
    ofPerson: async (accounts) => sql.list(toKept, ofPerson, accounts),
    async cancel({ id, accounts, conversationId, at, principal: actor }, within) {
      const sql = sqlIn(within);
      const ended = await sql.find(toKept, cancel, id, accounts, conversationId);
      if (ended !== undefined) await note(sql, 'schedule-cancelled', ended, { at, actor });
      return ended;
    },
    async change(change, within) {
      const sql = sqlIn(within);
      const changed = await changeOne(sql, change);
      if (changed !== undefined)
        await note(sql, 'schedule-changed', changed, { at: change.at, actor: change.principal });
      return changed;
    },
    lastAt: async (ids) => new Map((await sql.list(toLast, lastAt, ids)).map(({ id, at }) => [id, at])),
    find: async ({ id, accounts, conversationId }) =>
      sql.find(toDueSchedule, ofPersonThere, ...[id, accounts, conversationId]),
    runNow: (extra, within) => runNow(sqlIn(within), extra),
    earliest: async (beyond, most) =>
      sql.list(toDueSchedule, earliestAfter, ...[beyond?.nextAt ?? -1, beyond?.id ?? '', most]),
    countDue: async (now) => sql.number('SELECT count(*) FROM schedules WHERE next_at <= ?', now),
    fire: (firing) => database.write((sql) => fire(sql, firing)),
  };
}

async function insertRead(sql: Sql, schedule: Schedule, { sources, isPrivate }: Brought): Promise<void> {
  const { name: person, title: label } = schedule;
  await insert(sql, { ...schedule, person, label, taintSources: sources, private: isPrivate });
}

/** A task that was planned in another program. What that had read is named by `sources`. */
export interface BroughtTask {
  readonly schedule: Schedule;
  readonly conversation: Conversation;
  readonly accounts: readonly string[];
  readonly sources: readonly string[];
}

/** Whether the person has the same task: in the same conversation, at the same times. */
export async function hasSame(sql: Sql, { schedule, accounts }: BroughtTask): Promise<boolean> {
  const { type, conversationId, text: words, cron = null, nextAt } = schedule;
  return await sql.has(same, ...[accounts, type, conversationId, words, cron, nextAt]);
}

/** Adds it, with the conversation if that is not known yet, in a transaction of the caller. `full`: as for `add`. */
export async function addBrought(
  sql: Sql,
  { schedule, conversation, accounts, sources }: BroughtTask,
  most: number,
): Promise<'added' | 'full'> {
  if ((await sql.number(countOfPerson, accounts)) >= most) return 'full';
  const { id, conversationId, principal, name, createdAt: at } = schedule;
  await conversations.addUnheard(sql, { key: id, conversation, conversationId, principal, name });
  const { isPrivate } = await conversations.readIn(sql, conversationId);
  await insertRead(sql, schedule, { sources, isPrivate });
  await note(sql, 'schedule-made', schedule, { at, actor: principal });
  return 'added';
}

async function fire(sql: Sql, firing: Firing): Promise<readonly string[] | undefined> {
  const { schedule, result, notice, told = [], at } = firing;
  const { conversationId } = schedule;
  const read = await readAt(sql, schedule.id);
  if (!(await advance(sql, firing))) return undefined;
  // A task is as untrusted and private as what was read before it was planned.
  await conversations.addLabels(sql, conversationId, read);
  await addEvent(sql, firing);
  if (notice !== undefined) await outbox.add(sql, { conversationId, message: notice }, at);
  await note(sql, 'schedule-due', schedule, { at, actor: 'keyturn', result });
  const places = notice === undefined ? [] : [conversationId];
  for (const { principal, markdown } of told)
    places.push(
      ...(await outbox.sayTo(sql, await conversations.directConversationsOf(sql, [principal]), markdown, at)),
    );
  return places;
}

async function runNow(sql: Sql, { schedule, event, notice, at, principal: actor }: ExtraRun): Promise<ExtraOutcome> {
  const { id, conversationId } = schedule;
  if (!(await sql.has('SELECT 1 FROM schedules WHERE id = ?', id))) return 'gone';
  if (!(await addEvent(sql, { schedule, event, at }))) return 'repeated';
  await conversations.addLabels(sql, conversationId, await readAt(sql, id));
  if (notice !== undefined) await outbox.add(sql, { conversationId, message: notice }, at);
  await note(sql, 'schedule-due', schedule, { at, actor, result: 'run_now' });
  return 'run';
}

/** With what the scheduler needs to know of the conversation and its maker there. */
const withPlace = `SELECT schedules.*, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title, roles
  FROM schedules JOIN conversations ON conversations.id = schedules.conversation_id
    LEFT JOIN participants ON participants.conversation_id = schedules.conversation_id AND participants.principal = schedules.principal`;

const theirsSql = 'principal IN (SELECT value FROM json_each(?))';
const ofPersonThere = `${withPlace}
  WHERE schedules.id = ? AND schedules.${theirsSql} AND schedules.conversation_id = coalesce(?, schedules.conversation_id)`;
const earliestAfter = `${withPlace} WHERE (next_at, schedules.id) > (?, ?) ORDER BY next_at, schedules.id LIMIT ?`;

const insert = insertInto(
  `schedules (id, type, conversation_id, principal, person, label, text, cron, time_zone, next_at, created_at, taint_sources, private)`,
);

/** What had been read when it was planned. */
const readAt = async (sql: Sql, id: string): Promise<Brought> =>
  (await sql.find(
    toBrought,
    'SELECT taint_sources AS sources, private AS is_private FROM schedules WHERE id = ?',
    id,
  )) ?? {
    sources: [],
    isPrivate: false,
  };
const toBrought = columns({ sources: 'texts', isPrivate: 'flag' });

/** The accounts are a JSON array. */
const ofPerson = `SELECT * FROM schedules WHERE ${theirsSql} ORDER BY next_at, id`;
const same = `SELECT 1 FROM schedules WHERE ${theirsSql} AND type = ? AND conversation_id = ? AND text = ? AND cron IS ?
  AND (cron IS NOT NULL OR next_at = ?)`;
const countOfPerson = `SELECT count(*) FROM schedules WHERE ${theirsSql}`;
const cancel = `DELETE FROM schedules WHERE id = ? AND ${theirsSql} AND conversation_id = coalesce(?, conversation_id) RETURNING *`;

/** The keys of its events are a range of the index. The ids are a JSON array. */
const lastAt = `SELECT asked.value AS id, max(received_at) AS at FROM json_each(?) AS asked
  JOIN inbox ON inbox.key > 'schedule:' || asked.value || ':' AND inbox.key < 'schedule:' || asked.value || ';'
  GROUP BY asked.value`;
const toLast = columns({ id: 'text', at: 'integer' });

async function changeOne(
  sql: Sql,
  { id, accounts, conversationId, to }: ScheduleChange,
): Promise<KeptSchedule | undefined> {
  const where = [id, accounts, conversationId];
  return 'text' in to
    ? await sql.find(toKept, changeText, to.text, ...where)
    : await sql.find(toKept, changeTime, to.cron, to.nextAt, ...where);
}
const ofChanged = `WHERE id = ? AND ${theirsSql} AND conversation_id = coalesce(?, conversation_id) RETURNING *`;
const changeText = `UPDATE schedules SET text = ? ${ofChanged}`;
const changeTime = `UPDATE schedules SET cron = ?, next_at = ? ${ofChanged}`;

/** False if it was not due at that instant: nothing has changed. */
async function advance(sql: Sql, { schedule: { id, nextAt }, nextAt: next }: Firing): Promise<boolean> {
  return next === undefined
    ? await sql.changed('DELETE FROM schedules WHERE id = ? AND next_at = ?', id, nextAt)
    : await sql.changed('UPDATE schedules SET next_at = ? WHERE id = ? AND next_at = ?', next, id, nextAt);
}

/** False if there is nothing to add, or it was added before. */
async function addEvent(
  sql: Sql,
  { schedule: { conversationId, principal, name }, event, at }: Pick<Firing, 'schedule' | 'event' | 'at'>,
): Promise<boolean> {
  if (event === undefined) return false;
  const isNew = await inbox.addEvent(sql, { ...event, conversationId, principal, name, at });
  if (isNew && event.wantsAnswer) await conversations.setOpen(sql, conversationId);
  return isNew;
}

async function note(
  sql: Sql,
  kind: 'schedule-made' | 'schedule-changed' | 'schedule-cancelled' | 'schedule-due',
  { id, type, conversationId, nextAt }: Schedule,
  { at, actor, result = null }: { readonly at: number; readonly actor: string; readonly result?: string | null },
): Promise<void> {
  const detail = { schedule: id, type, slot: nextAt, result };
  await audit.add(sql, { at, kind, conversationId, actor, detail });
}

const scheduleTypes = ['task', 'reminder'] as const;

/** `task`: the assistant does it · `reminder`: its text is sent. */
export type ScheduleType = (typeof scheduleTypes)[number];

/** Something planned by a person, in the conversation where they planned it. */
export interface Schedule {
  /** Short enough to say. */
  readonly id: string;
  readonly type: ScheduleType;
  readonly conversationId: string;
  /** The person who planned it and for whom it is done: `telegram:123456`. */
  readonly principal: string;
  readonly name: string;
  readonly title?: string | undefined;
  /** What to do, or what to say. */
  readonly text: string;
  /** Five fields. Omitted for one-time schedules. */
  readonly cron?: string | undefined;
  /** Stored, so that a new default does not move existing schedules. */
  readonly timeZone: string;
  readonly nextAt: number;
  readonly createdAt: number;
}

export interface KeptSchedule extends Schedule {
  /** The untrusted sources that the conversation had read when it was planned. */
  readonly untrusted: readonly string[];
}

/** A schedule with its conversation and its maker's roles. */
export interface DueSchedule extends Schedule {
  readonly conversation: Conversation;
  /** The platform roles that its maker had when last heard there. */
  readonly roles: readonly string[];
}

const scheduleShape = {
  id: 'text',
  type: oneOf(...scheduleTypes),
  conversationId: 'text',
  principal: 'text',
  text: 'text',
  cron: 'text?',
  timeZone: 'text',
  nextAt: 'integer',
  createdAt: 'integer',
  name: (row: Row) => text(row, 'person'),
  title: (row: Row) => optionalText(row, 'label'),
} as const;

const toKept: (row: Row) => KeptSchedule = columns({
  ...scheduleShape,
  untrusted: (row) => texts(row, 'taint_sources'),
});

const toDueSchedule: (row: Row) => DueSchedule = columns({
  ...scheduleShape,
  conversation: conversations.placeOf,
  roles: (row, column) => optional(texts)(row, column) ?? [],
});

/** A person's own schedule; in a group only one that was planned there. */
export interface Wanted {
  readonly id: string;
  /** All of their accounts. */
  readonly accounts: readonly string[];
  /** Omitted where the person sees all their schedules. */
  readonly conversationId?: string;
}

export interface Cancellation extends Wanted {
  readonly principal: string;
  readonly at: number;
}

/** What its person makes of it. It stays as untrusted as it was. */
export interface ScheduleChange extends Cancellation {
  readonly to: { readonly text: string } | { readonly cron: string | undefined; readonly nextAt: number };
}

/** A schedule that somebody wants done now. Its event's key is the same for each press of one button. */
export interface ExtraRun extends Required<Pick<Firing, 'event'>>, Pick<Firing, 'schedule' | 'notice' | 'at'> {
  /** Who wants it. */
  readonly principal: string;
}

/** `gone`: it was cancelled meanwhile · `repeated`: this press has had it done before. */
export type ExtraOutcome = 'run' | 'gone' | 'repeated';

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
  /** Sent to these people's direct chats, in the language of each. */
  readonly told?: readonly { readonly principal: string; readonly markdown: string }[];
  readonly at: number;
}

/**
 * `fired`: it was done or said · `skipped`: too late, so the next time counts · `missed`: too late, and there is no
 * next time · `revoked`: its maker may not talk there any longer · `broken`: its times are unreadable.
 */
export type FiringResult = 'fired' | 'skipped' | 'missed' | 'revoked' | 'broken';
