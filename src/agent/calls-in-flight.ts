import type { Spent } from './spending-store.ts';

/**
 * Which calls of models are being answered, for whom, and what each may take at most: as much as the largest until now.
 * What several spend from at once is known by this before any of them has said what it took.
 */
export class CallsInFlight {
  readonly #accounts = new Map<string, number>();
  #largest: Spent;
  #oneEnds = Promise.withResolvers<void>();

  /** `largest`: what a call may take before any has said what it took. */
  constructor(largest: Spent) {
    this.#largest = largest;
  }

  /** A call has said what it took. */
  took({ tokens, cost }: Spent): void {
    this.#largest = { tokens: Math.max(this.#largest.tokens, tokens), cost: Math.max(this.#largest.cost, cost) };
  }

  /** What may be spent by the calls that are being answered: of one person, by his accounts, or of all. */
  mayTake(accounts?: readonly string[]): Spent {
    const counts = accounts?.map((account) => this.#accounts.get(account) ?? 0) ?? [...this.#accounts.values()];
    const count = counts.reduce((sum, some) => sum + some, 0);
    return { tokens: times(count, this.#largest.tokens), cost: times(count, this.#largest.cost) };
  }

  /** A call begins. Call what it returns when what it took is stored. */
  begin(principal: string): () => void {
    this.#accounts.set(principal, (this.#accounts.get(principal) ?? 0) + 1);
    return () => {
      const left = (this.#accounts.get(principal) ?? 1) - 1;
      if (left === 0) this.#accounts.delete(principal);
      else this.#accounts.set(principal, left);
      this.#oneEnds.resolve();
      this.#oneEnds = Promise.withResolvers<void>();
    };
  }

  /** Resolves when one of them has ended, or the signal aborts. */
  async whenOneEnds(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const aborted = Promise.withResolvers<void>();
    const abort = (): void => aborted.resolve();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#oneEnds.promise, aborted.promise]);
    signal.removeEventListener('abort', abort);
  }
}

/** Nothing of something endless is nothing. */
function times(count: number, amount: number): number {
  return count === 0 ? 0 : count * amount;
}
