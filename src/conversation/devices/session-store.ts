/** A chat of a device. It belongs to the person who has first chosen its name. */
export interface SessionSummary {
  readonly id: string;
  readonly createdAt: number;
  /** When something was last said in it. */
  readonly lastActivity: number;
  readonly messageCount: number;
}

export interface SessionMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly at: number;
}

/** A wish for another answer to what was said last. */
export interface AnotherAnswer {
  readonly conversationId: string;
  /** Of the same wish always the same. */
  readonly key: string;
  readonly principal: string;
  readonly name: string;
  /** What the model reads. */
  readonly text: string;
  readonly at: number;
}

export interface SessionClaim {
  readonly id: string;
  readonly principal: string;
  readonly at: number;
}

export interface SessionLimit {
  /** All accounts of the person. */
  readonly principals: readonly string[];
  readonly most: number;
}

/** Where is kept which chats of devices there are, and whose. Each method is one transaction. */
export interface SessionStore {
  /** The account of whoever owns the session; undefined where nobody has talked in it. */
  ownerOf(id: string): Promise<string | undefined>;
  /**
   * Gives the session to the account unless it, or one whose name differs in capitals only, belongs to somebody else.
   * Resolves with the owner's; undefined if it is nobody's, and the person has as many as he may have.
   */
  claim(claim: SessionClaim, limit: SessionLimit): Promise<string | undefined>;
  /** The sessions that belong to one of these accounts, the latest first, that many at most. */
  list(principals: readonly string[], most: number): Promise<readonly SessionSummary[]>;
  /** The newest of what was said in it and is not taken back, the oldest of that first. */
  messages(id: string, most: number): Promise<readonly SessionMessage[]>;
  /** How many there are. */
  count(id: string): Promise<number>;
  /** Has the model answer once more. False if nobody has said anything since the conversation began. */
  answerAgain(wish: AnotherAnswer): Promise<boolean>;
}
