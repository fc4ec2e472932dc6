/** Lets those who want the same thing have it one after the other, in the order in which they came. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Resolves when all who came before for this key have left, with what is to be called to leave; with undefined if the
   * signal aborts before.
   */
  async enter(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const before = this.#last.get(key);
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const last = Promise.all([before, left]).then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    this.#last.set(key, last);
    if (before !== undefined) await untilAborted(before, signal);
    if (!signal.aborted) return leave;
    leave();
    return undefined;
  }
}

function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    void work.then(end);
  });
}
