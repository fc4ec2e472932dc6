/*
 * Which conversation goes on, and when. One run at a time in each, all conversations beside each other; waking one that
 * runs lets it look once more when it ends. At start it takes up what a former process has left: a few at a time, what
 * that process was killed in last, and what has killed three processes not at all. A run that breaks off because of a
 * fault of ours is closed with an apology, so that no conversation is stuck for good.
 */

import { sleep } from '../lib/clock.ts';
import { KeyedWorker } from '../lib/keyed-worker.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { WorkspaceFolderError } from '../tools/guard/workspace/workspace-folder.ts';
import { processEnding, type Runtime, stoppedByPerson } from './feature.ts';
import type { LeftRun } from './journal.ts';
import type { AgentLoop } from './run.ts';
import { type Doing, News } from './turn.ts';

interface QueueSettings {
  /**
   * The last try is made alone, and by a process that has lived for so long, in milliseconds: what else kills processes has
   * had its time.
   */
  readonly steadyAfter: number;
  /** What runs wait for before they begin; undefined if there is nothing to wait for. Never rejects. */
  readonly ready: () => Promise<void> | undefined;
}

/** How long to wait before a conversation is taken up again that not even an apology could be stored for. */
const afterFailure = 5_000;

/** After so many processes were killed while they worked on a conversation, its run is set aside. */
const mostTries = 3;

/** So many conversations that a killed process has left are taken up at once. */
const fewAtOnce = 4;

/** How long the next of them, or all others, wait for the one before them, in milliseconds. */
const patience = 20_000;

const setAsideWords =
  '⚠️ I was stopped three times while I worked on this, so I have set it aside. To have me try again, say it again, perhaps in smaller parts.';

function apology(error: unknown): string {
  if (error instanceof WorkspaceFolderError) return `⚠️ ${escapeMarkdown(error.message)}`;
  return '⚠️ Something went wrong inside Keyturn, and I could not finish this. It is in the log. Please try again.';
}

export type RunQueue = ReturnType<typeof createRunQueue>;

/** Lets conversations go on: each by itself, one run at a time, all of them beside each other. */
export function createRunQueue(
  runtime: Pick<Runtime, 'attempts' | 'clock' | 'log'>,
  loop: AgentLoop,
  settings: QueueSettings,
) {
  const { attempts, clock, log } = runtime;
  const runs = new KeyedWorker(run);
  const ending = new AbortController();
  const news = new Map<string, News>();
  /** What waits to be taken up again, by conversation. */
  const inLine = new Map<string, PromiseWithResolvers<void>>();
  /** How many processes were killed while they worked on a conversation. */
  const kills = new Map<string, number>();
  /** What waits for its last try: nothing else lets it go on. */
  const held = new Set<string>();
  /** The conversations that the process before this one was killed in, those tried least often first. */
  let left: readonly string[] = [];
  let steady = Promise.resolve();
  /** What has its last try now, and when the others may go on beside it. */
  let alone: { readonly conversationId: string; readonly over: Promise<void> } | undefined;

  /** There is something to do in these conversations. */
  function wake(conversationIds: readonly string[]): void {
    for (const conversationId of conversationIds) runs.wake(conversationId);
  }

  /** What the process before this one was killed in. Call it before anything can come in. */
  function suspect(suspects: readonly LeftRun[]): void {
    left = suspects.map(({ conversationId }) => conversationId);
    for (const { conversationId, number } of suspects) {
      kills.set(conversationId, number);
      if (isLastTry(number)) held.add(conversationId);
    }
    if (held.size > 0) steady = sleep(clock, settings.steadyAfter, ending.signal);
  }

  /**
   * Takes up what a former process has left. If it was killed, a few conversations at a time; those that it worked on when it
   * was come next, one by one, and what has killed it too often is set aside. A last try comes last of all. Never rejects.
   */
  async function takeUp(unfinished: readonly string[]): Promise<void> {
    const suspects = new Set(left);
    if (suspects.size === 0) return wake(unfinished);
    const others = unfinished.filter((conversationId) => !suspects.has(conversationId));
    for (const conversationId of [...others, ...suspects]) inLine.set(conversationId, Promise.withResolvers());
    const next = others.values();
    const takeOthers = async (): Promise<void> => {
      for (const conversationId of next) await takeUpOne(conversationId);
    };
    await Promise.all(Array.from({ length: fewAtOnce }, takeOthers));
    for (const conversationId of suspects) {
      if (!held.has(conversationId)) await takeUpOne(conversationId);
    }
    await steady;
    for (const conversationId of held) await takeUpAlone(conversationId);
  }

  /** A person has said more: a request that they have no answer to yet may be started again. */
  function supersede(conversationId: string, principal: string, doing: Doing): void {
    const own = news.get(conversationId);
    if (own !== undefined) own.tell(principal, doing, clock.now(), !runs.isBusy(conversationId));
    else if (doing.type === 'said') news.set(conversationId, new News(clock.now(), principal));
  }

  /** Aborts what goes on in the conversation, because a person wants it. */
  function stop(conversationId: string): void {
    runs.abort(conversationId, stoppedByPerson);
    // Its run is over: what comes behind it is no suspect.
    held.delete(conversationId);
    kills.delete(conversationId);
    leaveLine(conversationId);
    // Whatever came in behind the stop is taken up, and a conversation in which nothing is left comes to rest.
    runs.wake(conversationId);
  }

  /** Resolves when nothing goes on there, and nothing waits to be taken up again. */
  async function whenIdle(conversationId: string): Promise<void> {
    await inLine.get(conversationId)?.promise;
    await runs.whenIdle(conversationId);
  }

  /**
   * Begins nothing new, gives up what the model is writing, lets tools end for that long, and then aborts them. What is
   * left goes on in the next process.
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

  /** Nothing else runs when it begins, or begins beside it for a while. */
  async function takeUpAlone(conversationId: string): Promise<void> {
    const over = Promise.withResolvers<void>();
    alone = { conversationId, over: over.promise };
    await within(settings.steadyAfter, runs.whenNoneIsBusy());
    held.delete(conversationId);
    await takeUpOne(conversationId);
    alone = undefined;
    over.resolve();
    // The next one waits: two last tries beside each other would tell nothing of either.
    await runs.whenIdle(conversationId);
  }

  function leaveLine(conversationId: string): void {
    inLine.get(conversationId)?.resolve();
    inLine.delete(conversationId);
  }

  /** Until that is so, or the time is over, or the process ends. */
  async function within(longest: number, isSo: Promise<void>): Promise<void> {
    const calm = new AbortController();
    const waited = AbortSignal.any([calm.signal, ending.signal]);
    await Promise.race([isSo, sleep(clock, longest, waited)]);
    calm.abort();
  }

  async function run(conversationId: string, signal: AbortSignal): Promise<void> {
    if (held.has(conversationId)) return;
    const own = news.get(conversationId) ?? new News(clock.now());
    news.set(conversationId, own);
    const awaited = settings.ready();
    if (awaited !== undefined) await awaited;
    while (alone !== undefined && alone.conversationId !== conversationId) await alone.over;
    try {
      const tries = kills.get(conversationId) ?? 0;
      kills.delete(conversationId);
      // Before anything of it is read: that alone may be what kills a process.
      if (tries > 0) await attempts.beginRun(conversationId, clock.now());
      if (tries >= mostTries) await loop.failRun(conversationId, setAsideWords);
      await loop.advance(conversationId, { signal, ending: ending.signal, news: own });
    } catch (error) {
      log.error({ err: error, conversation: conversationId }, 'a run broke off because of a fault in Keyturn');
      try {
        await loop.failRun(conversationId, apology(error));
      } catch (second) {
        log.error(
          { err: second, conversation: conversationId },
          'the run could not be closed; it will be taken up again',
        );
        await sleep(clock, afterFailure, AbortSignal.any([signal, ending.signal]));
        runs.wake(conversationId);
      }
    } finally {
      // Who has just written may write more: the run that follows waits for that.
      for (const [id, one] of news) {
        if (one.isOver(clock.now()) && (id === conversationId || !runs.isBusy(id))) news.delete(id);
      }
    }
  }

  const isBusy = (conversationId: string): boolean => runs.isBusy(conversationId);
  return { wake, suspect, takeUp, supersede, stop, isBusy, whenIdle, end };
}

/** The one before a run is set aside. Where even setting it aside has killed a process, that is tried in the same way. */
function isLastTry(kills: number): boolean {
  return kills === mostTries - 1 || kills > mostTries;
}
