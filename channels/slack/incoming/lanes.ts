/** Lets what comes from one chat pass in the order in which it came, however long each takes to get ready. */
export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Prepares at once, and acts once all that came before has begun to act, or failed to get ready. Must be called in the
   * order in which things came.
   */
  async pass<Ready, Result>(
    lane: string,
    prepare: () => Promise<Ready>,
    act: (ready: Ready) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last.get(lane);
    const begun = Promise.withResolvers<void>();
    const mine = before === undefined ? begun.promise : Promise.all([before, begun.promise]);
    this.#last.set(lane, mine);
    try {
      const ready = await prepare();
      if (before !== undefined) await before;
      const acting = act(ready);
      begun.resolve();
      return await acting;
    } finally {
      begun.resolve();
      if (this.#last.get(lane) === mine) this.#last.delete(lane);
    }
  }
}
