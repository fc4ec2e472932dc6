import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { sparingOptions, sparingVariables } from '../../src/find-node.js';
import { newFolder } from '../support/new-folder.ts';
import { runMain } from './run-main.ts';

const entry = fileURLToPath(new URL('../../src/start.js', import.meta.url));

/** Has the process tell at its end which costly parts of Node were loaded: what strips types, and `fetch` with all of HTTP. */
const teller = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => console.error('costly: ' + process.moduleLoadList.filter((name) => /amaro|undici/.test(name)).join()));`,
)}`;

async function start(): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, ['--import', teller, entry, '--version']);
}

test('a start finds all that the one before it has compiled: Node loads neither what strips types nor its HTTP', async () => {
  const { stdout } = await start();
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  const { stderr } = await start();
  expect(stderr).toBe('costly: \n');
});

test('a start stores what it has compiled while it runs, for the one after a kill', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'config.json'), '{"model": "offline"}');
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'cache') };
  const child = spawn(process.execPath, [entry], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => globSync(join(folder, 'cache/*/*')).length).toBeGreaterThan(100);
  expect(child.exitCode).toBe(null);
});

/** Has the first process be an older Node, which starts a newer one beside it. */
const older = `data:text/javascript,${encodeURIComponent(
  `if (process.env.KEYTURN_STARTER_PIPE === undefined) {
    const versions = { ...process.versions, node: '20.20.2' };
    Object.defineProperties(process, { versions: { value: versions }, execve: { value: undefined }, execPath: { value: '/older/node' } });
  }`,
)}`;

/** Whether the process does something of its own at the end of a terminal, as it does once it has started the other. */
function hearsHangups(pid: number): boolean {
  const [, mask = '0'] = /^SigCgt:\s*([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number.parseInt(mask.slice(-1), 16) % 2 === 1;
}

test.each([
  ['which is passed on, nothing is said', 'SIGTERM', 143, ''],
  ['which nobody here has sent, it is told', 'SIGKILL', 137, 'This command was ended by SIGKILL.\n'],
] as const)('beside an older Node, of a signal %s', async (_case, signal, code, said) => {
  const folder = await newFolder();
  // It waits for what is piped in.
  const args = ['--import', older, entry, 'chat', '--once', '-'];
  const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { pid = 0 } = child;
  await expect.poll(() => hearsHangups(pid)).toBe(true);
  const [other] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const [stderr] = await Promise.all([
    text(child.stderr),
    once(child, 'close'),
    process.kill(signal === 'SIGKILL' ? (other ?? 0) : pid, signal),
  ]);
  expect({ code: child.exitCode, stderr }).toEqual({ code, stderr: said });
});

test.each([
  { said: undefined, isGiven: true },
  { said: '--max-semi-space-size=32', isGiven: false },
])(
  'beside an older Node, it runs with little memory for what is young, unless NODE_OPTIONS says how much: $said',
  async ({ said, isGiven }) => {
    const env = { PATH: process.env.PATH, MALLOC_ARENA_MAX: '7', ...(said !== undefined && { NODE_OPTIONS: said }) };
    const child = spawn(process.execPath, ['--import', older, entry, 'chat', '--once', '-'], {
      cwd: await newFolder(),
      env,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const { pid = 0 } = child;
    await expect.poll(() => hearsHangups(pid)).toBe(true);
    const other = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const wordsOf = (name: string): readonly string[] => readFileSync(`/proc/${other}/${name}`, 'utf8').split('\0');
    await expect.poll(() => wordsOf('cmdline')).toContain('--once');
    expect(sparingOptions.every((option) => wordsOf('cmdline').includes(option))).toBe(isGiven);
    // What the operator has set stays.
    const { MALLOC_ARENA_MAX: _set, ...others } = sparingVariables;
    const expected = ['MALLOC_ARENA_MAX=7', ...Object.entries(others).map(([name, value]) => `${name}=${value}`)];
    expect(wordsOf('environ')).toEqual(expect.arrayContaining(expected));
  },
);

/** Has the process tell at its end which platforms' libraries it has looked for, and whether zod's words in all languages. */
const librarian = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const seen = new Set();
  registerHooks({ resolve(specifier, context, next) { seen.add(specifier); return next(specifier, context); } });
  const libraries = () => [...seen].filter((name) => /^(discord[.]js|grammy|@slack)|locales[/]index/.test(name)).sort().join();
  process.on('exit', () => console.error('libraries: ' + libraries()));`)}`;

test.each([
  { on: 'no platform', channels: {}, libraries: '' },
  {
    on: 'Discord',
    channels: {
      discord: { enabled: true, token: `${'M'.repeat(24)}.Gabcde.${'x'.repeat(30)}`, api_url: 'http://127.0.0.1:9' },
    },
    libraries: 'discord.js',
  },
])('a start with $on loads no library of what is off, and no language but English', async ({ channels, libraries }) => {
  const config = { model: 'offline', channels: { terminal: { enabled: true }, ...channels } };
  const { stderr } = await runMain({
    files: { 'config.json': JSON.stringify(config) },
    env: { NODE_OPTIONS: `--import ${librarian}` },
    stopAt: 'Model ',
    fromSources: true,
  });
  expect(stderr).toContain(`libraries: ${libraries}\n`);
});
