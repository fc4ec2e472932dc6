/* What the page is told of conversations: types only. Instants are in ms since 1970. */

/** The conversations of a person, the latest first. */
export interface ConversationList {
  readonly conversations: readonly ListedConversation[];
  /** Where the next older ones begin; undefined: these are all. */
  readonly before?: string | undefined;
}

export interface ListedConversation {
  readonly id: string;
  /** `telegram`; `device`: of this page, or another device. */
  readonly channel: string;
  readonly kind: 'direct' | 'group';
  /** As people know it; undefined: it has no name, and is the person's own chat there. */
  readonly title?: string | undefined;
  /** Set if the person can write there from this page. */
  readonly sessionId?: string | undefined;
  /** When something was last said there. */
  readonly lastAt: number;
  /** The beginning of what was said last, by a person or to them. */
  readonly lastText?: string | undefined;
  /** There is work left. */
  readonly isRunning: boolean;
  /** How many decisions wait there. */
  readonly waiting: number;
}

/** What people see in a conversation, the oldest first. */
export interface ConversationEntries {
  readonly entries: readonly ChatEntry[];
  /** Where the next older ones end; undefined: these are the first. */
  readonly before?: string | undefined;
}

export type ChatEntry = PersonEntry | AnswerEntry | CardEntry | CallEntry;

interface EntryFields {
  /** Unique in the conversation, the same each time. */
  readonly id: string;
  readonly at: number;
}

/** Somebody has said something. */
export interface PersonEntry extends EntryFields {
  readonly type: 'person';
  readonly name: string;
  /** The person who asks has said it. */
  readonly isOwn: boolean;
  readonly text: string;
  readonly files: readonly SentFile[];
  /** What it answers. */
  readonly quote?: { readonly name: string; readonly text: string } | undefined;
  /** It was obeyed, and no model has read it. */
  readonly isCommand: boolean;
}

/** A file that came with a message. */
export interface SentFile {
  readonly kind: 'image' | 'voice' | 'audio' | 'video' | 'file';
  readonly name?: string | undefined;
  readonly mediaType?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  /** What was spoken. */
  readonly transcript?: string | undefined;
  /** Why it is not there, or was not understood. */
  readonly note?: string | undefined;
  /** Below `/page/`, where a picture can be had. */
  readonly picture?: string | undefined;
}

/** What people were told. */
export interface AnswerEntry extends EntryFields {
  /** The model's answer, or what a tool shows to people · Keyturn's own words. */
  readonly type: 'answer' | 'notice';
  readonly markdown: string;
  readonly files: readonly ShownFileFacts[];
  /** What can be typed to go on: a list's buttons. */
  readonly buttons: readonly { readonly label: string; readonly line: string }[];
}

export interface ShownFileFacts {
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
}

/** Something was asked of people, and may be decided. */
export interface CardEntry extends EntryFields {
  readonly type: 'card';
  /** Undefined: it asks nothing any more, and shows how it ended. */
  readonly approvalId?: string | undefined;
  readonly markdown: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled' | 'ended';
}

/** A tool was called. */
export interface CallEntry extends EntryFields {
  readonly type: 'call';
  readonly callId: string;
  readonly runId: string;
  readonly name: string;
  readonly category?: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state: 'ready' | 'awaiting' | 'begun' | 'done';
  /** `success`, `error`, `denied` …; undefined until it is over. */
  readonly outcome?: string | undefined;
  /** Why it was allowed: `rule`, `grant` …, or that somebody was asked. */
  readonly approval?: { readonly state: string; readonly decidedBy?: string | undefined } | undefined;
  /** What came of it, perhaps only its beginning. */
  readonly output?: string | undefined;
  readonly isCut: boolean;
  /** In ms. */
  readonly duration?: number | undefined;
}

/** All that came of a call. */
export interface CallOutput {
  readonly output: string;
}
