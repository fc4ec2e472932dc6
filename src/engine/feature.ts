/*
 * What the loop stands on: the parts that the daemon hands to it (`Runtime`), for whom and where a run works
 * (`RunScope`), and how it is told to end. Then what it asks of features, each behind a small interface: what a model may
 * cost, how much of a conversation it reads, runs that work for other runs, files that people sent, and what people see
 * before it is stored. Features implement these; the daemon hands them in.
 */

import type { Approval } from '../approval/approval.ts';
import type { AgentMode, ApprovalSettings, Labels } from '../approval/verdict.ts';
import type { Conversation, RunFailure, ShownCall, ShownResult, ToolStatus } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Log } from '../lib/log.ts';
import type { LanguageModel, ModelEvent, ModelRequest, ModelUsage } from '../models/language-model.ts';
import type { Models } from '../models/open-models.ts';
import type { CallHooks } from '../tools/call-hooks.ts';
import type { CallTools } from '../tools/call-tools.ts';
import type { FileWatch } from '../tools/file-watch.ts';
import type { SubRunRequest, SubRunWorker, ToolOutput } from '../tools/output.ts';
import type { RateLimiter } from '../tools/rate-limit.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolRunner } from '../tools/runner.ts';
import { isSaidIn, textsIn } from '../tools/targets.ts';
import type { PreparedCall, ToolScope } from '../tools/tool.ts';
import type { ClosingReason } from '../transcript.ts';
import type { ApprovalStore, AttemptStore, ModelWaitStore, RunState, RunStore, SubRun } from './journal.ts';
import type { OutboxDraft } from './message.ts';
import type { Ask, RunOf, StuckWords } from './next.ts';

/** What every part of the engine is handed: the time, the log, and how to tell others that something was stored. */
export interface Core {
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** These conversations have something to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** These conversations may go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

/** What all runs share. */
export interface Runtime extends Core {
  readonly runs: RunStore;
  readonly attempts: AttemptStore & ModelWaitStore;
  readonly grants: Pick<ApprovalStore, 'grants' | 'pending'>;
  readonly models: Models;
  readonly budget: Budget;
  readonly context: RequestContext;
  readonly attachments: AttachmentFetcher;
  readonly subRuns: SubRuns;
  readonly view: LiveView;
  readonly registry: ToolRegistry;
  readonly callTools: CallTools;
  readonly fileWatch: Pick<FileWatch, 'begin' | 'isItsOwn'>;
  readonly runner: ToolRunner;
  readonly hooks: CallHooks;
  readonly rateLimiter: Pick<RateLimiter, 'take'>;
  /** The folder that the tools of a conversation work in: absolute, existing, without symlinks. */
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  /** Stores something to say in the conversation, and has it delivered. */
  readonly say: (draft: OutboxDraft) => Promise<void>;
  readonly settings: RunSettings;
}

/** Times are in milliseconds. */
export interface RunSettings {
  readonly approval: ApprovalSettings;
  /** Whether the operator has listed this host of the web. */
  readonly isTrustedHost: (host: string) => boolean;
  readonly isOwner: (principal: string) => boolean;
  readonly stuckWords: StuckWords;
  /** How long after a request more words of the same person may begin it again. 0: they never do. */
  readonly burst: number;
  /** How old an approval of a former process may be when its call begins. */
  readonly executeWithin: number;
}

/** For whom and where a run works, and what its conversation has read. */
export interface RunScope {
  /** What people call the conversation, for those who decide elsewhere. */
  readonly conversationTitle: string;
  readonly scope: ToolScope;
  readonly labels: Labels;
  /** What the person has written here themselves, as far as the model reads it; nothing of it in a sub-run. */
  readonly ownWords: () => string;
  /** Whether a value stands in an answer that the operator trusts, of a call that was not made with it. */
  readonly isListed: (value: string) => boolean;
  /** Whether another tool was asked with this value: what it answered may be of the one whom the value names. */
  readonly wasAsked: (value: string, toolName: string) => boolean;
  /**
   * Set where an address in an answer could carry out what is private: takes the links out of what is shown, and says so
   * below, or writes the `note` there.
   */
  readonly withoutLinks: ((markdown: string, note?: string) => string) | undefined;
  /** The tool in whose answer this text stands that was read here last. */
  readonly readFrom: (text: string) => string | undefined;
  /** The sub-run that calls, where that is not the conversation of the scope, in which people are asked. */
  readonly runsIn?: string;
  /** Who works there: on the sub-run, and before them on those that it stands in. */
  readonly workers?: readonly SubRunWorker[];
  /** Stricter than the config's, where an agent's is. */
  readonly mode?: AgentMode;
  /** The model that answers there, if it is not the default. */
  readonly model?: string;
}

/**
 * Whether a call carries words that the person has not written to somebody whose words may have been read here: they may
 * have asked for what is private.
 */
export function mayAnswerStranger(call: PreparedCall, where: RunScope): boolean {
  const { toolName, facets } = call;
  const { labels, wasAsked } = where;
  const isStrangers = (target: string): boolean =>
    wasAsked(target, toolName) || labels.sources.some((source) => isSaidIn(source, target));
  return labels.private && (facets.targets ?? []).some(isStrangers) && !isOwnText(call, where);
}

/** Whether the person has written all that the call says. */
export function isOwnText({ arguments: args, facets }: PreparedCall, { ownWords }: RunScope): boolean {
  return (facets.sends ?? textsIn(args)).every((text) => isSaidIn(ownWords(), text));
}

/** Somebody who works on sub-runs, as the config has them now. */
export interface Worker {
  /** What they are told about themselves. */
  readonly prompt: string;
  /** Patterns of the tools that they may use. */
  readonly only: readonly string[];
  /** One of the config's models; left out: that of the run which asks. */
  readonly model?: string;
  readonly mode?: AgentMode;
  /** The folder that they work in, where it is not that of the conversation. */
  readonly workspaceOf?: (conversation: Conversation, sender?: string) => string;
}

/** Undefined where there is nobody of that name any more. */
export type FindWorker = (worker: SubRunWorker) => Worker | undefined;

/** Where people see what becomes of a conversation's run. */
export function shownIn(state: { readonly conversationId: string; readonly subRun?: SubRun }): string {
  return state.subRun?.rootId ?? state.conversationId;
}

/**
 * Why a run is told to end: a person wants it to (an outcome, which is stored), or the process is ending (which leaves no
 * trace, so that the next process goes on with it). Or why a request is: the person has said something else meanwhile.
 */
type StopRequest = { readonly type: 'stopped-by-person' | 'superseded' | 'process-ending' };

export const stoppedByPerson: StopRequest = { type: 'stopped-by-person' };
export const superseded: StopRequest = { type: 'superseded' };
export const processEnding: StopRequest = { type: 'process-ending' };

/** Whether the reason of an abort is a person's wish. */
export function isPersonsWish(reason: unknown): boolean {
  return reason === stoppedByPerson || reason === superseded;
}

/** Looks before each call of a model whether it may still be paid for, and writes down what it took. */
export interface Budget {
  /** The day that is spent on now. */
  today(): string;
  /** Waits while calls are being answered that may reach a bound of the day. */
  admit(state: RunState, ask: Ask, where: RunScope, signal: AbortSignal): Promise<Admission>;
  /**
   * The same for a call that belongs to no run, since a person wants it: nobody is asked then. `refused`: the words say
   * why, as a markdown sentence.
   */
  admitAside(
    state: RunState,
    person: { readonly principal: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<Admission | { readonly type: 'refused'; readonly words: string }>;
  /** What an answer took is known. Gives it with its price, where the config has one. */
  note(asked: string, usage: ModelUsage): ModelUsage;
  /** Writes down that a model is about to be asked: a process that dies before the answer is stored has paid for it. */
  begin(state: RunState, payer: Payer, model: string, inputTokens: number): Promise<void>;
  /** Nothing is to be paid for what was asked last. */
  free(state: RunState): Promise<void>;
  /** Writes down what an answer took that is not kept; of no run, if none is named. */
  spend(state: RunState, payer: Payer, asked: string, usage: ModelUsage): Promise<void>;
  /** Tells a person, once, that what they say has to wait until somebody has decided. */
  tellWaiting(approval: Approval): Promise<void>;
}

/**
 * `open`: the model may be asked; `leave` is called when what it took is stored · `closed`: a bound is reached, and somebody
 * was asked whether the run may go on, or where nobody can be, the run is over; or the signal has aborted.
 */
export type Admission = { readonly type: 'open'; readonly leave: () => void } | { readonly type: 'closed' };

/** Whose an answer was, and for which run, if it was for one. */
export type Payer = Pick<RunOf, 'principal'> & Partial<Pick<RunOf, 'runId'>>;

/** Decides how much of a conversation a model reads. */
export interface RequestContext {
  /** Has the oldest part summarised where the request would not hold it. `changed`: load the state again. */
  makeRoom(state: RunState, ask: Ask, scope: ToolScope, signal: AbortSignal): Promise<'fits' | 'changed'>;
  /** Has it summarised because a person wants it. They are told what came of it. */
  summarise(state: RunState, scope: ToolScope, signal: AbortSignal): Promise<void>;
  /** As much of what the model is to have seen as fits, with the pictures that it can see. */
  requestFor(question: Question): Promise<TurnRequest>;
  /** How many tokens a model takes in one request: what the config says, or less if it has refused so much. */
  limitOf(label: string): number;
  /** A model has refused a request of about so many tokens for its length. */
  refused(label: string, size: number): void;
  /** A model has told how long a request was that had been estimated. */
  learn(label: string, estimated: number, usage: ModelUsage): void;
}

/** What is asked, of which model, and where. */
export interface Question {
  readonly state: RunState;
  readonly ask: Ask;
  readonly scope: ToolScope;
  readonly model: LanguageModel;
  readonly signal: AbortSignal;
  /** Told of each sign of life of the model. */
  readonly heard?: (() => void) | undefined;
  /** How often this was asked before, and was too long: then it is asked with less, and without pictures. */
  readonly refusals?: number;
  /** How much the request holds at most, with an answer, in tokens: less than the model takes, where another stands in. */
  readonly limit?: number;
}

export interface TurnRequest {
  readonly request: ModelRequest;
  /** How long it is, about, in tokens and without pictures: only where that had to be found out. */
  readonly size?: number;
  /** The same, at a glance. */
  readonly guess: number;
  /** The same, found out now. */
  readonly measured: () => Promise<number>;
  readonly hasPictures: boolean;
}

/** Begins runs for calls of other runs, and brings what they come to back to those calls, once. */
export interface SubRuns {
  /** How long the model of a sub-run may say nothing, in milliseconds. */
  readonly stall: number;
  /** Lets the call wait for a run of its own. `stopped`: its run was; otherwise what the call comes to instead. */
  begin(call: HandingCall, request: SubRunRequest, where: RunScope): Promise<ToolOutput | 'begun' | 'stopped'>;
  /** The worker of a sub-run as the config has them now: undefined if there is none any more. */
  workerOf(worker: SubRunWorker): Worker | undefined;
  /** Why nobody goes on with it, if that is so. */
  goneWords(subRun: SubRun): string | undefined;
  /** Its model has nothing to do: it is over, unless something goes on that it will be told of. */
  rest(state: RunState, subRun: SubRun): Promise<void>;
  /** Brings what the sub-run came to, or why it came to nothing, to the call that waits for it. */
  end(state: RunState, subRun: SubRun, failure?: string): Promise<void>;
}

/** A call that hands over what it is to do. */
export interface HandingCall {
  readonly id: string;
  readonly toolName: string;
}

/** Attachments that have to be there before the model is asked. */
export interface FetchRequest {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** The folder that the conversation's tools work in: absolute, existing, without symlinks. */
  readonly workspace: string;
  /** The messages that they came with, by sequence. */
  readonly seqs: readonly number[];
}

/** Brings what people sent into the workspace. */
export interface AttachmentFetcher {
  /**
   * Resolves when none of them is pending any more, or the signal aborts. What cannot be fetched is stored as missing, and
   * its sender is told so.
   */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<void>;
}

/** What people see of a run while it goes on. Nothing of it has to arrive: what has to is stored first. */
export interface LiveView {
  /** An answer begins to be written. */
  openTurn(scope: ToolScope, tools: CallTools, options: TurnOptions): LiveTurn;
  showStatus(conversationId: string, status: ToolStatus): void;
  /** A call begins, with these arguments. */
  showCall(conversationId: string, call: ShownCall): void;
  showResult(conversationId: string, result: ShownResult): void;
  /** Shows that something is being done, until the returned function is called. */
  showWorking(place: Conversation, conversationId: string): () => void;
  /** The messages, by the platform's names, are being worked on, until `settled`. */
  showTaken(place: Conversation, conversationId: string, messageIds: readonly string[]): void;
  /** Nothing is being worked on in the conversation any more. */
  settled(conversationId: string): void;
  /** A run was closed without an answer, and the words for that are stored: delivers them. `failure`: if it has failed. */
  closed(conversationId: string, reason: ClosingReason, failure: RunFailure): void;
  /** Messages were stored for these conversations: deliver them. */
  deliver(conversationIds: readonly string[]): void;
}

export interface TurnOptions {
  /** The message that it answers, by the platform's name. */
  readonly replyTo?: string | undefined;
  /** Nothing that the model writes is shown before it is stored. */
  readonly isHidden: boolean;
}

/** `runs`: it is executed, now or soon · `asks`: a person has a card for it · `refused`: it is not executed. */
export interface JudgedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly fate: 'runs' | 'asks' | 'refused';
}

/** What people see of an answer while the model writes it. Of what a worker writes, they see the calls alone. */
export interface LiveTurn {
  /** Whether anything visible of it was written, or a call was begun. */
  readonly hasBegun: boolean;
  /** The text that people see, and the outbox id under which they do; undefined if they see none. */
  readonly said: { readonly id: string; readonly text: string } | undefined;
  hear(event: ModelEvent): Promise<void>;
  /** The text is whole: what is shown of it does not change any more before it is delivered. */
  complete(): void;
  /** The id of a call that is complete. Models may give two calls the same id: the second gets another. */
  takeId(modelCallId: string): string;
  /** The message is stored: its delivery finishes what is shown. */
  keep(): void;
  /** The calls are stored, with what becomes of them. */
  stored(calls: readonly JudgedCall[]): void;
  /** Gives up what was not kept or stored; or leaves it to the next process, which will have it written again. */
  end(as: 'given-up' | 'left'): Promise<void>;
}
