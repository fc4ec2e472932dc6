/*
 * The run queue: one run at a time in a conversation, conversations in parallel. Waking a conversation that runs makes it
 * look again when it ends. After a crash, it takes up what was left: several conversations at a time, last those that the
 * process died in; then, one by one, those that two processes died in. A run that killed three is set aside. Who waits
 * for long is told. A run that fails because of a fault of ours is closed with an apology, so that no conversation gets
 * stuck.
 */

import { KeyedWorker } from '../lib/background.ts';
import { sleep } from '../lib/clock.ts';
import { signal } from '../lib/live.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import type { InLanguage } from '../lib/words.ts';
import { WorkspaceFolderError } from '../tools/guard/workspace/workspace.ts';
import { processEnding, type Runtime, stoppedByPerson } from './feature.ts';
import type { LeftRun } from './journal.ts';
import type { AgentLoop } from './run.ts';
import { Activity, type Speech } from './turn.ts';
import { engineWords } from './words.ts';

interface QueueSettings {
  /** A last try runs alone, in a process that has lived this long (in ms): other causes of death show up earlier. */
  readonly steadyAfter: number;
  /** What runs wait for before they begin. Never rejects. */
  readonly ready?: Promise<void>;
  /** Whether an error is due to the storage: a later try may succeed. */
  readonly isStorageAtFault: (error: unknown) => boolean;
}

/** Pause before retrying a conversation whose apology could not be stored, in ms. */
const afterFailure = 5_000;

/** A run is set aside after it killed this many processes. */
const mostTries = 3;

/** How many conversations are taken up at once after a crash. If one of them kills, so many more are suspect. */
const atOnce = 6;

/** How long the next conversation, or all others, wait for the one before them, in ms. */
const patience = 20_000;

/** Who waits for longer behind others is told, in ms. */
const longWait = 10_000;

const setAsideWords: InLanguage = (language) => engineWords[language].setAside;

function apology(error: unknown): InLanguage {
  if (error instanceof WorkspaceFolderError) return () => `⚠️ ${escapeMarkdown(error.message)}`;
  return (language) => engineWords[language].wentWrong;
}

export type RunQueue = ReturnType<typeof createRunQueue>;

/** Runs conversations in parallel, one run at a time in each. */
export function createRunQueue(
  runtime: Pick<Runtime, 'attempts' | 'clock' | 'log' | 'say' | 'readerIn'>,
  loop: AgentLoop,
  settings: QueueSettings,
) {
  const { attempts, clock, log, say } = runtime;
  /** Told each time that nothing is worked on any more. */
  const rested = signal<void>();
  const runs = new KeyedWorker(run, rested.tell);
  const ending = new AbortController();
  const activities = new Map<string, Activity>();
  /** Conversations that wait to be taken up. */
  const inLine = new Map<string, PromiseWithResolvers<void>>();
  /** How many processes died while they worked on a conversation. */
  const kills = new Map<string, number>();
  /** Conversations held back for their last try. */
  const held = new Set<string>();
  /** Stops that are not stored yet. */
  const halts = new Set<{ readonly conversationIds: readonly string[] }>();
  /** The conversations that the last process died in, the least tried first. */
  let left: readonly LeftRun[] = [];
  let steady = Promise.resolve();
  /** The last try that runs now, and when others may run beside it. */
  let alone: { readonly conversationId: string; readonly over: Promise<void> } | undefined;

  /** There is something to do in these conversations. */
  function wake(conversationIds: readonly string[]): void {
    for (const conversationId of conversationIds) runs.wake(conversationId);
  }

  /** What the last process died in. Call before anything can come in. */
  function suspect(suspects: readonly LeftRun[]): void {
    left = suspects;
    for (const { conversationId, number } of suspects) {
      kills.set(conversationId, number);
      if (isLastTry(number)) held.add(conversationId);
    }
    if (held.size > 0) steady = sleep(clock, settings.steadyAfter, ending.signal);
  }

  /**
   * Takes up what an earlier process left. After a crash: several conversations at a time, last those it died in, then last
   * tries one by one. Never rejects.
   */
  async function takeUp(unfinished: readonly string[]): Promise<void> {
    if (left.length === 0) return wake(unfinished);
    const suspects = left.map(({ conversationId }) => conversationId);
    const unsuspected = [
      ...unfinished.filter((conversationId) => !suspects.includes(conversationId)),
      // Many runs are under way when a process dies.
      ...left.filter(({ number }) => number <= 1).map(({ conversationId }) => conversationId),
    ];
    for (const conversationId of new Set([...unsuspected, ...suspects]))
      inLine.set(conversationId, Promise.withResolvers());
    const cancel = clock.after(longWait, () => {
      void tellWaiting([...inLine.keys()].filter((conversationId) => !runs.isBusy(conversationId)));
    });
    const next = unsuspected.values();
    const takeNext = async (): Promise<void> => {
      for (const conversationId of next) await takeUpOne(conversationId);
    };
    await Promise.all(Array.from({ length: atOnce }, takeNext));
    for (const conversationId of suspects) {
      if (inLine.has(conversationId) && !held.has(conversationId)) await takeUpOne(conversationId);
    }
    await steady;
    for (const conversationId of held) await takeUpAlone(conversationId);
    cancel();
  }

  /** A person said more: an unshown answer may be restarted. */
  function supersede(conversationId: string, principal: string, speech: Speech): void {
    const own = activities.get(conversationId) ?? new Activity();
    if (speech.type === 'said') activities.set(conversationId, own);
    own.tell(principal, speech, clock.now(), !runs.isBusy(conversationId));
  }

  /** A person stops the conversation: aborts its run. */
  function stop(conversationId: string): void {
    runs.abort(conversationId, stoppedByPerson);
    // Its run is over, so what follows is no suspect.
    held.delete(conversationId);
    kills.delete(conversationId);
    leaveLine(conversationId);
    // Takes up what came in after the stop, or comes to rest.
    runs.wake(conversationId);
  }

  /**
   * A person stops these conversations, and that is not stored yet: aborts their runs, and begins nothing there until the
   * returned function is called. It may be called again.
   */
  function halt(conversationIds: readonly string[]): () => void {
    const own = { conversationIds };
    halts.add(own);
    for (const conversationId of conversationIds) runs.abort(conversationId, stoppedByPerson);
    return () => {
      if (halts.delete(own)) wake(conversationIds);
    };
  }

  function isHalted(conversationId: string): boolean {
    return halts.size > 0 && [...halts].some(({ conversationIds }) => conversationIds.includes(conversationId));
  }

  /** Resolves when nothing runs there or waits to be taken up. */
  async function whenIdle(conversationId: string): Promise<void> {
    await inLine.get(conversationId)?.promise;
    await runs.whenIdle(conversationId);
  }

  /**
   * Starts nothing new, aborts model answers, gives tools this time to finish, then aborts them. The next process continues.
   */
  async function end(grace: number): Promise<void> {
    ending.abort(processEnding);
    const cancel = clock.after(grace, () => runs.abortAll(processEnding));
    await runs.close();
    cancel();
  }

  async function takeUpOne(conversationId: string): Promise<void> {
    leaveLine(conversationId);
    if (ending.signal.aborted) return;
    wake([conversationId]);
    await within(patience, runs.whenIdle(conversationId));
  }

  /** Waits until nothing else runs, and holds others back for a while. */
  async function takeUpAlone(conversationId: string): Promise<void> {
    const over = Promise.withResolvers<void>();
    alone = { conversationId, over: over.promise };
    await within(settings.steadyAfter, runs.whenNoneIsBusy());
    held.delete(conversationId);
    await takeUpOne(conversationId);
    alone = undefined;
    over.resolve();
    // Two last tries in parallel would tell nothing about either.
    await runs.whenIdle(conversationId);
  }

  /** Tells people in these conversations, in this order, that they wait; each message once, however many processes die. */
  async function tellWaiting(inOrder: readonly string[]): Promise<void> {
    try {
      const unanswered = await attempts.unanswered();
      const waiting = inOrder.filter((conversationId) => unanswered.has(conversationId));
      for (const [index, conversationId] of waiting.entries()) {
        const id = `line${unanswered.get(conversationId)}`;
        const { language } = runtime.readerIn(conversationId);
        const markdown = engineWords[language].waitsInLine({ number: index + 1, count: waiting.length });
        await say({ conversationId, message: { id, kind: 'notice', markdown } });
      }
    } catch (error) {
      log.warn({ err: error }, 'people who wait for their turn could not be told');
    }
  }

  /** A last try runs alone: others wait for it, or until it has lasted for long. */
  async function letLastTryPass(conversationId: string): Promise<void> {
    const isFree = (): boolean => alone === undefined || alone.conversationId === conversationId;
    if (isFree()) return;
    const cancel = clock.after(longWait, () => void tellWaiting([conversationId]));
    while (alone !== undefined && !isFree()) await alone.over;
    cancel();
  }

  function leaveLine(conversationId: string): void {
    inLine.get(conversationId)?.resolve();
    inLine.delete(conversationId);
  }

  /** Resolves when `isSo` does, after `longest`, or when the process ends. */
  async function within(longest: number, isSo: Promise<void>): Promise<void> {
    const calm = new AbortController();
    const waited = AbortSignal.any([calm.signal, ending.signal]);
    await Promise.race([isSo, sleep(clock, longest, waited)]);
    calm.abort();
  }

  async function run(conversationId: string, signal: AbortSignal): Promise<void> {
    if (held.has(conversationId) || isHalted(conversationId)) return;
    const own = activities.get(conversationId) ?? new Activity();
    activities.set(conversationId, own);
    await settings.ready;
    await letLastTryPass(conversationId);
    try {
      const tries = kills.get(conversationId) ?? 0;
      kills.delete(conversationId);
      // Before reading anything: reading alone may be what kills.
      if (tries > 0) await attempts.beginWork(conversationId, clock.now());
      if (tries >= mostTries) await loop.failRun(conversationId, setAsideWords);
      await loop.advance(conversationId, { signal, ending: ending.signal, activity: own });
    } catch (error) {
      await brokeOff(conversationId, error, signal);
    } finally {
      // Keep the activity of somebody who may still be writing.
      for (const [id, one] of activities) {
        if (one.isOver(clock.now()) && (id === conversationId || !runs.isBusy(id))) activities.delete(id);
      }
    }
  }

  /** A run that cannot be stored now is taken up again; any other failure is a fault of ours, which closes it. */
  async function brokeOff(conversationId: string, error: unknown, signal: AbortSignal): Promise<void> {
    const fields = { err: error, conversation: conversationId };
    if (!settings.isStorageAtFault(error)) {
      log.error(fields, 'a run broke off because of a fault in Keyturn');
      try {
        return await loop.failRun(conversationId, apology(error));
      } catch (second) {
        fields.err = second;
      }
    }
    log.error(fields, 'a run can be neither continued nor closed; it will be taken up again');
    await sleep(clock, afterFailure, AbortSignal.any([signal, ending.signal]));
    runs.wake(conversationId);
  }

  const isBusy = (conversationId: string): boolean => runs.isBusy(conversationId);
  const isWorking = (): boolean => runs.jobs > 0;
  return { isWorking, rested, wake, suspect, takeUp, supersede, stop, halt, isBusy, whenIdle, end };
}

/** The last try before a run is set aside. If setting it aside killed a process too, that counts as a last try again. */
function isLastTry(kills: number): boolean {
  return kills === mostTries - 1 || kills > mostTries;
}
