/*
 * The port to the store, in the words of the rules: what a run is, and each step that is one transaction. Everything
 * that the engine knows of a conversation is in `RunState`; each method either changes all that belongs together, or
 * nothing, because something came before it (`outdated`, false, `late`).
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
import type { JsonValue } from '../lib/json.ts';
import type { ModelUsage } from '../models/language-model.ts';
import type { ToolCategory } from '../tools/category.ts';
import type { SubRunRequest, SubRunWorker } from '../tools/output.ts';
import type { Call, CallResult, CallState, ClosingReason, Transcript, TurnPart } from '../transcript.ts';
import type { Origin, OutboxDraft } from './message.ts';

/** A run as the store has it: nothing else is needed to go on with it. */
export interface RunState {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** What is behind the summary, if there is one. */
  readonly transcript: Transcript;
  /** What stands for all that was before the transcript. */
  readonly summary?: Summary;
  /** Who has asked for a summary. */
  readonly summaryFor?: string;
  /** What the journal knows of the transcript's calls, by call id. */
  readonly journal: ReadonlyMap<string, JournalEntry>;
  /** Calls that were deferred and can be settled now, the first decided first. They may be older than the transcript. */
  readonly deferred: readonly JournalEntry[];
  /** Calls that had begun when a process died, and whose run was ended before they were. */
  readonly leftBehind: readonly JournalEntry[];
  readonly labels: Labels;
  /** The model that somebody has chosen there: its name in the config. */
  readonly model?: string;
  /** What people want kept in mind there, the oldest first. A sub-run has none: its task says what it has to know. */
  readonly pinned: readonly PinnedFact[];
  /** Set where nobody talks: another run has begun this one. */
  readonly subRun?: SubRun;
  /** The id of the newest turn or closing, be it one that a new conversation has left behind; 0 if there was none. */
  readonly newestTurn: number;
  /** How many turns the newest run has taken. */
  readonly turnsOfRun: number;
  /** What the run that is not over has taken until now; of another one, if that has not asked the model yet. */
  readonly spent: SpentOfRun;
  /** The same of the person's run that waits for this one, which counts for both; left out if that is over. */
  readonly above?: Pick<RunState, 'spent' | 'extensions'>;
  /** What the run that is not over has asked for, to go on beyond its bounds: what waits, and what was allowed. */
  readonly extensions: readonly ExtensionApproval[];
  /** Set while the run waits for a model that cannot be reached. */
  readonly wait?: ModelWait;
  /** Whether the store believes that something is left to do. */
  readonly isOpen: boolean;
}

/** A tool call as the journal knows it. */
export interface JournalEntry extends Call {
  readonly runId: string;
  readonly principal: string;
  readonly principalName: string;
  /** What was judged: see `callHash`. Missing where the call never became valid. */
  readonly hash?: string;
  readonly category?: ToolCategory;
  /** The hook that has made its arguments what they are. */
  readonly changedBy?: string;
  /** The newest approval that was asked for. */
  readonly approval?: {
    readonly id: string;
    readonly state: ApprovalState;
    readonly decidedAt?: number;
    /** The untrusted content that the conversation had read when it was asked for. */
    readonly readBefore?: readonly string[];
    readonly reads?: number;
  };
}

/** An answer of the model, about to be stored with everything that follows from it. */
export interface TurnDraft {
  readonly conversationId: string;
  /** The conversation whose people it was spent for, where that is another one. */
  readonly countedIn?: string;
  readonly runId: string;
  readonly principal: string;
  /** The `newestTurn` of the state that it follows from. */
  readonly after: number;
  readonly seenSeq: number;
  /** Of the messages that the model was asked about, the first and how many they are. Changed since, they are asked about again. */
  readonly read?: { readonly from: number; readonly count: number };
  readonly parts: readonly TurnPart[];
  readonly usage: ModelUsage;
  /** Who answered, as the config calls it. */
  readonly model: string;
  /** The day that it is counted to: `2026-03-04`. */
  readonly day: string;
  readonly calls: readonly CallDraft[];
  /** What people are to see of it. */
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

export interface CallDraft {
  readonly id: string;
  readonly modelCallId: string;
  readonly name: string;
  /** As the model wrote them, unless a hook has changed them. */
  readonly arguments: JsonValue;
  readonly changedBy?: string;
  readonly hash?: string;
  readonly category?: ToolCategory;
  /** The standing permission that lets it run, if one does. */
  readonly grantId?: string;
  readonly state: CallState;
  /** Set if and only if it is done. */
  readonly result?: CallResult;
  /** Set if it is awaiting, unless it stands on the card of a call before it. */
  readonly approval?: ApprovalDraft<PermissionApproval | QuestionApproval>;
}

/** What became of a call. */
export interface CallEnd {
  readonly callId: string;
  readonly result: CallResult;
  readonly duration: number;
  readonly messages: readonly OutboxDraft[];
  /** Added to its card, if it has one. */
  readonly cardNote: string;
  /** What the conversation has read with its result. */
  readonly brought?: Brought | undefined;
  readonly at: number;
  /** Done in the same transaction, unless the call had ended before: what came of it stands in place of the above. */
  readonly effect?: () => Pick<CallEnd, 'result' | 'messages' | 'cardNote' | 'brought'>;
}

/** What a conversation takes in: see `Labels`. */
export interface Brought {
  /** Where content comes from that strangers may have written. */
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
  /** What people had seen of an answer that is broken off. */
  readonly said?: string;
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

/** Where runs are kept. Each method is one transaction; what is outdated by another one changes nothing. */
export interface RunStore {
  load(conversationId: string): Promise<RunState>;
  /** `outdated`: the conversation was stopped or begun again meanwhile. */
  storeTurn(draft: TurnDraft): Promise<'stored' | 'outdated'>;
  /** Claims a ready call for execution. False if it was called off. On disk before it resolves. */
  begin(callId: string, at: number): Promise<boolean>;
  /** Ends a call that has begun, or is ready, unless it had ended before. Tells where its cards stand. */
  end(end: CallEnd): Promise<readonly string[]>;
  /** Asks again for a call that is ready, or had begun and may be repeated. False if it was called off. */
  reopen(callId: string, approval: ApprovalDraft<PermissionApproval>): Promise<boolean>;
  /** Goes on without the calls that still await a decision. */
  defer(callIds: readonly string[]): Promise<void>;
  /** Calls off what the run has asked for, to go on, if that still waits. */
  close(draft: ClosingDraft): Promise<'stored' | 'outdated'>;
  /** What people had seen of an answer that /stop broke off, and the message that shows it. */
  keepSaid(
    draft: Pick<ClosingDraft, 'conversationId' | 'after' | 'messages' | 'at'> & { readonly said: string },
  ): Promise<boolean>;
  /** Nothing is left to do: the next start need not look here. Changes nothing if something came in meanwhile. */
  rest(conversationId: string): Promise<void>;
}

/**
 * What a conversation is that nobody talks in: a run has begun it for one of its calls. All that people are to see of it
 * is shown in the root, the conversation in which a person talks.
 */
export interface SubRun {
  /** The call whose result it comes to. */
  readonly callId: string;
  readonly toolName: string;
  /** The conversation of that call: the root, or another sub-run. */
  readonly parentId: string;
  readonly rootId: string;
  readonly worker: SubRunWorker;
  /** Who works on the sub-runs that it stands in, the outermost first. */
  readonly above: readonly SubRunWorker[];
  readonly title: string;
  readonly form: SubRunRequest['form'];
}

/** What stands in a request in the place of the oldest part of a conversation. */
export interface Summary {
  readonly id: number;
  readonly text: string;
  /** All up to there is left out of requests: turns, by id. */
  readonly upToTurn: number;
  /** The same for what came in, by sequence. */
  readonly upToSeq: number;
  /** Calls of what is left out that still wait for a person. */
  readonly waiting: readonly WaitingCall[];
}

export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** What a person wants kept in mind in a conversation, whatever of it is summarised, left out or begun again. */
export interface PinnedFact {
  /** Names it in the conversation as long as it is pinned. */
  readonly number: number;
  readonly text: string;
  /** Who pinned it. */
  readonly principal: string;
  readonly name: string;
  readonly at: number;
}

/** Tokens, read and written; money in millionths. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

interface SpentOfRun extends Spent {
  readonly runId: string;
}

/** What an answer counts for. */
export function spentOf({ inputTokens, outputTokens, cost = 0 }: ModelUsage): Spent {
  return { tokens: inputTokens + outputTokens, cost };
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

/** A model is about to be asked: what that will take, about, is charged if the process dies in it. */
type AskDraft = Required<Pick<SpendingDraft, 'conversationId' | 'principal' | 'model' | 'day' | 'usage'>> & {
  /** The run that it is for, if it is for one. */
  readonly runId: string | undefined;
  readonly at: number;
};

/** A conversation that a process was killed in while it worked on it. */
export interface LeftRun {
  readonly conversationId: string;
  /** How many processes were, since it last came on. */
  readonly number: number;
}

/**
 * What was begun and has not ended. Each beginning is committed before it resolves, and outlives the process; a power failure
 * may take it. What ends with a turn, a closing or what was spent is written with that.
 */
export interface AttemptStore {
  /** The conversation is worked on from now on. Changes nothing if that is written down already. */
  beginRun(conversationId: string, at: number): Promise<void>;
  /** It is not, and nothing has failed. */
  endRun(conversationId: string): Promise<void>;
  beginAsk(draft: AskDraft): Promise<void>;
  /** The model was asked there, and nothing is to be paid for that. */
  endAsk(conversationId: string): Promise<void>;
  /** Charges the calls of models that the process before this one was killed in, and tells what it was working on. */
  recover(): Promise<readonly LeftRun[]>;
  /** The process ends in order: nothing that it leaves has failed. */
  leave(): Promise<void>;
}

/** A run waits for a model that cannot be reached: a row, which any process goes on with. */
export interface ModelWait {
  /** How often the model was tried. */
  readonly number: number;
  /** When that was last. */
  readonly at: number;
  /** When it is tried next. */
  readonly retryAt: number;
  /** When the run gives up. */
  readonly until: number;
}

interface ModelWaitDraft extends ModelWait {
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: string;
  /** The `newestTurn` of the state that it follows from: any other turn ends the wait. */
  readonly after: number;
  /** What people are told, the first time. */
  readonly messages: readonly OutboxDraft[];
}

export interface ModelWaitStore {
  waitForModel(draft: ModelWaitDraft): Promise<'stored' | 'outdated'>;
  /** All runs that wait. */
  modelWaits(): Promise<readonly (Pick<ModelWait, 'retryAt'> & { readonly conversationId: string })[]>;
}

/** Where approvals and grants are kept. Each method is one transaction. */
export interface ApprovalStore {
  find(id: string): Promise<Approval | undefined>;
  /** The pending ones, the oldest first; of all conversations if none is named. */
  pending(conversationId?: string): Promise<readonly Approval[]>;
  /** Changes a pending approval, its call, its cards and the audit together, or nothing. */
  decide(decision: Decision): Promise<DecisionResult>;
  /** Ends a pending question with its call, its card and the audit, or changes nothing. */
  answer(answer: AnswerDraft): Promise<DecisionResult>;
  /** Stores a question of a call that runs, with its card. */
  ask(question: ApprovalDraft<QuestionApproval>): Promise<void>;
  /** Ends a question that nobody waits for any more, with its card and the audit. Changes nothing if it is not pending. */
  callOff(question: QuestionApproval, outcome: string, at: number): Promise<void>;
  /**
   * Ends those of the approvals that are still pending. `visible` is told which conversations have to go on, before anything
   * of it can be shown, and before it is on disk: should a power failure take the end, it comes again.
   */
  expire(endings: readonly Ending[], at: number, visible: (toWake: readonly string[]) => void): Promise<void>;
  /** Stores a reminder for each, once. */
  remind(reminders: readonly { readonly approvalId: string; readonly draft: OutboxDraft }[], at: number): Promise<void>;
  /** Pending approvals that nobody was reminded of. */
  unreminded(): Promise<readonly Approval[]>;
  /** Grants that hold now: of one requester in one conversation. */
  grants(conversationId: string, requester: string, now: number): Promise<readonly Grant[]>;
  /** How many cards of the approval can be pressed, now or soon. */
  standingCards(approvalId: string): Promise<number>;
  /** The people who have spoken in the conversation. */
  participants(conversationId: string): Promise<readonly string[]>;
  /** The direct conversations of these people. */
  directConversations(principals: readonly string[]): Promise<readonly string[]>;
  /** Those of the conversations that were ever talked in: only there can something be shown. */
  places(
    conversationIds: readonly string[],
  ): Promise<readonly { readonly id: string; readonly conversation: Conversation }[]>;
}

/** What the requester said to a question, with everything that it changes. */
interface AnswerDraft {
  readonly origin: Origin;
  readonly approval: QuestionApproval;
  /** What the card shows from now on. */
  readonly outcome: string;
  /** What the model reads. */
  readonly result: string;
  readonly at: number;
}

/** An approval that is about to be asked for, with the cards that ask. */
export interface ApprovalDraft<Asked extends Approval = Approval> {
  readonly approval: Asked;
  readonly cards: readonly OutboxDraft[];
}

/** A decision by somebody who may decide, with everything that it changes. */
export interface Decision {
  readonly origin: Origin;
  readonly approval: PermissionApproval | ExtensionApproval;
  readonly approved: boolean;
  readonly grant?: Grant;
  /** What the cards show from now on. */
  readonly outcome: string;
  /** What the model reads if the call will not run. */
  readonly result: string;
  readonly reason?: string;
  readonly at: number;
}

/** `decided`: this decision counts · `late`: another came before, or the time was over · `repeated`: the event was seen. */
type DecisionResult = 'decided' | 'late' | 'repeated';

/** What ended without a decision, by conversation. */
export interface Ending {
  readonly approval: Approval;
  readonly outcome: string;
  readonly result: string;
  /** What is said in the conversation beside the card. */
  readonly notice?: OutboxDraft;
}
