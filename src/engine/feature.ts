/*
 * What the loop stands on: the parts that the daemon hands in (`Runtime`), for whom and where a run works (`RunScope`), and
 * the reasons to stop it. Then the small interfaces that features implement: the budget, the request context, sub-runs,
 * attachments, and the live view.
 */

import type { AgentMode, ApprovalSettings, Labels } from '../approval/verdict.ts';
import type { Conversation, RunFailure, ShownCall, ShownResult, ToolStatus } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Log } from '../lib/log.ts';
import type { Reader } from '../lib/time-words.ts';
import type { InLanguage } from '../lib/words.ts';
import type {
  LanguageModel,
  ModelAbilities,
  ModelError,
  ModelEvent,
  ModelRequest,
  ModelUsage,
} from '../models/language-model.ts';
import type { Models } from '../models/open-models.ts';
import type { Telemetry } from '../telemetry.ts';
import type { FileCopies } from '../tools/file-copies.ts';
import type { FileWatch } from '../tools/file-watch.ts';
import type { CallHooks, CallTools, RateLimiter } from '../tools/operator-rules.ts';
import type { SubRunRequest, SubRunWorker, ToolOutput } from '../tools/output.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolRunner } from '../tools/runner.ts';
import type { ToolScope } from '../tools/tool.ts';
import type { Call, ClosingReason } from '../transcript.ts';
import type { ApprovalStore, AttemptStore, RunState, RunStore, SubRun } from './journal.ts';
import type { Origin, OutboxDraft } from './message.ts';
import type { ModelWaitStore } from './model-wait-store.ts';
import type { Ask, RunOf, StuckWords } from './next.ts';
import type { RunCause } from './why-asked.ts';

/** What every part of the engine gets. */
export interface Core {
  readonly clock: Clock;
  readonly log: Log;
  /** Told what happens. What a transaction of the store does, the store tells. */
  readonly telemetry: Telemetry;
  readonly crashPoint?: CrashPoints;
  /** These conversations have messages to deliver. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** These conversations may go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  /** For whom a text in a conversation, given by its id, is written. */
  readonly readerIn: (conversationId: string) => Reader;
  /**
   * Resolves once it is known who reads in these conversations: until then `readerIn` may give whom the config expects. Awaited where
   * something begins that may say something there: a run, an event, a delivery, a card, a notice.
   */
  readonly prepareReaders: (conversationIds: readonly string[]) => Promise<void>;
  /** For whom the answer to what somebody does is written. */
  readonly readerOf: (origin: Origin) => Reader;
}

/** What all runs share. */
export interface Runtime extends Core {
  /** Aborts when the process ends. */
  readonly ending: AbortSignal;
  readonly runs: RunStore;
  readonly attempts: AttemptStore & ModelWaitStore;
  readonly grants: Pick<ApprovalStore, 'grants' | 'pending'>;
  readonly models: Models;
  readonly budget: Budget;
  readonly context: RequestContext;
  readonly attachments: AttachmentFetcher;
  readonly subRuns: SubRuns;
  readonly view: LiveView;
  readonly chats: ChatRules;
  readonly registry: ToolRegistry;
  readonly callTools: CallTools;
  readonly fileWatch: Pick<FileWatch, 'begin' | 'isItsOwn'>;
  readonly fileCopies: readonly FileCopies[];
  readonly runner: ToolRunner;
  readonly hooks: CallHooks;
  readonly rateLimiter: Pick<RateLimiter, 'take'>;
  /** The tools' folder for a conversation: absolute, existing, without symlinks. */
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  /** Stores a message and delivers it. One with a known id is not stored again. */
  readonly say: (draft: OutboxDraft) => Promise<void>;
  /** Told of the last answer of each run. */
  readonly answered: (answer: FinishedAnswer) => void;
  readonly settings: RunSettings;
}

/** The last answer of a run, once it is stored. */
export interface FinishedAnswer {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** Its outbox message. */
  readonly messageId: string;
  /** The model's own words. What people read may have notes of Keyturn, and addresses written out. */
  readonly markdown: string;
  /** A voice message was among what it answers. */
  readonly isAskedByVoice: boolean;
}

/** Times are in ms. */
export interface RunSettings {
  readonly approval: ApprovalSettings;
  /** Whether the operator lists this web host. */
  readonly isTrustedHost: (host: string) => boolean;
  readonly isOwner: (principal: string) => boolean;
  readonly stuckWords: StuckWords;
  /** For so long after a request, more words of the same person restart it. 0: never. */
  readonly burst: number;
  /** How old an approval from an earlier process may be when its call begins. */
  readonly executeWithin: number;
  /** The largest request, in tokens. */
  readonly contextTokens: number;
}

/** For whom and where a run works, and what its conversation has read. */
export interface RunScope {
  /** The conversation's title, for approvers elsewhere. */
  readonly titleIn: InLanguage;
  readonly scope: ToolScope;
  readonly labels: Labels;
  /** The messages of the person here, as far as the model reads them; empty in a sub-run. */
  readonly ownWords: () => readonly string[];
  /** What the run works for: see `why-asked.ts`. */
  readonly cause: RunCause | undefined;
  /** The calls that the model reads, oldest first. */
  readonly calls: readonly Call[];
  /** Set if links could leak private data: makes them plain text, and appends a note about it, or the given `note`. */
  readonly withoutLinks: ((markdown: string, note?: string) => string) | undefined;
  /** The sub-run that calls, if it is not the conversation of the scope, where people are asked. */
  readonly runsIn?: string;
  /** The workers of the sub-run and of those above it, the outermost first. Empty if it is none. */
  readonly workers: readonly SubRunWorker[];
  /** The strictest mode of the chat and of the workers, if any has one. It can only tighten the config's. */
  readonly mode?: AgentMode;
  /** The model, if it is not the default. */
  readonly model?: string;
}

/** A worker for sub-runs, as the config describes it now. */
export interface Worker {
  /** Its instructions. */
  readonly prompt: string;
  /** Patterns of the tools it may use. */
  readonly only: readonly string[];
  /** One of the config's models; default: that of the calling run. */
  readonly model?: string;
  readonly mode?: AgentMode;
  /** Its folder, if it is not that of the conversation. */
  readonly workspaceOf?: (conversation: Conversation, sender?: string) => string;
}

/** What the config says of a chat and its threads, as it is now. */
export interface HeldChat {
  /** The entry's key in `chats`. */
  readonly key: string;
  /** The operator's instructions there. */
  readonly prompt: string;
  /** The model, where people have chosen none. */
  readonly model?: string | undefined;
  /** The agent that answers there. `isGone`: the config no longer has it. */
  readonly agent?: { readonly name: string; readonly prompt: string; readonly isGone: boolean } | undefined;
  /** Patterns of the tools that may be used there. */
  readonly only?: readonly string[] | undefined;
  /** It can only tighten the config's. */
  readonly mode?: AgentMode | undefined;
  /** The folder there, if it is not that of all conversations. */
  readonly workspaceOf?: Worker['workspaceOf'] | undefined;
}

/** Finds what holds in a conversation; undefined: nothing of its own. */
export interface ChatRules {
  of(conversation: Conversation): HeldChat | undefined;
}

/** Undefined if the worker no longer exists. */
export type FindWorker = (worker: SubRunWorker) => Worker | undefined;

/**
 * Why a run is told to end: a person wants it (an outcome, which is stored), or the process is ending (no trace: the next
 * process continues it). Or why a request is: the person said something else meanwhile.
 */
type StopRequest = { readonly type: 'stopped-by-person' | 'superseded' | 'process-ending' };

export const stoppedByPerson: StopRequest = { type: 'stopped-by-person' };
export const superseded: StopRequest = { type: 'superseded' };
export const processEnding: StopRequest = { type: 'process-ending' };

/** Whether the abort is a person's wish. */
export function isPersonsWish(reason: unknown): boolean {
  return reason === stoppedByPerson || reason === superseded;
}

/** Checks before each model call whether it may be paid for, and stores what it costs. */
export interface Budget {
  /** The day that costs are charged to. */
  today(): string;
  /** Waits while model answers in progress might reach a daily bound. */
  admit(state: RunState, ask: Ask, where: RunScope, signal: AbortSignal): Promise<Admission>;
  /**
   * The same for a call outside any run, such as a summary on request: nobody is asked. `refused`: why, as a markdown
   * sentence.
   */
  admitAside(
    state: RunState,
    person: { readonly principal: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<Admission | { readonly type: 'refused'; readonly words: string }>;
  /** The cost of an answer is known. Returns it with its price, if the config has one. */
  note(state: RunState, asked: string, usage: ModelUsage): ModelUsage;
  /**
   * A model is about to be asked: if the process dies before the answer is stored, it is paid for. Resolves once that is
   * stored where spending has a limit; elsewhere, only a request that takes long is stored.
   */
  begin(state: RunState, payer: Payer, model: string, inputTokens: number): Promise<void>;
  /** Stores the cost of an answer that is not kept; of no run, if none is given. Undefined: the request was free. */
  pay(state: RunState, payer: Payer, asked: string, usage: ModelUsage | undefined): Promise<void>;
}

/**
 * `open`: the model may be asked; call `leave` when the cost is stored · `closed`: a bound is reached, and somebody was asked
 * to extend it, or the run is over; or the signal aborted.
 */
export type Admission = { readonly type: 'open'; readonly leave: () => void } | { readonly type: 'closed' };

/** Who pays for an answer, and for which run, if any. */
export type Payer = Pick<RunOf, 'principal'> & Partial<Pick<RunOf, 'runId'>>;

/** Decides how much of a conversation a model reads. */
export interface RequestContext {
  /** Summarises the oldest part if the request would not fit. `changed`: load the state again. */
  makeRoom(state: RunState, ask: Ask, scope: ToolScope, signal: AbortSignal): Promise<'fits' | 'changed'>;
  /** Summarises on request, and tells the person the result. */
  summarise(state: RunState, scope: ToolScope, signal: AbortSignal): Promise<void>;
  /** As much as fits, with the pictures that the model can see. */
  requestFor(question: Question): Promise<TurnRequest>;
  /** The model's limit for one request, in tokens: from the config or its server, or less after a refusal. */
  limitOf(label: string, known: ModelAbilities | undefined): number;
  /** The model refused a request of about this size as too long. */
  refused(label: string, size: number, error: ModelError): void;
  /** The model reported the real size of an estimated request. */
  learn(label: string, estimated: number, usage: ModelUsage): void;
}

/** What to ask which model, and where. */
export interface Question {
  readonly state: RunState;
  readonly ask: Ask;
  readonly scope: ToolScope;
  readonly model: LanguageModel;
  readonly signal: AbortSignal;
  /** Called on each sign of life from the model. */
  readonly heard?: (() => void) | undefined;
  /** How often this was too long: then it is asked with less, and without pictures. */
  readonly refusals?: number;
  /** The limit of the request with its answer, in tokens, if lower than the model's. */
  readonly limit?: number;
}

export interface TurnRequest {
  readonly request: ModelRequest;
  /** The estimated size in tokens, without pictures. */
  readonly size: number;
  /** The part of it that is no message: instructions and tools. */
  readonly fixedSize: number;
  /** Of that, the tools. */
  readonly toolsSize: number;
  readonly hasPictures: boolean;
}

/** Begins runs for calls of other runs, and returns their results to those calls, once. */
export interface SubRuns {
  /** How long the model of a sub-run may stay silent, in ms. */
  readonly stall: number;
  /** Makes the call wait for its own run. `stopped`: the calling run was stopped. Otherwise the result of the call. */
  begin(call: HandingCall, request: SubRunRequest, where: RunScope): Promise<ToolOutput | 'begun' | 'stopped'>;
  /** The worker as the config describes it now; undefined if it no longer exists. */
  workerOf(worker: SubRunWorker): Worker | undefined;
  /** Why nobody can continue it; undefined if somebody can. */
  goneWords(subRun: SubRun): string | undefined;
  /** The model is done: the sub-run is over, unless it waits for something. */
  rest(state: RunState, subRun: SubRun): Promise<void>;
  /** Returns the result or the failure to the waiting call. */
  end(state: RunState, subRun: SubRun, failure?: string): Promise<void>;
}

/** A call that hands its work to a sub-run. */
export interface HandingCall {
  readonly id: string;
  readonly toolName: string;
}

/** Attachments needed before the model is asked. */
export interface FetchRequest {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** The tools' folder: absolute, existing, without symlinks. */
  readonly workspace: string;
  /** Their messages, by sequence. */
  readonly seqs: readonly number[];
}

/** Fetches attachments into the workspace. */
export interface AttachmentFetcher {
  /** Resolves when none is pending, or the signal aborts. A failed one is stored as missing, and its sender is told. */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<void>;
}

/** A conversation and where it is. */
export type Chat = Conversation & { readonly conversationId: string };

/** What people see of a run in progress. Best effort: anything that must arrive is stored first. */
export interface LiveView {
  /** An answer begins. */
  openTurn(scope: ToolScope, tools: CallTools, options: TurnOptions): LiveTurn;
  showStatus(chat: Chat, status: ToolStatus): void;
  /** A call begins. */
  showCall(chat: Chat, call: ShownCall): void;
  showResult(chat: Chat, result: ShownResult): void;
  /** Shows that work is going on, until the returned function is called. */
  showWorking(conversation: Conversation): () => void;
  /** Marks these messages (by platform id) as being worked on, until `settled`. */
  showTaken(conversation: Conversation, conversationId: string, messageIds: readonly string[]): void;
  /** Nothing works in the conversation but its workers, if it has some. */
  settled(conversationId: string, hasWorkers: boolean): void;
  /** A run was closed without an answer; delivers the stored words. `failure`: if it failed. */
  closed(chat: Chat, reason: ClosingReason, failure: RunFailure): void;
}

export interface TurnOptions {
  /** The platform id of the message it answers. */
  readonly replyTo?: string | undefined;
  /** Show nothing before it is stored. */
  readonly isHidden: boolean;
}

/** `runs`: executed now or soon · `asks`: waits on a card · `refused`: not executed. */
export interface JudgedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly fate: 'runs' | 'asks' | 'refused';
}

/** What people see of an answer while the model writes it. For workers, only the calls. */
export interface LiveTurn {
  /** Whether anything was shown, or a call began. */
  readonly hasBegun: boolean;
  /** The shown text and its outbox id. */
  readonly said: { readonly id: string; readonly text: string } | undefined;
  hear(event: ModelEvent): Promise<void>;
  /** The text is complete and does not change before delivery. */
  complete(): void;
  /** A unique id for a complete call. Models may use an id twice. */
  takeId(modelCallId: string): string;
  /** The message is stored: delivery finishes it. */
  keep(): void;
  /** The calls are stored, with their fates. */
  stored(calls: readonly JudgedCall[]): void;
  /** Drops what was not stored; or leaves it to the next process, which asks again. */
  end(as: 'given-up' | 'left'): Promise<void>;
}
