import type { Conversation } from '../contract.ts';
import type { Core, FindWorker, HandingCall, LiveView, RunScope, SubRuns } from '../engine/feature.ts';
import type { RunState, SubRun } from '../engine/journal.ts';
import type { InLanguage } from '../lib/words.ts';
import { error, type SubRunRequest, type ToolOutput } from '../tools/output.ts';
import { type CallOutcome, type CallResult, lastTurn, type Turn } from '../transcript.ts';
import { closingWords, endingNote, eventTag, oneName, quotation } from '../words/model-words.ts';
import { workWords } from './words.ts';

export interface SubRunDraft {
  readonly conversationId: string;
  readonly conversation: Conversation;
  readonly subRun: SubRun;
  readonly principal: string;
  readonly principalName: string;
  /** The first message to its model. */
  readonly task: string;
  /** What it has read from the beginning, besides what its parent has. */
  readonly untrusted?: readonly string[] | undefined;
  readonly model?: string;
  readonly inBackground: boolean;
  /** How many sub-runs may work for the root at once, this one included. */
  readonly mostRunning: number;
  readonly at: number;
}

export interface SubRunEnd {
  readonly conversationId: string;
  readonly subRun: SubRun;
  readonly result: CallResult;
  /** Added to the card of the call, if there is one. */
  readonly cardNote: InLanguage;
  readonly at: number;
}

/** Stores sub-runs. Each method is one transaction. */
export interface SubRunStore {
  /**
   * Starts the sub-run and makes its call wait for it. It inherits the conversation's labels and what people chose
   * there. `outdated`: the run of the call was stopped · `too-many`: others must end first.
   */
  beginSubRun(draft: SubRunDraft): Promise<'begun' | 'outdated' | 'too-many'>;
  /**
   * Ends a sub-run, and with its result the call that waits for it, unless that was cancelled. Its spending and labels
   * count for the run of the call. Resolves with the conversations to wake, and those whose cards have changed.
   */
  endSubRun(
    end: SubRunEnd,
  ): Promise<{ readonly toWake: readonly string[]; readonly cardConversationIds: readonly string[] }>;
}

interface SubRunParts extends Core {
  readonly store: SubRunStore;
  readonly view: Pick<LiveView, 'showStatus'>;
  readonly findWorker: FindWorker;
  readonly limits: SubRunLimits;
}

/** Starts runs for calls of other runs, and returns their results to those calls, once. */
export function createSubRuns(parts: SubRunParts): SubRuns {
  const { findWorker, limits } = parts;
  return {
    begin: (call, request, where) => beginSubRun(call, request, where, parts),
    workerOf: findWorker,
    goneWords: (subRun) => goneIn(subRun, findWorker),
    rest: async (state, subRun) => (isWaiting(state) ? undefined : endSubRun(state, subRun, undefined, parts)),
    get stall() {
      return limits.stall;
    },
    end: (state, subRun, failure) => endSubRun(state, subRun, failure, parts),
  };
}

async function beginSubRun(
  call: HandingCall,
  request: SubRunRequest,
  where: RunScope,
  parts: SubRunParts,
): Promise<ToolOutput | 'begun' | 'stopped'> {
  const { store, findWorker, limits, clock, crashPoint, wake } = parts;
  const worker = findWorker(request.worker);
  if (worker === undefined) return error(goneWords(request));
  const depth = (where.scope.within?.depth ?? 0) + 1;
  if (depth > limits.maxDepth) {
    return error(`Not begun: at most ${limits.maxDepth} runs may stand within each other. Do it yourself.`);
  }
  const conversationId = `sub:${call.id}`;
  const { scope, runsIn, workers: above } = where;
  const { channel, chatId, kind, tenant, threadId, conversationId: rootId } = scope;
  const { principal, name: principalName } = scope.sender;
  const { title, form, inBackground } = request;
  const begun = await store.beginSubRun({
    conversationId,
    conversation: { channel, chatId, kind, tenant, threadId },
    subRun: {
      callId: call.id,
      toolName: call.toolName,
      parentId: runsIn ?? rootId,
      rootId,
      worker: request.worker,
      above,
      title,
      form,
    },
    principal,
    principalName,
    task: subRunTask(principalName, request.task),
    untrusted: request.untrusted,
    model: worker.model ?? where.model,
    inBackground,
    mostRunning: limits.maxRunning,
    at: clock.now(),
  });
  if (begun === 'too-many') {
    return error(`Not begun: ${limits.maxRunning} others work for this conversation. Wait for one of them to end.`);
  }
  if (begun === 'outdated') return 'stopped';
  crashPoint?.('sub-run-begun');
  wake([conversationId]);
  return 'begun';
}

function goneIn({ above, worker }: SubRun, findWorker: FindWorker): string | undefined {
  const gone = [...above, worker].find((one) => findWorker(one) === undefined);
  return gone && goneWords({ worker: gone });
}

async function endSubRun(
  state: RunState,
  subRun: SubRun,
  failure: string | undefined,
  { store, view, clock, crashPoint, deliver, wake }: SubRunParts,
): Promise<void> {
  const outcome = failure === undefined ? outcomeOf(state) : ({ outcome: 'error', text: failure } as const);
  const result: CallResult = { outcome: outcome.outcome, text: inForm(outcome, subRun) };
  const { conversationId } = state;
  const cardNote = noteOn(outcome.outcome);
  const { toWake, cardConversationIds } = await store.endSubRun({
    conversationId,
    subRun,
    result,
    cardNote,
    at: clock.now(),
  });
  crashPoint?.('sub-run-ended');
  const { callId, toolName, rootId } = subRun;
  const shown = outcome.outcome === 'success' ? 'success' : 'error';
  const root = { ...state.conversation, conversationId: rootId };
  if (toWake.length > 0)
    view.showStatus(root, { callId, toolName, state: shown, isStopped: outcome.outcome === 'cancelled' });
  deliver([...cardConversationIds, rootId]);
  wake(toWake);
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

/** The result of an ended sub-run: the one that its model declared, or else its model's last text. */
function outcomeOf({ transcript }: Pick<RunState, 'transcript'>): SubRunOutcome {
  const last = lastTurn(transcript);
  const turns = transcript.entries.filter((entry): entry is Turn => entry.type === 'turn');
  const completion = turns.at(-1)?.calls.find(({ result }) => result?.outcome === 'completed')?.result?.text;
  if (last?.type === 'closing' && last.reason !== 'completed') {
    const said = turns.map(textOf).findLast((text) => text !== '');
    const why = `The work was not finished. ${closingWords[last.reason]}`;
    const outcome = last.reason === 'stopped' ? 'cancelled' : 'error';
    return { outcome, text: said === undefined ? why : `${why} The last thing that it said:\n${said}` };
  }
  const text = completion ?? (last?.type === 'turn' ? textOf(last) : '');
  const note = last?.type === 'turn' && completion === undefined ? endingNote(last.ending) : '';
  return text === ''
    ? { outcome: 'error', text: `It ended without an answer. ${note}`.trimEnd() }
    : { outcome: 'success', text: `${text}\n${note}`.trimEnd() };
}

/** The outcome in the form that the call asked for. */
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

/** The note on the call's card, if a person has approved it. */
function noteOn(outcome: SubRunOutcome['outcome']): InLanguage {
  return (language) => workWords[language][outcome];
}

/** The failure if the config no longer has the worker. */
function goneWords({ worker }: Pick<SubRun, 'worker'>): string {
  return `It came to nothing: there is no ${worker.type} "${worker.name}" any more.`;
}

function textOf({ parts }: Turn): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
}

interface SubRunLimits {
  /** How deep sub-runs may be nested. */
  readonly maxDepth: number;
  /** How many may work for one conversation at once. */
  readonly maxRunning: number;
  /** A worker is ended if its model is silent for this long. In ms. */
  readonly stall: number;
}

/** The first message to a worker. The task is quoted, since a model wrote it. */
function subRunTask(name: string, task: string): string {
  const lines = [
    `You are asked to do this for ${oneName(name)}, by the assistant that they talk with:`,
    quotation(task),
    'Your last answer is what the assistant gets. Nobody else reads it, and nobody can answer a question in it.',
  ];
  return `<${eventTag} kind="task">\n${lines.join('\n')}\n</${eventTag}>`;
}
