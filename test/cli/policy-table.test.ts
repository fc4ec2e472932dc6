import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig, reportText } from '../../src/cli/check-config.ts';
import { standInChannels } from '../config/load-text.ts';
import { newFolder } from '../support/new-folder.ts';
import { featureParts } from '../support/whole-schema.ts';

async function check(config: object) {
  const folder = await newFolder();
  await writeFile(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const place = {
    path: 'config.json',
    explicit: true,
    env: {},
    channels: standInChannels,
    parts: featureParts,
    cwd: folder,
  };
  return checkConfig(place);
}

/** What becomes of a call, at first and after a web page. */
async function fateOf(tool: string, example: string, config: object): Promise<string> {
  const { policy } = await check(config);
  const found = policy?.calls.find((call) => call.tool === tool && call.example.includes(example));
  return `${found?.fate}, ${found?.afterWeb}`;
}

const autonomous = { agent: { mode: 'autonomous' } };
const allow = (...names: readonly string[]) => ({ tools: { network: { allow_private: names } } });

test.each<[tool: string, example: string, config: object, fate: string]>([
  ['shell', 'ls', {}, 'asks, asks'],
  ['shell', 'rm -rf', {}, 'is refused, is refused'],
  ['shell', 'rm -rf', { tools: { shell: { deny: [] } } }, 'asks, asks'],
  ['shell', 'touch', { approval: { dangerous_tools: [], dangerous_categories: [] } }, 'runs, asks'],
  ['shell', 'touch', { approval: { policy: 'always_allow' }, security: { taint: 'off' } }, 'runs, runs'],
  ['shell', 'touch', { security: { taint: 'deny' } }, 'asks, is refused'],
  ['shell', 'touch', { tools: { disabled: ['shell'] } }, 'is off, is off'],
  // Without a sandbox, as here: nothing is on the PATH.
  ['shell', 'touch', autonomous, 'asks, asks'],
  ['write_file', 'notes.txt', autonomous, 'runs, asks'],
  ['write_file', 'notes.txt', { agent: { mode: 'observer' } }, 'is refused, is refused'],
  ['message', 'another chat', {}, 'asks, asks'],
  ['web_fetch', 'example.com', {}, 'runs, asks'],
  ['web_fetch', '10.0.0.1', {}, 'is refused, is refused'],
  ['web_fetch', '10.0.0.1', allow('10.0.0.0/8'), 'runs, asks'],
  [
    'http_request',
    'POST https://api.example.org',
    { tools: { http_request: { allowed_domains: ['api.example.org'] } } },
    'asks, asks',
  ],
  [
    'mine',
    '',
    { custom_tools: [{ name: 'mine', description: 'x', command: 'echo {{a}}', parameters: { a: 'integer' } }] },
    'asks, asks',
  ],
  [
    'mine',
    '',
    { custom_tools: [{ name: 'mine', description: 'x', command: 'echo', category: 'memory' }] },
    'runs, asks',
  ],
  ['a_*', 'network_write', { mcp_servers: { a: { url: 'https://a.example' } } }, 'asks, asks'],
  [
    'a_get_*',
    'network_read',
    { mcp_servers: { a: { url: 'https://a.example', tools: { 'get_*': { category: 'network_read' } } } } },
    'runs, asks',
  ],
])('%s %s with %j: %s', async (tool, example, config, fate) => {
  expect(await fateOf(tool, example, config)).toBe(fate);
});

const telegram = (more: object = {}) => ({ channels: { telegram: { enabled: true, token: '1:x', ...more } } });
const team = { groups: { '-1': { muted: false } } };

test.each<[string, object, readonly string[]]>([
  ['the defaults', telegram(), ['directly: yes, yes, code', 'other groups: no, no, no']],
  ['everybody', telegram({ allow_from: ['*'] }), ['directly: yes, yes, yes', 'other groups: no, no, no']],
  [
    'no pairing',
    { ...telegram(), pairing: { enabled: false } },
    ['directly: yes, yes, no', 'other groups: no, no, no'],
  ],
  [
    'a group',
    { ...telegram(team), owners: ['telegram:7'] },
    ['directly: yes, yes, code', 'group -1: when addressed, when addressed, no', 'other groups: no, no, no'],
  ],
  [
    'owners elsewhere',
    { ...telegram({}), owners: ['terminal:local'] },
    ['directly: absent, yes, code', 'other groups: absent, no, no'],
  ],
  [
    'a group for everybody',
    telegram({ groups: { '-1': { muted: false, allow_from: ['*'] } } }),
    [
      'directly: yes, yes, code',
      'group -1: when addressed, when addressed, when addressed',
      'other groups: no, no, no',
    ],
  ],
])('who is heard, with %s', async (_what, config, heard) => {
  const { policy } = await check(config);
  const lines = policy?.people.map(
    ({ where, owner, friend, stranger }) => `${where}: ${owner}, ${friend}, ${stranger}`,
  );
  expect(lines).toEqual(heard);
});

test('the tables are part of the report, for people and for programs, unless the config cannot be used', async () => {
  const report = await check(telegram());
  expect(reportText(report, false)).toMatch(
    /^Who is heard +owner +let in +stranger\ntelegram, directly +yes +yes +the owner is asked$/m,
  );
  expect(reportText(report, false)).toMatch(/^write_file +notes\.txt +asks +asks$/m);
  const { people, ...rest } = report.policy ?? { people: [] };
  const shown = people.map(({ where: place, ...heard }) => ({ ...heard, place }));
  expect(JSON.parse(reportText(report, true)).policy).toEqual({ ...rest, people: shown });
  expect((await check({ channels: { terminal: { enabled: false } } })).policy).toBeUndefined();
});
