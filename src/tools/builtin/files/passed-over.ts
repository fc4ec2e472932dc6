import type { Glob } from './glob.ts';

/** Says which folders a walk does not look into: what tools made for themselves, and much of it. */
export const passedOverInWords = '.git, node_modules and .keyturn are passed over unless they are named';

/** Whether there can be anything in the folder that the pattern means. `way`: its names from where the walk began. */
export function mayHold(glob: Glob, way: readonly string[]): boolean {
  const name = way.at(-1) ?? '';
  return glob.mayMatchBelow(way) && (!passedOver.includes(name) || glob.names(name));
}

const passedOver = ['.git', 'node_modules', '.keyturn'];
