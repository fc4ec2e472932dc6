/** What became of a tool's calls since the start or the last reset. */
export interface ToolStatistics {
  readonly name: string;
  readonly count: number;
  readonly success: number;
  readonly failure: number;
  /** In milliseconds. */
  readonly totalDuration: number;
  readonly averageDuration: number;
  /** How many of its last calls have failed, without one between that has not. */
  readonly failuresInRow: number;
  /** It keeps failing: three times in a row, or in more than half of its last calls, of which there are at least six. */
  readonly isFailing: boolean;
}

/** How a call has ended. */
export interface EndedCall {
  readonly isError: boolean;
  /** It was told to end: that says nothing about the tool. */
  readonly isStopped: boolean;
  /** In milliseconds. */
  readonly duration: number;
}

/** From so many failures in a row on, a tool keeps failing. */
export const failuresToTell = 3;

/** So many of the last calls say how a tool does now. */
const mostRecent = 10;
const fewestToJudge = 6;

interface Counts {
  readonly name: string;
  readonly count: number;
  readonly failure: number;
  readonly totalDuration: number;
  readonly failuresInRow: number;
  /** Of its last calls, whether each has failed. */
  readonly recent: readonly boolean[];
}

/** Counts calls: each once, when it ends. */
export class CallStatistics {
  readonly #tools = new Map<string, Counts>();

  add(name: string, { isError, isStopped, duration }: EndedCall): void {
    const so = this.#tools.get(name) ?? { name, count: 0, failure: 0, totalDuration: 0, failuresInRow: 0, recent: [] };
    this.#tools.set(name, {
      name,
      count: so.count + 1,
      failure: so.failure + (isError ? 1 : 0),
      totalDuration: so.totalDuration + duration,
      failuresInRow: isStopped ? so.failuresInRow : isError ? so.failuresInRow + 1 : 0,
      recent: isStopped ? so.recent : [...so.recent, isError].slice(-mostRecent),
    });
  }

  failuresInRow(name: string): number {
    return this.#tools.get(name)?.failuresInRow ?? 0;
  }

  /** All tools that were called, or the one, sorted by name. */
  read(name?: string): readonly ToolStatistics[] {
    return [...this.#tools.values()]
      .filter((tool) => name === undefined || tool.name === name)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(statisticsOf);
  }

  reset(name?: string): void {
    if (name === undefined) this.#tools.clear();
    else this.#tools.delete(name);
  }
}

function statisticsOf({ recent, ...counts }: Counts): ToolStatistics {
  const { count, failure, totalDuration, failuresInRow } = counts;
  const failed = recent.filter((isError) => isError).length;
  return {
    ...counts,
    success: count - failure,
    averageDuration: totalDuration / count,
    isFailing: failuresInRow >= failuresToTell || (recent.length >= fewestToJudge && failed > recent.length / 2),
  };
}
