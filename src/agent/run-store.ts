import type { Approval, ApprovalDraft, ApprovalState, OutboxDraft } from '../approval/approval.ts';
import type { Labels } from '../approval/taint.ts';
import type { Conversation } from '../contract.ts';
import type { JsonValue } from '../lib/json.ts';
import type { ModelUsage } from '../model/language-model.ts';
import type { ToolCategory } from '../tools/category.ts';
import type { Call, CallResult, CallState, ClosingReason, Transcript, TurnPart } from '../transcript.ts';
import type { PinnedFact } from './pinned-facts.ts';
import type { SpentOfRun } from './spending-store.ts';
import type { SubRun } from './sub-run.ts';
import type { Summary } from './summary.ts';

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
  readonly extensions: readonly Approval[];
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
  readonly approval?: { readonly id: string; readonly state: ApprovalState; readonly decidedAt?: number };
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
  /** Set if and only if it is awaiting. */
  readonly approval?: ApprovalDraft;
}

/** What became of a call. */
export interface CallEnd {
  readonly callId: string;
  readonly result: CallResult;
  readonly duration: number;
  readonly messages: readonly OutboxDraft[];
  /** Added to its card, if it has one. */
  readonly cardNote: string;
  readonly at: number;
}

export interface ClosingDraft {
  readonly conversationId: string;
  readonly after: number;
  readonly runId: string;
  readonly principal: string;
  readonly seenSeq: number;
  readonly reason: ClosingReason;
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

/** A sub-run that is about to begin. */
export interface SubRunDraft {
  /** Its own conversation. */
  readonly conversationId: string;
  readonly conversation: Conversation;
  readonly subRun: SubRun;
  readonly principal: string;
  readonly principalName: string;
  /** What its model is asked first. */
  readonly task: string;
  readonly model?: string;
  readonly inBackground: boolean;
  /** So many sub-runs may work for the root at once, this one among them. */
  readonly mostRunning: number;
  readonly at: number;
}

/** What a sub-run came to. */
export interface SubRunEnd {
  readonly conversationId: string;
  readonly subRun: SubRun;
  readonly result: CallResult;
  /** Added to the card of the call, if it has one. */
  readonly cardNote: string;
  readonly at: number;
}

/** Where runs are kept. Each method is one transaction; what is outdated by another one changes nothing. */
export interface RunStore {
  load(conversationId: string): Promise<RunState>;
  /** `outdated`: the conversation was stopped or begun anew meanwhile. */
  storeTurn(draft: TurnDraft): Promise<'stored' | 'outdated'>;
  /** Claims a ready call for execution. False if it was called off. On disk before it resolves. */
  begin(callId: string, at: number): Promise<boolean>;
  /** Ends a call that has begun, or is ready, unless it had ended before. Tells where its cards stand. */
  end(end: CallEnd): Promise<readonly string[]>;
  /**
   * Lets the call of the sub-run wait for it, and the sub-run begin. `outdated`: the run of the call was stopped ·
   * `too-many`: others have to end first. The labels of the conversation, and what its people have chosen, go with it.
   */
  beginSubRun(draft: SubRunDraft): Promise<'begun' | 'outdated' | 'too-many'>;
  /**
   * Ends a sub-run, and with its result the call that waits for it, unless that was called off. What it spent counts for
   * the run of the call, and so do its labels. Tells which conversations have to go on, and where cards have changed.
   */
  endSubRun(end: SubRunEnd): Promise<{ readonly toWake: readonly string[]; readonly places: readonly string[] }>;
  /** Asks anew for a call that is ready, or had begun and may be repeated. False if it was called off. */
  reopen(callId: string, approval: ApprovalDraft): Promise<boolean>;
  /** Goes on without the calls that still await a decision. */
  defer(callIds: readonly string[]): Promise<void>;
  /** Calls off what the run has asked for, to go on, if that still waits. */
  close(draft: ClosingDraft): Promise<'stored' | 'outdated'>;
  /** The run asks people whether it may go on; `after` is the `newestTurn` of the state that it follows from. */
  askToGoOn(asked: ApprovalDraft, after: number): Promise<'stored' | 'outdated'>;
  /** Nothing is left to do: the next start need not look here. Changes nothing if something came in meanwhile. */
  rest(conversationId: string): Promise<void>;
}
