/*
 * The loop. It loads the state of a conversation, asks `nextStep` what to do, does it, and starts over, until nothing is
 * left or only a person can help. No step relies on memory from an earlier one. The loop may stop at any instant: the next
 * process loads the state and finds the same thing to do.
 */

import { waitingWords } from '../approval/cards.ts';
import type { RunFailure } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import { ModelError } from '../models/language-model.ts';
import { modelWords } from '../models/words.ts';
import { endsWithChange, hasReacted } from '../tools/message-changes.ts';
import { type ClosingReason, lastTurn, openCalls, unseen } from '../transcript.ts';
import { type CallContext, executeCall, failCall, settleCall, writeOffCall } from './call.ts';
import type { Runtime } from './feature.ts';
import { callByHand } from './hand-call.ts';
import { anyRun, type JournalEntry, type RunState, shownIn } from './journal.ts';
import { noticeIn } from './message.ts';
import { type Ask, type CallByHand, hasWorkers, messageIdsOf, nextStep, type RunOf, type Step } from './next.ts';
import { runScopeOf, scopeIfAny } from './run-scope.ts';
import { type RunSignals, type Said, type TurnContext, type TurnOutcome, type TurnQuestion, takeTurn } from './turn.ts';
import { engineWords } from './words.ts';

/** `answered`: nothing in the loaded state is left to do. Anything newer wakes the conversation again. */
type Progress = 'answered' | 'more';

/** Why a run is closed: words for the person, or the model's error. */
type Why = InLanguage | ModelError;

/** Advances conversations step by step; each step follows from what is stored. */
export interface AgentLoop {
  /** Resolves when all is answered, only a person can help, or a signal aborts. Only one caller a conversation at a time. */
  advance(conversationId: string, signals: RunSignals): Promise<void>;
  /**
   * Ends the newest run after a fault of ours, with words for the person. Its calls get results or are deferred, so that
   * the conversation can go on.
   */
  failRun(conversationId: string, words: InLanguage): Promise<void>;
}

/** What the loop works with. */
type LoopContext = CallContext & TurnContext;

export function createLoop(parts: TurnContext): AgentLoop {
  const context: LoopContext = { ...parts, startedAt: parts.runtime.clock.now() };
  return {
    advance: (conversationId, signals) => advance(conversationId, signals, context),
    failRun: (conversationId, words) => failRun(conversationId, words, context),
  };
}

async function advance(conversationId: string, signals: RunSignals, context: LoopContext): Promise<void> {
  const { runtime, modelWaits } = context;
  const { runs, attempts, subRuns, view, settings, clock } = runtime;
  while (!signals.signal.aborted && !signals.ending.aborted) {
    const state = await load(conversationId, runtime);
    const { subRun } = state;
    const gone = subRun === undefined ? undefined : subRuns.goneWords(subRun);
    if (gone !== undefined) return failRun(conversationId, () => gone, context);
    const step = nextStep(state, settings.stuckWords);
    if (step.type === 'park' || (step.type === 'ask' && modelWaits.isWaiting(state))) {
      await attempts.endWork(conversationId);
      if (step.type === 'ask' || step.waiting === undefined) return;
      const markdown = waitingWords(step.waiting, runtime.readerIn(conversationId));
      return runtime.say({ conversationId, message: { id: `waits${step.waiting.id}`, kind: 'notice', markdown } });
    }
    if (step.type === 'rest') {
      if (subRun !== undefined) return subRuns.rest(state, subRun);
      view.settled(conversationId, hasWorkers(state));
      return state.isOpen ? runs.rest(conversationId) : attempts.endWork(conversationId);
    }
    if (!state.isBegun) await attempts.beginWork(conversationId, clock.now());
    const isAnswered = (await perform(step, state, signals, context)) === 'answered';
    if (isAnswered && subRun === undefined) return view.settled(conversationId, hasWorkers(state));
  }
}

/** Once it is known who reads there, and in the conversation at the top. */
async function load(conversationId: string, { runs, settings, prepareReaders }: Runtime): Promise<RunState> {
  const state = await runs.load(conversationId, settings.contextTokens);
  await prepareReaders([conversationId, state.subRun?.rootId ?? conversationId]);
  return state;
}

async function failRun(conversationId: string, words: InLanguage, context: LoopContext): Promise<void> {
  const { runtime } = context;
  const state = await load(conversationId, runtime);
  const step = nextStep({ ...state, summaryFor: undefined }, () => undefined);
  const open = openCalls(state.transcript).flatMap(({ id }) => state.journal.get(id) ?? []);
  for (const call of step.type === 'settle' ? [...step.calls, ...open] : open) {
    await failCall(call, shownIn(state), scopeIfAny(state, call.principal, runtime), context);
  }
  const run = 'run' in step ? step.run : { runId: anyRun, principal: 'keyturn' };
  const seenSeq = 'seenSeq' in step ? step.seenSeq : (lastTurn(state.transcript)?.seenSeq ?? 0);
  await close(state, { run, seenSeq, reason: 'failed', why: words }, runtime);
}

async function perform(
  step: Exclude<Step, { type: 'rest' | 'park' }>,
  state: RunState,
  signals: RunSignals,
  context: LoopContext,
): Promise<Progress> {
  const { runtime } = context;
  const { signal } = signals;
  const either = AbortSignal.any([signal, signals.ending]);
  switch (step.type) {
    case 'summarise': {
      const { principal } = step;
      await showingWork(state, runtime, () =>
        runtime.context.summarise(state, runScopeOf(state, principal, runtime).scope, either),
      );
      return 'more';
    }
    case 'settle':
      await showingWork(state, runtime, () => settleCalls(step.calls, state, signal, context));
      return 'more';
    case 'write-off': {
      const where = scopeIfAny(state, step.call.principal, runtime);
      await writeOffCall(step.call, shownIn(state), where, context);
      return 'more';
    }
    case 'defer':
      await runtime.runs.defer(step.callIds);
      return 'more';
    case 'close': {
      // For a sub-run, its parent says so.
      const isTold = step.reason === 'expired' && state.subRun !== undefined;
      await close(state, { ...step, why: isTold ? undefined : step.words }, runtime);
      return 'more';
    }
    case 'fetch':
      await fetchFiles(step, state, either, runtime);
      return 'more';
    case 'ask':
      return showingWork(state, runtime, () => answer(step, state, { ...signals, either }, context));
    case 'call-by-hand':
      return showingWork(state, runtime, () => makeCall(step, state, signals, context));
  }
}

async function showingWork<Result>(
  { conversation }: RunState,
  { view }: Runtime,
  work: () => Promise<Result>,
): Promise<Result> {
  const done = view.showWorking(conversation);
  try {
    return await work();
  } finally {
    done();
  }
}

async function settleCalls(
  calls: readonly JournalEntry[],
  state: RunState,
  signal: AbortSignal,
  context: LoopContext,
): Promise<void> {
  const { runtime } = context;
  await allEnded(
    calls.map((call) => settleCall(call, { where: runScopeOf(state, call.principal, runtime), signal }, context)),
  );
}

async function fetchFiles(
  { seqs, seenSeq }: Extract<Step, { type: 'fetch' }>,
  state: RunState,
  signal: AbortSignal,
  runtime: Runtime,
): Promise<void> {
  const { conversationId, conversation, transcript, labels } = state;
  const { workspaceOf, fileWatch, attachments } = runtime;
  const first = transcript.entries.find((entry) => entry.type === 'user' && seqs.includes(entry.seq));
  const workspace = workspaceOf(conversation, first?.type === 'user' ? first.principal : undefined);
  // Files of an untrusted sender are as untrusted as their words.
  const call = { callId: `files ${seenSeq}`, conversationId, workspace, sources: labels.sources };
  const watch = await fileWatch.begin({ ...call, category: 'filesystem_write' });
  await showingWork(state, runtime, () => attachments.fetch({ conversationId, conversation, workspace, seqs }, signal));
  await watch.end({ forLlm: '' });
}

/** `either`: a stop, or the end of the process. */
type AnswerSignals = Pick<RunSignals, 'signal' | 'activity'> & { readonly either: AbortSignal };

/** Asks the model, and runs the calls that began with its turn. If no turn came of it, the run ends, unless it can go on. */
async function answer(ask: Ask, state: RunState, signals: AnswerSignals, context: LoopContext): Promise<Progress> {
  const { runtime, modelWaits } = context;
  const { conversationId, transcript } = state;
  const where = runScopeOf(state, ask.run.principal, runtime);
  const outcome = await askOnce({ state, ask, where }, signals, context);
  switch (outcome.type) {
    case 'stored': {
      const { begun, callCount } = outcome;
      const work = { where, signal: signals.signal };
      if (begun.length > 0) await allEnded(begun.map((call) => executeCall(call, work, context)));
      const hasSeenAll = unseen(transcript).every(({ seq }) => seq <= ask.seenSeq);
      return callCount === 0 && hasSeenAll ? 'answered' : 'more';
    }
    case 'outdated':
    case 'aborted':
      break;
    case 'silent':
      await close(state, { ...ask, reason: 'failed', why: () => silentResult }, runtime);
      break;
    case 'empty': {
      // A reaction, or an answer that it has edited, is all that the model had to say.
      const isAnswered = endsWithChange(transcript, ask.run.runId);
      const why = isAnswered ? undefined : (language: Language) => emptyAnswerWords(outcome.thoughts, language);
      await close(state, { ...ask, reason: isAnswered ? 'completed' : 'failed', why }, runtime);
      break;
    }
    case 'failed': {
      const { error, isHeard, said } = outcome;
      // It may come back. What broke off where people read it has waited already.
      if (!isHeard && (await modelWaits.wait(state, ask.run, error))) break;
      const fields = { conversation: conversationId, run: ask.run.runId, fault: error.fault };
      runtime.log.warn(fields, 'the model gave no answer; the chat says why');
      await close(state, { ...ask, reason: 'failed', why: error, said }, runtime);
    }
  }
  return 'more';
}

/** Makes the call that a person has written, as if the model had made it. */
async function makeCall(
  step: CallByHand,
  state: RunState,
  { signal }: RunSignals,
  context: LoopContext,
): Promise<Progress> {
  const where = runScopeOf(state, step.run.principal, context.runtime);
  const begun = await callByHand({ state, step, where }, signal, context);
  await allEnded(begun.map((call) => executeCall(call, { where, signal }, context)));
  return 'more';
}

/** Asks the model, if the budget allows. */
async function askOnce(
  question: TurnQuestion,
  { either, activity }: AnswerSignals,
  context: LoopContext,
): Promise<TurnOutcome> {
  const { budget, view, subRuns, clock, context: requests } = context.runtime;
  const { state, ask, where } = question;
  const { conversation, conversationId, subRun } = state;
  const admission = await budget.admit(state, ask, where, either);
  // A question or a closing is stored: load the state again.
  if (admission.type === 'closed') return { type: 'outdated' };
  try {
    if (!hasReacted(state.transcript, ask.run.runId))
      view.showTaken(conversation, conversationId, messageIdsOf(state, ask));
    const room = await requests.makeRoom(state, ask, where.scope, either);
    if (room === 'changed') return { type: 'outdated' };
    if (subRun === undefined) return await takeTurn(question, { signal: either, activity }, context);
    // Nobody watches a worker: a model that stays silent for too long is given up.
    using idle = new IdleTimer(clock, subRuns.stall);
    const heard = (): void => idle.restart();
    const outcome = await takeTurn(
      question,
      { signal: AbortSignal.any([either, idle.signal]), activity, heard },
      context,
    );
    return outcome.type === 'aborted' && idle.signal.aborted ? { type: 'silent' } : outcome;
  } finally {
    admission.leave();
  }
}

/** How a run is closed. `why` is told to the person the run serves. */
interface Closing {
  readonly run: RunOf;
  readonly seenSeq: number;
  readonly reason: ClosingReason;
  readonly why: Why | undefined;
  readonly said?: Said | undefined;
}

async function close(state: RunState, { run, seenSeq, reason, why, said }: Closing, runtime: Runtime): Promise<void> {
  const { runs, subRuns, view, clock } = runtime;
  const { conversationId, newestTurn: after, subRun } = state;
  // A worker's failure is told to the model that asked for it.
  const { language } = subRun === undefined ? runtime.readerIn(conversationId) : { language: 'en' as const };
  const words = why instanceof ModelError ? `⚠️ ${escapeMarkdown(why.saidIn(language))}` : why?.(language);
  const notices = words === undefined || subRun !== undefined ? [] : [noticeIn(conversationId, words)];
  const messages = [...(said === undefined ? [] : [said.reply]), ...notices];
  const at = clock.now();
  await runs.close({ conversationId, after, ...run, seenSeq, reason, said: said?.text, messages, at });
  // The failure is only known now.
  if (subRun !== undefined && words !== undefined) await subRuns.end(state, subRun, words);
  view.closed({ ...state.conversation, conversationId }, reason, failureOf(why));
}

/** Waits for all, then rejects if one failed. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((work) => work.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Aborts after this long without a sign of life, in ms. */
class IdleTimer {
  readonly #clock: Clock;
  readonly #longest: number;
  readonly #controller = new AbortController();
  #cancel: () => void;

  constructor(clock: Clock, longest: number) {
    this.#clock = clock;
    this.#longest = longest;
    this.#cancel = this.#begin();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** There was a sign of life. */
  restart(): void {
    this.#cancel();
    this.#cancel = this.#begin();
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #begin(): () => void {
    return this.#clock.after(this.#longest, () => this.#controller.abort());
  }
}

function failureOf(why: Why | undefined): RunFailure {
  if (!(why instanceof ModelError)) return 'other';
  return why.fault === 'auth' ? 'key' : 'model';
}

function emptyAnswerWords(thoughts: 'none' | 'whole' | 'cut', language: Language): string {
  const { onlyThoughts, cutThoughts } = engineWords[language];
  switch (thoughts) {
    case 'none':
      return `⚠️ ${modelWords[language].nothingSaid}`;
    case 'whole':
      return onlyThoughts;
    case 'cut':
      return cutThoughts;
  }
}

/** For the model of the run above. */
const silentResult = 'Its model has said nothing for a long time, and was given up.';
