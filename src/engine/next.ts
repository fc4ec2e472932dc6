/*
 * The next step of a run: a pure function of what is stored, and of the rule that says when a run is stuck. The order of
 * the checks is the order of the rules: a wanted summary, late decisions, calls of an ended run, an open extension, calls
 * that can be settled, waiting for people, new messages. Below are the helpers: which calls may run, and which messages a
 * run answers.
 */

import type { Approval, ExtensionApproval } from '../approval/approval.ts';
import type { InLanguage } from '../lib/words.ts';
import { isRepeatable, type ToolCategory } from '../tools/tool.ts';
import {
  type Call,
  type CallState,
  type DaemonEvent,
  type HandCall,
  isUnheard,
  lastTurn,
  type TranscriptEntry,
  type Turn,
  type UserMessage,
  unseen,
} from '../transcript.ts';
import { unreachableResult, unshownResult } from '../words/model-words.ts';
import type { JournalEntry, RunBeginning, RunState } from './journal.ts';
import { engineWords } from './words.ts';

/** The next step. */
export type Step =
  /** Summarise the oldest part of the conversation, because a person asked for it. */
  | { readonly type: 'summarise'; readonly principal: string }
  /** Bring calls of one person to their end, or to a person, in parallel. Never empty. */
  | { readonly type: 'settle'; readonly calls: readonly JournalEntry[] }
  /** End a call of an earlier run that had begun: its outcome is unknown. */
  | { readonly type: 'write-off'; readonly call: JournalEntry }
  /** Continue without the calls that await a decision, because somebody wrote, or an event wants an answer. */
  | { readonly type: 'defer'; readonly callIds: readonly string[] }
  | Fetch
  | Ask
  | CallByHand
  /**
   * End the run without asking the model. `failed`: all that was said were voice messages that could not be transcribed ·
   * `stuck`: with words for the person · `expired`: with words, unless the card itself has told the person.
   */
  | {
      readonly type: 'close';
      readonly run: RunOf;
      readonly seenSeq: number;
      readonly reason: 'expired' | 'limit' | 'failed' | 'completed' | 'stuck';
      readonly words?: InLanguage | undefined;
    }
  /** Wait for a person. `waiting`: new messages stay unread until this is decided. */
  | { readonly type: 'park'; readonly waiting?: Approval }
  /** Everything is answered. */
  | { readonly type: 'rest' };

/** Fetch attachments into the workspace, before the model is asked. */
export interface Fetch {
  readonly type: 'fetch';
  readonly run: RunOf;
  /** The newest sequence of the request to come. */
  readonly seenSeq: number;
  /** The messages whose attachments are missing, by sequence. */
  readonly seqs: readonly number[];
}

/** Ask the model once. */
export interface Ask {
  readonly type: 'ask';
  readonly run: RunOf;
  /** The newest sequence that the request contains. */
  readonly seenSeq: number;
}

/** Make the call that a person has written themselves: nobody asks the model. */
export interface CallByHand {
  readonly type: 'call-by-hand';
  readonly run: RunOf;
  readonly seenSeq: number;
  readonly call: HandCall;
}

/** A run and the person it serves. */
export interface RunOf {
  readonly runId: string;
  readonly principal: string;
}

/** Words for the person if the newest run is stuck. */
export type StuckWords = (entries: readonly TranscriptEntry[]) => InLanguage | undefined;

export function nextStep(state: RunState, stuckWords: StuckWords): Step {
  if (state.summaryFor !== undefined) return { type: 'summarise', principal: state.summaryFor };
  const [late] = state.lateCalls;
  if (late !== undefined) return { type: 'settle', calls: [late] };

  const last = lastTurn(state.transcript);
  const [leftBehind] = state.leftBehind;
  if (leftBehind !== undefined) return { type: 'write-off', call: leftBehind };
  const waiting = state.extensions.find((approval) => approval.state === 'pending');
  if (waiting !== undefined) return whileExtensionOpen(state, waiting);
  if (last?.type === 'turn' && last.calls.length > 0) return continueRun(state, last, stuckWords);
  return beginRun(state, last?.seenSeq ?? 0);
}

/** A run without turns left gives way to a new message, whose run gets its own turns. A budget does not give way. */
function whileExtensionOpen(state: RunState, waiting: ExtensionApproval): Step {
  const { runId, bound, seenSeq } = waiting.extension;
  const someoneSpoke = unseen(state.transcript).some((entry) => entry.type === 'user' && entry.seq > seenSeq);
  if (!someoneSpoke) return { type: 'park' };
  if (bound !== 'turns') return { type: 'park', waiting };
  return { type: 'close', run: { runId, principal: waiting.requester }, seenSeq, reason: 'limit' };
}

function continueRun(state: RunState, turn: Turn, stuckWords: StuckWords): Step {
  const open = turn.calls.filter((call) => call.result === undefined);
  const workable = runnableCalls(
    open.flatMap(({ id }) => state.journal.get(id) ?? []),
    // A call that waits for a sub-run blocks none behind it.
    (call) => (awaitsWorker(call) ? 'done' : call.state),
    (call) => call.state === 'begun' || call.approval?.state === 'approved',
  );
  if (workable.length > 0) return { type: 'settle', calls: firstBatch(workable, ({ category }) => category) };

  const news = unseen(state.transcript);
  if (open.length > 0) {
    const someoneSpoke = news.some((entry) => entry.type === 'user' || entry.wantsAnswer);
    return someoneSpoke ? { type: 'defer', callIds: open.map(({ id }) => id) } : { type: 'park' };
  }
  const run = { runId: turn.runId, principal: turn.principal };
  const joining = takeWhileOf(run.principal, news);
  const seenSeq = joining.at(-1)?.seq ?? turn.seenSeq;
  // All calls are deferred, and somebody else spoke or nobody has decided yet: there is nothing to tell this person.
  const isIdle = turn.calls.every(
    ({ id, deferred }) => deferred && (news.length > 0 || awaitsDecision(state.journal.get(id))),
  );
  if (joining.length === 0 && isIdle) return beginRun(state, turn.seenSeq);
  // Nobody would read an answer, so none is paid for.
  if (news.length === 0 && nobodyAttended(state, turn)) {
    const words = turn.calls.some(isUntold) ? undecidedWords : undefined;
    return { type: 'close', run, seenSeq, reason: 'expired', words };
  }
  // New messages get an answer; otherwise the run is complete.
  const isComplete = isByHand(state, turn) || turn.calls.some(({ result }) => result?.outcome === 'completed');
  if (joining.length === 0 && isComplete) {
    return { type: 'close', run, seenSeq, reason: 'completed' };
  }
  const words = stuckWords(state.transcript.entries);
  if (words !== undefined) return { type: 'close', run, seenSeq, reason: 'stuck', words };
  return askAbout(joining, run, seenSeq);
}

/** Whether sub-runs work on calls of the conversation. */
export function hasWorkers({ journal }: RunState): boolean {
  return [...journal.values()].some(awaitsWorker);
}

function awaitsWorker(call: JournalEntry): boolean {
  return call.state === 'awaiting' && !awaitsDecision(call);
}

/** Whether a person has to decide about the call. */
function awaitsDecision(call: JournalEntry | undefined): boolean {
  return call?.approval?.state === 'pending';
}

function beginRun(state: RunState, seenSeq: number): Step {
  const news = unseen(state.transcript);
  const first = news.find((entry) => entry.type === 'user' || entry.wantsAnswer);
  if (first === undefined) return { type: 'rest' };
  const run = { runId: runOf(first), principal: first.principal };
  const call = handCallOf(first);
  if (call !== undefined) return { type: 'call-by-hand', run, seenSeq: first.seq, call };
  const joining = takeWhileOf(first.principal, news);
  const upTo = joining.at(-1)?.seq ?? seenSeq;
  // Their senders were told; there is nothing to ask the model.
  if (joining.every(saysNothing)) return { type: 'close', run, seenSeq: upTo, reason: 'failed' };
  return askAbout(joining, run, upTo);
}

function runOf({ seq }: UserMessage | DaemonEvent): string {
  return `run${seq}`;
}

function handCallOf(entry: TranscriptEntry): HandCall | undefined {
  return entry.type === 'event' ? entry.handCall : undefined;
}

/** Whether the person made the calls of this turn, and wants to see what comes of them, no more. */
function isByHand({ transcript: { entries } }: RunState, { runId, id }: Turn): boolean {
  const first = entries.find((entry) => entry.type === 'turn' && entry.runId === runId);
  const isFirst = first?.type === 'turn' && first.id === id;
  return (
    isFirst &&
    entries.some((entry) => entry.type === 'event' && handCallOf(entry) !== undefined && runOf(entry) === runId)
  );
}

function saysNothing(entry: UserMessage | DaemonEvent): boolean {
  return entry.type === 'user' ? isUnheard(entry) : !entry.wantsAnswer;
}

/** Asks the model once all attachments are there. */
function askAbout(joining: readonly (UserMessage | DaemonEvent)[], run: RunOf, seenSeq: number): Fetch | Ask {
  const seqs = joining.flatMap((entry) => (entry.type === 'user' && waitsForFiles(entry) ? [entry.seq] : []));
  return seqs.length === 0 ? { type: 'ask', run, seenSeq } : { type: 'fetch', run, seenSeq, seqs };
}

function waitsForFiles({ attachments = [], quote }: UserMessage): boolean {
  return [...attachments, ...(quote?.attachments ?? [])].some(({ state }) => state === 'pending');
}

/** The messages that may join a run of this person: up to another person's message, or a call by hand, which keeps the order. */
function takeWhileOf(
  principal: string,
  news: readonly (UserMessage | DaemonEvent)[],
): readonly (UserMessage | DaemonEvent)[] {
  const end = news.findIndex(
    (entry) =>
      (entry.principal !== principal && (entry.type === 'user' || entry.wantsAnswer)) ||
      handCallOf(entry) !== undefined,
  );
  return end === -1 ? news : news.slice(0, end);
}

/** Whether something that the turn asked has expired, and nobody has decided anything since the run began. */
function nobodyAttended({ transcript, journal }: RunState, turn: Turn): boolean {
  const ofRun = transcript.entries.flatMap((entry) =>
    entry.type === 'turn' && entry.runId === turn.runId ? entry.calls : [],
  );
  const decided = ofRun.some(({ id, result }) => {
    const state = journal.get(id)?.approval?.state ?? 'pending';
    return result?.outcome === 'denied' || ['approved', 'denied', 'answered'].includes(state);
  });
  return !decided && turn.calls.some(({ result }) => result?.outcome === 'expired');
}

/** Whether a card of the call was shown in vain. Where none could be shown, what stands there for it says so. */
function isUntold({ result }: Call): boolean {
  return result?.outcome === 'expired' && result.text !== unreachableResult && result.text !== unshownResult;
}

const undecidedWords: InLanguage = (language) => engineWords[language].nobodyDecided;

/** More parallel calls help nobody, and servers dislike them. */
const mostTogether = 8;

/** The calls that may run now: calls behind one that awaits a person wait too, unless they are approved themselves. */
export function runnableCalls<Call>(
  calls: readonly Call[],
  stateOf: (call: Call) => CallState,
  isDecided: (call: Call) => boolean,
): readonly Call[] {
  const awaiting = calls.findIndex((call) => stateOf(call) === 'awaiting');
  const isFree = (call: Call, index: number): boolean => awaiting === -1 || index < awaiting || isDecided(call);
  return calls.filter((call, index) => ['ready', 'begun'].includes(stateOf(call)) && isFree(call, index));
}

/**
 * The calls that run together: the first, and those behind it as long as all only read. A call with effects runs alone, in
 * its place.
 */
export function firstBatch<Call>(
  calls: readonly Call[],
  categoryOf: (call: Call) => ToolCategory | undefined,
): readonly Call[] {
  const reads = (call: Call): boolean => {
    const category = categoryOf(call);
    return category !== undefined && isRepeatable(category);
  };
  const end = calls.findIndex((call) => !reads(call));
  if (end === 0) return calls.slice(0, 1);
  return calls.slice(0, Math.min(end === -1 ? calls.length : end, mostTogether));
}

/** How a run begins that is about to ask a model. Undefined if the model has answered already in this run. */
export function beginningOf(
  { transcript, ...state }: RunState,
  runId: string | undefined,
  at: number,
): RunBeginning | undefined {
  if (runId === undefined) return undefined;
  const last = lastTurn(transcript);
  if (last?.type === 'turn' && last.runId === runId) return undefined;
  const oldest = unseen(transcript).find((entry) => entry.type === 'user');
  const waited = Math.max(0, at - (oldest?.receivedAt ?? at));
  // What an earlier process has spent for it counts for it.
  const { callId: parentCallId, parentId: parentConversationId } = { ...state.subRun };
  return { parentCallId, parentConversationId, waited, isNew: state.spent.runId !== runId && state.wait === undefined };
}

/** The platform ids of the messages that a run answers, the oldest first. */
export function messageIdsOf(state: RunState, ask: Ask): readonly string[] {
  return messagesOf(state, ask).flatMap(({ messageId }) => messageId ?? []);
}

/** Whether a voice message that was understood is among what a run answers. */
export function isAskedByVoice(state: RunState, ask: Ask): boolean {
  return messagesOf(state, ask).some(({ attachments = [] }) =>
    attachments.some(
      (one) => one.kind === 'voice' && one.state === 'saved' && one.transcript !== undefined && one.isShared !== true,
    ),
  );
}

function messagesOf({ transcript }: RunState, { run, seenSeq }: Ask): readonly UserMessage[] {
  const isBefore = (entry: TranscriptEntry): boolean =>
    (entry.type === 'turn' && entry.runId !== run.runId) || entry.type === 'closing';
  return transcript.entries
    .slice(transcript.entries.findLastIndex(isBefore) + 1)
    .filter(
      (entry): entry is UserMessage =>
        entry.type === 'user' && entry.principal === run.principal && entry.seq <= seenSeq,
    );
}
