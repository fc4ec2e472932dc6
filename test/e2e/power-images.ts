import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DiskImage, type Failure, PlayedDisk } from '../support/power/disk.ts';
import { SeededRandom } from '../support/random.ts';
import { type Promised, Promises } from './power-promises.ts';
import type { Storm } from './power-storm.ts';

/** What a power failure at a moment of a storm left. */
export interface Crash {
  /** The moment, and how it failed. */
  readonly what: string;
  readonly image: DiskImage;
  readonly promised: Promised;
}

/** So many power failures at moments that follow from the seed, in their order. Those that leave the same come once. */
export function* crashesOf(storm: Storm, { count, seed }: { readonly count: number; readonly seed: number }) {
  const random = new SeededRandom(seed);
  const disk = new PlayedDisk(storm.dataFolder, storm.recorded);
  const promises = new Promises(storm);
  const seen = new Set<string>();
  for (const place of momentsOf(storm, count, random)) {
    disk.playTo(place);
    const promised = promises.until(place);
    const failure = failureOf(random);
    const image = withLostIndex(disk.fail(failure, random), random);
    const key = digestOf(image, promised);
    if (seen.has(key)) continue;
    seen.add(key);
    const crash: Crash = { what: `at ${place} with ${JSON.stringify(failure)}`, image, promised };
    yield crash;
  }
}

/** What a power failure left of a folder in which something was done. */
export interface Remains {
  /** The moment, and how it failed. */
  readonly what: string;
  readonly place: number;
  readonly image: DiskImage;
}

/** The same of anything that was recorded in a folder with this content. */
export function* remainsOf(
  { folder, recorded, there }: Deeds,
  { count, seed }: { readonly count: number; readonly seed: number },
) {
  const random = new SeededRandom(seed);
  const disk = new PlayedDisk(folder, recorded, there);
  const seen = new Set<string>();
  const moments = momentsOf({ recorded, dataFolder: folder }, count, random);
  // Last, when all is over, only what was synced is left: what was told has to be among it.
  for (const place of [...moments, Number.POSITIVE_INFINITY]) {
    disk.playTo(place);
    const isLast = place === Number.POSITIVE_INFINITY;
    const failure = isLast ? worst : failureOf(random);
    const image = withLostIndex(disk.fail(failure, random), random);
    const key = digestOf(image, nothing);
    // More was told by then.
    if (seen.has(key) && !isLast) continue;
    seen.add(key);
    const remains: Remains = { what: `at ${place} with ${JSON.stringify(failure)}`, place, image };
    yield remains;
  }
}

const worst: Failure = { hasJournal: false, names: 'none', arrival: { type: 'none' } };
const nothing: Promised = { done: [], effects: new Set(), removed: new Set() };

/** What was done in a folder, and what stood there before. */
export interface Deeds {
  readonly folder: string;
  readonly recorded: Storm['recorded'];
  readonly there: DiskImage;
}

/** What stands in a folder, and the folder itself. */
export function contentOf(folder: string): DiskImage {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const found = entries.map((entry): [string, Buffer | 'folder'] => {
    const path = join(entry.parentPath, entry.name);
    return [path, entry.isDirectory() ? 'folder' : readFileSync(path)];
  });
  return new Map([[folder, 'folder'], ...found]);
}

/** A third of them at any moment; the others about a deed of any kind, so that rare ones are met as often as commits. */
function momentsOf(
  { recorded, dataFolder }: Pick<Storm, 'recorded' | 'dataFolder'>,
  count: number,
  random: SeededRandom,
): readonly number[] {
  const own = recorded.flatMap(({ deed, began }) =>
    deed.type !== 'told' && deed.path.startsWith(dataFolder) ? [{ kind: kindOf(deed, dataFolder), began }] : [],
  );
  const alike = [...Map.groupBy(own, ({ kind }) => kind).values()];
  return Array.from({ length: count }, (_, index) => {
    const among = index % 3 === 0 ? own : (alike[random.integer(0, alike.length - 1)] ?? []);
    const began = among[random.integer(0, among.length - 1)]?.began ?? 0;
    return began + random.integer(0, 4);
  }).toSorted((one, other) => one - other);
}

/** What is done to what, without names that are made by chance. */
function kindOf({ type, path }: { readonly type: string; readonly path: string }, dataFolder: string): string {
  return `${type} ${path.slice(dataFolder.length).replaceAll(/[\w-]{8,}|[\da-f]{2}(?=\/)/g, '…')}`;
}

/** How the power fails, and what of that is left to chance. */
export function failureOf(random: SeededRandom): Failure {
  const hasJournal = random.chance(0.5);
  const arrivals: readonly [Failure['arrival'], ...Failure['arrival'][]] = [
    { type: 'none' },
    { type: 'all' },
    { type: 'first' },
    { type: 'some' },
    { type: 'length' },
    { type: 'torn', sector: 512 },
    { type: 'torn', sector: 4096 },
  ];
  return {
    hasJournal,
    // Names are lost from the end. Lost out of order, without a journal, SQLite's own files may not fit each other (0166).
    names: random.pick(['none', 'all', 'first', 'first']),
    arrival: random.pick(arrivals),
  };
}

/** SQLite's index of the log is shared memory, which nobody records: anything may stand there. */
function withLostIndex(image: DiskImage, random: SeededRandom): DiskImage {
  const isGarbage = random.chance(0.5);
  return new Map(
    [...image].map(([path, found]) => {
      if (found === 'folder' || !path.endsWith('-shm')) return [path, found];
      return [path, Buffer.from(found).fill(isGarbage ? 0xa5 : 0)];
    }),
  );
}

function digestOf(image: DiskImage, { done, effects }: Promised): string {
  const sum = createHash('sha256').update(JSON.stringify([done.map(({ length }) => length), effects.size]));
  for (const [path, found] of [...image].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    sum.update(`\0${path}\0`).update(found);
  return sum.digest('hex');
}

/** Puts the image on a real disk while the work goes on: it is told where the data folder is. */
export async function onDisk<Result>(
  { image }: Pick<Crash, 'image'>,
  dataFolder: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), 'keyturn-image-'));
  try {
    for (const [path, found] of [...image].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const place = join(home, 'data', path.slice(dataFolder.length));
      if (found === 'folder') mkdirSync(place, { mode: 0o700 });
      else writeFileSync(place, found, { mode: 0o600 });
    }
    return await work(join(home, 'data'));
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
