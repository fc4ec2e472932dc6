import { mkdir, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warningWords } from '../../src/config/warnings/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { anything, saying } from '../support/saying.ts';
import { warningsOf as warningsOfText } from './load-text.ts';

function warningsOf(config: object): Promise<readonly string[]> {
  return warningsOfText(JSON.stringify(config));
}

const lists = (tools: readonly string[], categories: readonly string[]) => ({
  approval: { dangerous_tools: tools, dangerous_categories: categories },
});
const custom = (name: string) => ({ name, description: 'x', command: 'ls' });
const all = ['shell', 'filesystem_write', 'network_write', 'messaging', 'hardware', 'destructive'];

const commandsUnasked = new RegExp(
  (['tools', 'dangerous'] as const)
    .map((why) => saying(warningWords.en.shellUnasked({ why, names: [anything] })).source)
    .join('|'),
);

describe('what asks nobody is warned of, however it is written:', () => {
  test.each([
    ['both lists empty', lists([], [])],
    ['lists that name nothing that there is', lists(['remind'], ['hardware'])],
    ['a list of one harmless tool', { approval: { policy: 'require_for_tools', require_for: ['read_file'] } }],
    ['the mode', { agent: { mode: 'autonomous' } }],
    ['all that asks is off', { ...lists([], ['messaging']), tools: { disabled: ['message'] } }],
    ['all but one tool is off, and that one is free', { ...lists([], ['shell']), tools: { only: ['write_file'] } }],
    ['only an MCP server and commands, both free', { ...lists([], []), mcp_servers: { a: { command: 'true' } } }],
  ])('%s', async (_what, config) => {
    expect(await warningsOf(config)).toEqual([expect.stringContaining('nothing asks. ')]);
  });

  test.each([
    ['commands, by the lists', lists(['write_file'], ['messaging'])],
    ['commands, by require_for', { approval: { policy: 'require_for_tools', require_for: ['write_*', 'message'] } }],
    [
      'a custom tool that is a command',
      { ...lists(['shell', 'write_file'], ['messaging']), custom_tools: [custom('deploy')] },
    ],
  ])('%s', async (_what, config) => {
    expect(await warningsOf(config)).toEqual([expect.stringMatching(commandsUnasked)]);
  });

  test.each([
    ['the defaults', {}],
    ['no lists in a mode that only reads', { agent: { mode: 'observer' }, ...lists([], []) }],
    ['categories alone', lists([], all)],
    ['every tool by name', lists(['*'], [])],
    ['every call', { approval: { policy: 'always_require' } }],
    [
      'autonomous, but for commands',
      { agent: { mode: 'autonomous' }, approval: { policy: 'require_for_tools', require_for: ['shell'] } },
    ],
    ['nothing but reading', { tools: { only: ['read_file'] }, ...lists([], []) }],
  ])('but not %s', async (_what, config) => {
    expect(await warningsOf(config)).toEqual([]);
  });
});

const tools = (block: string, values: object) => ({ tools: { [block]: values } });

test.each([
  [tools('network', { allow_private: ['0.0.0.0/0'] }), 'allow_private has "0.0.0.0/0"'],
  [tools('network', { allow_private: ['::/0'] }), 'allow_private has "::/0"'],
  [tools('network', { allow_private: ['nas.local', '8.0.0.0/5'] }), 'allow_private has "8.0.0.0/5"'],
  [
    tools('network', { allow_private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8'] }),
    'opens every private network',
  ],
  [tools('shell', { allowed_domains: ['*'] }), 'tools.shell.allowed_domains has "*"'],
  [tools('shell', { allowed_domains: ['api.example.com', '*.com'] }), 'tools.shell.allowed_domains has "*.com"'],
  [tools('http_request', { allowed_domains: ['*'] }), 'tools.http_request.allowed_domains has "*"'],
  [tools('http_request', { allowed_domains: ['*.museum'] }), 'tools.http_request.allowed_domains has "*.museum"'],
  [tools('http_request', { allowed_domains: ['*.GitHub.io'] }), 'such as anybody.github.io'],
  [tools('network', { trusted_domains: ['*.co.uk'] }), 'tools.network.trusted_domains has "*.co.uk"'],
  [{ tools: { disabled: ['*'] } }, 'tools.disabled and tools.only leave no tool'],
  [{ tools: { disabled: ['shell'], only: ['category:shell'] } }, 'leave no tool'],
  [{ tools: { per_chat: { telegram: { disabled: ['*'] } } } }, 'tools.per_chat["telegram"] leaves no tool'],
  [
    {
      models: {
        m: {
          provider: 'openai',
          name: 'x',
          api_key: 'k',
          price: { input_per_million: 0.000003, output_per_million: 15 },
        },
      },
    },
    'models.m.price.input_per_million is 0.000003',
  ],
  [
    { models: { m: { provider: 'openai_compatible', name: 'x', base_url: 'http://gpu-box:8000/v1', api_key: 'k' } } },
    'models.m.base_url begins with http://',
  ],
  [
    { models: { m: { provider: 'anthropic', name: 'x', base_url: 'http://192.168.1.9' } } },
    'the key goes to 192.168.1.9',
  ],
  [
    { transcription: { name: 'x', base_url: 'http://gpu-box/v1', api_key: 'k' } },
    'transcription.base_url begins with http://',
  ],
  [
    { speech: { name: 'x', voice: 'v', base_url: 'http://gpu-box/v1', api_key: 'k' } },
    'speech.base_url begins with http://',
  ],
  [
    tools('web_search', { engine: 'tavily', api_key: 'k', base_url: 'http://proxy.example' }),
    'tools.web_search.base_url',
  ],
  [
    { mcp_servers: { a: { url: 'http://mcp.example', headers: { authorization: 'Bearer x' } } } },
    'mcp_servers.a.url begins with http://',
  ],
  [
    { channels: { telegram: { enabled: true, token: '1:x', proxy: 'http://proxy.example' } } },
    'channels.telegram.proxy begins with http://',
  ],
  [tools('shell', { allow: ['rm'] }), '"rm x" runs without asking, which deletes files'],
  [tools('shell', { allow: ['git status', 'git'] }), 'tools.shell.allow has "git": '],
  [tools('shell', { allow: ['rm *'] }), 'tools.shell.allow has "rm *": '],
  [tools('shell', { allow: ['curl'] }), 'which sends data out'],
  [tools('shell', { allow: ['python3'] }), 'which runs any code that the model writes'],
  [{ tools: { compact: 'few', find_tools: { enabled: false } } }, 'tools.compact is "few", but find_tools is off'],
  [{ tools: { compact: 'few', disabled: ['find_*'] } }, 'tools.compact is "few", but find_tools is off'],
  [{ workspace: '~' }, 'a home folder'],
  [{ workspace: '~/.ssh' }, 'a place of settings and keys'],
  [{ workspace: dirname(homedir()) }, 'workspace is '],
  [{ workspace: '/etc' }, 'a folder of the system'],
  [{ workspace: '/etc/keyturn' }, 'a folder of the system'],
  [{ workspace: '/usr' }, 'a folder of the system'],
  [{ agents: { a: { workspace: '/etc' } } }, 'agents.a.workspace is /etc'],
])('%j is warned of', async (config, words) => {
  expect((await warningsOf(config)).join('\n')).toContain(words);
});

test.each([
  tools('network', { allow_private: ['10.0.0.0/8', 'nas.local', '192.168.1.7:8080', 'fd00::/8'] }),
  tools('shell', { allowed_domains: ['*.example.com', 'github.com'] }),
  tools('http_request', { allowed_domains: ['*.internal', 'hooks.github.io'] }),
  tools('shell', { allow: ['git status', 'git push', 'npm test', 'make', '@read_only', 'ls'] }),
  tools('shell', { allow: ['rm'], enabled: false }),
  { tools: { compact: 'few', only: ['read_file'] } },
  {
    models: {
      m: {
        provider: 'openai_compatible',
        name: 'x',
        base_url: 'http://127.0.0.1:11434/v1',
        api_key: 'k',
        price: { input_per_million: 0, output_per_million: 0.02 },
      },
    },
  },
  { models: { m: { provider: 'openai_compatible', name: 'x', base_url: 'http://gpu-box:8000/v1' } } },
  { mcp_servers: { a: { url: 'http://mcp.example' } } },
  { workspace: '/var/lib/keyturn/workspace' },
  { workspace: '/etc-of-mine' },
  { workspace: '~/keyturn/workspace' },
  { tools: { only: ['category:memory'] } },
])('%j is not', async (config) => {
  expect(await warningsOf(config)).toEqual([]);
});

test('a workspace that is a link to a folder of the system is that folder', async () => {
  const folder = await newFolder();
  await mkdir(folder, { recursive: true });
  await symlink('/etc', join(folder, 'link'));
  const wide = { key: 'workspace', folder: anything, held: 'system' } as const;
  expect(await warningsOf({ workspace: join(folder, 'link') })).toEqual([
    expect.stringMatching(saying(warningWords.en.wideWorkspace(wide))),
  ]);
});
