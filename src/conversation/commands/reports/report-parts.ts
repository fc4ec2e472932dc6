import type { Labels } from '../../../approval/verdict.ts';
import type { MessageKind } from '../../../contract.ts';
import type { ApprovalStore } from '../../../engine/journal.ts';
import type { Origin } from '../../../engine/message.ts';
import type { RunQueue } from '../../../engine/wake.ts';
import type { Words } from '../../../lib/words.ts';
import type { Models } from '../../../models/open-models.ts';
import type { BudgetLimits, SpendingStore } from '../../../runs/run-budget.ts';
import type { ToolRunner } from '../../../tools/runner.ts';
import type { PeopleStore } from '../../access/pairing.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { CommandEffects } from '../../effects.ts';
import type { InboxStore } from '../../inbox.ts';
import type { WaitingMatter } from './waiting-matter.ts';

/** What reports are made of. */
export interface ReportParts extends ConversationCore {
  readonly approvals: Pick<ApprovalStore, 'pending'>;
  readonly isApprover: (principal: string) => boolean;
  readonly inbox: Pick<InboxStore, 'modelOf' | 'grantsHere'> & { labelsOf(conversationId: string): Promise<Labels> };
  readonly outbox: OutboxReports;
  readonly people: Pick<PeopleStore, 'codeHolders' | 'unheardPrograms'>;
  readonly spending: Pick<SpendingStore, 'entriesOf'>;
  readonly limits: BudgetLimits;
  /** The day of an instant, as budgets count. */
  readonly dayOf: (at: number) => string;
  readonly runner: ToolRunner;
  /** What of the features waits. */
  readonly waiting: (origin: Origin) => Promise<readonly WaitingMatter[]>;
  readonly effects: Pick<CommandEffects, 'showCard'>;
  /** Grants that no longer hold, though that is not stored yet. */
  readonly revoking: ReadonlySet<string>;
  /** What of the features does not work, a paragraph each. */
  readonly faults: (origin: Origin) => Promise<readonly string[]>;
  /** The features' reports, a paragraph each. */
  readonly more: (origin: Origin) => Promise<readonly string[]>;
  /** The features' words about tools that are missing, a paragraph each. */
  readonly missingTools: (origin: Origin) => readonly string[];
  /** Warnings for owners, a line of plain text each. */
  readonly troubles: () => readonly Words[];
  readonly queue: Pick<RunQueue, 'isBusy'>;
  readonly models: Models;
}

/** A message that was not delivered, and about which something will still happen. */
export interface UndeliveredMessage {
  /** The id that people type to retry and to drop it. Undefined while it is retried without having a stub. */
  readonly stubId?: string;
  readonly kind: MessageKind;
  readonly conversationId: string;
  readonly channel: string;
  /** When its text was written. */
  readonly at: number;
  readonly reason: string;
  /**
   * `asks`: its stub is in the chat · `held`: its stub is shown when the chat takes messages again · `retried`: without
   * an end.
   */
  readonly fate: 'asks' | 'held' | 'retried';
}

/** Queries for messages that could not be sent. */
export interface OutboxReports {
  /** Each message that was not delivered, once, the newest first. What is over is not among them. */
  undeliveredMessages(): Promise<readonly UndeliveredMessage[]>;
}
