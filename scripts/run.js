#!/usr/bin/env node
// @ts-check
// Runs a program of the dependencies, or a file, with the Node version that Keyturn needs, whatever Node runs npm:
//   node scripts/run.js vitest run
// npm before 11 does not link the Node of a platform package.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainMissingNode, findNode } from '../src/find-node.js';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
/** @type {Readonly<Record<string, string>>} */
const packages = { biome: '@biomejs/biome', knip: 'knip', tsc: 'typescript', vite: 'vite', vitest: 'vitest' };

const [name = '', ...args] = process.argv.slice(2);
const node = findNode({ isBuilt: false });
if (node === undefined) {
  process.stderr.write(explainMissingNode({ isBuilt: false }));
  process.exit(1);
}
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
const child = spawn(node, [programOf(name), ...args], { stdio: 'inherit', env });
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));

/** @param {string} name */
function programOf(name) {
  const found = packages[name];
  if (found === undefined) return name;
  const { bin } = JSON.parse(readFileSync(join(modules, found, 'package.json'), 'utf8'));
  return join(modules, found, typeof bin === 'string' ? bin : bin[name]);
}
