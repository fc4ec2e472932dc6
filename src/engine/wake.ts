/*
 * The run queue: one run at a time in a conversation, conversations in parallel. Waking a conversation that runs makes it
 * look again when it ends. After a crash, it takes up what was left: several conversations at a time, last those that the
 * process died in; then, one by one, those that two processes died in. A run that killed three is set aside. Who waits
 * for long is told. A run that fails because of a fault of ours is closed with an apology, so that no conversation gets
 * stuck.
 */

import { KeyedWorker } from '../lib/background.ts';
import { sleep } from '../lib/clock.ts';
import { type Signal, signal } from '../lib/live.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import type { InLanguage } from '../lib/words.ts';
import { WorkspaceFolderError } from '../tools/guard/workspace/workspace.ts';
import { processEnding, type Runtime, stoppedByPerson } from './feature.ts';
import type { LeftRun } from './journal.ts';
import { quietly } from './message.ts';
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
  if (error instanceof WorkspaceFolderError) return (language) => `⚠️ ${escapeMarkdown(error.saidIn(language))}`;
  return (language) => engineWords[language].wentWrong;
}

/** Runs conversations in parallel, one run at a time in each. */
export interface RunQueue {
  /** Told each time that nothing is worked on any more. */
  readonly rested: Signal<void>;
  isWorking(): boolean;
  isBusy(conversationId: string): boolean;
  /** Resolves when nothing runs there or waits to be taken up. */
  whenIdle(conversationId: string): Promise<void>;
  /** There is something to do in these conversations. */
  wake(conversationIds: readonly string[]): void;
  /** What the last process died in. Call before anything can come in. */
  suspect(suspects: readonly LeftRun[]): void;
  /**
   * Takes up what an earlier process left. After a crash: several conversations at a time, last those it died in, then last
   * tries one by one. Never rejects.
   */
  takeUp(unfinished: readonly string[]): Promise<void>;
  /** A person said more: an unshown answer may be restarted. */
  supersede(conversationId: string, principal: string, speech: Speech): void;
  /** A person stops the conversation: aborts its run. */
  stop(conversationId: string): void;
  /**
   * A person stops these conversations, and that is not stored yet: aborts their runs, and begins nothing there until the
   * returned function is called. It may be called again.
   */
  halt(conversationIds: readonly string[]): () => void;
  /**
   * Starts nothing new, aborts model answers, gives tools this time to finish, then aborts them. The next process continues.
   */
  end(grace: number): Promise<void>;
}

type QueueParts = Pick<Runtime, 'attempts' | 'clock' | 'log' | 'say' | 'readerIn' | 'prepareReaders'>;

export function createRunQueue(parts: QueueParts, loop: AgentLoop, settings: QueueSettings): RunQueue {
  const queue = new Queue(parts, loop, settings);
  return {
    rested: queue.rested,
    isWorking: () => queue.isWorking(),
    isBusy: (conversationId) => queue.isBusy(conversationId),
    whenIdle: (conversationId) => queue.whenIdle(conversationId),
    wake: (conversationIds) => queue.wake(conversationIds),
    suspect: (suspects) => queue.suspect(suspects),
    takeUp: (unfinished) => queue.takeUp(unfinished),
    supersede: (conversationId, principal, speech) => queue.supersede(conversationId, principal, speech),
    stop: (conversationId) => queue.stop(conversationId),
    halt: (conversationIds) => queue.halt(conversationIds),
    end: (grace) => queue.end(grace),
  };
}

class Queue implements RunQueue {
  readonly rested = signal<void>();
  readonly #parts: QueueParts;
  readonly #loop: AgentLoop;
  readonly #settings: QueueSettings;
  readonly #runs: KeyedWorker;
  readonly #ending = new AbortController();
  readonly #activities = new Map<string, Activity>();
  /** Conversations that wait to be taken up. */
  readonly #inLine = new Map<string, PromiseWithResolvers<void>>();
  /** How many processes died while they worked on a conversation. */
  readonly #kills = new Map<string, number>();
  /** Conversations held back for their last try. */
  readonly #held = new Set<string>();
  /** Stops that are not stored yet. */
  readonly #halts = new Set<{ readonly conversationIds: readonly string[] }>();
  /** The conversations that the last process died in, the least tried first. */
  #left: readonly LeftRun[] = [];
  #steady = Promise.resolve();
  /** The last try that runs now, and when others may run beside it. */
  #alone: { readonly conversationId: string; readonly over: Promise<void> } | undefined;

  constructor(parts: QueueParts, loop: AgentLoop, settings: QueueSettings) {
    this.#parts = parts;
    this.#loop = loop;
    this.#settings = settings;
    this.#runs = new KeyedWorker((conversationId, signal) => this.#run(conversationId, signal), this.rested.tell);
  }

  isWorking(): boolean {
    return this.#runs.jobs > 0;
  }

  isBusy(conversationId: string): boolean {
    return this.#runs.isBusy(conversationId);
  }

  wake(conversationIds: readonly string[]): void {
    for (const conversationId of conversationIds) this.#runs.wake(conversationId);
  }

  suspect(suspects: readonly LeftRun[]): void {
    this.#left = suspects;
    for (const { conversationId, number } of suspects) {
      this.#kills.set(conversationId, number);
      if (isLastTry(number)) this.#held.add(conversationId);
    }
    if (this.#held.size > 0) this.#steady = sleep(this.#parts.clock, this.#settings.steadyAfter, this.#ending.signal);
  }

  async takeUp(unfinished: readonly string[]): Promise<void> {
    if (this.#left.length === 0) return this.wake(unfinished);
    const suspects = this.#left.map(({ conversationId }) => conversationId);
    const unsuspected = [
      ...unfinished.filter((conversationId) => !suspects.includes(conversationId)),
      // Many runs are under way when a process dies.
      ...this.#left.filter(({ number }) => number <= 1).map(({ conversationId }) => conversationId),
    ];
    for (const conversationId of new Set([...unsuspected, ...suspects]))
      this.#inLine.set(conversationId, Promise.withResolvers());
    const cancel = this.#parts.clock.after(longWait, () => {
      void this.#tellWaiting([...this.#inLine.keys()].filter((conversationId) => !this.#runs.isBusy(conversationId)));
    });
    const next = unsuspected.values();
    await Promise.all(Array.from({ length: atOnce }, () => this.#takeUpEach(next)));
    for (const conversationId of suspects) {
      if (this.#inLine.has(conversationId) && !this.#held.has(conversationId)) await this.#takeUpOne(conversationId);
    }
    await this.#steady;
    for (const conversationId of this.#held) await this.#takeUpAlone(conversationId);
    cancel();
  }

  supersede(conversationId: string, principal: string, speech: Speech): void {
    const own = this.#activities.get(conversationId) ?? new Activity();
    if (speech.type === 'said') this.#activities.set(conversationId, own);
    own.tell(principal, speech, this.#parts.clock.now(), !this.#runs.isBusy(conversationId));
  }

  stop(conversationId: string): void {
    this.#runs.abort(conversationId, stoppedByPerson);
    // Its run is over, so what follows is no suspect.
    this.#held.delete(conversationId);
    this.#kills.delete(conversationId);
    this.#leaveLine(conversationId);
    // Takes up what came in after the stop, or comes to rest.
    this.#runs.wake(conversationId);
  }

  halt(conversationIds: readonly string[]): () => void {
    const own = { conversationIds };
    this.#halts.add(own);
    for (const conversationId of conversationIds) this.#runs.abort(conversationId, stoppedByPerson);
    return () => {
      if (this.#halts.delete(own)) this.wake(conversationIds);
    };
  }

  #isHalted(conversationId: string): boolean {
    return (
      this.#halts.size > 0 && [...this.#halts].some(({ conversationIds }) => conversationIds.includes(conversationId))
    );
  }

  async whenIdle(conversationId: string): Promise<void> {
    await this.#inLine.get(conversationId)?.promise;
    await this.#runs.whenIdle(conversationId);
  }

  async end(grace: number): Promise<void> {
    this.#ending.abort(processEnding);
    const cancel = this.#parts.clock.after(grace, () => this.#runs.abortAll(processEnding));
    await this.#runs.close();
    cancel();
  }

  async #takeUpEach(conversationIds: Iterable<string>): Promise<void> {
    for (const conversationId of conversationIds) await this.#takeUpOne(conversationId);
  }

  async #takeUpOne(conversationId: string): Promise<void> {
    this.#leaveLine(conversationId);
    if (this.#ending.signal.aborted) return;
    this.wake([conversationId]);
    await this.#within(patience, this.#runs.whenIdle(conversationId));
  }

  /** Waits until nothing else runs, and holds others back for a while. */
  async #takeUpAlone(conversationId: string): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#alone = { conversationId, over: over.promise };
    await this.#within(this.#settings.steadyAfter, this.#runs.whenNoneIsBusy());
    this.#held.delete(conversationId);
    await this.#takeUpOne(conversationId);
    this.#alone = undefined;
    over.resolve();
    // Two last tries in parallel would tell nothing about either.
    await this.#runs.whenIdle(conversationId);
  }

  /** Tells people in these conversations, in this order, that they wait; each message once, however many processes die. */
  async #tellWaiting(inOrder: readonly string[]): Promise<void> {
    try {
      const unanswered = await this.#parts.attempts.unanswered();
      const waiting = inOrder.filter((conversationId) => unanswered.has(conversationId));
      await this.#parts.prepareReaders(waiting);
      for (const [index, conversationId] of waiting.entries()) {
        const id = `line${unanswered.get(conversationId)}`;
        const { language } = this.#parts.readerIn(conversationId);
        const markdown = engineWords[language].waitsInLine({ number: index + 1, count: waiting.length });
        await this.#parts.say({ conversationId, message: quietly({ id, kind: 'notice', markdown }) });
      }
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'people who wait for their turn could not be told');
    }
  }

  /** A last try runs alone: others wait for it, or until it has lasted for long. */
  async #letLastTryPass(conversationId: string): Promise<void> {
    const isFree = (): boolean => this.#alone === undefined || this.#alone.conversationId === conversationId;
    if (isFree()) return;
    const cancel = this.#parts.clock.after(longWait, () => void this.#tellWaiting([conversationId]));
    while (this.#alone !== undefined && !isFree()) await this.#alone.over;
    cancel();
  }

  #leaveLine(conversationId: string): void {
    this.#inLine.get(conversationId)?.resolve();
    this.#inLine.delete(conversationId);
  }

  /** Resolves when `isSo` does, after `longest`, or when the process ends. */
  async #within(longest: number, isSo: Promise<void>): Promise<void> {
    const calm = new AbortController();
    const waited = AbortSignal.any([calm.signal, this.#ending.signal]);
    await Promise.race([isSo, sleep(this.#parts.clock, longest, waited)]);
    calm.abort();
  }

  async #run(conversationId: string, signal: AbortSignal): Promise<void> {
    if (this.#held.has(conversationId) || this.#isHalted(conversationId)) return;
    const own = this.#activities.get(conversationId) ?? new Activity();
    this.#activities.set(conversationId, own);
    await this.#settings.ready;
    await this.#letLastTryPass(conversationId);
    try {
      const tries = this.#kills.get(conversationId) ?? 0;
      this.#kills.delete(conversationId);
      // Before reading anything: reading alone may be what kills.
      if (tries > 0) await this.#parts.attempts.beginWork(conversationId, this.#parts.clock.now());
      if (tries >= mostTries) await this.#loop.failRun(conversationId, setAsideWords);
      await this.#loop.advance(conversationId, { signal, ending: this.#ending.signal, activity: own });
    } catch (error) {
      await this.#brokeOff(conversationId, error, signal);
    } finally {
      // Keep the activity of somebody who may still be writing.
      for (const [id, one] of this.#activities) {
        if (one.isOver(this.#parts.clock.now()) && (id === conversationId || !this.#runs.isBusy(id)))
          this.#activities.delete(id);
      }
    }
  }

  /** A run that cannot be stored now is taken up again; any other failure is a fault of ours, which closes it. */
  async #brokeOff(conversationId: string, error: unknown, signal: AbortSignal): Promise<void> {
    const fields = { err: error, conversation: conversationId };
    if (!this.#settings.isStorageAtFault(error)) {
      this.#parts.log.error(fields, 'a run broke off because of a fault in Keyturn');
      try {
        return await this.#loop.failRun(conversationId, apology(error));
      } catch (second) {
        fields.err = second;
      }
    }
    this.#parts.log.error(fields, 'a run can be neither continued nor closed; it will be taken up again');
    await sleep(this.#parts.clock, afterFailure, AbortSignal.any([signal, this.#ending.signal]));
    this.#runs.wake(conversationId);
  }
}

/** The last try before a run is set aside. If setting it aside killed a process too, that counts as a last try again. */
function isLastTry(kills: number): boolean {
  return kills === mostTries - 1 || kills > mostTries;
}
