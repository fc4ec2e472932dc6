import { chmod, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { warningWords } from '../../src/config/warnings/words.ts';
import { sandboxWarnings } from '../../src/config/warnings.ts';
import { configWords } from '../../src/config/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { featureParts, wholeSchema } from '../support/whole-schema.ts';
import { faultsOf, loadText, standInChannels, warningsOf } from './load-text.ts';

const say = configWords.en;
const envFile = '/home/keyturn/.env';

describe('a config that says nothing', () => {
  test.each([
    ['is empty', ''],
    ['holds only a comment', '// later\n'],
    ['is an empty object', '{}'],
    ['begins with a byte order mark', '\ufeff{}'],
    ['is not there, and nobody named it', undefined],
  ])('because it %s has the defaults', async (_why, text) => {
    const { config, warnings } = await loadText(text);
    expect(config).toMatchObject({
      data_dir: '/home/keyturn/data',
      workspace: '/home/keyturn/workspace',
      owners: [],
      models: {},
      agent: { mode: 'assistant', max_turns: 25 },
      channels: { terminal: { enabled: true }, telegram: { enabled: false } },
      approval: { enabled: true, policy: 'require_for_dangerous', approvers: ['owner'], timeout_secs: 1800 },
      tools: { timeout_secs: 600, shell: { timeout_secs: 60, max_output_bytes: 1_048_576 } },
      security: { taint: 'ask' },
    });
    expect(warnings).toEqual([]);
  });

  test('tells whether there was a file', async () => {
    expect(await loadText('')).toMatchObject({ source: 'file', path: '/home/keyturn/config.json' });
    expect(await loadText(undefined)).toMatchObject({ source: 'defaults', path: '/home/keyturn/config.json' });
  });

  test('is refused if it was named and is not there', async () => {
    expect(await faultsOf(undefined, { explicit: true, path: 'other.json' })).toBe(`other.json  ${say.noConfigFile}`);
  });
});

describe('a path in the config', () => {
  test('starts at the folder of the file, at the home folder, or at the root', async () => {
    const { config } = await loadText('{"data_dir": "../data", "workspace": "./w/{channel}"}', { path: 'etc/k.json' });
    expect(config).toMatchObject({ data_dir: '/home/keyturn/data', workspace: '/home/keyturn/etc/w/{channel}' });
    const other = await loadText('{"data_dir": "~/data", "workspace": "/srv/w"}');
    expect(other.config).toMatchObject({ data_dir: join(homedir(), 'data'), workspace: '/srv/w' });
  });

  test('is found from the config wherever it stands', async () => {
    const { config } = await loadText(`{
      "plugins": {"plugin_dirs": ["mine", "../shared", "/opt/plugins"]},
      "tool_modules": ["./dice.ts", "/opt/tools.mjs"],
      "hooks": {"before_tool_call": [{"command": "a"}], "after_tool_call": [{"command": "b", "working_dir": "hooks"}]}
    }`);
    expect(config).toMatchObject({
      plugins: { enabled: false, plugin_dirs: ['/home/keyturn/mine', '/home/shared', '/opt/plugins'] },
      tool_modules: ['/home/keyturn/dice.ts', '/opt/tools.mjs'],
      hooks: {
        before_tool_call: [
          { working_dir: '/home/keyturn', tools: ['*'], categories: [], timeout_secs: 10, on_failure: 'cancel' },
        ],
        after_tool_call: [{ working_dir: '/home/keyturn/hooks' }],
      },
    });
    expect((await loadText('{}')).config).toMatchObject({ plugins: { plugin_dirs: ['/home/keyturn/plugins'] } });
  });
});

describe('a variable in the config', () => {
  const text = `{"agent": {"instructions": "\${A}-\${B}-$\${A}"}}`;

  test('is taken from the environment, else from .env beside the file', async () => {
    const around = { env: { A: 'one' }, envFile: 'A=two\nB="three" # why\n', path: 'etc/k.json' };
    const { config, environment } = await loadText(text, around);
    expect(config.agent.instructions).toBe(`one-three-\${A}`);
    expect(environment).toEqual({ A: 'one', B: 'three' });
  });

  test('that is empty in the environment is taken from .env', async () => {
    const { config } = await loadText(text, { env: { A: '', B: 'b' }, envFile: 'A=a' });
    expect(config.agent.instructions).toBe(`a-b-\${A}`);
  });

  test('that is not set is a fault that says where it may be set', async () => {
    expect(await faultsOf(text, { env: { A: '' } })).toBe(
      [
        `config.json:1:28  agent.instructions: ${say.unsetVariable({ name: 'A', file: envFile, meant: undefined })}`,
        `config.json:1:28  agent.instructions: ${say.unsetVariable({ name: 'B', file: envFile, meant: undefined })}`,
      ].join('\n'),
    );
  });

  test('that a malformed line of .env names, or one like it that is set, is told with the line, or the other name', async () => {
    expect(await faultsOf(`{"data_dir": "\${TG}"}`, { envFile: 'A=1\nTG 1:abc' })).toBe(
      `config.json:1:14  data_dir: ${say.unsetVariableNamed({ name: 'TG', at: `${envFile}:2`, fault: say.setsNothing })}`,
    );
    expect(await faultsOf(`{"data_dir": "\${TELEGRAM_BOT_TOKN}"}`, { envFile: 'TELEGRAM_BOT_TOKEN=1:abc' })).toContain(
      say.unsetVariable({ name: 'TELEGRAM_BOT_TOKN', file: envFile, meant: 'TELEGRAM_BOT_TOKEN' }),
    );
  });

  test('with the name of what every object has is not set either', async () => {
    expect(await faultsOf(`{"data_dir": "\${constructor}"}`)).toContain('the variable constructor is not set');
  });

  test.each([
    ['a channel that is off', `{"channels": {"telegram": {"enabled": false, "token": "\${T}"}}}`],
    ['a channel that is off by default', `{"channels": {"telegram": {"token": "\${T}"}}}`],
    [
      'a model that is not used',
      `{"model": "a", "models": {"a": {"provider": "openai", "name": "x"}, "b": {"provider": "openai_compatible", "name": "\${T}", "base_url": "\${T}"}}}`,
    ],
    [
      'a model while offline',
      `{"model": "offline", "models": {"a": {"provider": "openai", "name": "x", "api_key": "\${T}"}}}`,
    ],
  ])('may be unset in %s', async (_where, config) => {
    await expect(loadText(config)).resolves.toMatchObject({ source: 'file' });
  });

  test('that is unset does not hide the other faults of a block that is off', async () => {
    expect(await faultsOf(`{"channels": {"telegram": {"token": "\${T}", "tokn": 1}}}`)).toBe(
      `config.json:1:45  channels.telegram.tokn: ${say.unknownKeyMeant({ meant: 'token' })}`,
    );
  });

  test('and what stands under a secret key is listed for redaction', async () => {
    const { secrets } = await loadText(
      `{"models": {"m": {"provider": "openai", "name": "x", "api_key": "typed", "headers": {"A": "Bearer \${T}"}}}}`,
      { env: { T: 'from-env', OPENAI_API_KEY: 'default-key', HOME: '/root' } },
    );
    expect([...secrets].sort()).toEqual(['Bearer from-env', 'default-key', 'from-env', 'typed']);
  });
});

describe('what is allowed but worth saying', () => {
  const model = '"provider": "openai_compatible", "name": "l", "base_url": "http://127.0.0.1:1/v1"';
  const local = `{${model}}`;
  const price = '"price": {"input_per_million": 3, "output_per_million": 15, "cached_input_per_million": 0.3}';
  const look = '"name": "look", "description": "looks", "command": "ls"';
  const line = '"channel_plugins": {"line": {"path": "./channels/line"}}';

  test.each([
    [
      '{"approval": {"enabled": false}}',
      'approval.enabled is false: tools run without asking anybody, except after untrusted content was read: then calls that could do harm still ask.',
    ],
    [
      '{"approval": {"policy": "always_allow"}}',
      'approval.policy is "always_allow": tools run without asking anybody, except after untrusted content was read: then calls that could do harm still ask.',
    ],
    [
      '{"approval": {"policy": "always_allow"}, "security": {"taint": "deny"}}',
      'approval.policy is "always_allow": tools run without asking anybody, except after untrusted content was read: then calls that could do harm are refused.',
    ],
    ['{"approval": {"approvers": []}}', 'approval.approvers is empty: nobody can approve anything.'],
    [
      '{"approval": {"require_for": ["shell"]}}',
      'approval.require_for has no effect under the policy "require_for_dangerous" in the mode "assistant".',
    ],
    [
      '{"channels": {"telegram": {"enabled": true, "token": "1:a", "allow_from": ["*"]}}}',
      'channels.telegram.allow_from has "*": everybody may talk to it there.',
    ],
    [
      '{"channels": {"telegram": {"enabled": true, "token": "1:a", "groups": {"-1": {"muted": true, "allow_from": ["*"]}}}}}',
      'channels.telegram.groups["-1"].allow_from has "*": everybody in that group may talk to it.',
    ],
    ['{"tools": {"only": []}}', 'tools.only is empty: the model has no tools there. Leave it out to offer all.'],
    ['{"owners": ["telegram:1"]}', 'owners names telegram:1, but that channel is off: this owner can decide nothing.'],
    [
      `{"custom_tools": [{${look}, "parameters": {"what": "string"}}]}`,
      'custom_tools[0].parameters.what: the command does not use {{what}}.',
    ],
    [
      `{"custom_tools": [{${look.replace('ls', 'ls {{what}}')}, "parameters": {"what": "string"}, "env": {"A": "{{what}}"}}]}`,
      'custom_tools[0].env.A: values are filled in only in the command; this text stays as it is.',
    ],
    [
      `{"tools": {"timeout_secs": 60}, "custom_tools": [{${look}, "timeout_secs": 61}]}`,
      'custom_tools[0].timeout_secs has no effect: tools.timeout_secs is shorter.',
    ],
    ['{"tools": {"timeout_secs": 30}}', 'tools.shell.timeout_secs has no effect: tools.timeout_secs is shorter.'],
    [
      '{"hooks": {"before_tool_call": [{"command": "node --x workspace/check.js"}]}}',
      'hooks.before_tool_call[0] runs /home/keyturn/workspace/check.js, which is in a workspace: tools cannot change that file, but they can change what it loads there. Move it elsewhere.',
    ],
    [
      '{"mcp_servers": {"notes": {"command": "node", "args": ["--import=./notes.mjs"], "cwd": "workspace"}}}',
      'mcp_servers.notes runs /home/keyturn/workspace/notes.mjs, which is in a workspace: tools cannot change that file, but they can change what it loads there. Move it elsewhere.',
    ],
    [
      '{"data_dir": "workspace"}',
      'workspace and data_dir are the same folder, /home/keyturn/workspace: tools cannot use any file in it. Use two folders.',
    ],
    [
      '{"data_dir": "workspace/data"}',
      'the workspace /home/keyturn/workspace contains the database: file tools refuse it, but a command outside the sandbox could read it.',
    ],
    [
      '{"hooks": {"before_tool_call": [{"command": "a"}, {"plugin": "watch"}]}}',
      'hooks.before_tool_call[1] has no effect: plugins.enabled is false.',
    ],
    [
      `{"models": {"local": ${local}}, "budget": {"money_per_day": 5}}`,
      'models.local has no price: limits on money do not count it.',
    ],
    ['{"budget": {"money_per_run": 5}}', 'budget limits money, but models has no model with a price.'],
    ['{"agents": {"a": {"mode": "autonomous"}}}', 'agents.a.mode has no effect: agent.mode is stricter.'],
    [
      '{"mcp_servers": {"a": {"command": "npx -y a"}}}',
      'mcp_servers.a.command is a program alone: write its arguments into args.',
    ],
    ['{"security": {"taint": "off"}}', 'security.taint is "off": nothing more asks after untrusted content.'],
    [
      '{"tools": {"network": {"trusted_domains": ["*"]}}}',
      'tools.network.trusted_domains has "*": no web page counts as untrusted.',
    ],
    [
      `{${line}, "channels": {"line": {"allow_from": ["*"]}}}`,
      'channels.line.allow_from has "*": everybody may talk to it there.',
    ],
    [
      `{${line}, "channels": {"terminal": {"enabled": false}}}`,
      "only channels from channel_plugins are enabled: one that is new or has changed can't be trusted in any chat. Enable another channel.",
    ],
  ])('%s is a warning', async (text, warning) => {
    expect(await warningsOf(text)).toEqual([warning]);
  });

  test.each([
    '{}',
    '{"security": {"taint": "ask"}, "agents": {"a": {"mode": "assistant"}, "b": {"mode": "observer"}}}',
    '{"tools": {"web_search": {"engine": "brave", "enabled": false}}}',
    '{"tools": {"web_search": {"api_key": "k", "enabled": false}}}',
    '{"tools": {"web_search": {"engine": "tavily", "api_key": "k"}}}',
    '{"tools": {"web_search": {"engine": "searxng", "base_url": "http://127.0.0.1:8888", "api_key": "k"}}}',
    '{"approval": {"policy": "require_for_tools", "require_for": ["shell", "web_*"]}}',
    '{"approval": {"dangerous_tools": ["mail_send"]}, "mcp_servers": {"mail": {"command": "mail"}}}',
    '{"approval": {"dangerous_tools": ["deploy"]}, "gateway": {"enabled": true}}',
    '{"approval": {"dangerous_tools": ["fs2", "fs_read", "fs_*"]}, "mcp_servers": {"fs": {"command": "files"}}}',
    '{"hooks": {"before_tool_call": [{"command": "npx check"}]}, "mcp_servers": {"a": {"command": "./a.js"}}}',
    '{"mcp_servers": {"a": {"command": "./a.js", "cwd": "workspace", "sandbox": true}}}',
    '{"hooks": {"before_tool_call": [{"plugin": "watch"}]}, "plugins": {"enabled": true}}',
    `{"models": {"local": {${model}, ${price}}}, "budget": {"money_per_day": 5}}`,
    `{"models": {"local": ${local}}, "budget": {"tokens_per_day": 5}}`,
  ])('%s is none', async (text) => {
    expect(await warningsOf(text)).toEqual([]);
  });

  test('a workspace inside the data folder is none', async () => {
    expect(await warningsOf('{"data_dir": "x", "workspace": "x/w"}')).toEqual([]);
  });

  test.each([
    ['/', ['workspace is /, the whole disk: tools read all of it without asking. Use a folder of its own.']],
    ['/{chat_id}', []],
  ])('the workspace %s is around everything, wherever Keyturn is started', async (workspace, more) => {
    expect(await warningsOf(JSON.stringify({ workspace, data_dir: '/var/keyturn' }))).toEqual([
      warningWords.en.contains({ folder: '/', what: 'database' }),
      warningWords.en.contains({ folder: '/', what: 'config' }),
      ...more,
    ]);
  });

  test('a workspace around the config is a warning for all that it holds', async () => {
    expect(await warningsOf('{"workspace": "./{chat_id}"}')).toEqual([
      warningWords.en.contains({ folder: '/home/keyturn', what: 'database' }),
      warningWords.en.contains({ folder: '/home/keyturn', what: 'config' }),
    ]);
  });
});

test('on a real disk the file and its .env are read, and a folder in its place is refused', async () => {
  const folder = await newFolder();
  const path = join(folder, 'config.json');
  await writeFile(path, `{"agent": {"instructions": "\${WORD}"},}`);
  await writeFile(join(folder, '.env'), 'WORD=hello');
  await chmod(join(folder, '.env'), 0o600);
  const options = { explicit: true, env: {}, channels: standInChannels, parts: featureParts };
  expect((await loadConfig({ ...options, path })).config.agent.instructions).toBe('hello');
  const refusal = await loadConfig({ ...options, path: folder }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConfigError);
  expect(String(refusal)).toBe(`ConfigError: ${folder}  ${say.unreadable({ reason: 'folder' })}`);
});

const missing = { holds: false, reason: 'bubblewrap is missing' } as const;
const there = { holds: true, programs: { wrap: '/usr/bin/bwrap', filter: new Uint8Array() } } as const;

function sandboxWarned(shell: Readonly<Record<string, unknown>>, state: typeof missing | typeof there = missing) {
  return [...sandboxWarnings(wholeSchema().parse({ tools: { shell } }), state)].map((warning) => warning('en'));
}

test('what a missing sandbox does to the config is said at start, as far as it changes anything', () => {
  expect(sandboxWarned({})).toEqual([]);
  expect(sandboxWarned({ sandbox: 'off' })).toEqual([warningWords.en.sandboxOff]);
  expect(sandboxWarned({ sandbox: 'required' })).toEqual([
    warningWords.en.sandboxMissing({ reason: 'bubblewrap is missing' }),
  ]);
  expect(sandboxWarned({ allow: ['@read_only'] })).toEqual([warningWords.en.allowIdle]);
  expect(sandboxWarned({ allowed_domains: ['example.com'] })).toEqual([warningWords.en.domainsIdle]);
});

test('with a sandbox, or without the tool, there is nothing to say', () => {
  const all = { allow: ['ls'], allowed_domains: ['example.com'], sandbox: 'required' };
  expect(sandboxWarned(all, there)).toEqual([]);
  expect(sandboxWarned({ ...all, enabled: false })).toEqual([]);
});
