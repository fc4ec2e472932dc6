import type { Approval } from '../approval/approval.ts';
import type { Extension } from '../approval/extension.ts';
import { type DaemonEvent, lastTurn, type Turn, type UserMessage, unseen } from '../transcript.ts';
import { firstTogether, whoseTurn } from './calls-together.ts';
import type { JournalEntry, RunState } from './run-store.ts';
import { isUnheard } from './speech.ts';
import { type Stuck, type StuckLimits, stuckOf } from './stuck.ts';

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
  /** End the run because it gets nowhere by itself, and ask the person. */
  | { readonly type: 'pause'; readonly run: RunOf; readonly seenSeq: number; readonly stuck: Stuck }
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

export function nextStep(state: RunState, limits: StuckLimits): Step {
  if (state.summaryFor !== undefined) return { type: 'summarise', principal: state.summaryFor };
  const [deferred] = state.deferred;
  if (deferred !== undefined) return { type: 'settle', calls: [deferred] };

  const last = lastTurn(state.transcript);
  const [leftBehind] = state.leftBehind;
  if (leftBehind !== undefined) return { type: 'write-off', call: leftBehind };
  const waiting = state.extensions.find((approval) => approval.state === 'pending');
  if (waiting?.extension !== undefined) return whileAsking(state, waiting, waiting.extension);
  if (last?.type === 'turn' && last.calls.length > 0) return continueRun(state, last, limits);
  return beginRun(state, last?.seenSeq ?? 0);
}

/** A run that has taken all its turns gives way to what is said next: another may take as many. A budget does not. */
function whileAsking(state: RunState, waiting: Approval, { runId, bound, seenSeq }: Extension): Step {
  const someoneSpoke = unseen(state.transcript).some((entry) => entry.type === 'user' && entry.seq > seenSeq);
  if (!someoneSpoke) return { type: 'park' };
  if (bound !== 'turns') return { type: 'park', waiting };
  return { type: 'close', run: { runId, principal: waiting.requester }, seenSeq, reason: 'limit' };
}

function continueRun(state: RunState, turn: Turn, limits: StuckLimits): Step {
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
  // Whoever has said something meanwhile gets an answer.
  if (joining.length === 0 && turn.calls.some(({ result }) => result?.outcome === 'completed')) {
    return { type: 'close', run, seenSeq, reason: 'completed' };
  }
  const stuck = stuckOf(state.transcript.entries, limits);
  if (stuck !== undefined) return { type: 'pause', run, seenSeq, stuck };
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
  // Whoever was not understood has been told so: there is nothing to ask the model about.
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

/** Whether the turn asked people for permission, and not one of them ever answered. */
function nobodyAttended(state: RunState, turn: Turn): boolean {
  const decided = turn.calls.some(({ id, result }) => {
    const approval = state.journal.get(id)?.approval;
    return (
      result?.outcome === 'denied' ||
      approval?.state === 'approved' ||
      approval?.state === 'denied' ||
      approval?.state === 'answered'
    );
  });
  return !decided && turn.calls.some(({ result }) => result?.outcome === 'expired');
}
