import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkConfig, reportText } from '../../src/cli/check-config.ts';
import { cliWords } from '../../src/cli/words.ts';
import { warningWords } from '../../src/config/warnings/words.ts';
import { configWords } from '../../src/config/words.ts';
import { openDatabase } from '../../src/store/open.ts';
import { storeWords } from '../../src/store/words.ts';
import { standInChannels } from '../config/load-text.ts';
import { runMain } from '../e2e/run-main.ts';
import { newFolder } from '../support/new-folder.ts';
import { anything, saying } from '../support/saying.ts';
import { featureParts } from '../support/whole-schema.ts';

const warns = warningWords.en;

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});

async function check(config: unknown, mode = 0o600) {
  const path = join(folder, 'config.json');
  await writeFile(path, typeof config === 'string' ? config : JSON.stringify(config));
  await chmod(path, mode);
  return checkConfig({
    path,
    explicit: true,
    env: { PATH: process.env.PATH },
    channels: standInChannels,
    parts: featureParts,
    cwd: folder,
  });
}

const texts = ({ faults }: Awaited<ReturnType<typeof check>>) => faults.map(({ key, text }) => `${key}: ${text}`);

test('a config that can be used, and says nothing doubtful, has no faults and no warnings', async () => {
  const alone = [cliWords.en.onlyTerminal];
  expect(await check({})).toMatchObject({ faults: [], warnings: [], notes: alone });
});

test('lines of .env that set nothing are warned of, without what stands on them, by a check and at a start', async () => {
  const lines = [
    '# A comment, and an empty line',
    '',
    'GOOD=1',
    '  export ALSO_GOOD = "two',
    'not=a line"  # of its own',
    'TOKEN: s3cret',
    's3cret',
    "OPEN='s3cret",
    'MY NAME=s3cret',
    'LAST=`a` # and why',
  ];
  const file = join(folder, '.env');
  await writeFile(file, lines.join('\r\n'), { mode: 0o600 });
  const { faults, warnings } = await check({});
  const { setsNothing: sets, quoteOpen } = configWords.en;
  expect(faults).toEqual([]);
  expect(warnings).toEqual([
    `${file}:6  ${sets}`,
    `${file}:7  ${sets}`,
    `${file}:8  ${quoteOpen}`,
    `${file}:9  ${sets}`,
  ]);
  const started = await runMain({ files: { '.env': 'TOKEN: s3cret\n' }, input: '' });
  expect(started.stderr).toMatch(/ {2}Warning {3}\S+\.env:1 {2}/);
  expect(started.stderr).toContain(`.env:1  ${sets}\n`);
  expect(started.code).toBe(0);
});

test('folders that cannot be used are faults, and none is made', async () => {
  const file = join(folder, 'config.json');
  const found = texts(await check({ workspace: join(file, 'a', '{chat_id}'), data_dir: join(file, 'b') }));
  expect(found).toEqual(['workspace', 'data_dir'].map((key) => `${key}: ${cliWords.en.notAFolder({ folder: file })}`));
  expect(texts(await check({ workspace: join(folder, 'a/b'), data_dir: join(folder, 'c') }))).toEqual([]);
  expect(await readdir(folder)).toEqual(['config.json']);
});

test('who is on a channel that is off, a whole address for transcription and a sandbox that is off are warned of', async () => {
  const { warnings } = await check({
    approval: { approvers: ['owner', 'telegram:1'], forward_to: ['telegram:2'] },
    transcription: { name: 'w', base_url: 'https://a.example/v1/audio/transcriptions' },
    speech: { name: 's', voice: 'v', base_url: 'https://b.example/v1/audio/speech' },
    tools: { shell: { sandbox: 'off' } },
  });
  expect(warnings).toEqual([
    warns.namedOff({ key: 'approval.approvers', id: 'telegram:1' }),
    warns.namedOff({ key: 'approval.forward_to', id: 'telegram:2' }),
    warns.endpoint({ key: 'transcription', end: '/audio/transcriptions', server: 'https://a.example/v1' }),
    warns.endpoint({ key: 'speech', end: '/audio/speech', server: 'https://b.example/v1' }),
    warns.sandboxOff,
  ]);
});

test('all faults are said at once, each with its place and the nearest key', async () => {
  const { faults } = await check('{"aproval":{},\n "owners":[3]}');
  expect(faults).toMatchObject([
    { line: 1, column: 2, key: 'aproval', text: configWords.en.unknownKeyMeant({ meant: 'approval' }) },
    { line: 2, column: 12, key: 'owners[0]' },
  ]);
});

test('all faults of single values are told at once, then all of names and commands', async () => {
  const tool = { name: 'a', description: 'A.', category: 'shell', command: 'echo {{b}}' };
  const rest = { approval: { require_for: ['shel'] }, custom_tools: [tool] };
  expect(texts(await check({ aproval: {}, log: { level: 3 }, ...rest }))).toEqual([
    expect.stringContaining('aproval: unknown key'),
    expect.stringContaining('log.level: expected'),
  ]);
  expect(texts(await check(rest))).toEqual([
    `approval.require_for[0]: ${configWords.en.noTool({ rule: 'shel', meant: 'shell', isUnsure: false })}`,
    expect.stringContaining('custom_tools[0].command: '),
  ]);
});

test('what the rules know of the tools of an MCP server is a note', async () => {
  const { warnings, notes } = await check({
    mcp_servers: {
      files: {
        command: process.execPath,
        private: true,
        targets: [],
        tools: {
          'read_*': { category: 'filesystem_read', outbound: false, trusted: 'names', targets: ['path'] },
          'look_*': { private: false },
          rm: { enabled: false },
        },
      },
      notes: { command: process.execPath, category: 'memory', trust_annotations: true },
      web: { url: 'https://mcp.example', trust_annotations: true },
      more: { url: 'https://more.example', trust_annotations: true },
      other: { command: 'other', enabled: false },
    },
  });
  const unsaid = 'private: by category, outbound: true, trusted: false, targets: by the names of their parameters';
  expect(warnings).toEqual([]);
  expect(notes.slice(0, -1)).toEqual([
    'mcp_servers.files: its tools are network_write, or destructive where they say so; private: true, outbound: true, trusted: false, targets: none.',
    'mcp_servers.files, read_*: filesystem_read; private: true, outbound: false, trusted: names, targets: path.',
    'mcp_servers.files, look_*: network_write, or destructive where they say so; private: false, outbound: true, trusted: false, targets: none.',
    'mcp_servers.files, rm: off.',
    `mcp_servers.notes: its tools are memory, or destructive where they say so; ${unsaid}.`,
    `mcp_servers.web; mcp_servers.more: its tools are network_write, or network_read where they say that they only read, or destructive where they say so; ${unsaid}.`,
  ]);
});

test('tools that only read, and whose names look private, are named where nothing says whether they are', async () => {
  const reads = { category: 'network_read' };
  const tools = {
    get_inbox: reads,
    read_file: { ...reads, private: true },
    get_balance: { ...reads, private: false },
    get_weather: reads,
    send_mail: { category: 'network_write' },
    'search_contacts_*': reads,
  };
  const { notes } = await check({
    mcp_servers: {
      desk: { url: 'https://desk.example/mcp', tools },
      all: { url: 'https://a.example', private: true, tools },
    },
    security: { tools: { crm_notes: { trusted: true }, crm_mails: { private: false } } },
  });
  const named = notes.flatMap((note) => /^(\S+) looks private/.exec(note)?.[1] ?? []);
  expect(named).toEqual([
    'mcp_servers.desk.tools.get_inbox',
    'mcp_servers.desk.tools.search_contacts_*',
    'security.tools.crm_notes',
  ]);
});

test.each([
  { config: { telegram: {} }, key: 'telegram', meant: 'channels.telegram' },
  { config: { policy: 'always_ask' }, key: 'policy', meant: 'approval.policy' },
  { config: { models: { m: { provider: 'gemini', name: 'x' } } }, key: 'models.m.provider', meant: 'google' },
  { config: { tools: { disabled: ['bash'] } }, key: 'tools.disabled[0]', meant: 'shell' },
])('a word that people know from elsewhere, at $key, is answered with $meant', async ({ config, key, meant }) => {
  const { faults } = await check(config);
  expect(faults).toMatchObject([{ key, text: expect.stringContaining(`Did you mean "${meant}"?`) }]);
});

test('what a start would find only later is said as well, all of it', async () => {
  const found = texts(
    await check({
      channels: { terminal: { enabled: false } },
      models: { m: { provider: 'anthropic', name: 'x' } },
      transcription: { base_url: 'https://api.openai.com/v1', name: 'w' },
    }),
  );
  expect(found).toEqual([
    `channels: ${cliWords.en.noChannel}`,
    expect.stringContaining('models.m.api_key: missing'),
    expect.stringContaining('transcription.api_key: missing'),
  ]);
});

test.each([
  {
    doubtful: 'the address of one request in place of the address of the server',
    config: { models: { m: { provider: 'openai_compatible', name: 'x', base_url: 'http://h/v1/chat/completions' } } },
    says: 'models.m.base_url ends in /chat/completions, which Keyturn adds itself. Write "http://h/v1".',
  },
  {
    doubtful: 'the address of a server without that of its API',
    config: { models: { m: { provider: 'openai_compatible', name: 'x', base_url: 'http://h:8000/' } } },
    says: 'models.m.base_url has no path: nearly all servers have their API at /v1. Write "http://h:8000/v1".',
  },
  {
    doubtful: 'a custom tool that replaces a builtin one',
    config: { custom_tools: [{ name: 'shell', description: 'x', category: 'shell', command: 'ls' }] },
    says: 'custom_tools[0] replaces the builtin tool shell. If that is a mistake, give it another name.',
  },
])('$doubtful is a warning, and the config can be used', async ({ config, says }) => {
  expect(await check(config)).toMatchObject({ faults: [], warnings: [says] });
});

test('a config with a secret and an .env that other users can read are warned of', async () => {
  const path = join(folder, '.env');
  await writeFile(path, 'A=1');
  await chmod(path, 0o644);
  const model = { provider: 'openai', name: 'x', api_key: 'sk-1234567890' };
  const { warnings } = await check({ models: { a: model } }, 0o640);
  expect(warnings).toEqual([
    warns.literalSecrets({ keys: 'models.a.api_key', isOne: true }),
    expect.stringContaining(`chmod 600 "${join(folder, 'config.json')}"`),
    expect.stringContaining(`chmod 600 "${path}"`),
  ]);
});

test('a config without a secret may be read by others, and what stands for the key of a server without one is none', async () => {
  const server = { provider: 'openai', name: 'x', api_key: 'ollama' };
  expect((await check({ models: { a: server } }, 0o644)).warnings).toEqual([]);
  expect((await check({ models: { a: { ...server, api_key: 'ollama-1f2e3d' } } })).warnings).toHaveLength(1);
});

test('that the terminal alone is on is not said where no channel is', async () => {
  expect(await check({ channels: { terminal: { enabled: false } } })).toMatchObject({ notes: [] });
});

test('no report shows a secret of the file', async () => {
  const report = await check({ channels: { telegram: { enabled: true, token: 'tell-me-aloud' } } });
  expect(report.faults).not.toEqual([]);
  expect(reportText(report, true) + reportText(report, false)).not.toContain('tell-me-aloud');
});

test.each([
  { config: '{}', code: 0, valid: true },
  { config: '{"aproval":{}}', code: 78, valid: false },
])('the process ends with $code and writes JSON alone', async ({ config, code, valid }) => {
  const args = ['config', 'check', 'other.json', '--json'];
  const outcome = await runMain({ args, files: { 'other.json': config }, fromSources: true });
  expect(outcome).toMatchObject({ code, stderr: '' });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ valid });
});

test.each([['config chek'], ['--json']])('"%s" is refused with how to see the usage', async (words) => {
  const { code, stderr } = await runMain({ args: words.split(' '), fromSources: true });
  expect(code).toBe(2);
  expect(stderr).toMatch(saying(`\n${cliWords.en.seeHelp({ command: anything })}\n`));
});

describe('tables of a feature that is not there', () => {
  const singing = { name: 'singing', tables: { steps: ['CREATE TABLE songs (title TEXT)'] } };
  const words = storeWords.en.left({ feature: 'singing' });

  test('are warned of, whether a process works with the database or not, and nothing is left beside it', async () => {
    const data = join(folder, 'data');
    const database = openDatabase(join(data, 'keyturn.db'), [singing]);
    onTestFinished(() => database.close());
    await database.write((sql) => sql.run(`INSERT INTO songs VALUES ('Greensleeves')`));
    const whileOpen = await readdir(data);
    expect((await check({ data_dir: data })).warnings).toContain(words);
    expect(await readdir(data)).toEqual(whileOpen);
    await database.close();
    const closed = await readdir(data);
    expect((await check({ data_dir: data })).warnings).toContain(words);
    expect(await readdir(data)).toEqual(closed);
  });

  test.each([
    ['there is no database yet', () => {}],
    ['it has none', (file: string) => openDatabase(file).close()],
    ['it is damaged, which a start says', (file: string) => writeFile(file, 'no database'.repeat(100))],
    ['it is empty', (file: string) => writeFile(file, '')],
    ['it is a folder', (file: string) => mkdir(file)],
  ])('are not warned of if %s', async (_what, make) => {
    const data = join(folder, 'data');
    await mkdir(data);
    await make(join(data, 'keyturn.db'));
    const { faults, warnings } = await check({ data_dir: data });
    expect([faults, warnings]).toEqual([[], []]);
  });
});
