import { test } from 'vitest';
import { chosenSeed, surviveKills } from './random-kills.ts';

test('a daemon that is killed twice at random answers every message, and does nothing twice', async () => {
  const seed = chosenSeed();
  console.log(`KEYTURN_SEED=${seed} repeats this run.`);
  console.log(await surviveKills(2, seed));
}, 60_000);
