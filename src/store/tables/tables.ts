import type { Database } from '../database.ts';
import { ApprovalsTable } from './approvals.ts';
import { AttachmentsTable } from './attachments.ts';
import { AuditTable } from './audit.ts';
import { CallsTable } from './calls.ts';
import { ConversationsTable } from './conversations.ts';
import { DevicesTable } from './devices.ts';
import { GrantsTable } from './grants.ts';
import { InboxTable } from './inbox.ts';
import { LinksTable } from './links.ts';
import { OutboxTable } from './outbox.ts';
import { PeopleTable } from './people.ts';
import { PinnedTable } from './pinned.ts';
import { SchedulesTable } from './schedules.ts';
import { SpendingTable } from './spending.ts';
import { SubRunsTable } from './sub-runs.ts';
import { SummariesTable } from './summaries.ts';
import { TrustedTable } from './trusted.ts';
import { TurnsTable } from './turns.ts';

/** All tables of one database, with their statements prepared. */
export class Tables {
  readonly approvals: ApprovalsTable;
  readonly attachments: AttachmentsTable;
  readonly audit: AuditTable;
  readonly calls: CallsTable;
  readonly conversations: ConversationsTable;
  readonly devices: DevicesTable;
  readonly grants: GrantsTable;
  readonly inbox: InboxTable;
  readonly links: LinksTable;
  readonly outbox: OutboxTable;
  readonly people: PeopleTable;
  readonly pinned: PinnedTable;
  readonly schedules: SchedulesTable;
  readonly spending: SpendingTable;
  readonly subRuns: SubRunsTable;
  readonly summaries: SummariesTable;
  readonly trusted: TrustedTable;
  readonly turns: TurnsTable;

  constructor(database: Database) {
    this.approvals = new ApprovalsTable(database);
    this.attachments = new AttachmentsTable(database);
    this.audit = new AuditTable(database);
    this.calls = new CallsTable(database);
    this.conversations = new ConversationsTable(database);
    this.devices = new DevicesTable(database);
    this.grants = new GrantsTable(database);
    this.inbox = new InboxTable(database);
    this.links = new LinksTable(database);
    this.outbox = new OutboxTable(database);
    this.people = new PeopleTable(database);
    this.pinned = new PinnedTable(database);
    this.schedules = new SchedulesTable(database);
    this.spending = new SpendingTable(database);
    this.subRuns = new SubRunsTable(database);
    this.summaries = new SummariesTable(database);
    this.trusted = new TrustedTable(database);
    this.turns = new TurnsTable(database);
  }
}
