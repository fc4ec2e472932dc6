#!/usr/bin/env node
// @ts-check
// Where the program of the package begins. `npm run pack` puts the built code into it. `npm pack` alone cannot: the project forbids
// lifecycle scripts, so that none of a dependency runs. Such a package has the sources, and builds itself here, once.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { explainMissingNode, findNode } from './find-node.js';

const built = new URL('../dist/src/start.js', import.meta.url);

if (existsSync(built) || build()) await import(built.href);
else process.exitCode = 1;

/** Whether it is built now. Says why if not. */
function build() {
  const node = findNode({ isBuilt: false });
  if (node === undefined) {
    process.stderr.write(explainMissingNode({ isBuilt: false }));
    return false;
  }
  const script = fileURLToPath(new URL('./strip-types.js', import.meta.url));
  const { status } = spawnSync(node, ['--no-warnings', script], { stdio: ['ignore', 'ignore', 'inherit'] });
  return status === 0;
}
