/*
 * What transactions tell of once they are committed, in the order of the commits: each once, and nothing of a write that was
 * rolled back. It keeps which runs are under way, so that their ends tell how long they took without a look at the database.
 * Should the power fail before a commit is on disk, what it did happens again, and is told again. Who cannot be told loses
 * what was told, and nothing else: the commit stands.
 */

import type { RunBeginning } from '../engine/journal.ts';
import { signal } from '../lib/live.ts';
import type { RunEnded, TelemetryEvent } from '../telemetry.ts';

/** What a function of the store tells in its transaction. */
export type Telling = Exclude<TelemetryEvent, { type: 'run_began' | 'run_ended' }> | ModelAsking | RunEnding;

/** A run asks a model. The first time, it begins. */
interface ModelAsking {
  readonly type: 'model_asking';
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: string;
  readonly begins: RunBeginning | undefined;
  readonly at: number;
}

interface RunEnding {
  readonly type: 'run_ending';
  readonly conversationId: string;
  /** Undefined: the one under way there, if there is one. */
  readonly run: { readonly runId: string; readonly principal: string } | undefined;
  readonly outcome: RunEnded['outcome'];
  readonly at: number;
  /** What is stored of a run that is not known here: an earlier process began it. Undefined: nothing is. */
  readonly stored: Omit<RunUnderWay, 'runId'> | undefined;
}

/** What is known of a run. */
export interface RunUnderWay {
  readonly runId: string;
  readonly beganAt: number;
  readonly calls: number;
  readonly modelCalls: number;
}

const unknownBeginning = { parentCallId: undefined, parentConversationId: undefined, waited: 0 } as const;

export class Told {
  readonly #events = signal<TelemetryEvent>();
  /** Of the newest run of each conversation, until it ends. */
  readonly #runs = new Map<string, RunUnderWay>();
  #waiting: Telling[] = [];

  readonly #broken = signal<unknown>();

  readonly listen = this.#events.listen;
  /** Hears why something of a commit could not be told. */
  readonly onBroken = this.#broken.listen;

  /** Call it inside a transaction. */
  tell(telling: Telling): void {
    this.#waiting.push(telling);
  }

  /** Tells at once what belongs to no transaction. Never throws. */
  tellNow(telling: Telling): void {
    this.#tryToPass(telling);
  }

  /** Whether this run is under way, and what waits for the commit changes nothing about it. */
  knows(conversationId: string, runId: string): boolean {
    const changes = (telling: Telling): boolean =>
      (telling.type === 'model_asking' || telling.type === 'run_ending') && telling.conversationId === conversationId;
    return this.#runs.get(conversationId)?.runId === runId && !this.#waiting.some(changes);
  }

  /** How much waits for the commit. */
  get count(): number {
    return this.#waiting.length;
  }

  /** What was told since was rolled back. */
  forget(count: number): void {
    this.#waiting.length = count;
  }

  /** Never throws. */
  committed(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const telling of waiting) this.#tryToPass(telling);
  }

  #tryToPass(telling: Telling): void {
    try {
      this.#pass(telling);
    } catch (error) {
      this.#broken.tell(error);
    }
  }

  #pass(telling: Telling): void {
    switch (telling.type) {
      case 'model_asking':
        this.#asking(telling);
        return;
      case 'run_ending':
        this.#ended(telling);
        return;
      case 'call_ended':
        this.#count(telling.conversationId, telling.runId, 'calls');
        break;
      case 'message_received':
      case 'model_asked':
      case 'approval_requested':
      case 'approval_decided':
      case 'rights_changed':
      case 'message_delivered':
        break;
    }
    this.#events.tell(telling);
  }

  #asking({ conversationId, runId, principal, begins, at }: ModelAsking): void {
    const known = this.#runs.get(conversationId);
    if (known?.runId !== runId && begins !== undefined) {
      const { isNew, ...beginning } = begins;
      const { waited } = beginning;
      if (known !== undefined) this.#tellEnd(conversationId, known, 'left', at);
      // Of one that an earlier process has begun, it is known when its message came.
      const beganAt = isNew ? at : at - waited;
      this.#runs.set(conversationId, { runId, beganAt, calls: 0, modelCalls: 0 });
      if (isNew) this.#events.tell({ type: 'run_began', runId, conversationId, principal, ...beginning });
    }
    this.#count(conversationId, runId, 'modelCalls');
  }

  #count(conversationId: string, runId: string, what: 'calls' | 'modelCalls'): void {
    const known = this.#runs.get(conversationId);
    if (known?.runId === runId) this.#runs.set(conversationId, { ...known, [what]: known[what] + 1 });
  }

  #ended({ conversationId, run, outcome, at, stored }: RunEnding): void {
    const known = this.#runs.get(conversationId);
    if (known !== undefined && (run === undefined || run.runId === known.runId)) {
      this.#tellEnd(conversationId, known, outcome, at);
      return;
    }
    if (run === undefined) return;
    const { runId, principal } = run;
    // It was closed before it asked a model.
    if (stored === undefined)
      this.#events.tell({ type: 'run_began', runId, conversationId, principal, ...unknownBeginning });
    this.#tellEnd(conversationId, { runId, ...(stored ?? { beganAt: at, calls: 0, modelCalls: 0 }) }, outcome, at);
  }

  #tellEnd(
    conversationId: string,
    { runId, beganAt, calls, modelCalls }: RunUnderWay,
    outcome: RunEnded['outcome'],
    at: number,
  ): void {
    if (this.#runs.get(conversationId)?.runId === runId) this.#runs.delete(conversationId);
    const duration = Math.max(0, at - beganAt);
    this.#events.tell({ type: 'run_ended', runId, conversationId, outcome, duration, calls, modelCalls });
  }
}
