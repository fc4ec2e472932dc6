import type { Update } from '@grammyjs/types';
import { Refusal } from './parameters.ts';

/** What one getUpdates asks for. */
export interface Poll {
  readonly offset: number;
  readonly limit: number;
  /** How long to wait when there is nothing, in milliseconds. */
  readonly holdMs: number;
  readonly allowed: readonly string[] | undefined;
}

interface Waiting {
  readonly poll: Poll;
  readonly resolve: (updates: readonly Update[]) => void;
  readonly reject: (refusal: Refusal) => void;
  /** From then on, it does not end when its time is over. */
  readonly callOff: () => void;
}

interface Pending {
  readonly update: Update;
  readonly storedAt: number;
  /** Stays until it was handed out, wherever the offset is. */
  again: boolean;
}

type UpdateContent = Omit<Update, 'update_id'>;

const hour = 3_600_000;
/** Of conflicts, one is told at once in that time; others wait as long before they are told. In milliseconds. */
const conflictPause = 3_000;
const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const webhookActive =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
/** What a bot must ask for by name. */
const offByDefault = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** The updates that the bot has not confirmed, and its long poll. */
export class UpdateQueue {
  /** While it has an address, nobody can poll. */
  readonly webhook = { url: '' };
  readonly #now: () => number;
  #pending: Pending[] = [];
  #nextId = 100_000_001;
  #confirmed = 0;
  #allowed: readonly string[] = [];
  #waiting: Waiting | undefined;
  #toldConflictAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Every update below it is confirmed; 0 before the first. */
  get confirmedOffset(): number {
    return this.#confirmed;
  }

  /** Whether a poll waits for what comes. */
  get isPolled(): boolean {
    return this.#waiting !== undefined;
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  /** Gives the update its id. It is delivered only if the bot has allowed its kind. */
  add(content: UpdateContent): Update {
    const update = { update_id: this.#nextId, ...content };
    this.#nextId += 1;
    if (this.#isAllowed(update)) this.#store(update, false);
    return update;
  }

  /** Delivers the update once more, as after an answer that was lost, even if it is confirmed. */
  addAgain(update: Update): void {
    this.#store(update, true);
  }

  /**
   * Answers as soon as there is something, or with nothing when the time is over. The older poll is refused, but only if this
   * one has to wait, too.
   */
  poll(poll: Poll, closed: AbortSignal): Promise<readonly Update[]> {
    if (this.webhook.url !== '') return Promise.reject(new Refusal(409, webhookActive));
    if (poll.allowed !== undefined) this.#allowed = poll.allowed;
    this.#confirm(poll.offset);

    const ready = this.#take(poll);
    if (ready.length > 0 || poll.holdMs === 0 || closed.aborted) return Promise.resolve(ready);
    this.#endWaiting();
    return this.#hold(poll, closed);
  }

  #endWaiting(): void {
    const ended = this.#waiting;
    if (ended === undefined) return;
    this.#waiting = undefined;
    ended.callOff();
    const now = performance.now();
    if (now - this.#toldConflictAt >= conflictPause) {
      this.#toldConflictAt = now;
      ended.reject(new Refusal(409, conflict));
    } else setTimeout(() => ended.reject(new Refusal(409, conflict)), conflictPause).unref();
  }

  #hold(poll: Poll, closed: AbortSignal): Promise<readonly Update[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Update[]>();
    const giveUp = (): void => resolve([]);
    const timer = setTimeout(giveUp, poll.holdMs);
    closed.addEventListener('abort', giveUp, { once: true });
    const held = { poll, resolve, reject, callOff: () => clearTimeout(timer) };
    this.#waiting = held;
    return promise.finally(() => {
      held.callOff();
      closed.removeEventListener('abort', giveUp);
      if (this.#waiting === held) this.#waiting = undefined;
    });
  }

  #store(update: Update, again: boolean): void {
    this.#pending.push({ update, storedAt: this.#now(), again });
    this.#pending.sort((one, other) => one.update.update_id - other.update.update_id);
    if (this.#waiting === undefined) return;
    const ready = this.#take(this.#waiting.poll);
    if (ready.length === 0) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve(ready);
  }

  /** An offset that lies beyond the next update counts as none; a negative one counts from the end. */
  #confirm(offset: number): void {
    const from = offset < 0 ? (this.#pending.at(offset)?.update.update_id ?? 0) : offset;
    if (from === 0 || from > this.#nextId) return;
    this.#confirmed = Math.max(this.#confirmed, from);
    this.#pending = this.#pending.filter(({ update, again }) => again || update.update_id >= from);
  }

  #take({ limit }: Poll): readonly Update[] {
    const now = this.#now();
    this.#pending = this.#pending.filter(({ update, storedAt }) => now - storedAt < retention(update));
    const taken = this.#pending.slice(0, limit);
    for (const one of taken) one.again = false;
    return taken.map(({ update }) => update);
  }

  #isAllowed(update: Update): boolean {
    const [kind] = Object.keys(update).filter((key) => key !== 'update_id');
    if (kind === undefined) return false;
    return this.#allowed.length === 0 ? !offByDefault.includes(kind) : this.#allowed.includes(kind);
  }
}

/** How long the server keeps an update that nobody fetches, in milliseconds. */
export const callbackRetention = 150_000;

function retention(update: Update): number {
  return update.callback_query === undefined ? 24 * hour : callbackRetention;
}
