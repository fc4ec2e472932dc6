/** Lets so many in at once. Others wait, and are let in in the order in which they came. */
export class WaitingLine {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves with true when there is room, or with false when the signal aborts before. Who is let in has to `leave`. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#inside < this.#most) {
      this.#inside += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const letIn = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(letIn), 1);
        resolve(false);
      };
      this.#waiting.push(letIn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    // Whoever is next takes the place over.
    if (next === undefined) this.#inside -= 1;
    else next();
  }
}
