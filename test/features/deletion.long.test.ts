import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keptDatabases, newestDatabase } from '../../scripts/kept-databases.ts';
import type { CommandDefinition } from '../../src/conversation/commands/definition.ts';
import { loadFeatures } from '../../src/daemon/command-menu.ts';
import { offlineWords } from '../../src/models/offline/words.ts';
import { storeWords } from '../../src/store/words.ts';
import { rowsOf } from '../support/store-setting.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const list = 'src/features/index.ts';
const names = readdirSync(join(root, 'src/features')).filter((name) => name !== 'index.ts');

let copy = '';
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'keyturn-without-'));
  for (const part of [
    'src',
    'channels',
    'packages',
    'test',
    'examples',
    'scripts',
    'bench',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !/node_modules|\/dist$/.test(path),
    });
  for (const part of readdirSync(root).filter((name) => name.endsWith('.config.ts')))
    cpSync(join(root, part), join(copy, part));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** A home with a config. */
function newHome(): string {
  const folder = mkdtempSync(join(copy, 'home-'));
  const config = { model: 'offline', log: { level: 'error' }, data_dir: join(folder, 'data') };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  return folder;
}

function start(folder: string, ...args: readonly string[]) {
  return run(process.execPath, [join(copy, 'src/main.ts'), ...args, '--config', join(folder, 'config.json')], {
    timeout: 120_000,
    env: { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: join(copy, 'compiled') },
  });
}

/** Says the lines through the terminal, and resolves with all that it showed. */
async function said(folder: string, ...lines: readonly string[]): Promise<string> {
  const daemon = start(folder);
  daemon.child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  return (await daemon).stdout;
}

/** A database in which each feature has stored something. */
function keptDatabase(folder: string): string {
  const file = join(folder, 'data', 'keyturn.db');
  mkdirSync(join(folder, 'data'));
  writeFileSync(file, gunzipSync(readFileSync(join(keptDatabases, newestDatabase()))));
  return file;
}

/** All rows of the tables that a feature makes. */
async function storedBy(name: string, file: string): Promise<ReadonlyMap<string, unknown>> {
  const steps = definitions.find((feature) => feature.name === name)?.tables?.steps ?? [];
  const tables = [...steps.join('').matchAll(/CREATE (?:VIRTUAL )?TABLE (\w+)/g)].map(([, table = '']) => table);
  return new Map(tables.map((table) => [table, rowsOf(file, `SELECT * FROM ${table}`)]));
}

/** Keys of features that have some, as a config has them. */
const keys: Readonly<Record<string, readonly object[]>> = {
  planning: [{ tools: { remind: { enabled: false } } }, { tools: { schedule: { max_entries: 5 } } }],
  memory: [{ tools: { memory_store: { max_entries: 5 } } }],
  agents: [{ tools: { new_task: { enabled: false } } }, { tools: { delegate: { enabled: false } } }],
  composed: [{ composed_tools: [] }],
  mcp: [{ mcp_servers: {} }],
  modules: [{ tool_modules: [] }, { channel_plugins: {} }],
  plugins: [{ hooks: { before_tool_call: [{ command: 'false' }] } }, { plugins: { enabled: true } }],
  devices: [{ gateway: { enabled: true } }],
  webhooks: [{ webhooks: {} }],
  undo: [{ undo: { enabled: false } }],
  speech: [{ speech: { name: 'tts', voice: 'alloy', base_url: 'https://voice.example.com/v1' } }],
};

/** What `config check` says of a config, and its exit code. */
async function checked(config: object): Promise<{ readonly code: number; readonly words: string }> {
  const folder = mkdtempSync(join(copy, 'home-'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model: 'offline', ...config }));
  const main = [join(copy, 'src/main.ts'), 'config', 'check', join(folder, 'config.json')];
  const env = { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: join(copy, 'compiled') };
  return run(process.execPath, main, { timeout: 120_000, cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, words: stdout }),
    ({ code, stdout }: { readonly code: number; readonly stdout: string }) => ({ code, words: stdout }),
  );
}

/** Resolves with what the compiler finds wrong. */
async function faults(): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const found = await run(
    process.execPath,
    [compiler, '--noEmit', '--incremental', '--tsBuildInfoFile', join(copy, 'types'), '-p', copy],
    {
      cwd: copy,
    },
  ).catch(({ stdout }: { readonly stdout: string }) => ({ stdout }));
  return found.stdout;
}

/** What vitest says of a run, as far as it matters here. */
const report = z.object({
  numTotalTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), status: z.string() })),
});

const definitions = await loadFeatures();

function commandsOf(feature: string): readonly CommandDefinition[] {
  return definitions.find(({ name }) => name === feature)?.commands ?? [];
}

/** Takes the features out, for the tests of this block. */
function without(gone: readonly string[]): void {
  const parts = gone.flatMap((name) => [`src/features/${name}`, `test/features/${name}`]);
  beforeAll(() => {
    const lines = readFileSync(join(root, list), 'utf8').split('\n');
    const others = lines.filter((line) => !gone.some((name) => line.includes(`'./${name}/`)));
    expect(others).toHaveLength(lines.length - gone.length);
    for (const part of parts) rmSync(join(copy, part), { recursive: true, force: true });
    writeFileSync(join(copy, list), others.join('\n'));
  });
  afterAll(() => {
    for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true });
    cpSync(join(root, list), join(copy, list));
  });
}

describe.each(names)('without the feature %s', (name) => {
  without([name]);

  test('all of the rest compiles, its tests too', async () => expect(await faults()).toBe(''));

  test('a daemon starts and answers', async () => {
    const shown = await said(newHome(), '/help all', 'list the files');
    expect(shown).toContain('answers with a language model');
    expect(shown).toContain(offlineWords.en.nothingHere);
    const lines = commandsOf(name).map(({ words }) => words('en').help);
    for (const line of lines.filter((help) => help !== '')) expect(shown).not.toContain(line);
  });

  test('what it had stored stays there, and a check of the config says so', async () => {
    const folder = newHome();
    const file = keptDatabase(folder);
    const [step] = rowsOf(file, `SELECT max(step) AS newest FROM feature_steps WHERE feature = '${name}'`);
    const before = await storedBy(name, file);
    expect(await said(folder, 'list the files')).toContain(offlineWords.en.nothingHere);
    expect(await storedBy(name, file)).toEqual(before);
    const { stdout } = await start(folder, 'config', 'check');
    expect(stdout.includes(storeWords.en.left({ feature: name }))).toBe(step?.newest !== null);
  });

  test('the keys that it had are refused: nothing would obey them', async () => {
    const refused = { code: 78, words: expect.stringContaining('unknown key') };
    for (const config of keys[name] ?? []) expect(await checked(config)).toMatchObject(refused);
  });
});

describe('a feature that is added as docs/features.md says', () => {
  const document = readFileSync(join(root, 'docs/features.md'), 'utf8');
  const blocks = Array.from(document.matchAll(/```ts\n([\s\S]*?)```/g), ([, block = '']) => block);
  beforeAll(() => {
    for (const block of blocks) {
      const path = /^\/\/ (\S+)\n/.exec(block)?.[1];
      if (path === undefined) {
        writeFileSync(join(copy, list), readFileSync(join(root, list), 'utf8').replace(/^\];$/m, `${block}];`));
      } else {
        mkdirSync(dirname(join(copy, path)), { recursive: true });
        writeFileSync(join(copy, path), block);
      }
    }
  });
  afterAll(() => {
    rmSync(join(copy, 'src/features/dice'), { recursive: true });
    cpSync(join(root, list), join(copy, list));
  });

  test('compiles', async () => expect(await faults()).toBe(''));

  test('has its keys: they are checked, warned of, and refused if they are spelled wrong', async () => {
    const { code, words } = await checked({ tools: { roll_dice: { sides: 1 } } });
    expect(code).toBe(0);
    expect(words).toContain('tools.roll_dice.sides is 1');
    const wrong = await checked({ tools: { roll_dice: { side: 6 } } });
    expect(wrong).toMatchObject({ code: 78, words: expect.stringContaining('Did you mean "sides"?') });
  });

  test('has its tool', async () => expect(await said(newHome(), '/tools')).toContain('roll_dice'));
});

test('with all features, each of these keys is known', async () => {
  for (const config of Object.values(keys).flat()) expect((await checked(config)).words).not.toContain('unknown key');
});

describe('without any feature', () => {
  without(names);

  // What each of them could break at once: the loop, what it stores, approval, and what the tools hold back.
  test('the tests of the rest pass', async () => {
    const rest = ['test/engine', 'test/approval', 'test/store', 'test/runs'];
    const file = join(copy, 'report.json');
    const vitest = [join(copy, 'scripts/run.js'), 'vitest', 'run', '--reporter=json', `--outputFile=${file}`, ...rest];
    const env = { PATH: process.env.PATH, HOME: copy };
    await run(process.execPath, vitest, { cwd: copy, env, maxBuffer: 1 << 28 }).catch(() => undefined);
    const { numTotalTests, testResults } = report.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(testResults.flatMap(({ name, status }) => (status === 'passed' ? [] : [name]))).toEqual([]);
    expect(numTotalTests).toBeGreaterThan(500);
  });
});
