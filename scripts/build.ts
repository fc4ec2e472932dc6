import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, project } from './bundle.ts';

/**
 * Builds the package into `dist` as JavaScript, since Node strips no types below `node_modules`. For Node 22.19+. And packs the
 * program, for the package and for this clone: see `src/bundle.js`.
 */
const inProject = (path: string): string => join(project, path);

rmSync(inProject('dist'), { recursive: true, force: true });
execFileSync(process.execPath, [inProject('node_modules/typescript/bin/tsc'), '-p', inProject('tsconfig.build.json')], {
  stdio: 'inherit',
});
for (const name of ['start.js', 'find-node.js', 'bundle.js'])
  copyFileSync(inProject(`src/${name}`), inProject(`dist/src/${name}`));
await bundle({ into: inProject('dist/bundle'), modules: inProject('dist'), ending: '.js' });
execFileSync(process.execPath, [inProject('scripts/bundle-clone.ts')], { stdio: 'inherit' });
