/*
 * A call that a person has written themselves, on the page: a turn without a model. It is judged, asked for, journaled and
 * audited as a call of the model's, in the run that its event has begun; the model reads later who made it.
 */

import { untilAborted } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { isPersonsWish, type RunScope } from './feature.ts';
import type { RunState, TurnDraft } from './journal.ts';
import { type BegunCall, draftCalls, type JudgeContext } from './judge.ts';
import type { CallByHand } from './next.ts';
import { fateOf } from './turn.ts';

interface WrittenCall {
  readonly state: RunState;
  readonly step: CallByHand;
  readonly where: RunScope;
}

/** What stands for the model where turns are counted by it. */
const byHand = 'by-hand';

/** Stores the turn, and returns its call if it runs now. Nothing is stored if something newer is, or the signal aborts. */
export async function callByHand(
  { state, step, where }: WrittenCall,
  signal: AbortSignal,
  { runtime, approvals }: Omit<JudgeContext, 'where'>,
): Promise<readonly BegunCall[]> {
  const { run, seenSeq, call } = step;
  const { conversationId, newestTurn: after } = state;
  const { view, callTools, runs, budget, clock, deliver } = runtime;
  const live = view.openTurn(where.scope, callTools, { isHidden: false });
  try {
    const part = { type: 'call', modelCallId: newId(12), ...call } as const;
    const drafting = { runId: run.runId, takeId: live.takeId, signal };
    const drafted = await untilAborted(draftCalls([part], drafting, { runtime, approvals, where }), signal);
    if (drafted === undefined || signal.aborted) return [];
    const { parts, calls, messages, begun } = drafted;
    const draft: TurnDraft = {
      conversationId,
      after,
      ...run,
      seenSeq,
      parts,
      calls,
      messages,
      usage: { inputTokens: 0, outputTokens: 0 },
      model: byHand,
      day: budget.today(),
      at: clock.now(),
    };
    if ((await runs.storeTurn(draft)) === 'outdated') return [];
    live.stored(calls.map(({ id: callId, name: toolName, state: now }) => ({ callId, toolName, fate: fateOf[now] })));
    deliver([conversationId, ...calls.flatMap(({ approval }) => approval?.approval.cardConversationIds ?? [])]);
    return begun;
  } finally {
    await live.end(signal.aborted && !isPersonsWish(signal.reason) ? 'left' : 'given-up');
  }
}
