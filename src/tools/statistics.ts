/** What became of a tool's calls since the start. */
export interface ToolStatistics {
  readonly count: number;
  readonly failure: number;
  /** In milliseconds. */
  readonly averageDuration: number;
  /** How many of its last calls have failed, without one between that has not. */
  readonly failuresInRow: number;
  /** It keeps failing: three times in a row, or in more than half of its last calls, of which there are at least six. */
  readonly isFailing: boolean;
}

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

/** Of the last calls, whether each has failed. */
type Counts = Omit<ToolStatistics, 'isFailing'> & { readonly recent: readonly boolean[] };

/** Counts calls: each once, when it ends. */
export function createCallStatistics() {
  const tools = new Map<string, Counts>();
  return {
    add(name: string, { isError, isStopped, duration }: EndedCall): void {
      const so = tools.get(name) ?? { count: 0, failure: 0, averageDuration: 0, failuresInRow: 0, recent: [] };
      const count = so.count + 1;
      tools.set(name, {
        count,
        failure: so.failure + (isError ? 1 : 0),
        averageDuration: so.averageDuration + (duration - so.averageDuration) / count,
        failuresInRow: isStopped ? so.failuresInRow : isError ? so.failuresInRow + 1 : 0,
        recent: isStopped ? so.recent : [...so.recent, isError].slice(-mostRecent),
      });
    },
    /** Undefined where it was not called yet. */
    of(name: string): ToolStatistics | undefined {
      const counts = tools.get(name);
      if (counts === undefined) return undefined;
      const { recent, ...statistics } = counts;
      const failed = recent.filter((isError) => isError).length;
      const isFailing =
        statistics.failuresInRow >= failuresToTell || (recent.length >= fewestToJudge && failed > recent.length / 2);
      return { ...statistics, isFailing };
    },
  };
}
