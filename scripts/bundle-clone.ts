import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { bundlesOfClone, noteOfClone, type PackedFile } from '../src/bundle.js';
import { giveWay } from '../src/lib/give-way.ts';
import { bundle, project } from './bundle.ts';

/**
 * Packs the program of this clone for its next starts: see `src/bundle.js`. What runs now keeps its own bundle, since each has a
 * folder of its own; the note, which counts, is replaced at once.
 */
giveWay();
const kept = join(project, bundlesOfClone);
mkdirSync(kept, { recursive: true });
/** Files do not tell changes apart that are less than this apart, in ms. */
const shortest = 1_000;
await setTimeout(shortest);
const begun = Date.now();
const name = `bundle-${begun}`;
const dependencies = 'node_modules/.package-lock.json';
const sources = globSync(
  ['src', 'channels', 'packages/*/src'].map((folder) => `${folder}/**/*.{ts,js}`),
  { cwd: project },
);
const before: ReadonlyMap<string, unknown> = new Map(
  [...sources, dependencies].map((path) => [path.replaceAll(sep, '/'), stateOf(path)]),
);
const packed = await bundle({ into: join(kept, name), modules: project, ending: '.ts' });
const files = [...packed, dependencies].map(stateOf);
if (files.some((file) => file[3] > begun - shortest || !isDeepStrictEqual(file, before.get(file[0])))) {
  rmSync(join(kept, name), { recursive: true });
  process.stderr.write('A source was changed meanwhile: nothing was packed. Try again.\n');
  process.exitCode = 1;
} else {
  const draft = join(kept, `${noteOfClone}.${process.pid}`);
  writeFileSync(draft, JSON.stringify({ folder: name, files }));
  renameSync(draft, join(kept, noteOfClone));
  removeOlder();
}

function stateOf(path: string): PackedFile {
  const { size, mtimeMs, ctimeMs } = statSync(join(project, path));
  return [path.replaceAll(sep, '/'), size, mtimeMs, ctimeMs];
}

/** What may still run stays: the two before. So do the parts of what another process packs now, for an hour. */
function removeOlder(): void {
  const made = readdirSync(kept).filter((each) => /^bundle-\d+$/.test(each) && each < name);
  const left = readdirSync(kept).filter(
    (each) => Number(/^bundle-(\d+)\.new-\d+$/.exec(each)?.[1]) < begun - 3_600_000,
  );
  for (const each of [...made.toSorted().slice(0, -2), ...left])
    rmSync(join(kept, each), { recursive: true, force: true });
}
