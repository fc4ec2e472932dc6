import { expect } from 'vitest';

/** How many times larger the large input is than the small one. Quadratic code takes 256 times as long for it. */
const ratio = 16;
/** How many times longer than linear code the work may take: memory, collections of garbage and a busy machine cost that at worst. */
const allowance = 4;
/** In milliseconds. What takes less is quick enough: systems count in ticks of up to 10 ms. */
const quick = 50;
const rounds = 5;

/**
 * Holds that the work takes time in proportion to its size. It compares the size with a sixteenth of it, by the time that
 * this thread keeps the processor, so that neither a slow machine nor a busy one can fail it. Take a size for which
 * quadratic code takes much longer than 50 ms.
 */
export async function expectLinear(work: (size: number) => unknown, size: number): Promise<void> {
  await expectAtMost(
    ratio * allowance,
    () => work(Math.ceil(size / ratio)),
    () => work(size),
  );
}

/**
 * Holds that the work keeps this thread's processor at most so many times as long as the usual work does: by the least of
 * each in some rounds.
 */
export async function expectAtMost(times: number, usual: () => unknown, work: () => unknown): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let took = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    took = Math.min(took, await processorTime(work, 1));
    if (took <= quick) return;
    least = Math.min(least, await processorTime(usual, ratio));
    if (took <= least * times) return;
  }
  expect.fail(`${took.toFixed(0)} ms are too long beside ${least.toFixed(2)} ms: at most ${times} times as long.`);
}

/** How long the work keeps the processor, in milliseconds: once, of so many times. */
async function processorTime(work: () => unknown, count: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let index = 0; index < count; index += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / count;
}
