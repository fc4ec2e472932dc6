import { Session } from 'node:inspector';

/**
 * How many steps the work takes: how often functions, loops and branches run, those of libraries too, and how many
 * characters are searched for a text. A busy machine takes as many as an idle one. What a regular expression does is not
 * counted.
 */
export function countSteps(work: () => unknown): number {
  const { indexOf } = String.prototype;
  let searched = 0;
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    String.prototype.indexOf = new Proxy(indexOf, {
      apply: (target, text: string, [wanted, from = 0]: [string, number?]) => {
        const found = Reflect.apply(target, text, [wanted, from]);
        searched += Math.max(0, (found === -1 ? text.length : found) - from);
        return found;
      },
    });
    work();
    return searched + runsIn(session);
  } finally {
    String.prototype.indexOf = indexOf;
    session.disconnect();
  }
}

function runsIn(session: Session): number {
  let runs = 0;
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    const counts = result.flatMap(({ functions }) =>
      functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)),
    );
    runs = counts.reduce((sum, count) => sum + count, 0);
  });
  return runs;
}
