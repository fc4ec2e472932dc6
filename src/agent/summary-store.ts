import type { OutboxDraft } from '../approval/approval.ts';

/** What is to stand for the oldest part of a conversation from now on. */
export interface SummaryDraft {
  readonly conversationId: string;
  /** The id of the summary that it goes on from, if there was one. */
  readonly after: number | undefined;
  readonly text: string;
  readonly upToTurn: number;
  readonly upToSeq: number;
  /** Somebody has asked for it: he is answered with it. */
  readonly isWanted: boolean;
  /** What people are told of it. */
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

/** Where summaries are kept. Each method is one transaction. */
export interface SummaryStore {
  /** `outdated`: another summary was stored meanwhile, or the conversation was begun anew. Then nobody is told anything. */
  store(draft: SummaryDraft): Promise<'stored' | 'outdated'>;
  /** Tells why there is none. */
  decline(draft: Pick<SummaryDraft, 'conversationId' | 'messages' | 'at'>): Promise<void>;
}
