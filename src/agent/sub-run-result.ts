import { type CallOutcome, type ClosingReason, lastTurn, type Turn } from '../transcript.ts';
import type { RunState } from './run-store.ts';
import type { SubRun } from './sub-run.ts';

/** What a sub-run came to, or why it came to nothing. */
export interface SubRunOutcome {
  readonly outcome: Extract<CallOutcome, 'success' | 'error' | 'cancelled'>;
  readonly text: string;
}

/** What a sub-run that has ended came to: what its model said last, or called the result. */
export function outcomeOf({ transcript }: Pick<RunState, 'transcript'>): SubRunOutcome {
  const last = lastTurn(transcript);
  const turns = transcript.entries.filter((entry): entry is Turn => entry.type === 'turn');
  const completion = turns.at(-1)?.calls.find(({ result }) => result?.outcome === 'completed')?.result?.text;
  if (last?.type === 'closing' && last.reason !== 'completed') {
    const said = turns.map(textOf).findLast((text) => text !== '');
    const why = closingWords(last.reason);
    const outcome = last.reason === 'stopped' ? 'cancelled' : 'error';
    return { outcome, text: said === undefined ? why : `${why} The last thing that it said:\n${said}` };
  }
  const text = completion ?? (last?.type === 'turn' ? textOf(last) : '');
  return text === '' ? { outcome: 'error', text: 'It ended without an answer.' } : { outcome: 'success', text };
}

/** The outcome in the form that the call has asked for. */
export function inForm({ outcome, text }: SubRunOutcome, { form, callId }: Pick<SubRun, 'form' | 'callId'>): string {
  if (form === 'text') return text;
  const success = outcome === 'success';
  return JSON.stringify({
    success,
    summary: success ? text : '',
    subtaskId: callId,
    ...(success ? {} : { error: text }),
  });
}

/** What the card of the call says, if a person has approved it. */
export function cardNoteOf(outcome: SubRunOutcome['outcome']): string {
  switch (outcome) {
    case 'success':
      return '✔️ Done.';
    case 'error':
      return '⚠️ It came to nothing.';
    case 'cancelled':
      return '🚫 Stopped.';
  }
}

/** Why it came to nothing, where the config has nobody any more who could go on. */
export function goneWords({ worker }: Pick<SubRun, 'worker'>): string {
  return `It came to nothing: there is no ${worker.type} "${worker.name}" any more.`;
}

export const silentWords = 'Its model has said nothing for a long time, and was given up.';

function textOf({ parts }: Turn): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
}

function closingWords(reason: Exclude<ClosingReason, 'completed'>): string {
  switch (reason) {
    case 'stopped':
      return 'A person stopped it.';
    case 'failed':
      return 'It failed: its model gave no answer.';
    case 'expired':
      return 'It ended because it asked for permission, and nobody decided in time.';
    case 'limit':
      return 'It ended because it had taken all the turns that a run may take.';
    case 'stuck':
      return 'It ended because it got nowhere: a tool kept failing, or the same call was made again and again.';
    case 'budget':
      return 'It ended because the budget was used up.';
  }
}
