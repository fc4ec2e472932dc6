/*
 * The port to the store, in the words of the rules: the state of a run, and each step as one transaction. `RunState` is
 * everything that the engine knows of a conversation. Each method changes everything that belongs together, or nothing
 * if something else came first (`outdated`, false, `late`).
 */

import type {
  Approval,
  ApprovalState,
  ExtensionApproval,
  Grant,
  PermissionApproval,
  QuestionApproval,
} from '../approval/approval.ts';
import type { Labels } from '../approval/verdict.ts';
import type { Conversation } from '../contract.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import type { ModelUsage } from '../models/language-model.ts';
import type { SubRunRequest, SubRunWorker, Within } from '../tools/output.ts';
import type { ToolCategory } from '../tools/tool.ts';
import type {
  AnswerEnding,
  Call,
  CallResult,
  CallState,
  ClosingReason,
  Summary,
  Transcript,
  TurnPart,
} from '../transcript.ts';
import type { Origin, OutboxDraft } from './message.ts';
import type { ModelWait } from './model-wait-store.ts';

/** A run as stored: all that is needed to continue it. */
export interface RunState {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** The part after the summary, if there is one. */
  readonly transcript: Transcript;
  /** Soon, the oldest part of the transcript is not loaded any more: it must be summarised before. */
  readonly isNearlyFull?: boolean;
  /** Stands for everything before the transcript. */
  readonly summary?: Summary;
  /** The person who asked for a summary. */
  readonly summaryFor?: string;
  /** The journal of the transcript's calls, by call id. */
  readonly journal: ReadonlyMap<string, JournalEntry>;
  /** Deferred calls that have been decided since, in the order of their decisions. They may be older than the transcript. */
  readonly lateCalls: readonly JournalEntry[];
  /** Calls that had begun when a process died, of runs that have ended since. */
  readonly leftBehind: readonly JournalEntry[];
  readonly labels: Labels;
  /** The model chosen for this conversation: its name in the config. */
  readonly model?: string;
  /** Pinned facts, the oldest first. Sub-runs have none: their task says what they need. */
  readonly pinned: readonly PinnedFact[];
  /** Set for a conversation that another run began. */
  readonly subRun?: SubRun;
  /** The id of the newest turn or closing, also from before `/new`; 0 if there is none. */
  readonly newestTurn: number;
  /** Turns of the newest run. */
  readonly turnsOfRun: number;
  /** What the open run has spent; of an earlier run if it has not asked the model yet. */
  readonly spent: SpentOfRun;
  /** The same for the person's run above a sub-run, whose limits count for both; undefined if that is over. */
  readonly above?: Pick<RunState, 'spent' | 'extensions'>;
  /** What the open run asked for to go beyond its bounds: pending and approved. */
  readonly extensions: readonly ExtensionApproval[];
  /** Set while the run waits for its model. */
  readonly wait?: ModelWait;
  /** Whether the store has work marked as left. */
  readonly isOpen: boolean;
  /** Whether it is marked as begun: see `AttemptStore`. */
  readonly isBegun: boolean;
}

/** A tool call in the journal. */
export interface JournalEntry extends Call {
  readonly runId: string;
  readonly principal: string;
  readonly principalName: string;
  /** The hash that was judged: see `callHash`. Missing if the call was never valid. */
  readonly hash?: string;
  readonly category?: ToolCategory;
  /** The hook that changed its arguments. */
  readonly changedBy?: string;
  /** Its newest approval. */
  readonly approval?: {
    readonly id: string;
    readonly state: ApprovalState;
    readonly decidedAt?: number;
    /** Untrusted sources that had been read when it was asked for. */
    readonly readBefore?: readonly string[];
    readonly reads?: number;
  };
}

/** An answer of the model, ready to be stored with everything that follows from it. */
export interface TurnDraft {
  readonly conversationId: string;
  /** The conversation that pays, if it is another one. */
  readonly countedIn?: string;
  readonly runId: string;
  readonly principal: string;
  /** The `newestTurn` of the state it follows from. */
  readonly after: number;
  readonly seenSeq: number;
  /** The first unread message of the request, and their number. If they have changed since, the model is asked again. */
  readonly read?: { readonly from: number; readonly count: number };
  readonly parts: readonly TurnPart[];
  readonly ending?: AnswerEnding | undefined;
  readonly usage: ModelUsage;
  /** The model that answered, as the config calls it. */
  readonly model: string;
  /** The day it is charged to: `2026-03-04`. */
  readonly day: string;
  readonly calls: readonly CallDraft[];
  /** What people see of it. */
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

export interface CallDraft {
  readonly id: string;
  readonly modelCallId: string;
  readonly name: string;
  /** As the model or a hook wrote them. */
  readonly arguments: JsonValue;
  readonly changedBy?: string;
  readonly hash?: string;
  readonly category?: ToolCategory;
  /** The grant that lets it run, if any. */
  readonly grantId?: string;
  /** Why nobody was asked, for those who want to know later. */
  readonly why?: JsonObject;
  readonly state: CallState;
  /** Set if and only if it is done. */
  readonly result?: CallResult;
  /** Set if it is awaiting, except for the further calls of a joint card. */
  readonly approval?: ApprovalDraft<PermissionApproval | QuestionApproval>;
}

/** The result of a call. */
export interface CallEnd {
  readonly callId: string;
  readonly result: CallResult;
  readonly duration: number;
  readonly messages: readonly OutboxDraft[];
  /** Added to its card, if it has one. */
  readonly cardNote: InLanguage;
  /** That note says what was done: it stands in place of what was asked for. */
  readonly saysWhat?: boolean;
  /** The labels that its result brings. */
  readonly brought?: Brought | undefined;
  readonly at: number;
  /** Applied in the same transaction, unless the call had ended before. Its outcome replaces the fields above. */
  readonly effect?: (within: Within) => Promise<Omit<CallEnd, 'callId' | 'duration' | 'at' | 'effect'>>;
}

/** Labels for a conversation: see `Labels`. */
export interface Brought {
  /** Sources that strangers may have written. */
  readonly sources: readonly string[];
  readonly isPrivate: boolean;
  /** The operator says that nobody else can write into this answer. */
  readonly isTrusted?: boolean;
}

export interface ClosingDraft {
  readonly conversationId: string;
  readonly after: number;
  readonly runId: string;
  readonly principal: string;
  readonly seenSeq: number;
  readonly reason: ClosingReason;
  /** What people saw of an interrupted answer. */
  readonly said?: string;
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

/** The run of a closing that ends whichever is under way. */
export const anyRun = 'none';

/** Stores runs. Each method is one transaction; an outdated step changes nothing. */
export interface RunStore {
  /** `contextTokens`: the largest request, in tokens. Of a transcript that is much longer, only the newest part is read. */
  load(conversationId: string, contextTokens?: number): Promise<RunState>;
  /** `outdated`: the conversation was stopped or restarted meanwhile. */
  storeTurn(draft: TurnDraft): Promise<'stored' | 'outdated'>;
  /** Claims a ready call for execution. False if it was called off. On disk before it resolves. */
  begin(callId: string, at: number): Promise<boolean>;
  /** Ends a ready or begun call, once. Returns the conversations of its cards. */
  end(end: CallEnd): Promise<readonly string[]>;
  /** Asks again for a call that is ready, or that had begun and is repeatable. False if it was called off. */
  reopen(callId: string, approval: ApprovalDraft<PermissionApproval>): Promise<boolean>;
  /** Continues without the calls that still await a decision. */
  defer(callIds: readonly string[]): Promise<void>;
  /** Also calls off the run's pending extension. */
  close(draft: ClosingDraft): Promise<'stored' | 'outdated'>;
  /** Keeps the part of an answer that people saw before /stop, with its message. */
  keepSaid(
    draft: Pick<ClosingDraft, 'conversationId' | 'after' | 'messages' | 'at'> & { readonly said: string },
  ): Promise<boolean>;
  /** Marks the conversation as done, unless something came in meanwhile. */
  rest(conversationId: string): Promise<void>;
}

/** A sub-run: a conversation that a run began for one of its calls. People see it in the root, where they talk. */
export interface SubRun {
  /** The call that gets its result. */
  readonly callId: string;
  readonly toolName: string;
  /** The conversation of that call: the root, or another sub-run. */
  readonly parentId: string;
  readonly rootId: string;
  readonly worker: SubRunWorker;
  /** The workers of the sub-runs above, the outermost first. */
  readonly above: readonly SubRunWorker[];
  readonly title: string;
  readonly form: SubRunRequest['form'];
}

/** The conversation in which people see a run. */
export function shownIn({ subRun, conversationId }: Pick<RunState, 'conversationId' | 'subRun'>): string {
  return subRun?.rootId ?? conversationId;
}

/** A fact that people want kept in mind in a conversation, beyond summaries and `/new`. */
export interface PinnedFact {
  /** Its number in the conversation while it is pinned. */
  readonly number: number;
  readonly text: string;
  /** Who pinned it. */
  readonly principal: string;
  readonly name: string;
  readonly at: number;
}

/** Tokens read and written; money in millionths. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

interface SpentOfRun extends Spent {
  readonly runId: string;
}

/** The cost of an answer. */
export function spentOf({ inputTokens, outputTokens, cost = 0 }: ModelUsage): Spent {
  return { tokens: inputTokens + outputTokens, cost };
}

/** The cost of an answer that was not kept as a turn. */
export interface SpendingDraft {
  readonly conversationId: string;
  /** The run that pays, if any. */
  readonly runId?: string;
  readonly principal: string;
  /** The model that was asked, as the config calls it. */
  readonly model: string;
  readonly usage: ModelUsage;
  /** The day it is charged to: `2026-03-04`. */
  readonly day: string;
}

/** A request about to be sent, with its estimated cost: charged if the process dies during it. */
export type AskDraft = Required<Pick<SpendingDraft, 'conversationId' | 'principal' | 'model' | 'day' | 'usage'>> & {
  /** The run it is for, if any. */
  readonly runId: string | undefined;
  /** Set while the run has no answer. */
  readonly begins: RunBeginning | undefined;
  readonly at: number;
};

/** A run that has no answer yet. */
export interface RunBeginning {
  /** The call that began it, if one did. */
  readonly parentCallId: string | undefined;
  /** The conversation of that call. */
  readonly parentConversationId: string | undefined;
  /** Since the oldest message that it answers was stored, in ms. */
  readonly waited: number;
  /** Whether no process has asked a model for it before. */
  readonly isNew: boolean;
}

/** A conversation that a process died in. */
export interface LeftRun {
  readonly conversationId: string;
  /** How many processes died in it since its last progress. */
  readonly number: number;
}

/**
 * What has begun and not ended. A beginning is committed before the method resolves; it survives the process, but perhaps
 * not a power failure. The end is part of the transaction of a turn, a closing or a spending.
 */
export interface AttemptStore {
  /** The conversation is being worked on. Idempotent. */
  beginWork(conversationId: string, at: number): Promise<void>;
  /** It is not, and nothing failed. */
  endWork(conversationId: string): Promise<void>;
  beginAsk(draft: AskDraft): Promise<void>;
  /** Only tells that the request is about to be sent. */
  tellAsk(draft: AskDraft): void;
  /** Stores a request that was told of, if it has not ended by then. */
  noteAsk(draft: AskDraft, isOpen: () => boolean): Promise<void>;
  /** The request ended and costs nothing. */
  endAsk(conversationId: string): Promise<void>;
  /** Charges requests that the last process died in, and returns the conversations it was working on. */
  recover(): Promise<readonly LeftRun[]>;
  /** The process ends in order, or the last one was killed from outside: nothing it leaves has failed. */
  leave(): Promise<void>;
  /** Where people wait for an answer, and their newest message. Reads no transcript. */
  unanswered(): Promise<ReadonlyMap<string, number>>;
}

/** Stores approvals and grants. Each method is one transaction. */
export interface ApprovalStore {
  find(id: string): Promise<Approval | undefined>;
  /** Pending approvals, the oldest first; of all conversations if none is given. */
  pending(conversationId?: string): Promise<readonly Approval[]>;
  /** Ends a pending approval or question with its calls, cards and the audit, or changes nothing. */
  decide(decision: Decision): Promise<DecisionResult>;
  /** Stores a question of a running call, with its card. */
  ask(question: ApprovalDraft<QuestionApproval>): Promise<void>;
  /** Cancels a pending question with its card and the audit. */
  callOff(question: QuestionApproval, outcome: InLanguage, at: number): Promise<void>;
  /**
   * Expires those that are still pending. `visible` gets the conversations to wake, before anything is shown and before it is
   * on disk: after a power failure they expire again.
   */
  expire(endings: readonly Ending[], at: number, visible: (toWake: readonly string[]) => void): Promise<void>;
  /** The approval that a message of ours in the conversation's chat, or in a thread of it, asks for. */
  cardAt(conversationId: string, messageId: string): Promise<AskedCard | undefined>;
  /** The pending approvals with a card in the conversation, the oldest first. */
  openAt(conversationId: string): Promise<readonly Approval[]>;
  /** When the card was last shown there; undefined if anything else was said since. */
  lastShown(approvalId: string, conversationId: string): Promise<number | undefined>;
  /** Stores a notice about an approval. One with a known id is not stored again. */
  note(approvalId: string, notice: OutboxDraft, at: number): Promise<void>;
  /** Stores the reminders that were not stored since they became due (`since`). Each answers its card. */
  remind(reminders: readonly { approvalId: string; draft: OutboxDraft; since: number }[], at: number): Promise<void>;
  /** Valid grants of a requester in a conversation. */
  grants(conversationId: string, requester: string, now: number): Promise<readonly Grant[]>;
  /** The people who have spoken in the conversation. */
  participants(conversationId: string): Promise<readonly string[]>;
  /** The direct chats of these people, each once. */
  directConversations(principals: readonly string[]): Promise<readonly string[]>;
  /** Those of the conversations that exist. */
  conversations(
    conversationIds: readonly string[],
  ): Promise<readonly { readonly id: string; readonly conversation: Conversation }[]>;
}

/** An approval, and where one of its cards stands. */
export interface AskedCard {
  readonly approval: Approval;
  readonly conversationId: string;
  readonly conversation: Conversation;
}

/** An approval to be stored, with its cards. */
export interface ApprovalDraft<Asked extends Approval = Approval> {
  readonly approval: Asked;
  readonly cards: readonly OutboxDraft[];
}

/** An approver's decision, or the requester's answer to a question. */
export interface Decision {
  readonly origin: Origin;
  readonly approval: Approval;
  readonly state: 'approved' | 'denied' | 'answered';
  readonly grant?: Grant;
  readonly outcome: CardText;
  /** Told beside the card. */
  readonly told?: OutboxDraft;
  /** What the model reads: the answer, or why the call will not run. */
  readonly result: string;
  readonly reason?: string;
  readonly at: number;
}

/** `late`: decided or expired before · `repeated`: this event was handled before. */
type DecisionResult = 'decided' | 'late' | 'repeated';

/** The new text of a card in its language and conversation. */
export type CardText = (language: Language, conversationId: string) => string;

/** The expiry of an approval. */
export interface Ending {
  readonly approval: Approval;
  readonly outcome: InLanguage;
  readonly result: string;
  /** A notice beside the card. */
  readonly notice?: OutboxDraft;
}
