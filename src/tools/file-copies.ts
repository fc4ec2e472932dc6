import type { InLanguage } from '../lib/words.ts';
import type { CallFacets, ToolCategory } from './tool.ts';

/** A call that is about to run. */
export interface CopiedCall {
  readonly callId: string;
  /** Where people see it, and for whom it works. */
  readonly conversationId: string;
  readonly principal: string;
  /** An absolute path without links. */
  readonly workspace: string;
  readonly toolName: string;
  readonly category: ToolCategory;
  readonly facets: CallFacets;
  /** One line of markdown. */
  readonly what: InLanguage;
}

/** A call that runs. */
export interface CallCopies {
  /** To be called once, unless the process ends first. Never rejects. */
  end(outcome: { readonly isError: boolean }): Promise<void>;
}

/**
 * Keeps copies of the files that calls change, as they were before. What is kept is on disk when `begin` resolves. Never
 * rejects: where nothing can be kept, the call goes on. Leaves no access times.
 */
export interface FileCopies {
  begin(call: CopiedCall): Promise<CallCopies>;
}
