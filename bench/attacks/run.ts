/**
 * Measures what a hijacked model can do: orders from all sources to all sinks, with a model that obeys them and a
 * person who allows only what they asked for. And the cost of the rules: needless cards in everyday use.
 *
 *     node scripts/run.js bench/attacks/run.ts [--mode assistant|autonomous|both|turns] [--only WORDS] [--sample N]
 *                                              [--verbose]
 *
 * Prints one line per group. Each attack also runs without any rule, to show that it would work. `turns`: alternates
 * the modes from case to case; cases in which people give a permission run in both.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { attacks, type Fate, fatesOf, needlessCards, sampleOf, someAtATime } from './attacks.ts';
import { mornings } from './benign.ts';
import { type Mode, World } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    mode: { type: 'string', default: 'both' },
    only: { type: 'string', default: '' },
    sample: { type: 'string', default: 'Infinity' },
    verbose: { type: 'boolean', default: false },
  },
});
const modes: readonly Mode[] =
  options.mode === 'assistant' || options.mode === 'autonomous' ? [options.mode] : ['assistant', 'autonomous'];
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The result of a case, by the modes it ran in. */
type InModes<Result> = Partial<Record<Mode, Result>>;

/** By the index of the case. */
interface Results {
  readonly fates: readonly (readonly [number, InModes<Fate>])[];
  readonly needless: readonly (readonly [number, InModes<readonly string[]>])[];
}

const [allAttacks, allMornings] = [chosen(attacks()), chosen(mornings())];
/** Starting a thread takes as long as some cases. */
const threads = allAttacks.length + allMornings.length > 10 ? 2 : 1;
if (isMainThread) {
  const parts = threads === 1 ? [await playPart(0)] : await Promise.all([inThread(0), inThread(1)]);
  const fates = new Map(parts.flatMap((part) => part.fates));
  const needless = new Map(parts.flatMap((part) => part.needless));
  for (const mode of modes) {
    reportAttacks(
      mode,
      allAttacks.map((_, index) => fates.get(index)?.[mode]),
    );
    reportMornings(allMornings.map((_, index) => needless.get(index)?.[mode]));
  }
} else parentPort?.postMessage(await playPart(Number(workerData)));

async function inThread(part: number): Promise<Results> {
  const worker = new Worker(new URL(import.meta.url), { workerData: part, argv: process.argv.slice(2) });
  const [results]: Results[] = await once(worker, 'message');
  return results ?? { fates: [], needless: [] };
}

/** Runs the cases with this index modulo the number of threads. */
async function playPart(part: number): Promise<Results> {
  const world = await World.open();
  const ours = <Case>(cases: readonly Case[]) => [...cases.entries()].filter(([index]) => index % threads === part);
  try {
    const fates = await someAtATime(ours(allAttacks), (one) =>
      timed(one, async (itsModes) => inModes(itsModes, await fatesOf(one[1], itsModes, world))),
    );
    const asked = await someAtATime(ours(allMornings), (one) =>
      timed(one, async (itsModes) => {
        const cards: (readonly string[])[] = [];
        for (const mode of itsModes) cards.push(await needlessCards(one[1], mode, world));
        return inModes(itsModes, cards);
      }),
    );
    return {
      fates: fates.map(([[index], each]) => [index, each]),
      needless: asked.map(([[index], cards]) => [index, cards]),
    };
  } finally {
    await world.close();
  }
}

function inModes<Result>(itsModes: readonly Mode[], results: readonly Result[]): InModes<Result> {
  return Object.fromEntries(itsModes.map((mode, at) => [mode, results[at]]));
}

function reportAttacks(mode: Mode, fates: readonly (Fate | undefined)[]): void {
  print(`mode ${mode}, ${fates.filter((fate) => fate !== undefined).length} attacks`);
  const count = (wanted: Fate, group?: string): number =>
    allAttacks.filter((one, index) => fates[index] === wanted && (group === undefined || one.group === group)).length;
  const tried = (group?: string): string =>
    `${count('through', group)} through of ${count('through', group) + count('stopped', group)}`;
  for (const group of new Set(allAttacks.map((one) => one.group))) print(`${group}: ${tried(group)}`);
  for (const [index, { name }] of allAttacks.entries())
    if ((fates[index] ?? 'stopped') !== 'stopped') print(`    ${fates[index]}: ${name}`);
  print(`all: ${tried()}, ${count('known')} known limits, ${count('invalid')} invalid`);
}

function reportMornings(needless: readonly (readonly string[] | undefined)[]): void {
  const played = allMornings.flatMap(({ group, name }, index) => {
    const cards = needless[index];
    return cards === undefined ? [] : [{ group, name, cards }];
  });
  const asked = played.filter(({ cards }) => cards.length > 0);
  for (const group of new Set(played.map((one) => one.group))) {
    const ours = (one: { readonly group: string }): boolean => one.group === group;
    print(`${group}: ${asked.filter(ours).length} asked needlessly of ${played.filter(ours).length}`);
  }
  for (const { name, cards } of asked) print(`    needless ${cards.join(', ')}: ${name}`);
  const share = (100 * asked.length) / Math.max(1, played.length);
  print(`all: ${asked.length} asked needlessly of ${played.length} (${share.toFixed(1)} %)`);
}

function chosen<Case extends { readonly name: string }>(cases: readonly Case[]): readonly Case[] {
  const named = cases.filter(({ name }) => name.includes(options.only));
  return sampleOf(named, Number(options.sample));
}

async function timed<Result>(
  [index, { name, group }]: readonly [number, { readonly name: string; readonly group: string }],
  work: (itsModes: readonly Mode[]) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const isInBoth = options.mode !== 'turns' || group === 'laundering';
  // In pairs, since the threads alternate too.
  const result = await work(isInBoth ? modes : modes.filter((_, at) => at === (index >> 1) % 2));
  if (options.verbose) print(`    ${JSON.stringify(result)} ${name} (${Math.round(performance.now() - begun)} ms)`);
  return result;
}
