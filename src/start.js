#!/usr/bin/env node
// @ts-check
// Where Keyturn begins, in JavaScript that any Node reads: it finds a Node that will do, and goes on in that one. It also switches
// on the cache of compiled code before any TypeScript is loaded: else Node would load its type stripper, which takes 40 ms and 9 MB.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findBundle, leaveSign, nameSources } from './bundle.js';
import { explainMissingNode, findNode, missingFixes, sparingOptions, sparingVariables } from './find-node.js';

/** Names the descriptor of a pipe that closes when the process that started this one is gone. */
const starterPipe = 'KEYTURN_STARTER_PIPE';
const isBuilt = !existsSync(new URL('./main.ts', import.meta.url));
const node = findNode({ isBuilt });

if (node === undefined) {
  process.stderr.write(explainMissingNode({ isBuilt }));
  process.exit(1);
} else if (node === process.execPath) {
  await start();
} else {
  startWith(node);
}

async function start() {
  const pipe = process.env[starterPipe];
  delete process.env[starterPipe];
  const missing = missingFixes(process.versions.node);
  if (missing !== undefined) process.stderr.write(`Warning: ${missing}\n`);
  if (pipe !== undefined) await endWithStarter(Number(pipe));
  const { folder: bundle } = findBundle({ isBuilt });
  // Beside the code, not in the shared temporary folder, where others could put code of theirs.
  nodeModule.enableCompileCache?.(
    bundle === undefined
      ? fileURLToPath(new URL('../node_modules/.cache/keyturn', import.meta.url))
      : join(bundle, 'cache'),
  );
  if (!isBuilt) hideStrippingWarning();
  if (bundle === undefined) return await import(isBuilt ? './main.js' : './main.ts');
  nameSources(bundle);
  if (!isBuilt) leaveSign(bundle);
  await import(pathToFileURL(join(bundle, 'main.mjs')).href);
}

/** Node before 24.3 calls type stripping experimental at each start. */
function hideStrippingWarning() {
  const warn = process.emitWarning;
  process.emitWarning = (/** @type {unknown[]} */ ...warning) => {
    if (!/^(?:Type Stripping|stripTypeScriptTypes)/.test(String(warning[0]))) Reflect.apply(warn, process, warning);
  };
}

/**
 * This process becomes that Node where the system can do that; elsewhere it waits beside it and hands on what it is told.
 * @param {string} other
 */
function startWith(other) {
  // What the operator says of it counts: of options the last one does, but each of them before Node's own variable.
  const options = process.env.NODE_OPTIONS?.includes('semi-space') ? [] : sparingOptions;
  const args = [...options, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...sparingVariables, ...process.env };
  if (process.platform !== 'win32') process.execve?.(other, [other, ...args], env);
  const child = spawn(other, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...env, [starterPipe]: '3' },
  });
  // A terminal sends these two to both processes.
  const ofTerminal = process.stdin.isTTY === true;
  /** @type {Set<string | null>} */
  const told = new Set();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGHUP'])) {
    process.on(signal, () => {
      told.add(signal);
      if (!ofTerminal) child.kill(signal);
    });
  }
  process.on('SIGTERM', () => {
    told.add('SIGTERM');
    child.kill('SIGTERM');
  });
  child.on('error', (error) => {
    process.stderr.write(`${other} cannot be started: ${error.message}. Install Node 24 or newer, then start again.\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    // Whoever has ended it knows.
    if (signal !== null && !told.has(signal)) process.stderr.write(`This command was ended by ${signal}.\n`);
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
}

/**
 * Ends this process in order when the one that started it is gone, however that ended.
 * @param {number} descriptor
 */
async function endWithStarter(descriptor) {
  const { Socket } = await import('node:net');
  const socket = new Socket({ fd: descriptor, readable: true, writable: false });
  socket.on('close', () => process.kill(process.pid, 'SIGTERM'));
  socket.on('error', () => undefined);
  socket.resume().unref();
}
