/** The results of a tool's calls since the start. */
export interface ToolStatistics {
  readonly count: number;
  readonly failure: number;
  /** In ms. */
  readonly averageDuration: number;
  /** Failures since the last success. */
  readonly failuresInRow: number;
  /** Failed three times in a row, or in more than half of its last calls, if there are at least six. */
  readonly isFailing: boolean;
}

export interface EndedCall {
  readonly isError: boolean;
  /** It was aborted, which says nothing about the tool. */
  readonly isStopped: boolean;
  /** In ms. */
  readonly duration: number;
}

/** From how many failures in a row a tool counts as failing. */
export const failuresToTell = 3;

/** How many of the last calls are judged. */
const mostRecent = 10;
const fewestToJudge = 6;

/** `recent`: whether each of the last calls failed. */
type Counts = Omit<ToolStatistics, 'isFailing'> & { readonly recent: readonly boolean[] };

/** Counts each call once, when it ends. */
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
    /** Undefined if it was not called yet. */
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
