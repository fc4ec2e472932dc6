// @ts-check
// Makes the JavaScript of a package that was packed without it: Node strips no types below node_modules. It needs Node 24, as what
// it makes does; `npm run pack` makes what older ones run, too.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const sources = ['src/**/*.{ts,js}', 'channels/**/*.{ts,js}', 'packages/fakes/src/**/*.ts'];
const target = join(project, 'dist');
/** Another start may do the same now: each makes its own, and the first one counts. */
const draft = join(project, `dist.new-${process.pid}`);

try {
  for (const path of globSync(sources, { cwd: project })) {
    const made = join(draft, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(made), { recursive: true });
    if (path.endsWith('.ts')) writeFileSync(made, javaScriptOf(readFileSync(join(project, path), 'utf8')));
    else cpSync(join(project, path), made);
  }
  if (!existsSync(target)) renameSync(draft, target);
} catch (error) {
  if (!existsSync(target)) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`This package has no built code, and it cannot be built here: ${reason}
Start it once as the user to whom ${project} belongs, or pack it with: npm run pack\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(draft, { recursive: true, force: true });
}

/** Imports name the files that are made. @param {string} text */
function javaScriptOf(text) {
  return stripTypeScriptTypes(text).replace(/((?:\bfrom|\bimport)\s*\(?\s*(['"])\.{1,2}\/[^'"\n]+)\.ts\2/g, '$1.js$2');
}
