import type { OutboxDraft } from './message.ts';

/** A run waits for a model that cannot answer now. Stored, so that any process continues it. */
export interface ModelWait {
  /** Tries so far. */
  readonly number: number;
  /** The last try. */
  readonly at: number;
  /** The next try. */
  readonly retryAt: number;
  /** When the run gives up. */
  readonly until: number;
}

interface ModelWaitDraft extends ModelWait {
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: string;
  /** The `newestTurn` of the state it follows from: any newer turn ends the wait. */
  readonly after: number;
  /** Notices, for the first time only. */
  readonly messages: readonly OutboxDraft[];
}

export interface ModelWaitStore {
  /** Whether anything was paid for an answer of the model of this name, since a day (`2026-11-29`). */
  hasAnswered(model: string, since: string): Promise<boolean>;
  waitForModel(draft: ModelWaitDraft): Promise<'stored' | 'outdated'>;
  /** All waiting runs. */
  modelWaits(): Promise<readonly (Pick<ModelWait, 'retryAt'> & { readonly conversationId: string })[]>;
}
