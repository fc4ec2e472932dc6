/**
 * The overhead of a tool call besides the tool and the model: validate, judge, journal, execute, journal. Prints the
 * time from the model's call of `echo` to the next request with its result, with a real database on this disk.
 *
 *     node bench/tool-overhead.ts [CALLS]
 */
import type { AnswerPart, LanguageModel } from '../src/models/language-model.ts';
import { report, withDaemon } from './bench-daemon.ts';

const calls = Number(process.argv[2] ?? 2000);
/** Per message: within the limits of a run. */
const callsOfRun = 100;

/** Calls `echo` this many times in sequence, and measures the time until the next request. */
function callingModel(measured: (duration: number) => void): LanguageModel {
  let made = 0;
  let answeredAt: number | undefined;
  return {
    label: 'bench',
    seesImages: false,
    async *stream() {
      if (answeredAt !== undefined) measured(performance.now() - answeredAt);
      answeredAt = undefined;
      const isLast = made === callsOfRun;
      made = isLast ? 0 : made + 1;
      const part: AnswerPart = isLast
        ? { type: 'text', text: 'done' }
        : { type: 'call', modelCallId: `m${made}`, name: 'echo', arguments: { message: `hello ${made}` } };
      if (!isLast) answeredAt = performance.now();
      yield { type: 'finish', answer: { parts: [part], usage: { inputTokens: 1, outputTokens: 1 } } };
    },
  };
}

report('echo, from answer to next request', (await durations()).slice(callsOfRun));

/** In ms, those of the first run too, which warms up. */
async function durations(): Promise<readonly number[]> {
  const took: number[] = [];
  const model = callingModel((duration) => took.push(duration));
  await withDaemon(model, { max_turns: callsOfRun + 1 }, async (channel) => {
    for (let run = 0; run <= calls / callsOfRun; run++) await channel.say(`${run}`);
  });
  return took;
}
