import type { AgentLoop } from '../agent/loop.ts';
import { News } from '../agent/news.ts';
import { processEnding, stoppedByPerson } from '../agent/stop-request.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { KeyedWorker } from '../lib/keyed-worker.ts';
import type { Log } from '../lib/log.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { WorkspaceFolderError } from './workspaces.ts';

export interface RunQueueDependencies {
  readonly loop: AgentLoop;
  readonly clock: Clock;
  readonly log: Log;
  /** What runs wait for before they begin; undefined if there is nothing to wait for. Never rejects. */
  readonly ready: () => Promise<void> | undefined;
}

/** How long to wait before a conversation is taken up again that not even an apology could be stored for. */
const afterFailure = 5_000;

function apology(error: unknown): string {
  if (error instanceof WorkspaceFolderError) return `⚠️ ${escapeMarkdown(error.message)}`;
  return '⚠️ Something went wrong inside Keyturn, and I could not finish this. It is in the log. Please try again.';
}

/** Lets conversations go on: each by itself, one run at a time, all of them beside each other. */
export class RunQueue {
  readonly #dependencies: RunQueueDependencies;
  readonly #runs: KeyedWorker;
  readonly #ending = new AbortController();
  readonly #news = new Map<string, News>();

  constructor(dependencies: RunQueueDependencies) {
    this.#dependencies = dependencies;
    this.#runs = new KeyedWorker((conversationId, signal) => this.#run(conversationId, signal));
  }

  /** There is something to do in these conversations. */
  wake(conversationIds: readonly string[]): void {
    for (const conversationId of conversationIds) this.#runs.wake(conversationId);
  }

  /** A person has said more: a request that he has no answer to yet may be begun anew. */
  supersede(conversationId: string, principal: string): void {
    this.#news.get(conversationId)?.tell(principal);
  }

  /** Aborts what goes on in the conversation, because a person wants it. */
  stop(conversationId: string): void {
    this.#runs.abort(conversationId, stoppedByPerson);
    // Whatever came in behind the stop is taken up, and a conversation in which nothing is left comes to rest.
    this.#runs.wake(conversationId);
  }

  isBusy(conversationId: string): boolean {
    return this.#runs.isBusy(conversationId);
  }

  whenIdle(conversationId: string): Promise<void> {
    return this.#runs.whenIdle(conversationId);
  }

  /**
   * Begins nothing new, gives up what the model is writing, lets tools end for that long, and then aborts them. What is
   * left goes on in the next process.
   */
  async end(grace: number): Promise<void> {
    this.#ending.abort(processEnding);
    const cancel = this.#dependencies.clock.after(grace, () => this.#runs.abortAll(processEnding));
    await this.#runs.close();
    cancel();
  }

  async #run(conversationId: string, signal: AbortSignal): Promise<void> {
    const { loop, clock, log, ready } = this.#dependencies;
    const ending = this.#ending.signal;
    const news = new News();
    this.#news.set(conversationId, news);
    const awaited = ready();
    if (awaited !== undefined) await awaited;
    try {
      await loop.advance(conversationId, { signal, ending, news });
    } catch (error) {
      log.error({ err: error, conversation: conversationId }, 'a run broke off because of a fault in Keyturn');
      try {
        await loop.giveUp(conversationId, apology(error));
      } catch (second) {
        log.error(
          { err: second, conversation: conversationId },
          'the run could not be closed; it will be taken up again',
        );
        await sleep(clock, afterFailure, AbortSignal.any([signal, ending]));
        this.#runs.wake(conversationId);
      }
    } finally {
      this.#news.delete(conversationId);
    }
  }
}
