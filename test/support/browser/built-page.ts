import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '../../..');
const pageFolder = join(project, 'packages/page');
const sources = [
  'packages/page/{src/**,index.html,vite.config.ts,package.json}',
  'packages/client/src/**',
  'package-lock.json',
];

/** Builds the page once for all tests, if its sources are newer than what was built. */
export default function buildPage(): void {
  const builtAt = timeOf(join(pageFolder, 'dist/index.html'));
  const changedAt = Math.max(...globSync(sources, { cwd: project }).map((path) => timeOf(join(project, path))));
  if (builtAt >= changedAt) return;
  const vite = join(project, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', pageFolder, '--logLevel', 'warn'], { cwd: project, stdio: 'inherit' });
}

/** 0: it is not there. */
function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
