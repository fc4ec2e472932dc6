/** Where something remembered is found: in all conversations of its person, or only where it was stored. */
export const memoryScopes = ['everywhere', 'here'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** Something that was remembered for one person. */
export interface Memory {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly scope: MemoryScope;
  /** When it was stored last, in milliseconds since 1970. */
  readonly storedAt: number;
}

/** Whose memory it is, and in which conversation he speaks. */
export interface Rememberer {
  /** The account that he speaks with: what he has remembered is stored with it. */
  readonly principal: string;
  /** All accounts of his, this one included: what is stored with any of them is his. */
  readonly accounts: readonly string[];
  readonly conversationId: string;
}

export interface MemoryDraft extends Omit<Memory, 'id' | 'storedAt'> {
  readonly of: Rememberer;
  /** How many one person may have. */
  readonly maxEntries: number;
  readonly at: number;
}

/** `full`: nothing was stored, since the person has as many as he may have. */
export type Remembered =
  | { readonly status: 'stored' | 'renewed'; readonly id: string }
  | { readonly status: 'full'; readonly count: number };

export interface MemoryQuestion {
  readonly of: Rememberer;
  /** `here`: only what was stored in the conversation · `everywhere`: also what is found in all of the person's. */
  readonly scope: MemoryScope;
  /** Any text: the memories that share words with it are found. Without a word in it, the newest are. */
  readonly query: string;
  readonly limit: number;
  readonly at: number;
}

/** What is remembered for each person, and for nobody else. Each method is one transaction. */
export interface MemoryStore {
  /** The same text again, with the same account, renews what is there: its place, scope, tags and date are the draft's. */
  remember(draft: MemoryDraft): Promise<Remembered>;
  /** The best first. */
  search(question: MemoryQuestion): Promise<readonly Memory[]>;
  /** False if there is none with this id that is his, and is found in the conversation or everywhere. */
  forget(id: string, of: Rememberer): Promise<boolean>;
}
