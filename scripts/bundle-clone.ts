import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bundlesOfClone, noteOfClone, type PackedFile } from '../src/bundle.js';
import { bundle, project } from './bundle.ts';

/**
 * Packs the program of this clone for its next starts: see `src/bundle.js`. What runs now keeps its own bundle, since each has a
 * folder of its own; the note, which counts, is replaced at once.
 */
const kept = join(project, bundlesOfClone);
mkdirSync(kept, { recursive: true });
/** Files do not tell changes apart that are less than this apart, in ms. */
const shortest = 1_000;
await setTimeout(shortest);
const begun = Date.now();
const name = `bundle-${begun}`;
const into = join(kept, name);
const paths = [...(await bundle({ into, modules: project, ending: '.ts' })), 'node_modules/.package-lock.json'];
const files = paths.map(stateOf);
if (files.some(([, , , changed]) => changed > begun - shortest)) {
  rmSync(into, { recursive: true });
  process.stderr.write('A source was changed meanwhile: nothing was packed. Try again.\n');
  process.exitCode = 1;
} else {
  const draft = join(kept, `${noteOfClone}.${process.pid}`);
  writeFileSync(draft, JSON.stringify({ folder: name, files }));
  renameSync(draft, join(kept, noteOfClone));
  const older = readdirSync(kept)
    .filter((each) => /^bundle-\d+$/.test(each) && each < name)
    .toSorted();
  for (const each of older.slice(0, -1)) rmSync(join(kept, each), { recursive: true, force: true });
}

function stateOf(path: string): PackedFile {
  const { size, mtimeMs, ctimeMs } = statSync(join(project, path));
  return [path, size, mtimeMs, ctimeMs];
}
