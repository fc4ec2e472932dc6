/* What the waiting room is answered: cards that ask, what was decided, and what is allowed. Texts are plain unless they say markdown. */

import type { JsonObject } from '../../../lib/json.ts';

/** `GET waiting` */
export interface WaitingRoom {
  /** The oldest first. */
  readonly cards: readonly WaitingCard[];
  /** There are more cards than are shown. */
  readonly isCut: boolean;
  /** What else waits: strangers, what owners should trust. */
  readonly matters: readonly WaitingMatter[];
  readonly undelivered: readonly UndeliveredEntry[];
}

/** `GET waiting/count` */
export interface WaitingCount {
  /** What a person can decide: cards and other matters. */
  readonly count: number;
  /** Of them, what may do harm. */
  readonly dangerous: number;
}

/** Something that asks for a decision. */
export interface WaitingCard {
  readonly id: string;
  /** May this call run? What does the model want to know? May the run go on? */
  readonly kind: 'call' | 'question' | 'extension';
  /** The name of the tool; of several calls, all names. */
  readonly tool: string;
  readonly category?: string | undefined;
  /** Markdown: one line that says what will happen; of a question, all of it. */
  readonly description: string;
  /** Markdown: half a sentence that says which rule asks. */
  readonly reason?: string | undefined;
  /** Markdown, a line each: for whom and why it is done, then what speaks against it, the worst first. */
  readonly notes: readonly string[];
  /** Markdown: what must be read to decide: a command, a message, a change. Empty if there is nothing. */
  readonly body: string;
  readonly requester: WaitingPerson;
  readonly conversation: WaitingPlace;
  /** What is asked for: all of it, with hidden characters made visible. */
  readonly calls: readonly WaitingCall[];
  /** How files will change. */
  readonly files: readonly FileChange[];
  readonly isDangerous: boolean;
  /** What the danger is. */
  readonly danger?: string | undefined;
  readonly choices: readonly WaitingChoice[];
  /** A lasting rule that could be allowed with it: a command that asks about that first. */
  readonly offer?: CardOffer | undefined;
  /** It can be answered in words. */
  readonly takesText: boolean;
  readonly createdAt: number;
  /** Missing while nobody has seen its card: then its time has not begun. */
  readonly expiresAt?: number | undefined;
}

export interface WaitingPerson {
  readonly principal: string;
  readonly name: string;
  /** It is who asks. */
  readonly isReader: boolean;
}

export interface WaitingPlace {
  readonly id: string;
  readonly channel: string;
  /** As people know it; undefined: it has no name, or this person may not read it. */
  readonly title?: string | undefined;
  readonly kind: 'direct' | 'group';
}

export interface WaitingCall {
  readonly tool: string;
  readonly category: string;
  readonly arguments: JsonObject;
  /** Markdown. */
  readonly reason: string;
}

/** A file as it is now and as it would be. */
export interface FileChange {
  readonly path: string;
  /** Missing: there is no such file, or it holds no text. */
  readonly before?: string | undefined;
  readonly after: string;
  /** The texts are too long for a list: ask for the card alone. */
  readonly isCut: boolean;
}

export interface WaitingChoice {
  readonly id: string;
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** It takes a text: what it asks for. */
  readonly asks?: string | undefined;
  /** It lets the call run, this time or longer. */
  readonly isYes: boolean;
}

export interface CardOffer {
  readonly label: string;
  /** Without its slash. */
  readonly line: string;
  /** Where it is given. */
  readonly conversationId: string;
}

/** Something else that waits. */
export interface WaitingMatter {
  readonly id: string;
  readonly markdown: string;
  readonly buttons: readonly MatterButton[];
}

/** A button that is obeyed as a command. */
export interface MatterButton {
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** Without its slash. */
  readonly line: string;
}

/** A message that was not delivered. */
export interface UndeliveredEntry {
  /** What `/retry` and `/drop` name. Missing: nothing can be done but wait. */
  readonly id?: string | undefined;
  readonly kind: string;
  readonly conversation: WaitingPlace;
  readonly at: number;
  readonly reason: string;
  /** `asks`: a person decides · `held`: it is offered when its chat takes messages again · `retried`: it is tried again · `off`: its channel is off. */
  readonly fate: 'asks' | 'held' | 'retried' | 'off';
}

/** `POST decide` {id, choice, text?} */
export interface DecideAnswer extends Standing {
  /** The decision counts. If not, `words` say why. */
  readonly isDone: boolean;
  /** Markdown. */
  readonly words: string;
}

/** `GET decided/:id`: how it stands now. `unknown`: there is none, or it is not for this person. */
export interface Standing {
  readonly state: DecisionState | 'pending' | 'unknown';
  readonly by?: WaitingPerson | undefined;
  readonly at?: number | undefined;
}

export type DecisionState = 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled';

/** `GET decided?before=&text=&state=` */
export interface DecidedList {
  /** The latest first. */
  readonly entries: readonly DecidedEntry[];
  /** To be asked for as `before`, if there may be more. */
  readonly next?: string | undefined;
}

export interface DecidedEntry {
  readonly id: string;
  readonly kind: WaitingCard['kind'];
  readonly tool: string;
  /** Markdown. */
  readonly description: string;
  readonly state: DecisionState;
  /** Missing: nobody did, its time was over or it was called off. */
  readonly by?: WaitingPerson | undefined;
  readonly at: number;
  readonly askedAt: number;
  readonly requester: WaitingPerson;
  readonly conversation: WaitingPlace;
  /** Markdown: which rule asked. */
  readonly reason?: string | undefined;
  /** What its person had said, or what had begun the run. */
  readonly cause?: string | undefined;
  /** What came of the calls. */
  readonly outcomes: readonly DecidedOutcome[];
  /** The run, for its page. */
  readonly runId?: string | undefined;
}

export interface DecidedOutcome {
  readonly tool: string;
  /** Missing: it has not ended. */
  readonly outcome?: string | undefined;
  /** In ms. */
  readonly duration?: number | undefined;
}

/** `GET grants` */
export interface GrantList {
  /** The newest first. */
  readonly grants: readonly GrantEntry[];
  readonly isCut: boolean;
}

export interface GrantEntry {
  readonly id: string;
  readonly kind: 'window' | 'always' | 'rule';
  /** Markdown: what it allows. */
  readonly what: string;
  readonly tool: string;
  readonly requester: WaitingPerson;
  readonly conversation: WaitingPlace;
  readonly by: WaitingPerson;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  /** How many calls it has let run. */
  readonly uses: number;
}

/** `POST grants/revoke` {ids} */
export interface RevokeAnswer {
  readonly count: number;
}
