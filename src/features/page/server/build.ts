/*
 * A clone has the sources of the page, and builds them when they are newer than what was built; a package brings it built.
 * A build goes into a folder of its own, and its index is moved into place last: who reads meanwhile, or builds at the
 * same time, sees a whole page.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeatureCore } from '../../../feature-points.ts';
import { once } from '../../../lib/background.ts';
import { endsWithin } from '../../../lib/clock.ts';

export interface BuildParts extends Pick<FeatureCore, 'clock' | 'log' | 'ending' | 'environment'> {
  /** Keyturn's own. */
  readonly folder: string;
}

/** How the page came to be, or why there is none. `unbuilt`: here is nothing that could build it. */
export type BuildOutcome = 'built' | 'failed' | 'unbuilt';

/** Builds the page, if that is needed, once for all who ask at a time. Never rejects. */
export function createBuild(parts: BuildParts): () => Promise<BuildOutcome> {
  const build = once(async () => {
    const outcome = await buildIfNeeded(parts);
    // The next request tries again.
    if (outcome !== 'built') throw new BuildFault(outcome);
    return outcome;
  });
  return () => build().catch((error: unknown) => outcomeOf(error, parts));
}

/** In ms. */
const longestBuild = 120_000;
const longestOutput = 4_000;
const unfinished = '.build-';
const pageFolder = join('packages', 'page');
/** What the build is made of, below Keyturn's folder. */
const sources = [
  ...['src', 'index.html', 'vite.config.ts', 'package.json'].map((name) => join(pageFolder, name)),
  join('packages', 'client', 'src'),
  // Says which libraries it is built of.
  'package-lock.json',
];

class BuildFault extends Error {
  readonly outcome: Exclude<BuildOutcome, 'built'>;

  constructor(outcome: Exclude<BuildOutcome, 'built'>) {
    super(outcome);
    this.outcome = outcome;
  }
}

function outcomeOf(error: unknown, { log }: BuildParts): BuildOutcome {
  if (error instanceof BuildFault) return error.outcome;
  log.error({ err: error, part: 'page' }, 'the page could not be built');
  return 'failed';
}

async function buildIfNeeded(parts: BuildParts): Promise<BuildOutcome> {
  const { folder, log } = parts;
  const built = join(folder, pageFolder, 'dist');
  const [builtAt, changedAt] = await Promise.all([timeOf(join(built, 'index.html')), newestOf(folder)]);
  if (builtAt !== undefined && builtAt >= (changedAt ?? 0)) return 'built';
  const vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
  if (changedAt === undefined || !existsSync(vite)) {
    if (builtAt === undefined) return 'unbuilt';
    log.warn({ part: 'page' }, 'the page is older than its sources, and what builds it is not installed: npm install');
    return 'built';
  }
  return (await build(vite, built, parts)) ? 'built' : 'failed';
}

async function timeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.mtimeMs;
}

/** When the sources were changed last. Undefined: they are not here. */
async function newestOf(folder: string): Promise<number | undefined> {
  if (!existsSync(join(folder, pageFolder, 'src'))) return undefined;
  const times = await Promise.all(sources.map((name) => newestIn(join(folder, name))));
  return Math.max(...times);
}

async function newestIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const times = await Promise.all((files.length === 0 ? [path] : files).map(timeOf));
  return Math.max(0, ...times.map((time) => time ?? 0));
}

async function build(vite: string, built: string, parts: BuildParts): Promise<boolean> {
  const { log } = parts;
  await mkdir(built, { recursive: true });
  await removeLeft(built, parts.clock.now());
  const apart = await mkdtemp(join(built, unfinished));
  try {
    const { code, output } = await run([vite, 'build', pageFolder, '--outDir', apart, '--logLevel', 'warn'], parts);
    if (code === 0) {
      await moveIntoPlace(apart, built);
      log.info({ part: 'page' }, 'the page was built, because its sources are newer');
      return true;
    }
    log.error({ part: 'page', code, output }, 'the page could not be built: npm run build:page tells more');
    return false;
  } finally {
    await rm(apart, { recursive: true, force: true });
  }
}

/** What a build that was killed has left. */
async function removeLeft(built: string, now: number): Promise<void> {
  for (const name of await readdir(built)) {
    const path = join(built, name);
    const isLeft = name.startsWith(unfinished) && ((await timeOf(path)) ?? 0) < now - 2 * longestBuild;
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
}

interface Ended {
  readonly code: number | null;
  /** The end of what it said. */
  readonly output: string;
}

async function run(args: readonly string[], { folder, environment, clock, ending }: BuildParts): Promise<Ended> {
  const { PATH, HOME, TMPDIR, SystemRoot } = environment;
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    env: { PATH, HOME, TMPDIR, SystemRoot, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-longestOutput);
    });
  const closed = new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      output = `${output}${error.message}`;
      resolve(null);
    });
    child.on('close', resolve);
  });
  if (!(await endsWithin(closed, { clock, milliseconds: longestBuild, signal: ending }))) child.kill('SIGKILL');
  return { code: await closed, output };
}

/** What a former build has left over goes once the new page is there. */
async function moveIntoPlace(apart: string, built: string): Promise<void> {
  const assets = join(built, 'assets');
  await mkdir(assets, { recursive: true });
  const names = await readdir(join(apart, 'assets'));
  for (const name of names) await moveTo(join(apart, 'assets', name), join(assets, name));
  const others = (await readdir(apart, { withFileTypes: true })).filter((entry) => entry.isFile());
  const inOrder = others.map(({ name }) => name).toSorted((one) => (one === 'index.html' ? 1 : -1));
  for (const name of inOrder) await moveTo(join(apart, name), join(built, name));
  const left = (await readdir(assets)).filter((name) => !names.includes(name));
  await Promise.all(left.map((name) => rm(join(assets, name), { force: true })));
}

/** A mounted `dist` may be of another file system. */
async function moveTo(from: string, to: string): Promise<void> {
  const near = `${to}.${process.pid}`;
  await copyFile(from, near);
  await rename(near, to);
}
