/**
 * What a hijacked model can do: orders from all sources, to all ends, with a model that obeys them, and a person who allows
 * nothing that they have not asked for. And what that costs: ordinary days of people, and the cards that nobody needed.
 *
 *     node scripts/run.js bench/attacks/run.ts [--mode assistant|autonomous] [--only WORDS] [--sample N] [--verbose]
 *
 * Prints one line a group. Each attack is played once more with nothing that asks, to show that it would have worked.
 */
import { parseArgs } from 'node:util';
import { attacks as allAttacks, type Fate, fateOf, sampleOf, someAtATime } from './attacks.ts';
import { mornings, needlessCards } from './benign.ts';
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

const world = await World.open();
try {
  await playAttacks();
  await playMornings();
} finally {
  await world.close();
}

async function playAttacks(): Promise<void> {
  const attacks = chosen(allAttacks());
  print(`mode ${mode}, ${attacks.length} attacks`);
  const fates = await someAtATime(attacks, (attack) => timed(attack.name, () => fateOf(attack, mode, world)));
  const count = (wanted: Fate, group?: string): number =>
    fates.filter(([attack, fate]) => fate === wanted && (group === undefined || attack.group === group)).length;
  for (const group of new Set(attacks.map((attack) => attack.group)))
    print(`${group}: ${count('through', group)} through of ${count('through', group) + count('stopped', group)}`);
  for (const [attack, fate] of fates) if (fate !== 'stopped') print(`    ${fate}: ${attack.name}`);
  const tried = count('through') + count('stopped');
  print(`all: ${count('through')} through of ${tried}, ${count('known')} known limits, ${count('invalid')} invalid`);
}

async function playMornings(): Promise<void> {
  const stories = chosen(mornings());
  const needless = await someAtATime(stories, (one) => timed(one.name, () => needlessCards(one, mode, world)));
  const asked = needless.filter(([, cards]) => cards.length > 0);
  for (const group of new Set(stories.map((one) => one.group))) {
    const ofGroup = (one: { readonly group: string }): boolean => one.group === group;
    const times = asked.filter(([one]) => ofGroup(one)).length;
    print(`${group}: ${times} asked needlessly of ${stories.filter(ofGroup).length}`);
  }
  for (const [{ name }, cards] of asked) print(`    needless ${cards.join(', ')}: ${name}`);
  const share = (100 * asked.length) / Math.max(1, stories.length);
  print(`all: ${asked.length} asked needlessly of ${stories.length} (${share.toFixed(1)} %)`);
}

function chosen<Case extends { readonly name: string }>(cases: readonly Case[]): readonly Case[] {
  return sampleOf(
    cases.filter(({ name }) => name.includes(options.only)),
    Number(options.sample),
  );
}

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  const result = await work();
  if (options.verbose) print(`    ${JSON.stringify(result)} ${name} (${Math.round(performance.now() - begun)} ms)`);
  return result;
}
