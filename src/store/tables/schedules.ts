import type { DueSchedule } from '../../conversation/planning/due-store.ts';
import type { Cancellation, Schedule } from '../../tools/builtin/planning/schedule-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';
import { toConversation } from './conversations.ts';

/** Of the accounts that stand in a list. */
const his = 'principal IN (SELECT value FROM json_each(?))';

/** What people have planned. What moves or ends a row compares when it is due. Its methods belong inside a write. */
export class SchedulesTable {
  readonly #insert: Statement;
  readonly #ofPerson: Statement;
  readonly #countOfPerson: Statement;
  readonly #cancel: Statement;
  readonly #earliest: Statement;
  readonly #move: Statement;
  readonly #end: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO schedules (id, type, conversation_id, principal, person, label, text, cron, time_zone, next_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#ofPerson = database.prepare(`SELECT * FROM schedules WHERE ${his} ORDER BY next_at, id`);
    this.#countOfPerson = database.prepare(`SELECT count(*) AS count FROM schedules WHERE ${his}`);
    this.#cancel = database.prepare(
      `DELETE FROM schedules WHERE id = ? AND ${his} AND conversation_id = coalesce(?, conversation_id) RETURNING *`,
    );
    this.#earliest = database.prepare(
      `SELECT schedules.*, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title, roles
       FROM schedules JOIN conversations ON conversations.id = schedules.conversation_id
         LEFT JOIN participants ON participants.conversation_id = schedules.conversation_id AND participants.principal = schedules.principal
       WHERE (next_at, schedules.id) > (?, ?) ORDER BY next_at, schedules.id LIMIT ?`,
    );
    this.#move = database.prepare('UPDATE schedules SET next_at = ? WHERE id = ? AND next_at = ?');
    this.#end = database.prepare('DELETE FROM schedules WHERE id = ? AND next_at = ?');
  }

  add({ id, type, conversationId, principal, name, title, text, cron, timeZone, nextAt, createdAt }: Schedule): void {
    const times = [cron ?? null, timeZone, nextAt, createdAt];
    this.#insert.run(id, type, conversationId, principal, name, title ?? null, text, ...times);
  }

  ofPerson(accounts: readonly string[]): readonly Schedule[] {
    return this.#ofPerson.all(JSON.stringify(accounts)).map((found) => toSchedule(new Row(found)));
  }

  countOfPerson(accounts: readonly string[]): number {
    return new Row(this.#countOfPerson.get(JSON.stringify(accounts))).integer('count');
  }

  /** What was ended, if it was there and his. */
  cancel({ id, accounts, conversationId }: Cancellation): Schedule | undefined {
    const found = this.#cancel.get(id, JSON.stringify(accounts), conversationId ?? null);
    return found === undefined ? undefined : toSchedule(new Row(found));
  }

  earliest(beyond: Pick<Schedule, 'nextAt' | 'id'> | undefined, most: number): readonly DueSchedule[] {
    const { nextAt, id } = beyond ?? { nextAt: -1, id: '' };
    return this.#earliest.all(nextAt, id, most).map((found) => {
      const row = new Row(found);
      const roles = row.optionalText('roles') === undefined ? [] : row.json<readonly string[]>('roles');
      return { ...toSchedule(row), conversation: toConversation(row), roles };
    });
  }

  /** False if it was not due then: nothing has changed. */
  advance({ id, nextAt }: Schedule, next: number | undefined): boolean {
    const { changes } = next === undefined ? this.#end.run(id, nextAt) : this.#move.run(next, id, nextAt);
    return changes === 1;
  }
}

function toSchedule(row: Row): Schedule {
  const [title, cron] = [row.optionalText('label'), row.optionalText('cron')];
  return {
    id: row.text('id'),
    type: row.word('type', ['task', 'reminder']),
    conversationId: row.text('conversation_id'),
    principal: row.text('principal'),
    name: row.text('person'),
    ...(title === undefined ? {} : { title }),
    text: row.text('text'),
    ...(cron === undefined ? {} : { cron }),
    timeZone: row.text('time_zone'),
    nextAt: row.integer('next_at'),
    createdAt: row.integer('created_at'),
  };
}
