import { type DaemonEvent, lastTurn, type Turn, type UserMessage, unseen } from '../transcript.ts';
import type { JournalEntry, RunState } from './run-store.ts';

/** What a run does next. It follows from what is stored, and from nothing else. */
export type Step =
  /** Bring a call to its end, or to a person. */
  | { readonly type: 'settle'; readonly call: JournalEntry }
  /** End a call that had begun in a run which is over: nobody knows what became of it. */
  | { readonly type: 'write-off'; readonly call: JournalEntry }
  /** Go on without the calls that await a decision: somebody has said something. */
  | { readonly type: 'defer'; readonly callIds: readonly string[] }
  | Ask
  /** End the run without asking the model. */
  | { readonly type: 'close'; readonly run: RunOf; readonly seenSeq: number; readonly reason: 'expired' | 'limit' }
  /** Wait for a person. */
  | { readonly type: 'park' }
  /** Everything is answered. */
  | { readonly type: 'rest' };

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

export function nextStep(state: RunState, limits: { readonly maxTurns: number }): Step {
  const [deferred] = state.deferred;
  if (deferred !== undefined) return { type: 'settle', call: deferred };

  const last = lastTurn(state.transcript);
  const [leftBehind] = state.leftBehind;
  if (leftBehind !== undefined) return { type: 'write-off', call: leftBehind };
  if (last?.type === 'turn' && last.calls.length > 0) return continueRun(state, last, limits);
  return beginRun(state, last?.seenSeq ?? 0);
}

function continueRun(state: RunState, turn: Turn, limits: { readonly maxTurns: number }): Step {
  const open = turn.calls.filter((call) => call.result === undefined);
  const workable = open.find((call) => call.state === 'ready' || call.state === 'begun');
  const entry = workable && state.journal.get(workable.id);
  if (entry !== undefined) return { type: 'settle', call: entry };

  const news = unseen(state.transcript);
  if (open.length > 0) {
    const someoneSpoke = news.some((entry) => entry.type === 'user' || entry.wantsAnswer);
    return someoneSpoke ? { type: 'defer', callIds: open.map(({ id }) => id) } : { type: 'park' };
  }
  const run = { runId: turn.runId, principal: turn.principal };
  const joining = takeWhileOf(run.principal, news);
  const seenSeq = joining.at(-1)?.seq ?? turn.seenSeq;
  // Somebody else has spoken meanwhile, and there is nothing yet that the model could say to the first person.
  if (joining.length === 0 && turn.calls.every(({ deferred }) => deferred)) return beginRun(state, turn.seenSeq);
  // Nobody is there to read an answer, so none is paid for.
  if (news.length === 0 && nobodyAttended(state, turn)) return { type: 'close', run, seenSeq, reason: 'expired' };
  if (state.turnsOfRun >= limits.maxTurns) return { type: 'close', run, seenSeq, reason: 'limit' };
  return { type: 'ask', run, seenSeq };
}

function beginRun(state: RunState, seenSeq: number): Step {
  const news = unseen(state.transcript);
  const first = news.find((entry) => entry.type === 'user' || entry.wantsAnswer);
  if (first === undefined) return { type: 'rest' };
  const joining = takeWhileOf(first.principal, news);
  return {
    type: 'ask',
    run: { runId: `run${first.seq}`, principal: first.principal },
    seenSeq: joining.at(-1)?.seq ?? seenSeq,
  };
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
    return result?.outcome === 'denied' || approval?.state === 'approved' || approval?.state === 'denied';
  });
  return !decided && turn.calls.some(({ result }) => result?.outcome === 'expired');
}
