/*
 * The loop. It loads the state of a conversation, asks `nextStep` what to do, does it, and starts over, until nothing is
 * left or only a person can help. No step relies on memory from an earlier one. The loop may stop at any instant: the next
 * process loads the state and finds the same thing to do.
 */

import { waitingWords } from '../approval/cards.ts';
import { agentModes, couldLeak, labelsFor } from '../approval/verdict.ts';
import type { RunFailure } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import { ModelError } from '../models/language-model.ts';
import { WorkspaceFolderError } from '../tools/guard/workspace/workspace.ts';
import { isAddressSaid, readWords } from '../tools/said-values.ts';
import { type ClosingReason, lastTurn, openCalls, type Transcript, unseen } from '../transcript.ts';
import { plainLinks } from '../words/plain-links.ts';
import type { ModelWaits } from './ask.ts';
import type { CallRunner } from './call.ts';
import type { RunScope, Runtime } from './feature.ts';
import { type JournalEntry, type RunState, shownIn } from './journal.ts';
import { noticeIn } from './message.ts';
import { type Ask, hasWorkers, messageIdsOf, nextStep, type RunOf, type Step } from './next.ts';
import type { RunSignals, Said, TakeTurn, TurnOutcome } from './turn.ts';
import { engineWords } from './words.ts';

/** `answered`: nothing in the loaded state is left to do. Anything newer wakes the conversation again. */
type Progress = 'answered' | 'more';

/** Why a run is closed: words for the person, or the model's error. */
type Why = InLanguage | ModelError;

export type AgentLoop = ReturnType<typeof createLoop>;

/** Advances conversations step by step; each step follows from what is stored. */
export function createLoop(runtime: Runtime, callRunner: CallRunner, takeTurn: TakeTurn, modelWaits: ModelWaits) {
  const { runs, attempts, budget, context, attachments, fileWatch, subRuns, view, workspaceOf, settings, clock, log } =
    runtime;

  /** Resolves when all is answered, only a person can help, or a signal aborts. Only one caller a conversation at a time. */
  async function advance(conversationId: string, signals: RunSignals): Promise<void> {
    while (!signals.signal.aborted && !signals.ending.aborted) {
      const state = await runs.load(conversationId, settings.contextTokens);
      const { subRun } = state;
      const gone = subRun === undefined ? undefined : subRuns.goneWords(subRun);
      if (gone !== undefined) return failRun(conversationId, () => gone);
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
      await attempts.beginWork(conversationId, clock.now());
      const isAnswered = (await perform(step, state, signals)) === 'answered';
      if (isAnswered && subRun === undefined) return view.settled(conversationId, hasWorkers(state));
    }
  }

  /**
   * Ends the newest run after a fault of ours, with words for the person. Its calls get results or are deferred, so that the
   * conversation can go on.
   */
  async function failRun(conversationId: string, words: InLanguage): Promise<void> {
    const state = await runs.load(conversationId, settings.contextTokens);
    const step = nextStep({ ...state, summaryFor: undefined }, () => undefined);
    const open = openCalls(state.transcript).flatMap(({ id }) => state.journal.get(id) ?? []);
    for (const call of step.type === 'settle' ? [...step.calls, ...open] : open) {
      await callRunner.failCall(call, shownIn(state), scopeIfAny(state, call.principal, runtime));
    }
    const run = 'run' in step ? step.run : { runId: 'none', principal: 'keyturn' };
    const seenSeq = 'seenSeq' in step ? step.seenSeq : (lastTurn(state.transcript)?.seenSeq ?? 0);
    await close(state, { run, seenSeq }, 'failed', words);
  }

  async function perform(
    step: Exclude<Step, { type: 'rest' | 'park' }>,
    state: RunState,
    { signal, ending, activity }: RunSignals,
  ): Promise<Progress> {
    const { conversationId, conversation, transcript, subRun } = state;
    const either = AbortSignal.any([signal, ending]);
    const whereOf = (principal: string): RunScope => runScopeOf(state, principal, runtime);
    switch (step.type) {
      case 'summarise':
        await showingWork(() => context.summarise(state, whereOf(step.principal).scope, either));
        return 'more';
      case 'settle': {
        const settle = (call: JournalEntry): Promise<void> => callRunner.settle(call, whereOf(call.principal), signal);
        await showingWork(() => allEnded(step.calls.map(settle)));
        return 'more';
      }
      case 'write-off':
        await callRunner.writeOff(step.call, shownIn(state), scopeIfAny(state, step.call.principal, runtime));
        return 'more';
      case 'defer':
        await runs.defer(step.callIds);
        return 'more';
      case 'close': {
        // For a sub-run, its parent says so.
        const isTold = step.reason === 'expired' && subRun !== undefined;
        await close(state, step, step.reason, isTold ? undefined : step.words);
        return 'more';
      }
      case 'fetch': {
        const first = transcript.entries.find((entry) => entry.type === 'user' && step.seqs.includes(entry.seq));
        const workspace = workspaceOf(conversation, first?.type === 'user' ? first.principal : undefined);
        const request = { conversationId, conversation, workspace, seqs: step.seqs };
        // Files of an untrusted sender are as untrusted as their words.
        const call = { callId: `files ${step.seenSeq}`, conversationId, workspace, sources: state.labels.sources };
        const watch = await fileWatch.begin({ ...call, category: 'filesystem_write' });
        await showingWork(() => attachments.fetch(request, either));
        await watch.end({ forLlm: '' });
        return 'more';
      }
      case 'ask':
        return showingWork(() => answer(step));
    }

    async function showingWork<Result>(work: () => Promise<Result>): Promise<Result> {
      const done = view.showWorking(conversation);
      try {
        return await work();
      } finally {
        done();
      }
    }

    /** Asks the model, and runs the calls that began with its turn. If no turn came of it, the run ends, unless it can go on. */
    async function answer(ask: Ask): Promise<Progress> {
      const where = whereOf(ask.run.principal);
      const outcome = await askOnce(ask, where);
      switch (outcome.type) {
        case 'stored': {
          const { begun, callCount } = outcome;
          if (begun.length > 0) await allEnded(begun.map((call) => callRunner.execute(call, where, signal)));
          const hasSeenAll = unseen(transcript).every(({ seq }) => seq <= ask.seenSeq);
          return callCount === 0 && hasSeenAll ? 'answered' : 'more';
        }
        case 'outdated':
        case 'aborted':
          break;
        case 'silent':
          await close(state, ask, 'failed', () => silentWords);
          break;
        case 'empty':
          await close(state, ask, 'failed', (language) => emptyAnswerWords(outcome.thoughts, language));
          break;
        case 'failed': {
          const { error, isHeard, said } = outcome;
          // It may come back. What broke off where people read it has waited already.
          if (!isHeard && (await modelWaits.wait(state, ask.run, error))) break;
          const fields = { conversation: conversationId, run: ask.run.runId, fault: error.fault };
          log.warn(fields, 'the model gave no answer; the chat says why');
          await close(state, ask, 'failed', error, said);
        }
      }
      return 'more';
    }

    /** Asks the model, if the budget allows. */
    async function askOnce(ask: Ask, where: RunScope): Promise<TurnOutcome> {
      const admission = await budget.admit(state, ask, where, either);
      // A question or a closing is stored: load the state again.
      if (admission.type === 'closed') return { type: 'outdated' };
      try {
        view.showTaken(conversation, conversationId, messageIdsOf(state, ask));
        const room = await context.makeRoom(state, ask, where.scope, either);
        if (room === 'changed') return { type: 'outdated' };
        if (subRun === undefined) return await takeTurn(state, ask, where, { signal: either, activity });
        // Nobody watches a worker: a model that stays silent for too long is given up.
        using idle = idleTimer(clock, subRuns.stall);
        const signals = { signal: AbortSignal.any([either, idle.signal]), activity, heard: idle.heard };
        const outcome = await takeTurn(state, ask, where, signals);
        return outcome.type === 'aborted' && idle.signal.aborted ? { type: 'silent' } : outcome;
      } finally {
        admission.leave();
      }
    }
  }

  /** `why` is told to the person the run serves. */
  async function close(
    state: RunState,
    { run, seenSeq }: { readonly run: RunOf; readonly seenSeq: number },
    reason: ClosingReason,
    why?: Why,
    said?: Said,
  ): Promise<void> {
    const { conversationId, newestTurn: after, subRun } = state;
    const words = why instanceof ModelError ? () => `⚠️ ${escapeMarkdown(why.message)}` : why;
    const { language } = runtime.readerIn(conversationId);
    const notices = words === undefined || subRun !== undefined ? [] : [noticeIn(conversationId, words(language))];
    const messages = [...(said === undefined ? [] : [said.reply]), ...notices];
    const at = clock.now();
    await runs.close({ conversationId, after, ...run, seenSeq, reason, said: said?.text, messages, at });
    // The failure is only known now.
    if (subRun !== undefined && words !== undefined) await subRuns.end(state, subRun, words('en'));
    view.closed({ ...state.conversation, conversationId }, reason, failureOf(why));
  }

  return { advance, failRun };
}

/**
 * Where the calls of a run are judged and its tools work. A sub-run inherits the limits of all runs above it, as they are
 * now.
 */
function runScopeOf(
  state: RunState,
  principal: string,
  runtime: Pick<Runtime, 'workspaceOf' | 'subRuns' | 'chats' | 'settings' | 'readerIn'>,
): RunScope {
  const { workspaceOf, subRuns, chats, settings, readerIn } = runtime;
  const { model, conversation, conversationId, subRun } = state;
  const { entries } = state.transcript;
  const labels = labelsFor(state.labels, principal);
  const { title, ...place } = conversation;
  const root = shownIn(state);
  const workers = subRun === undefined ? [] : [...subRun.above, subRun.worker];
  const found = workers.map((worker) => subRuns.workerOf(worker));
  const workspace = (found.at(-1)?.workspaceOf ?? workspaceOf)(conversation, principal);
  const sender = { principal, name: nameOf(principal, state) };
  const within = subRun && { depth: workers.length, only: found.map((one) => one?.only ?? []) };
  const ownWords = (): readonly string[] => messagesBy(principal, entries);
  return {
    titleIn: (language) =>
      conversation.kind === 'direct' ? engineWords[language].directChat(conversation.channel) : (title ?? root),
    scope: { ...place, conversationId: root, workspace, sender, within },
    ...{ labels, ownWords, model, workers },
    calls: entries.flatMap((entry) => (entry.type === 'turn' ? entry.calls : [])),
    withoutLinks: couldLeak(labels, settings.approval)
      ? (markdown, note) => {
          const said = readWords(ownWords().join('\n'));
          const isNamed = (host: string, address: string): boolean =>
            settings.isTrustedHost(host) || isAddressSaid(said, address);
          return plainLinks(markdown, isNamed, readerIn(root).language, note);
        }
      : undefined,
    runsIn: subRun && conversationId,
    // The strictest comes first.
    mode: agentModes.find((mode) => [chats.of(conversation), ...found].some((one) => one?.mode === mode)),
  };
}

/** Undefined if the workspace is broken. */
function scopeIfAny(...of: Parameters<typeof runScopeOf>): RunScope | undefined {
  try {
    return runScopeOf(...of);
  } catch (error) {
    if (error instanceof WorkspaceFolderError) return undefined;
    throw error;
  }
}

/** What the person wrote, by messages. Those that follow each other are one. */
function messagesBy(principal: string, entries: Transcript['entries']): readonly string[] {
  const runs: string[][] = [[]];
  for (const entry of entries) {
    if (entry.type === 'user' && entry.principal === principal) runs.at(-1)?.push(entry.text);
    else if (entry.type === 'turn' || entry.type === 'closing') runs.push([]);
  }
  return runs.map((texts) => texts.join('\n')).filter((text) => text !== '');
}

function nameOf(principal: string, { transcript, lateCalls }: RunState): string {
  const names = transcript.entries.flatMap((entry) =>
    (entry.type === 'user' || entry.type === 'event') && entry.principal === principal ? (entry.name ?? []) : [],
  );
  return names.at(-1) ?? lateCalls.find((call) => call.principal === principal)?.principalName ?? principal;
}

/** Waits for all, then rejects if one failed. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((work) => work.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Aborts after this long without a sign of life, in ms. */
function idleTimer(clock: Clock, longest: number) {
  const controller = new AbortController();
  const begin = (): (() => void) => clock.after(longest, () => controller.abort());
  let cancel = begin();
  const heard = (): void => {
    cancel();
    cancel = begin();
  };
  return { signal: controller.signal, heard, [Symbol.dispose]: () => cancel() };
}

function failureOf(why: Why | undefined): RunFailure {
  if (!(why instanceof ModelError)) return 'other';
  return why.fault === 'auth' ? 'key' : 'model';
}

function emptyAnswerWords(thoughts: 'none' | 'whole' | 'cut', language: Language): string {
  const { emptyAnswer, onlyThoughts, cutThoughts } = engineWords[language];
  switch (thoughts) {
    case 'none':
      return emptyAnswer;
    case 'whole':
      return onlyThoughts;
    case 'cut':
      return cutThoughts;
  }
}

/** For the model of the run above. */
const silentWords = 'Its model has said nothing for a long time, and was given up.';
