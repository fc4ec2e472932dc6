import type { Database } from '../database.ts';
import { ApprovalsTable } from './approvals.ts';
import { AttachmentsTable } from './attachments.ts';
import { AuditTable } from './audit.ts';
import { CallsTable } from './calls.ts';
import { ConversationsTable } from './conversations.ts';
import { GrantsTable } from './grants.ts';
import { InboxTable } from './inbox.ts';
import { OutboxTable } from './outbox.ts';
import { PeopleTable } from './people.ts';
import { SchedulesTable } from './schedules.ts';
import { SpendingTable } from './spending.ts';
import { SummariesTable } from './summaries.ts';
import { TurnsTable } from './turns.ts';

/** All tables of one database, with their statements prepared. */
export class Tables {
  readonly approvals: ApprovalsTable;
  readonly attachments: AttachmentsTable;
  readonly audit: AuditTable;
  readonly calls: CallsTable;
  readonly conversations: ConversationsTable;
  readonly grants: GrantsTable;
  readonly inbox: InboxTable;
  readonly outbox: OutboxTable;
  readonly people: PeopleTable;
  readonly schedules: SchedulesTable;
  readonly spending: SpendingTable;
  readonly summaries: SummariesTable;
  readonly turns: TurnsTable;

  constructor(database: Database) {
    this.approvals = new ApprovalsTable(database);
    this.attachments = new AttachmentsTable(database);
    this.audit = new AuditTable(database);
    this.calls = new CallsTable(database);
    this.conversations = new ConversationsTable(database);
    this.grants = new GrantsTable(database);
    this.inbox = new InboxTable(database);
    this.outbox = new OutboxTable(database);
    this.people = new PeopleTable(database);
    this.schedules = new SchedulesTable(database);
    this.spending = new SpendingTable(database);
    this.summaries = new SummariesTable(database);
    this.turns = new TurnsTable(database);
  }
}
