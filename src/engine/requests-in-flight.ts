import type { Background } from '../lib/background.ts';
import { type Clock, untilAborted } from '../lib/clock.ts';
import type { AskDraft, AttemptStore, Spent } from './journal.ts';

/**
 * The calls in flight, and the most that each may spend: as much as the largest so far. Bounds what concurrent calls
 * spend before any of them has reported its usage.
 */
export class CallsInFlight {
  readonly #calls = new Set<{ readonly principal: string }>();
  #largest: Spent;
  #oneEnds = Promise.withResolvers<void>();

  constructor(largestCall: Spent) {
    this.#largest = largestCall;
  }

  /** A call has reported its usage. */
  took({ tokens, cost }: Spent): void {
    const largest = this.#largest;
    this.#largest = { tokens: Math.max(largest.tokens, tokens), cost: Math.max(largest.cost, cost) };
  }

  /** The most that the calls in flight may spend: those of these accounts, or all. */
  mayTake(accounts?: readonly string[]): Spent {
    const { length } = [...this.#calls].filter(({ principal }) => accounts?.includes(principal) ?? true);
    return length === 0 ? nothing : { tokens: length * this.#largest.tokens, cost: length * this.#largest.cost };
  }

  /** Starts a call. Call the returned function when its usage is stored. */
  begin(principal: string): () => void {
    const call = { principal };
    this.#calls.add(call);
    return () => {
      this.#calls.delete(call);
      this.#oneEnds.resolve();
      this.#oneEnds = Promise.withResolvers<void>();
    };
  }

  async whenOneEnds(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#oneEnds.promise, signal);
  }
}

export const nothing: Spent = { tokens: 0, cost: 0 };

/**
 * Requests that no limit counts, while they are short: one commit less for each message. One that takes long is stored, so
 * that it is paid for should the process die.
 */
export class UnstoredAsks {
  readonly #attempts: Pick<AttemptStore, 'tellAsk' | 'noteAsk'>;
  readonly #clock: Clock;
  readonly #background: Background;
  /** By conversation. */
  readonly #open = new Map<string, { readonly cancel: () => void }>();

  constructor(attempts: Pick<AttemptStore, 'tellAsk' | 'noteAsk'>, clock: Clock, background: Background) {
    this.#attempts = attempts;
    this.#clock = clock;
    this.#background = background;
  }

  begin(draft: AskDraft): void {
    const { conversationId } = draft;
    const cancel = this.#clock.after(shortAsk, () => this.#note(draft));
    this.#open.set(conversationId, { cancel });
    this.#attempts.tellAsk(draft);
  }

  end(conversationId: string): void {
    this.#open.get(conversationId)?.cancel();
    this.#open.delete(conversationId);
  }

  #note(draft: AskDraft): void {
    const asked = this.#open.get(draft.conversationId);
    // What ends it deletes the row, so none may be added behind that.
    const isOpen = (): boolean => this.#open.get(draft.conversationId) === asked;
    this.#background.run('a request to a model could not be stored', () => this.#attempts.noteAsk(draft, isOpen));
  }
}

/** In ms. */
const shortAsk = 1000;
