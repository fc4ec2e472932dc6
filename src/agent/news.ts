/** Told that a person has said more. */
export type NewsListener = (principal: string) => void;

/** Tells whoever writes an answer in a conversation that more was said there. Nothing is kept for who listens later. */
export class News {
  readonly #listeners = new Set<NewsListener>();

  /** Listens until the returned function is called. */
  listen(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(principal: string): void {
    for (const listener of [...this.#listeners]) listener(principal);
  }
}
