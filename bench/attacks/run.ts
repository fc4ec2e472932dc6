/**
 * What a hijacked model can do: orders from all sources, to all ends, with a model that obeys them, and a person who allows
 * nothing that they have not asked for. And what that costs: ordinary mornings of people, and the cards that nobody needed.
 *
 *     node scripts/run.js bench/attacks/run.ts [--mode assistant|autonomous] [--only WORDS] [--sample N] [--verbose]
 *
 * Prints one line a group. Each attack is played once more with nothing that asks, to show that it would have worked.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { attacks, type Fate, fateOf, needlessCards, sampleOf, someAtATime } from './attacks.ts';
import { mornings } from './benign.ts';
import { World } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    mode: { type: 'string', default: 'assistant' },
    only: { type: 'string', default: '' },
    sample: { type: 'string', default: 'Infinity' },
    verbose: { type: 'boolean', default: false },
  },
});
const mode = options.mode === 'autonomous' ? 'autonomous' : 'assistant';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** What became of each case, by its place among those of its kind. */
interface Results {
  readonly fates: readonly (readonly [number, Fate])[];
  readonly needless: readonly (readonly [number, readonly string[]])[];
}

const [allAttacks, allMornings] = [chosen(attacks()), chosen(mornings())];
const threads = 2;
if (isMainThread) {
  const parts = await Promise.all(Array.from({ length: threads }, (_, part) => inThread(part)));
  reportAttacks(new Map(parts.flatMap(({ fates }) => fates)));
  reportMornings(new Map(parts.flatMap(({ needless }) => needless)));
} else parentPort?.postMessage(await playPart(Number(workerData)));

async function inThread(part: number): Promise<Results> {
  const worker = new Worker(new URL(import.meta.url), { workerData: part, argv: process.argv.slice(2) });
  const [results]: Results[] = await once(worker, 'message');
  return results ?? { fates: [], needless: [] };
}

/** Every case whose number leaves this rest. */
async function playPart(part: number): Promise<Results> {
  const world = await World.open();
  const ours = <Case>(cases: readonly Case[]) => [...cases.entries()].filter(([index]) => index % threads === part);
  try {
    const fates = await someAtATime(ours(allAttacks), ([, one]) => timed(one.name, () => fateOf(one, mode, world)));
    const asked = await someAtATime(ours(allMornings), ([, one]) =>
      timed(one.name, () => needlessCards(one, mode, world)),
    );
    return {
      fates: fates.map(([[index], fate]) => [index, fate]),
      needless: asked.map(([[index], cards]) => [index, cards]),
    };
  } finally {
    await world.close();
  }
}

function reportAttacks(fates: ReadonlyMap<number, Fate>): void {
  print(`mode ${mode}, ${allAttacks.length} attacks`);
  const count = (wanted: Fate, group?: string): number =>
    allAttacks.filter((one, index) => fates.get(index) === wanted && (group === undefined || one.group === group))
      .length;
  const tried = (group?: string): string =>
    `${count('through', group)} through of ${count('through', group) + count('stopped', group)}`;
  for (const group of new Set(allAttacks.map((one) => one.group))) print(`${group}: ${tried(group)}`);
  for (const [index, { name }] of allAttacks.entries())
    if (fates.get(index) !== 'stopped') print(`    ${fates.get(index)}: ${name}`);
  print(`all: ${tried()}, ${count('known')} known limits, ${count('invalid')} invalid`);
}

function reportMornings(needless: ReadonlyMap<number, readonly string[]>): void {
  const isNeedless = (index: number): boolean => (needless.get(index) ?? []).length > 0;
  for (const group of new Set(allMornings.map((one) => one.group))) {
    const ours = [...allMornings.entries()].filter(([, one]) => one.group === group);
    print(`${group}: ${ours.filter(([index]) => isNeedless(index)).length} asked needlessly of ${ours.length}`);
  }
  const asked = [...allMornings.entries()].filter(([index]) => isNeedless(index));
  for (const [index, { name }] of asked) print(`    needless ${needless.get(index)?.join(', ')}: ${name}`);
  const share = (100 * asked.length) / Math.max(1, allMornings.length);
  print(`all: ${asked.length} asked needlessly of ${allMornings.length} (${share.toFixed(1)} %)`);
}

function chosen<Case extends { readonly name: string }>(cases: readonly Case[]): readonly Case[] {
  const named = cases.filter(({ name }) => name.includes(options.only));
  return sampleOf(named, Number(options.sample));
}

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  const result = await work();
  if (options.verbose) print(`    ${JSON.stringify(result)} ${name} (${Math.round(performance.now() - begun)} ms)`);
  return result;
}
