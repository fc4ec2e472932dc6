import { globSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { bundlesOfClone, isInUse, noteOfClone, type PackedFile } from '../src/bundle.js';
import { giveWay } from '../src/lib/give-way.ts';
import { replaceWhole } from '../src/lib/replace-whole.ts';
import { bundle, project } from './bundle.ts';

/**
 * Packs the program of this clone for its next starts: see `src/bundle.js`. What runs now keeps its own bundle, since each has a
 * folder of its own, which stays while its process runs; the note, which counts, is replaced at once, when all else is on the disk.
 */
const kept = join(project, bundlesOfClone);
/** Files do not tell changes apart that are less than this apart, in ms. */
const shortest = 1_000;
/** npm writes it with each change of the dependencies. */
const dependencies = 'node_modules/.package-lock.json';

giveWay();
if (statSync(join(project, dependencies), { throwIfNoEntry: false }) === undefined)
  process.stderr.write(
    `This clone is not packed, and starts from its sources: there is no ${dependencies}, so nobody would notice that a \
dependency has changed. npm writes it: npm ci, then npm run build.\n`,
  );
else await pack();

async function pack(): Promise<void> {
  mkdirSync(kept, { recursive: true });
  await setTimeout(shortest);
  const begun = Date.now();
  const name = `bundle-${begun}`;
  const before: ReadonlyMap<string, unknown> = new Map(
    [...sources(), dependencies].map((path) => [path.replaceAll(sep, '/'), stateOf(path)]),
  );
  const { paths, chunks } = await bundle({ into: join(kept, name), modules: project, ending: '.ts' });
  const files = [...paths, dependencies].map(stateOf);
  if (files.some((file) => file[3] > begun - shortest || !isDeepStrictEqual(file, before.get(file[0])))) {
    rmSync(join(kept, name), { recursive: true });
    process.stderr.write('A source was changed meanwhile: nothing was packed. Try again.\n');
    process.exitCode = 1;
    return;
  }
  // Whoever starts the daemon may be another user than the one who packs.
  await replaceWhole(join(kept, noteOfClone), JSON.stringify({ folder: name, chunks, files }), { newMode: 0o644 });
  removeOlder(name, begun);
}

function sources(): readonly string[] {
  return globSync(
    ['src', 'channels', 'packages/*/src'].map((folder) => `${folder}/**/*.{ts,js}`),
    { cwd: project },
  );
}

function stateOf(path: string): PackedFile {
  const { size, mtimeMs, ctimeMs } = statSync(join(project, path));
  return [path.replaceAll(sep, '/'), size, mtimeMs, ctimeMs];
}

/** What runs stays, and the two before: who may not write there leaves no sign. So do the parts of what another process packs now, for an hour. */
function removeOlder(name: string, begun: number): void {
  const made = readdirSync(kept).filter((each) => /^bundle-\d+$/.test(each) && each < name);
  const older = made
    .toSorted()
    .slice(0, -2)
    .filter((each) => !isInUse(join(kept, each)));
  const left = readdirSync(kept).filter(
    (each) => Number(/^bundle-(\d+)\.new-\d+$/.exec(each)?.[1]) < begun - 3_600_000,
  );
  for (const each of [...older, ...left]) rmSync(join(kept, each), { recursive: true, force: true });
}
