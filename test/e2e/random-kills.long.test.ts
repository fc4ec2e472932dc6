import { test } from 'vitest';
import { type Storm, surviveKills } from './random-kills.ts';

/** `KEYTURN_STORMS=all` runs five storms of 200 kills on three platforms, one after the other. */
const five = [
  { platform: 'telegram', kills: 200, seed: 101 },
  { platform: 'slack', kills: 200, seed: 202 },
  { platform: 'slack', kills: 200, seed: 303 },
  { platform: 'discord', kills: 200, seed: 404 },
  { platform: 'discord', kills: 200, seed: 505 },
] as const;

/** Other moments each time, unless KEYTURN_SEED names them. */
const seed = Number(process.env.KEYTURN_SEED ?? Math.floor(Math.random() * 1e9));
const three = [
  { platform: 'telegram', kills: 100, seed },
  { platform: 'slack', kills: 40, seed },
  { platform: 'discord', kills: 40, seed },
] as const;

const name =
  'a daemon on $platform that is killed $kills times at random answers every message, and does nothing twice';

async function survive(storm: Storm): Promise<void> {
  console.log(await surviveKills(storm));
}

/** A hundred starts beside all other tests take eleven minutes on two cores. In ms. */
const longest = 2_400_000;

// Beside each other: most of a lull is waiting.
if (process.env.KEYTURN_STORMS === 'all') test.each(five)(`${name} (seed $seed)`, survive, longest);
else test.concurrent.each(three)(name, survive, longest);
