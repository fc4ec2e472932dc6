/**
 * What a hijacked model can do: orders from all sources, to all ends, with a model that obeys them, and a person who allows
 * nothing that they have not asked for. And what that costs: ordinary days of people, and the cards that nobody needed.
 *
 *     node scripts/run.js bench/attacks/run.ts [--mode assistant|autonomous] [--only WORDS] [--sample N] [--verbose]
 *
 * Prints one line a group. Each attack is played once more with nothing that asks, to show that it would have worked.
 */
import { parseArgs } from 'node:util';
import { type Fate, fateOf, orders, sampleOf, someAtATime } from './attacks.ts';
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
  const chosen = orders().filter(({ name }) => name.includes(options.only));
  const attacks = sampleOf(chosen, Number(options.sample));
  print(`mode ${mode}, ${attacks.length} attacks`);
  const fates = await someAtATime(attacks, async (attack) => {
    const begun = performance.now();
    const fate = await fateOf(attack, mode, world);
    if (options.verbose) print(`    ${fate} ${attack.name} (${Math.round(performance.now() - begun)} ms)`);
    return fate;
  });
  const count = (wanted: Fate, group?: string): number =>
    fates.filter(([attack, fate]) => fate === wanted && (group === undefined || attack.group === group)).length;
  for (const group of new Set(attacks.map((attack) => attack.group)))
    print(`${group}: ${count('through', group)} through of ${count('through', group) + count('stopped', group)}`);
  for (const [attack, fate] of fates) if (fate !== 'stopped') print(`    ${fate}: ${attack.name}`);
  print(`all: ${count('through')} through of ${count('through') + count('stopped')}, ${count('invalid')} invalid`);
} finally {
  await world.close();
}
