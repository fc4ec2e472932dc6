/**
 * What people wait for besides the model, where the model takes time as real ones do. First one person, who writes a
 * while after each answer; then a closed loop: many people at once, who each write as soon as they are answered. Prints how
 * long each answer took beyond the model's own time, and the messages per second of the loop.
 *
 *     node bench/quick-replies.ts [THINK PAUSE]        (in ms: 500 and 700)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModel } from '../src/models/language-model.ts';
import { type BenchChannel, report, withDaemon } from './bench-daemon.ts';

const think = Number(process.argv[2] ?? 500);
const pause = Number(process.argv[3] ?? 700);
const replies = 12;
const people = 100;
const rounds = 5;

/** Answers after this time, in ms. */
function thinkingModel(): LanguageModel {
  return {
    label: 'bench',
    seesImages: false,
    async *stream({ signal }) {
      await sleep(think, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      yield { type: 'text', delta: 'answered' };
      const usage = { inputTokens: 1, outputTokens: 1 };
      yield { type: 'finish', answer: { parts: [{ type: 'text', text: 'answered' }], usage } };
    },
  };
}

async function quickReplies(channel: BenchChannel): Promise<void> {
  const took: number[] = [];
  for (let reply = 0; reply <= replies; reply += 1) {
    took.push((await channel.ask(`reply ${reply}`, 'ada')) - think);
    await sleep(pause);
  }
  // The first one warms up.
  report(`written ${pause} ms after the answer, beyond the model's ${think} ms`, took.slice(1));
}

async function closedLoop(channel: BenchChannel): Promise<void> {
  const took: number[] = [];
  const begunAt = performance.now();
  const talks = Array.from({ length: people }, async (_, index) => {
    for (let round = 0; round < rounds; round += 1)
      took.push((await channel.ask(`round ${round}`, `person${index}`)) - think);
  });
  await Promise.all(talks);
  const seconds = (performance.now() - begunAt) / 1000;
  report(`written at once by each of ${people} people, beyond the model's ${think} ms`, took);
  process.stdout.write(`in this loop: ${(took.length / seconds).toFixed(0)} messages a second\n`);
}

await withDaemon(thinkingModel(), {}, async (channel) => {
  await quickReplies(channel);
  await closedLoop(channel);
});
