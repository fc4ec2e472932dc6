/** Claims of ownership that are being decided, by person. */
export class ClaimsUnderWay {
  readonly #claims = new Map<string, Promise<void>>();

  /** Resolves once a claim of the person's is decided, of which there may be another one then; undefined if there is none. */
  of(principal: string): Promise<void> | undefined {
    return this.#claims.get(principal);
  }

  /** Resolves or rejects as the claim does. */
  async follow(principal: string, claim: Promise<void>): Promise<void> {
    // Whoever waits for it only wants to know that it is over; its failure is told to whoever delivered it.
    const over = claim.catch(() => {});
    this.#claims.set(principal, over);
    await over;
    this.#claims.delete(principal);
    await claim;
  }
}
