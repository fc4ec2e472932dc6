/*
 * What a run does next: a pure function of what is stored. The order of the questions is the order of the rules: what
 * somebody asked for and what was decided late comes first, then calls that can be settled, then waiting for people,
 * then what was said. Below it stands what the decision needs: whose turn it is among calls, and which messages a run
 * answers.
 */

import type { Approval, ExtensionApproval } from '../approval/approval.ts';
import { isRepeatable, type ToolCategory } from '../tools/category.ts';
import {
  type CallState,
  type DaemonEvent,
  isUnheard,
  lastTurn,
  type TranscriptEntry,
  type Turn,
  type UserMessage,
  unseen,
} from '../transcript.ts';
import type { JournalEntry, RunState } from './journal.ts';

/** What a run does next. It follows from what is stored, and from nothing else. */
export type Step =
  /** Summarise the oldest part of the conversation: somebody wants it. */
  | { readonly type: 'summarise'; readonly principal: string }
  /** Bring calls of one person to their ends, or to a person, beside each other. Never empty. */
  | { readonly type: 'settle'; readonly calls: readonly JournalEntry[] }
  /** End a call that had begun in a run which is over: nobody knows what became of it. */
  | { readonly type: 'write-off'; readonly call: JournalEntry }
  /** Go on without the calls that await a decision: somebody has said something. */
  | { readonly type: 'defer'; readonly callIds: readonly string[] }
  | Fetch
  | Ask
  /** End the run without asking the model. `failed`: what was spoken could not be made out, and nothing else was said. */
  | {
      readonly type: 'close';
      readonly run: RunOf;
      readonly seenSeq: number;
      readonly reason: 'expired' | 'limit' | 'failed' | 'completed';
    }
  /** End the run because it gets nowhere by itself, and ask the person in these words. */
  | { readonly type: 'pause'; readonly run: RunOf; readonly seenSeq: number; readonly words: string }
  /** Wait for a person. `waiting`: somebody has said something that is not read before that is decided. */
  | { readonly type: 'park'; readonly waiting?: Approval }
  /** Everything is answered. */
  | { readonly type: 'rest' };

/** Bring what was sent into the workspace, so that the model can be asked. */
export interface Fetch {
  readonly type: 'fetch';
  readonly run: RunOf;
  /** What the model will be asked about. */
  readonly seenSeq: number;
  /** The messages that wait for their attachments, by sequence. */
  readonly seqs: readonly number[];
}

/** Ask the model once. */
export interface Ask {
  readonly type: 'ask';
  readonly run: RunOf;
  /** What it will have seen: everything up to here, and nothing beyond. */
  readonly seenSeq: number;
}

/** A run and the one person whom it serves. */
export interface RunOf {
  readonly runId: string;
  readonly principal: string;
}

/** Words for the person where the newest run gets nowhere by itself; undefined where it may go on. */
export type StuckWords = (entries: readonly TranscriptEntry[]) => string | undefined;

export function nextStep(state: RunState, stuckWords: StuckWords): Step {
  if (state.summaryFor !== undefined) return { type: 'summarise', principal: state.summaryFor };
  const [deferred] = state.deferred;
  if (deferred !== undefined) return { type: 'settle', calls: [deferred] };

  const last = lastTurn(state.transcript);
  const [leftBehind] = state.leftBehind;
  if (leftBehind !== undefined) return { type: 'write-off', call: leftBehind };
  const waiting = state.extensions.find((approval) => approval.state === 'pending');
  if (waiting !== undefined) return whileAsking(state, waiting);
  if (last?.type === 'turn' && last.calls.length > 0) return continueRun(state, last, stuckWords);
  return beginRun(state, last?.seenSeq ?? 0);
}

/** A run that has taken all its turns gives way to what is said next: another may take as many. A budget does not. */
function whileAsking(state: RunState, waiting: ExtensionApproval): Step {
  const { runId, bound, seenSeq } = waiting.extension;
  const someoneSpoke = unseen(state.transcript).some((entry) => entry.type === 'user' && entry.seq > seenSeq);
  if (!someoneSpoke) return { type: 'park' };
  if (bound !== 'turns') return { type: 'park', waiting };
  return { type: 'close', run: { runId, principal: waiting.requester }, seenSeq, reason: 'limit' };
}

function continueRun(state: RunState, turn: Turn, stuckWords: StuckWords): Step {
  const open = turn.calls.filter((call) => call.result === undefined);
  const workable = whoseTurn(
    open.flatMap(({ id }) => state.journal.get(id) ?? []),
    // What waits for a sub-run keeps nothing behind it from running.
    (call) => (call.state === 'awaiting' && !isAsked(call) ? 'done' : call.state),
    (call) => call.state === 'begun' || call.approval?.state === 'approved',
  );
  if (workable.length > 0) return { type: 'settle', calls: firstTogether(workable, ({ category }) => category) };

  const news = unseen(state.transcript);
  if (open.length > 0) {
    const someoneSpoke = news.some((entry) => entry.type === 'user' || entry.wantsAnswer);
    return someoneSpoke ? { type: 'defer', callIds: open.map(({ id }) => id) } : { type: 'park' };
  }
  const run = { runId: turn.runId, principal: turn.principal };
  const joining = takeWhileOf(run.principal, news);
  const seenSeq = joining.at(-1)?.seq ?? turn.seenSeq;
  // Somebody else has spoken meanwhile, and there is nothing yet that the model could say to the first person.
  const isIdle = turn.calls.every(
    ({ id, deferred }) => deferred && (news.length > 0 || isAsked(state.journal.get(id))),
  );
  if (joining.length === 0 && isIdle) return beginRun(state, turn.seenSeq);
  // Nobody is there to read an answer, so none is paid for.
  if (news.length === 0 && nobodyAttended(state, turn)) return { type: 'close', run, seenSeq, reason: 'expired' };
  // Those who have said something meanwhile get an answer.
  if (joining.length === 0 && turn.calls.some(({ result }) => result?.outcome === 'completed')) {
    return { type: 'close', run, seenSeq, reason: 'completed' };
  }
  const words = stuckWords(state.transcript.entries);
  if (words !== undefined) return { type: 'pause', run, seenSeq, words };
  return askAbout(joining, run, seenSeq);
}

/** Whether a person has to decide about the call. */
function isAsked(call: JournalEntry | undefined): boolean {
  return call?.approval?.state === 'pending';
}

function beginRun(state: RunState, seenSeq: number): Step {
  const news = unseen(state.transcript);
  const first = news.find((entry) => entry.type === 'user' || entry.wantsAnswer);
  if (first === undefined) return { type: 'rest' };
  const joining = takeWhileOf(first.principal, news);
  const run = { runId: `run${first.seq}`, principal: first.principal };
  const upTo = joining.at(-1)?.seq ?? seenSeq;
  // Those who were not understood have been told so: there is nothing to ask the model about.
  if (joining.every(saysNothing)) return { type: 'close', run, seenSeq: upTo, reason: 'failed' };
  return askAbout(joining, run, upTo);
}

function saysNothing(entry: UserMessage | DaemonEvent): boolean {
  return entry.type === 'user' ? isUnheard(entry) : !entry.wantsAnswer;
}

/** Asks the model, when all is there that it is to read. */
function askAbout(joining: readonly (UserMessage | DaemonEvent)[], run: RunOf, seenSeq: number): Fetch | Ask {
  const seqs = joining.flatMap((entry) => (entry.type === 'user' && waitsForFiles(entry) ? [entry.seq] : []));
  return seqs.length === 0 ? { type: 'ask', run, seenSeq } : { type: 'fetch', run, seenSeq, seqs };
}

function waitsForFiles({ attachments = [] }: UserMessage): boolean {
  return attachments.some(({ state }) => state === 'pending');
}

/** What may join a run of this person: nothing that stands behind another person's message, so that order is kept. */
function takeWhileOf(
  principal: string,
  news: readonly (UserMessage | DaemonEvent)[],
): readonly (UserMessage | DaemonEvent)[] {
  const end = news.findIndex((entry) => entry.principal !== principal && (entry.type === 'user' || entry.wantsAnswer));
  return end === -1 ? news : news.slice(0, end);
}

/** Whether the turn asked people for permission, and none of them has decided anything since the run began. */
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

/** No answer needs more at once, and no server likes it. */
const mostTogether = 8;

/**
 * The calls whose turn it is to run: what stands behind one that awaits a person waits with it, unless they have let it run
 * themselves. Never a reason for a longer wait: the model is asked when all are done.
 */
export function whoseTurn<Call>(
  calls: readonly Call[],
  stateOf: (call: Call) => CallState,
  isDecided: (call: Call) => boolean,
): readonly Call[] {
  const awaiting = calls.findIndex((call) => stateOf(call) === 'awaiting');
  const isFree = (call: Call, index: number): boolean => awaiting === -1 || index < awaiting || isDecided(call);
  return calls.filter((call, index) => ['ready', 'begun'].includes(stateOf(call)) && isFree(call, index));
}

/**
 * Of calls in their order, those that run now: the first, and with it what follows, as long as all of them only read. What
 * may change something runs alone and in its place.
 */
export function firstTogether<Call>(
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

/** The messages that a run answers, by the platform's names, the oldest first. */
export function messageIdsOf({ transcript }: RunState, { run, seenSeq }: Ask): readonly string[] {
  const isBefore = (entry: TranscriptEntry): boolean =>
    (entry.type === 'turn' && entry.runId !== run.runId) || entry.type === 'closing';
  return transcript.entries
    .slice(transcript.entries.findLastIndex(isBefore) + 1)
    .flatMap((entry) =>
      entry.type === 'user' && entry.principal === run.principal && entry.seq <= seenSeq ? (entry.messageId ?? []) : [],
    );
}
