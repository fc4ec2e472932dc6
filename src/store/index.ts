import { dirname, join } from 'node:path';
import type { GroupStore } from '../conversation/access/group-requests.ts';
import type { PeopleStore } from '../conversation/access/pairing.ts';
import type { Places } from '../conversation/access/readers.ts';
import type { AttachmentStore } from '../conversation/attachments/attachments.ts';
import type { OutboxReports } from '../conversation/commands/reports/report-parts.ts';
import type { CommandEffects } from '../conversation/effects.ts';
import type { LifetimeStore } from '../conversation/health/downtime.ts';
import type { ChannelMessages, InboxStore } from '../conversation/inbox.ts';
import type { PreviewStore } from '../conversation/live/live-message.ts';
import type { ChangeableMessages } from '../conversation/message-changes.ts';
import type { CourierStore } from '../conversation/outbox-courier.ts';
import type { MessageFiles, OutboxStore } from '../delivery/outbox.ts';
import type { ApprovalStore, AttemptStore, RunStore } from '../engine/journal.ts';
import type { ModelWaitStore } from '../engine/model-wait-store.ts';
import type { CardStore } from '../engine/open-cards.ts';
import type { SummaryStore } from '../runs/context/compactor.ts';
import type { ExtensionStore, SpendingStore } from '../runs/run-budget.ts';
import type { SubRunStore } from '../runs/sub-runs.ts';
import type { FileLabelStore } from '../tools/file-watch.ts';
import { createApprovalStore } from './approvals.ts';
import { createAttachmentStore } from './attachments.ts';
import { createCommandEffects, createCommandStore } from './commands.ts';
import {
  type AddressBook,
  type ConversationStore,
  createAddressBook,
  createConversationStore,
} from './conversations.ts';
import type { Database } from './database.ts';
import { createFileLabelStore } from './file-labels.ts';
import { createMessageFiles } from './files.ts';
import { createInboxStore } from './inbox.ts';
import { createAttemptStore } from './journal.ts';
import { createLanguageStore, type LanguageStore } from './languages.ts';
import { createLifetimeStore } from './lifetime.ts';
import { createLinksStore, type LinkStore } from './links.ts';
import { createMessageChangeStore } from './message-changes.ts';
import type { TableOwner } from './migrate.ts';
import { openDatabase } from './open.ts';
import { createCardStore } from './open-cards.ts';
import { createOutboxStore } from './outbox.ts';
import { createPeopleStore } from './people.ts';
import { createSummaryStore } from './run-state.ts';
import { createRunStore } from './runs.ts';
import { createSpendingStore } from './spending.ts';
import { createTimeZoneStore, type TimeZoneStore } from './time-zones.ts';

/** All stores of the core over one database. */
export interface Store extends Pick<Database, 'state' | 'isOpen' | 'toBeRead' | 'hurry' | 'close'> {
  readonly addresses: AddressBook;
  readonly approvals: ApprovalStore & CardStore;
  readonly attachments: AttachmentStore;
  readonly attempts: AttemptStore & ModelWaitStore;
  /** Copies of outgoing files, in the folder `files` beside the database. */
  readonly files: MessageFiles;
  /** What the core's commands change. */
  readonly effects: CommandEffects;
  readonly fileLabels: FileLabelStore;
  readonly languages: LanguageStore;
  readonly inbox: InboxStore & ConversationStore;
  readonly lifetime: LifetimeStore;
  readonly links: LinkStore;
  readonly messageChanges: ChangeableMessages;
  readonly outbox: OutboxStore & PreviewStore & CourierStore & OutboxReports & ChannelMessages;
  readonly people: PeopleStore & GroupStore;
  readonly places: Places;
  readonly runs: RunStore & SubRunStore & ExtensionStore;
  readonly spending: SpendingStore;
  readonly summaries: SummaryStore;
  readonly timeZones: TimeZoneStore;
}

/** With the tables of these features. Throws `StoreError` if the file is unusable. */
export function openStore(file: string, features: readonly TableOwner[] = []): Store {
  return storeOf(openDatabase(file, features), dirname(file));
}

/** The stores over an open database. */
export function storeOf(database: Database, folder: string): Store {
  return {
    addresses: createAddressBook(database),
    approvals: { ...createApprovalStore(database), ...createCardStore(database) },
    attachments: createAttachmentStore(database),
    attempts: createAttemptStore(database),
    files: createMessageFiles(join(folder, 'files')),
    effects: createCommandEffects(),
    fileLabels: createFileLabelStore(database),
    languages: createLanguageStore(database),
    inbox: { ...createInboxStore(database), ...createConversationStore(database), ...createCommandStore(database) },
    lifetime: createLifetimeStore(database),
    links: createLinksStore(database),
    messageChanges: createMessageChangeStore(database),
    outbox: createOutboxStore(database),
    people: createPeopleStore(database),
    places: database.places,
    runs: createRunStore(database),
    spending: createSpendingStore(database),
    summaries: createSummaryStore(database),
    timeZones: createTimeZoneStore(database),
    state: database.state,
    isOpen: database.isOpen,
    toBeRead: database.toBeRead,
    hurry: database.hurry,
    close: database.close,
  };
}
