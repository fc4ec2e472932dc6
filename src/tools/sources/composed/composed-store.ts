import type { ComposedTool } from './composed-tool.ts';

/** A composed tool that was made in a chat. */
export interface StoredComposedTool extends ComposedTool {
  /** Who had it made. */
  readonly author: string;
  readonly createdAt: number;
}

/** Where composed tools are kept that were made in chats. Each method is one transaction. */
export interface ComposedToolStore {
  /** Sorted by name. */
  all(): Promise<readonly StoredComposedTool[]>;
  /** `taken`: there is one of that name · `full`: there are as many as may be. */
  add(tool: StoredComposedTool, most: number): Promise<'added' | 'taken' | 'full'>;
}
