import type { ModelUsage } from '../model/language-model.ts';

/** Tokens, read and written; money in millionths. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

export interface SpentOfRun extends Spent {
  readonly runId: string;
}

/** What an answer took that was not kept as a turn. */
export interface SpendingDraft {
  readonly conversationId: string;
  /** The run that it counts for, if it was for one. */
  readonly runId?: string;
  readonly principal: string;
  /** The model that was asked, as the config calls it. */
  readonly model: string;
  readonly usage: ModelUsage;
  /** The day that it is counted to: `2026-03-04`. */
  readonly day: string;
}

/** What was spent on one day in one conversation for one person, by one model. */
export interface SpendingEntry extends Spent {
  readonly principal: string;
  readonly conversationId: string;
  readonly model: string;
}

/** Where it is written down what models took. What a turn took is written with the turn. */
export interface SpendingStore {
  add(spending: SpendingDraft): Promise<void>;
  /** What was spent on a day for a person, with all these accounts of his, and for all. */
  spentOn(day: string, accounts: readonly string[]): Promise<{ readonly person: Spent; readonly all: Spent }>;
  /** All that was spent on a day. */
  entriesOf(day: string): Promise<readonly SpendingEntry[]>;
}

/** What an answer counts for. */
export function spentOf({ inputTokens, outputTokens, cost = 0 }: ModelUsage): Spent {
  return { tokens: inputTokens + outputTokens, cost };
}
