import { laneOf } from '../conversation/outbox.ts';
import type { DueSchedule, DueStore, Firing } from '../conversation/planning/due-store.ts';
import { newId } from '../lib/ids.ts';
import type { Cancellation, Schedule, ScheduleStore } from '../tools/builtin/planning/schedule-store.ts';
import type { Database } from './database.ts';
import type { AuditKind } from './tables/audit.ts';
import type { Tables } from './tables/tables.ts';

/** What people have planned, in SQLite. */
export class SqliteScheduleStore implements ScheduleStore, DueStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  add(schedule: Schedule, most: number, accounts: readonly string[] = [schedule.principal]): Promise<'added' | 'full'> {
    return this.#database.write((): 'added' | 'full' => {
      const { schedules } = this.#tables;
      if (schedules.countOfPerson(accounts) >= most) return 'full';
      schedules.add(schedule);
      this.#audit('schedule-made', schedule, { at: schedule.createdAt, actor: schedule.principal });
      return 'added';
    });
  }

  async ofPerson(accounts: readonly string[]): Promise<readonly Schedule[]> {
    return this.#tables.schedules.ofPerson(accounts);
  }

  cancel(cancellation: Cancellation): Promise<Schedule | undefined> {
    return this.#database.write(() => {
      const ended = this.#tables.schedules.cancel(cancellation);
      const { at, principal: actor } = cancellation;
      if (ended !== undefined) this.#audit('schedule-cancelled', ended, { at, actor });
      return ended;
    });
  }

  async earliest(beyond: Pick<Schedule, 'nextAt' | 'id'> | undefined, most: number): Promise<readonly DueSchedule[]> {
    return this.#tables.schedules.earliest(beyond, most);
  }

  fire(firing: Firing): Promise<readonly string[] | undefined> {
    return this.#database.write(() => {
      const { schedules, outbox } = this.#tables;
      const { schedule, nextAt, result, notice, at } = firing;
      if (!schedules.advance(schedule, nextAt)) return undefined;
      this.#addEvent(firing);
      const { conversationId } = schedule;
      if (notice !== undefined) outbox.add({ conversationId, message: notice }, at);
      this.#audit('schedule-due', schedule, { at, actor: 'keyturn', result });
      return [...(notice === undefined ? [] : [conversationId]), ...this.#tell(firing)];
    });
  }

  #addEvent({ schedule: { conversationId, principal, name }, event, at }: Firing): void {
    if (event === undefined) return;
    const { inbox, conversations } = this.#tables;
    const isNew = inbox.addEvent({ ...event, conversationId, principal, name, at });
    if (isNew && event.wantsAnswer) conversations.setOpen(conversationId);
  }

  /** In one chat of each, however many threads that has. */
  #tell({ told, at }: Firing): readonly string[] {
    if (told === undefined) return [];
    const { conversations, outbox } = this.#tables;
    const chats = told.principals.flatMap((principal) => conversations.directConversationsOf(principal)).sort();
    const places = [...new Map(chats.map((id) => [laneOf(id), id] as const).reverse()).values()];
    for (const conversationId of places) {
      outbox.add({ conversationId, message: { id: newId(20), kind: 'notice', markdown: told.markdown } }, at);
    }
    return places;
  }

  #audit(
    kind: AuditKind,
    { id, type, conversationId, nextAt }: Schedule,
    { at, actor, result }: { readonly at: number; readonly actor: string; readonly result?: string },
  ): void {
    const detail = { schedule: id, type, slot: nextAt, result: result ?? null };
    this.#tables.audit.add({ at, kind, conversationId, actor, detail });
  }
}
