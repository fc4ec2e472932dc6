import { useSignal } from '@preact/signals';
import type { CallEntry, CallOutput } from '../../../../../src/features/page/wire/chat.ts';
import { Button } from '../../components/button.tsx';
import { ask } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { followLink } from '../../lib/place.ts';
import { duration as durationIn } from '../../lib/time.ts';
import { toast } from '../../lib/toasts.ts';
import { shortArguments } from './arguments.ts';
import { ArgumentsView } from './arguments-view.tsx';
import type { LiveCall } from './live-turn.ts';
import type { Thread } from './thread.ts';
import { chatWords } from './words.ts';

type CallState = keyof typeof chatWords.en.callStates;

/** A call of a tool: how it stands, with what it was called, and what came of it. */
export function CallCard({ entry, thread }: { readonly entry: CallEntry; readonly thread: Thread }) {
  const words = say(chatWords);
  const whole = useSignal<string | undefined>(undefined);
  const live = thread.turn.value.calls.find(({ id }) => id === entry.callId);
  const { name, callId, runId, approval, isCut, duration } = entry;
  const state = stateOf(entry.state === 'done' ? (entry.outcome ?? 'unknown') : entry.state);
  const output = whole.value ?? entry.output ?? live?.output;
  const showWhole = async (): Promise<void> => {
    try {
      const path = `conversations/${encodeURIComponent(thread.id)}/calls/${encodeURIComponent(callId)}/output`;
      whole.value = (await ask<CallOutput>(path)).output;
    } catch {
      toast(words.loadFailed, 'fault');
    }
  };
  return (
    <details class={`chat-call chat-call-${state}`}>
      <CallSummary name={name} state={state} brief={shortArguments(entry.arguments)} tip={live?.tip} took={duration} />
      <h3>{words.arguments}</h3>
      <ArgumentsView value={entry.arguments} />
      {approval !== undefined && <p>{approvalWords(approval)}</p>}
      {output !== undefined && (
        <>
          <h3>{words.output}</h3>
          <Output text={output} />
          {isCut && whole.value === undefined && <Button onPress={() => void showWhole()}>{words.wholeOutput}</Button>}
        </>
      )}
      <p>
        <a href={`/activity/${encodeURIComponent(runId)}`} onClick={followLink}>
          {words.toRun}
        </a>
      </p>
    </details>
  );
}

/** The same while it is stored nowhere that is shown here: of a sub-run. */
export function LiveCallCard({ call }: { readonly call: LiveCall }) {
  const words = say(chatWords);
  const { name, tip, output, duration } = call;
  const state = liveStates[call.state];
  return (
    <details class={`chat-call chat-call-${state}`}>
      <CallSummary name={name} state={state} brief={shortArguments(call.arguments)} tip={tip} took={duration} />
      <h3>{words.arguments}</h3>
      <ArgumentsView value={call.arguments} />
      {output !== undefined && (
        <>
          <h3>{words.output}</h3>
          <Output text={output} />
        </>
      )}
    </details>
  );
}

const liveStates = { wait: 'awaiting', doing: 'begun', success: 'success', error: 'error' } as const;

interface CallSummaryProps {
  readonly name: string;
  readonly state: CallState;
  readonly brief: string;
  readonly tip: string | undefined;
  readonly took: number | undefined;
}

function CallSummary({ name, state, brief, tip, took }: CallSummaryProps) {
  return (
    <summary>
      <span class="chat-call-sign" aria-hidden="true" />
      <code class="chat-call-name">{name}</code>
      <span class="chat-call-brief">{tip ?? brief}</span>
      <span class="chat-call-state">
        {stateWords()[state]}
        {took !== undefined && took > 0 && ` · ${durationIn(took)}`}
      </span>
    </summary>
  );
}

function Output({ text }: { readonly text: string }) {
  if (text === '') return <p class="chat-note">{say(chatWords).noOutput}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys
    <pre class="chat-output" tabIndex={0}>
      {text}
    </pre>
  );
}

function stateWords() {
  return say(chatWords).callStates;
}

function stateOf(text: string): CallState {
  return isState(text) ? text : 'unknown';
}

function isState(text: string): text is CallState {
  return Object.hasOwn(stateWords(), text);
}

function approvalWords({ state, decidedBy }: NonNullable<CallEntry['approval']>): string {
  const words = say(chatWords);
  const { approvals, somebody } = words;
  switch (state) {
    case 'approved':
    case 'denied':
    case 'answered':
      return approvals[state](decidedBy ?? somebody);
    case 'expired':
    case 'cancelled':
      return approvals[state];
    default:
      return approvals.pending;
  }
}
