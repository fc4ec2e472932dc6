import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PlayedDisk } from '../support/power/disk.ts';
import { isThorough } from '../support/thorough.ts';
import { type Crash, crashesOf, onDisk } from './power-images.ts';
import { brokenPromises } from './power-promises.ts';
import { doneTwice } from './power-restart.ts';
import { recordStorm, type Storm } from './power-storm.ts';

/** So many moments of a storm, each with one of the many states that a disk may have then. */
const count = isThorough ? 450 : 30;
/** The whole daemon starts with each so-many-th of what is left; all others are opened as it opens them. */
const startsAmong = isThorough ? 90 : Number.POSITIVE_INFINITY;

test('whatever a power failure leaves, Keyturn starts with all that it has promised', async () => {
  const seed = Number(process.env.KEYTURN_SEED ?? (isThorough ? Date.now() % 100_000 : 4711));
  console.log(`KEYTURN_SEED=${seed} repeats this storm and its power failures.`);
  await recordStorm({ people: 4, tasks: isThorough ? 6 : 3, isWhole: isThorough, seed }, async (storm) => {
    // Nothing is missing in the recording: played to its end, it is what stands on the disk.
    expect(differing(storm)).toEqual([]);
    const broken: string[] = [];
    let images = 0;
    for (const crash of crashesOf(storm, { count, seed })) {
      images += 1;
      const found = await faultsAfter(crash, storm, images % startsAmong === 0).catch((error) => [String(error)]);
      if (found.length > 0) console.log(crash.what, found.join('\n').slice(0, 6000));
      broken.push(...found.map((fault) => `${crash.what}: ${fault}`));
    }
    console.log(`${images} of ${count} power failures left something of its own.`);
    expect(broken).toEqual([]);
    expect(images).toBeGreaterThan(count * 0.7);
  });
});

function faultsAfter(crash: Crash, storm: Storm, isToStart: boolean): Promise<readonly string[]> {
  return onDisk(crash, storm.dataFolder, async (folder) => {
    const twice = isToStart ? await doneTwice(storm, folder, crash.promised) : [];
    return [...(await brokenPromises(folder, crash.promised)), ...twice.map((task) => `${task} was done twice`)];
  });
}

/** Files that do not have what the recording has. */
function differing({ dataFolder, recorded }: Storm): readonly string[] {
  const disk = new PlayedDisk(dataFolder, recorded);
  disk.playTo(Number.POSITIVE_INFINITY);
  const played = disk.content();
  return readdirSync(dataFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const found = played.get(path);
      return found === undefined || found === 'folder' || !found.equals(readFileSync(path));
    });
}
