import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ownVersion } from '../src/lib/own-version.ts';
import { remoteDaemon } from './support/gateway/client-setting.ts';
import { newFolder } from './support/new-folder.ts';
import { call, resultsOf } from './support/scripted-model.ts';
import { waitUntil } from './support/wait-for.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');
const compiler = join(modules, '.bin/tsc');
/** That of all packages. */
const version = ownVersion();
const { VITEST: _inside, ...environment } = process.env;

/** The packages, and what npm would fetch for each from a registry. */
const needs = { client: [], sdk: ['zod'], fakes: ['@grammyjs/types', 'ws', 'zod'] } as const;
type PackageName = keyof typeof needs;

/** Below it, the packages as `keyturn-client-….tgz`, and a folder where each is installed. */
let packed = '';

beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'keyturn-packed-'));
  const names = ['client', 'sdk', 'fakes'] as const;
  await Promise.all(names.map((name) => pack(name).then(() => install(name))));
});

afterAll(() => rm(packed, { recursive: true, force: true }));

/** As `npm run build:packages && npm pack --workspaces`, with nothing written into the project. */
async function pack(name: PackageName): Promise<void> {
  const [source, folder] = [join(root, 'packages', name), join(packed, name)];
  await cp(source, folder, { recursive: true, filter: (path) => !/\/(?:src|dist|node_modules)$/.test(path) });
  await run(compiler, ['-p', source, '--outDir', join(folder, 'dist')]);
  await run('npm', ['pack', '--silent', '--pack-destination', packed], { cwd: folder });
}

/** Has npm install the packed file outside of the project, without a network. */
async function install(name: PackageName): Promise<void> {
  const cwd = join(packed, 'installed', name);
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ type: 'module' }));
  const fetched = needs[name].map((needed) => join(modules, needed));
  const offline = [
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `--cache=${join(packed, 'cache', name)}`,
  ];
  await run('npm', ['install', ...offline, join(packed, `keyturn-${name}-${version}.tgz`), ...fetched], { cwd });
}

/** A folder of somebody's where the package is installed. */
async function authorOf(name: PackageName): Promise<string> {
  const folder = await newFolder();
  await cp(join(packed, 'installed', name), folder, { recursive: true });
  return folder;
}

/** Puts packages beside those, as if their author had installed them. */
async function add(folder: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(folder, 'node_modules', name, '..'), { recursive: true });
    await symlink(join(modules, name), join(folder, 'node_modules', name));
  }
}

/** The names of all that npm has installed there. */
async function packagesIn(folder: string): Promise<readonly string[]> {
  const lock: unknown = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const packages: unknown = typeof lock === 'object' && lock !== null && 'packages' in lock ? lock.packages : {};
  const paths = typeof packages === 'object' && packages !== null ? Object.keys(packages) : [];
  return paths.filter((path) => path.startsWith('node_modules/')).map((path) => path.replace('node_modules/', ''));
}

/** In bytes. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Type-checks all that is there, declarations of packages included. What the compiler says; empty if all is well. */
async function compiled(folder: string, options: object): Promise<string> {
  const strict = { module: 'NodeNext', strict: true, noEmit: true, exactOptionalPropertyTypes: true };
  const compilerOptions = { target: 'ES2024', ...strict, ...options };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.js'] }));
  const said = await run(compiler, ['-p', folder]).catch(({ stdout }: { readonly stdout: string }) => ({ stdout }));
  return said.stdout;
}

const page = `import { connect, tool } from '@keyturn/client';
const client = connect({ url: 'ws://127.0.0.1:1', tools: [tool({ name: 'a', description: 'A.', handler: () => 1 })], onText: (piece) => piece.trim() });
// @ts-expect-error: the types are those of the library and not any.
connect({ url: 1 });
export const said: Promise<void> = client.message('hello');
`;

describe('@keyturn/client', () => {
  test('is one package of less than 100 kB, whose types need nothing but those of a browser', async () => {
    const folder = await authorOf('client');
    expect(await packagesIn(folder)).toEqual(['@keyturn/client']);
    expect(await sizeOf(join(folder, 'node_modules/@keyturn/client'))).toBeLessThan(100_000);
    await writeFile(join(folder, 'page.ts'), page);
    expect(await compiled(folder, { target: 'ES2022', lib: ['ES2022', 'DOM'], types: [] })).toBe('');
  });

  test('says in a sentence that there is no WebSocket, and takes the one that it is given', async () => {
    const folder = await authorOf('client');
    await add(folder, 'ws');
    await writeFile(
      join(folder, 'old.mjs'),
      `import { connect } from '@keyturn/client';
import { WebSocket as other } from 'ws';
try { connect({ url: 'ws://127.0.0.1:1' }); } catch (error) { console.log(error.message); }
const client = connect({ url: 'ws://127.0.0.1:1', webSocket: other });
console.log(client.state);
client.close();
console.log(await client.closed);`,
    );
    const { stdout } = await run(process.execPath, ['--no-experimental-websocket', join(folder, 'old.mjs')]);
    expect(stdout.split('\n')).toEqual([
      'There is no WebSocket here, as in Node 20: pass `webSocket`, such as that of the package ws',
      'connecting',
      'It was closed here',
      '',
    ]);
  });

  test('makes the device of examples/device, whose two tools a chat calls', async () => {
    const folder = await authorOf('client');
    const setting = await remoteDaemon({ config: { remote_tools: { categories: { '*': 'network_read' } } } });
    const { model, channel } = setting.daemon;
    const token = await setting.token('laptop');
    const source = await readFile(join(root, 'examples/device/device.js'), 'utf8');
    await writeFile(join(folder, 'device.js'), source.replace('ws://127.0.0.1:42617', setting.address));
    await add(folder, '@types');
    expect(await compiled(folder, { types: ['node'], allowJs: true, checkJs: true })).toBe('');
    const device = spawn(process.execPath, [join(folder, 'device.js')], {
      env: { PATH: process.env.PATH, KEYTURN_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void device.kill());
    let said = '';
    device.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await waitUntil(async () => (await (await setting.ask('/api/tools', token)).text()).includes('device_info'));
    model.next([call('device_info', {}), call('notify', { text: 'Dinner is ready.' })], 'noted');
    await channel.say('tell me');
    const [info, shown] = resultsOf(await model.asked(2));
    expect(info).toContain('uptime_secs');
    expect(shown).toBe('It answered nothing.');
    await waitUntil(() => said.includes('🔔 Dinner is ready.'));
  });
});

const using = `import dice from './dice.ts';
const spec = await dice.spec();
const preparation = await dice.prepare({ count: '3' });
if (!preparation.valid) throw new Error(preparation.message);
const { category, arguments: args } = preparation.call;
console.log(JSON.stringify({ spec, category, args, wrong: await dice.prepare({ count: 1000 }) }));
`;

describe('@keyturn/sdk', () => {
  test('is two packages, with which the tool of docs/own-tools.md runs', async () => {
    const folder = await authorOf('sdk');
    expect(await packagesIn(folder)).toEqual(['@keyturn/sdk', 'zod']);
    await writeFile(join(folder, 'dice.ts'), await documentedTool());
    await writeFile(join(folder, 'using.mjs'), using);
    const { stdout } = await run(process.execPath, [join(folder, 'using.mjs')]);
    expect(JSON.parse(stdout)).toMatchObject({
      spec: { name: 'roll_dice', parameters: { properties: { count: { type: 'integer', maximum: 100 } } } },
      category: 'memory',
      args: { count: 3 },
      wrong: { valid: false, message: expect.stringContaining('count') },
    });
  });

  test('has that tool and the channel of examples/channels/line type-checked, and the channel tested', async () => {
    const folder = await authorOf('sdk');
    await add(folder, '@types', 'vitest', 'fast-check');
    await cp(join(root, 'examples/channels/line'), folder, { recursive: true });
    const tool = await documentedTool();
    await writeFile(join(folder, 'dice.ts'), tool);
    // So that the types are those of the library and not any.
    const wrong = tool.replace("  category: 'memory'", "  // @ts-expect-error\n  category: 'everything'");
    await writeFile(join(folder, 'wrong.ts'), wrong);
    expect(await compiled(folder, { types: ['node'], allowImportingTsExtensions: true })).toBe('');
    const report = join(folder, 'report.json');
    const reporting = ['--reporter=json', `--outputFile=${report}`];
    const options = { cwd: folder, env: environment };
    await run(process.execPath, [join(modules, 'vitest/vitest.mjs'), 'run', ...reporting], options);
    const found: unknown = JSON.parse(await readFile(report, 'utf8'));
    expect(found).toMatchObject({ success: true, numFailedTests: 0 });
    expect(found).toHaveProperty(
      'numPassedTests',
      expect.toSatisfy((count: number) => count > 25),
    );
  });

  test('says in one sentence what the contract needs where vitest is missing', async () => {
    const folder = await authorOf('sdk');
    await writeFile(join(folder, 'contract.mjs'), "import '@keyturn/sdk/channel-contract';");
    const failed = run(process.execPath, [join(folder, 'contract.mjs')]);
    const { stderr } = await failed.catch((error: { readonly stderr: string }) => error);
    expect(stderr).toContain('npm install --save-dev vitest fast-check');
    expect(stderr).not.toContain('    at ');
  });
});

const talking = `import { TelegramServer } from '@keyturn/fakes/telegram';
import { Api } from 'grammy';
const telegram = await TelegramServer.start();
const api = new Api(telegram.token, { apiRoot: telegram.root });
const { username } = await api.getMe();
telegram.say(42, 'Is anybody there?');
await api.sendMessage(42, 'I am.');
const refused = await api.sendMessage(42, 'x'.repeat(4097)).catch(({ description }) => description);
console.log(JSON.stringify({ username, texts: telegram.chat(42).map(({ text }) => text), refused }));
await telegram.close();
`;

const typed = `import { DiscordServer } from '@keyturn/fakes/discord';
import { SlackServer } from '@keyturn/fakes/slack';
import { TelegramServer } from '@keyturn/fakes/telegram';
export async function start(): Promise<readonly string[]> {
  await using telegram = await TelegramServer.start();
  telegram.fault({ method: 'sendMessage', kind: '429', retryAfter: 3 });
  // @ts-expect-error: the types are those of the package and not any.
  telegram.fault({ method: 'sendMessage', kind: 'bored' });
  const [slack, discord] = [await SlackServer.start({ timeScale: 0.01 }), await DiscordServer.start()];
  return [telegram.root, slack.apiUrl, discord.apiUrl, slack.botToken, discord.token];
}
`;

describe('@keyturn/fakes', () => {
  test('is four packages, whose Telegram answers and refuses what a bot asks by HTTP', async () => {
    const folder = await authorOf('fakes');
    expect(await packagesIn(folder)).toEqual(['@grammyjs/types', '@keyturn/fakes', 'ws', 'zod']);
    await add(folder, 'grammy');
    await writeFile(join(folder, 'talking.mjs'), talking);
    const { stdout } = await run(process.execPath, [join(folder, 'talking.mjs')]);
    expect(JSON.parse(stdout)).toEqual({
      username: 'keyturn_test_bot',
      texts: ['Is anybody there?', 'I am.'],
      refused: 'Bad Request: message is too long',
    });
  });

  test('has types that need no others than those of Node and its packages', async () => {
    const folder = await authorOf('fakes');
    await add(folder, '@types/node');
    await writeFile(join(folder, 'typed.ts'), typed);
    expect(await compiled(folder, { types: ['node'], lib: ['ES2024', 'ESNext.Disposable'] })).toBe('');
  });

  test('runs the example of its README', async () => {
    const folder = await authorOf('fakes');
    await add(folder, 'grammy');
    const [, example = ''] =
      /```js\n([\s\S]*?)```/.exec(await readFile(join(root, 'packages/fakes/README.md'), 'utf8')) ?? [];
    await writeFile(join(folder, 'example.mjs'), example);
    const { stdout } = await run(process.execPath, [join(folder, 'example.mjs')]);
    expect(stdout).toBe('429\nBad Request: message is too long\n');
  });
});

/** The first example of docs/own-tools.md, which is that of the package's README, too. */
async function documentedTool(): Promise<string> {
  const [, tool = ''] = /```ts\n([\s\S]*?)```/.exec(await readFile(join(root, 'docs/own-tools.md'), 'utf8')) ?? [];
  expect(await readFile(join(root, 'packages/sdk/README.md'), 'utf8')).toContain(tool);
  return tool;
}

test('the packages have the version of Keyturn, and bring no tests into its production install', async () => {
  const packages = Object.keys(needs).map((name) => `packages/${name}/package.json`);
  const files = ['package.json', ...packages];
  const versions = await Promise.all(
    files.map(async (file): Promise<unknown> => JSON.parse(await readFile(join(root, file), 'utf8')).version),
  );
  expect(new Set(versions).size).toBe(1);
  const lock: unknown = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  for (const name of ['vitest', 'fast-check'])
    expect(lock).toHaveProperty(['packages', `node_modules/${name}`, 'dev'], true);
});
