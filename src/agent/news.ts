/** Told that a person has said more. */
export type NewsListener = (principal: string) => void;

/** Tells whoever writes an answer in a conversation that more was said there. Nothing is kept for who listens later. */
export class News {
  readonly #listeners = new Set<NewsListener>();
  #asked: { readonly after: number; readonly at: number } | undefined;

  /** When the model was first asked for what follows this turn, however often that was begun anew. */
  firstAsked(after: number, now: number): number {
    if (this.#asked?.after !== after) this.#asked = { after, at: now };
    return this.#asked.at;
  }

  /** Listens until the returned function is called. */
  listen(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(principal: string): void {
    for (const listener of [...this.#listeners]) listener(principal);
  }
}
