/** What became of a tool's calls since the start or the last reset. */
export interface ToolStatistics {
  readonly name: string;
  readonly count: number;
  readonly success: number;
  readonly failure: number;
  /** In milliseconds. */
  readonly totalDuration: number;
  readonly averageDuration: number;
}

/** Counts calls: each once, when it ends. */
export class CallStatistics {
  readonly #tools = new Map<string, Omit<ToolStatistics, 'averageDuration'>>();

  add(name: string, call: { readonly isError: boolean; readonly duration: number }): void {
    const so = this.#tools.get(name) ?? { name, count: 0, success: 0, failure: 0, totalDuration: 0 };
    this.#tools.set(name, {
      name,
      count: so.count + 1,
      success: so.success + (call.isError ? 0 : 1),
      failure: so.failure + (call.isError ? 1 : 0),
      totalDuration: so.totalDuration + call.duration,
    });
  }

  /** All tools that were called, or the one, sorted by name. */
  read(name?: string): readonly ToolStatistics[] {
    return [...this.#tools.values()]
      .filter((tool) => name === undefined || tool.name === name)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((tool) => ({ ...tool, averageDuration: tool.totalDuration / tool.count }));
  }

  reset(name?: string): void {
    if (name === undefined) this.#tools.clear();
    else this.#tools.delete(name);
  }
}
