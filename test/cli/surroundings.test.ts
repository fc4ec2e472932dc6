import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { configWords } from '../../src/config/words.ts';
import { lockData } from '../../src/store/examine.ts';
import { standInChannels } from '../config/load-text.ts';
import { freePort } from '../support/loopback.ts';
import { newFolder } from '../support/new-folder.ts';
import { featureParts } from '../support/whole-schema.ts';

const entry = join(import.meta.dirname, '../../src/start.js');

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});

/** The warnings of a check, without the folder. */
async function missing(config: object, text = JSON.stringify(config)): Promise<readonly string[]> {
  const path = join(folder, 'config.json');
  await writeFile(path, text, { mode: 0o600 });
  const env = { PATH: join(folder, 'bin') };
  const place = {
    path: 'config.json',
    explicit: true,
    env,
    channels: standInChannels,
    parts: featureParts,
    cwd: folder,
  };
  const { faults, warnings } = await checkConfig(place);
  expect(faults).toEqual([]);
  return warnings.map((warning) => warning.replaceAll(folder, 'HERE'));
}

async function put(name: string, content = '', mode = 0o600): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content, { mode });
}

async function takenPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const tool = (command: string) => ({ name: 'mine', description: 'x', command });
const hook = (more: object) => ({ hooks: { before_tool_call: [more] } });

test('what is missing is told with its file, line and column', async () => {
  const text =
    '{\n  "mcp_servers": {\n    "a": { "command": "no-such-program" }\n  },\n  "tool_modules": ["./nope.ts"]\n}';
  expect(await missing({}, text)).toEqual([
    `config.json:3:23  mcp_servers.a.command: ${configWords.en.noProgram({ program: 'no-such-program' })}`,
    `config.json:5:20  tool_modules[0]: ${configWords.en.noFile({ file: 'HERE/nope.ts' })}`,
  ]);
});

test.each<[string, object, string]>([
  [
    'a program of an MCP server by its path',
    { mcp_servers: { a: { command: './a.sh' } } },
    'mcp_servers.a.command: there is no file HERE/a.sh',
  ],
  ['a file that is no program', { mcp_servers: { a: { command: './plain.txt' } } }, 'Run: chmod +x "HERE/plain.txt"'],
  [
    'the script of a server',
    { mcp_servers: { a: { command: 'node', args: ['server.js'] } } },
    'mcp_servers.a.args[0]: there is no file HERE/server.js',
  ],
  [
    'the folder of a server',
    { mcp_servers: { a: { command: 'node', cwd: 'gone' } } },
    'mcp_servers.a.cwd: there is no folder HERE/gone',
  ],
  [
    'the program of a hook',
    hook({ command: 'lint-x --all | node' }),
    'hooks.before_tool_call[0].command: there is no program "lint-x"',
  ],
  [
    'the folder of a hook',
    hook({ command: 'node x', working_dir: 'gone' }),
    'hooks.before_tool_call[0].working_dir: there is no folder',
  ],
  [
    'the plugin of a hook',
    { ...hook({ plugin: 'watch' }), plugins: { enabled: true, plugin_dirs: ['bin'] } },
    'there is no plugin "watch"',
  ],
  ['the folder of plugins', { plugins: { enabled: true } }, 'plugins.plugin_dirs[0]: there is no folder HERE/plugins'],
  [
    'the program of a plugin',
    { plugins: { enabled: true, plugin_dirs: ['extra'] } },
    'names the program "run", which is not there',
  ],
  [
    'the program of a custom tool',
    { custom_tools: [tool('restic-x backup')] },
    'custom_tools[0].command: there is no program "restic-x"',
  ],
  [
    'programs of the sandbox',
    { tools: { shell: { sandbox: 'required', allowed_domains: ['a.example.com'] } } },
    'bwrap and socat are not on the PATH',
  ],
  [
    'code that is none',
    { tool_modules: ['broken.ts'] },
    'tool_modules[0]: HERE/broken.ts is no code that Node can run',
  ],
  ['a file of tools with another ending', { tool_modules: ['plain.txt'] }, 'has to end in .ts, .mts, .js, .mjs'],
  [
    'a package of a channel',
    { channel_plugins: { line: { package: 'keyturn-line' } }, channels: { line: {} } },
    'Run "npm install keyturn-line"',
  ],
])('%s is looked for', async (_what, config, words) => {
  await put('bin/node', '#!/bin/sh\n', 0o755);
  await put('plain.txt');
  await put('broken.ts', 'export const a: number = ;');
  await put('extra/dice/plugin.json', '{"name": "dice", "binary": {"path": "run"}}');
  expect((await missing(config)).join('\n')).toContain(words);
});

test('what is there is not warned of, is not run, and nothing is made', async () => {
  await put('bin/node', '#!/bin/sh\ntouch "$0.ran"\n', 0o755);
  for (const name of ['server.js', 'mine.mjs']) await put(name, "throw new Error('it was run');");
  await put('plugins/dice/plugin.json', '{"name": "dice"}');
  const before = await readdir(folder, { recursive: true });
  const config = {
    mcp_servers: { a: { command: 'node', args: ['server.js'] }, off: { command: 'gone', enabled: false } },
    ...hook({ command: 'cd bin && node x' }),
    plugins: { enabled: true },
    custom_tools: [tool('node report.js'), { ...tool('./in-workspace.sh'), name: 'other' }],
    tool_modules: ['mine.mjs'],
  };
  expect(await missing(config)).toEqual([]);
  const after = await readdir(folder, { recursive: true });
  expect(after.toSorted()).toEqual([...before, 'config.json'].toSorted());
});

test('a port that another program holds is told, but not that of a running Keyturn with this data', async () => {
  const port = await takenPort();
  const gateway = { enabled: true, port };
  expect(await missing({ gateway })).toEqual([
    expect.stringContaining(`gateway.port: ${configWords.en.portTaken({ host: '127.0.0.1', port })}`),
  ]);
  const unlock = lockData(join(folder, 'data'));
  onTestFinished(unlock);
  expect(await missing({ gateway })).toEqual([]);
});

test('an address that this machine does not have is told', async () => {
  const found = await missing({ gateway: { enabled: true, host: '203.0.113.9' } });
  expect(found.join('\n')).toContain(`gateway.port: ${configWords.en.noAddress({ host: '203.0.113.9' })}`);
});

test('a server of this machine that does not listen is told, and one that does is not', async () => {
  const model = (port: number) => ({
    models: { m: { provider: 'openai_compatible', name: 'x', base_url: `http://127.0.0.1:${port}/v1` } },
  });
  const free = await freePort();
  expect(await missing(model(free))).toEqual([
    expect.stringContaining(`models.m.base_url: nothing listens at http://127.0.0.1:${free}. Start that server`),
  ]);
  expect(await missing(model(await takenPort()))).toEqual([]);
});

test('folders that this user cannot write to are told', async () => {
  await mkdir(join(folder, 'closed'), { mode: 0o755 });
  const config = { data_dir: 'closed/data', workspace: 'closed/{chat_id}' };
  await put('config.json', JSON.stringify(config), 0o644);
  await chmod(folder, 0o755);
  await chmod(join(folder, 'closed'), 0o555);
  onTestFinished(() => chmod(join(folder, 'closed'), 0o755));
  // Root may write everywhere, so the check runs as nobody.
  const isRoot = process.getuid?.() === 0;
  const { stdout } = spawnSync(process.execPath, [entry, 'config', 'check'], {
    ...{ cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(folder, 'closed') } },
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  for (const key of ['data_dir', 'workspace'])
    expect(stdout).toContain(`${key}: ${configWords.en.cannotWrite({ folder: join(folder, 'closed') })}`);
});
