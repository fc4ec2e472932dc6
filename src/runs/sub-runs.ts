import type { Conversation } from '../contract.ts';
import type { FindWorker, LiveView, SubRuns } from '../engine/feature.ts';
import type { RunState, SubRun } from '../engine/journal.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { error } from '../tools/output.ts';
import { type CallOutcome, type CallResult, type ClosingReason, lastTurn, type Turn } from '../transcript.ts';
import { eventTag, oneName, quotation } from '../words/model-words.ts';

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

export interface SubRunEnd {
  readonly conversationId: string;
  readonly subRun: SubRun;
  readonly result: CallResult;
  /** Added to the card of the call, if it has one. */
  readonly cardNote: string;
  readonly at: number;
}

/** Where sub-runs are kept. Each method is one transaction. */
export interface SubRunStore {
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
}

interface SubRunParts {
  readonly store: SubRunStore;
  readonly view: Pick<LiveView, 'deliver' | 'showStatus'>;
  readonly findWorker: FindWorker;
  readonly limits: SubRunLimits;
  readonly clock: Clock;
  readonly crashPoint: CrashPoints;
  readonly wake: (conversationIds: readonly string[]) => void;
}

/** Begins runs for calls of other runs, and brings what they come to back to those calls, once. */
export function createSubRuns(parts: SubRunParts): SubRuns {
  const { store, view, findWorker, limits, clock, crashPoint, wake } = parts;

  async function end(state: RunState, subRun: SubRun, failure?: string): Promise<void> {
    const outcome = failure === undefined ? outcomeOf(state) : ({ outcome: 'error', text: failure } as const);
    const result: CallResult = { outcome: outcome.outcome, text: inForm(outcome, subRun) };
    const { conversationId } = state;
    const cardNote = cardNotes[outcome.outcome];
    const { toWake, places } = await store.endSubRun({ conversationId, subRun, result, cardNote, at: clock.now() });
    crashPoint('sub-run-ended');
    const { callId, toolName, rootId } = subRun;
    const shown = outcome.outcome === 'success' ? 'success' : 'error';
    if (toWake.length > 0) view.showStatus(rootId, { callId, toolName, state: shown });
    view.deliver([...places, rootId]);
    wake(toWake);
  }

  return {
    async begin(call, request, where) {
      const worker = findWorker(request.worker);
      if (worker === undefined) return error(goneWords(request));
      const depth = (where.scope.within?.depth ?? 0) + 1;
      if (depth > limits.maxDepth) {
        return error(`Not begun: at most ${limits.maxDepth} runs may stand within each other. Do it yourself.`);
      }
      const conversationId = `sub:${call.id}`;
      const { scope, runsIn, workers: above = [] } = where;
      const { channel, chatId, kind, tenant, threadId, conversationId: rootId } = scope;
      const { principal, name: principalName } = scope.sender;
      const { title, form, inBackground } = request;
      const begun = await store.beginSubRun({
        conversationId,
        conversation: { channel, chatId, kind, tenant, threadId },
        subRun: {
          ...{ callId: call.id, toolName: call.toolName, parentId: runsIn ?? rootId, rootId },
          ...{ worker: request.worker, above, title, form },
        },
        principal,
        principalName,
        task: subRunTask(principalName, request.task),
        model: worker.model ?? where.model,
        inBackground,
        mostRunning: limits.maxRunning,
        at: clock.now(),
      });
      if (begun === 'too-many') {
        return error(`Not begun: ${limits.maxRunning} others work for this conversation. Wait for one of them to end.`);
      }
      if (begun === 'outdated') return 'stopped';
      crashPoint('sub-run-begun');
      wake([conversationId]);
      return 'begun';
    },
    workerOf: findWorker,
    goneWords({ above, worker }) {
      const gone = [...above, worker].find((one) => findWorker(one) === undefined);
      return gone && goneWords({ worker: gone });
    },
    async rest(state, subRun) {
      if (!isWaiting(state)) await end(state, subRun);
    },
    get stall() {
      return limits.stall;
    },
    end,
  };
}

/** A run that was ended early waits for nothing. */
function isWaiting({ transcript, journal, summary }: RunState): boolean {
  if (lastTurn(transcript)?.type !== 'turn') return false;
  return (summary?.waiting.length ?? 0) > 0 || [...journal.values()].some(({ state }) => state !== 'done');
}

interface SubRunOutcome {
  readonly outcome: Extract<CallOutcome, 'success' | 'error' | 'cancelled'>;
  readonly text: string;
}

/** What a sub-run that has ended came to: what its model said last, or called the result. */
function outcomeOf({ transcript }: Pick<RunState, 'transcript'>): SubRunOutcome {
  const last = lastTurn(transcript);
  const turns = transcript.entries.filter((entry): entry is Turn => entry.type === 'turn');
  const completion = turns.at(-1)?.calls.find(({ result }) => result?.outcome === 'completed')?.result?.text;
  if (last?.type === 'closing' && last.reason !== 'completed') {
    const said = turns.map(textOf).findLast((text) => text !== '');
    const why = closingWords[last.reason];
    const outcome = last.reason === 'stopped' ? 'cancelled' : 'error';
    return { outcome, text: said === undefined ? why : `${why} The last thing that it said:\n${said}` };
  }
  const text = completion ?? (last?.type === 'turn' ? textOf(last) : '');
  return text === '' ? { outcome: 'error', text: 'It ended without an answer.' } : { outcome: 'success', text };
}

/** The outcome in the form that the call has asked for. */
function inForm({ outcome, text }: SubRunOutcome, { form, callId }: Pick<SubRun, 'form' | 'callId'>): string {
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
const cardNotes: Readonly<Record<SubRunOutcome['outcome'], string>> = {
  success: '✔️ Done.',
  error: '⚠️ It came to nothing.',
  cancelled: '🚫 Stopped.',
};

/** Why it came to nothing, where the config has nobody any more who could go on. */
function goneWords({ worker }: Pick<SubRun, 'worker'>): string {
  return `It came to nothing: there is no ${worker.type} "${worker.name}" any more.`;
}

function textOf({ parts }: Turn): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
}

const closingWords: Readonly<Record<Exclude<ClosingReason, 'completed'>, string>> = {
  stopped: 'A person stopped it.',
  failed: 'It failed: its model gave no answer.',
  expired: 'It ended because it asked for permission, and nobody decided in time.',
  limit: 'It ended because it had taken all the turns that a run may take.',
  stuck: 'It ended because it got nowhere: a tool kept failing, or the same call was made again and again.',
  budget: 'It ended because the budget was used up.',
};

/** How far a run may hand over what it is to do. */
interface SubRunLimits {
  /** So many sub-runs stand within each other at most. */
  readonly maxDepth: number;
  /** So many work for one conversation at once. */
  readonly maxRunning: number;
  /** A worker whose model says nothing for so long is given up, in milliseconds. */
  readonly stall: number;
}

/** What a worker is asked who works for another run. The task stands as a quotation: it is the words of a model. */
function subRunTask(name: string, task: string): string {
  const lines = [
    `You are asked to do this for ${oneName(name)}, by the assistant that they talk with:`,
    quotation(task),
    'Your last answer is what the assistant gets. Nobody else reads it, and nobody can answer a question in it.',
  ];
  return `<${eventTag} kind="task">\n${lines.join('\n')}\n</${eventTag}>`;
}
