import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { channelSettings } from '../../channels/index.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { keepGood, lastGood, withoutSecrets } from '../../src/config/last-good.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import { variable } from '../e2e/daemon-config.ts';
import { newFolder } from '../support/new-folder.ts';
import { featureParts } from '../support/whole-schema.ts';

/** A folder with a config, and what is kept of those that worked there. */
async function place() {
  const folder = await newFolder();
  const history = join(folder, 'data', 'config-history');
  let at = 1_700_000_000_000;
  return {
    folder,
    history,
    write: (text: string) => writeFile(join(folder, 'config.json'), text),
    keep(text: string) {
      at += 1;
      return keepGood(join(folder, 'data'), text, at);
    },
    async last(env: Readonly<Record<string, string>> = {}) {
      const options = {
        path: 'config.json',
        explicit: true,
        env,
        channels: channelSettings,
        parts: featureParts,
        cwd: folder,
      };
      const good = await lastGood(options, async (loaded) => loaded);
      return good !== undefined && 'opened' in good ? { loaded: good.opened, keptAt: good.keptAt } : undefined;
    },
  };
}

const owned = (owner: string): string => `// mine\n{ "owners": ["telegram:${owner}"] }`;
const withToken = (token: string): string =>
  JSON.stringify({
    channels: { telegram: { enabled: true, token } },
    models: { a: { provider: 'openai', name: 'x', api_key: variable('KEY') } },
  });

test('ten are kept, the newest is used, and the same one is kept once', async () => {
  const { history, write, keep, last } = await place();
  for (const owner of ['-5', '-4', '-3', '-2', '-1', '1', '2', '3', '4', '5', '6', '7', '7']) await keep(owned(owner));
  expect(await readdir(history)).toHaveLength(10);
  await write('{ "owners": [');
  const good = await last();
  expect(good?.loaded.config.owners).toEqual(['telegram:7']);
  expect(good?.keptAt).toBe(1_700_000_000_012);
  expect(good?.loaded.text.trim()).toBe('{ "owners": ["telegram:7"] }');
});

test('a copy of the config that works no more, is cut short or cannot be read is passed over; without any there is none', async () => {
  const { history, write, keep, last } = await place();
  await write('{ "owners": [');
  expect(await last()).toBeUndefined();
  await keep(owned('1'));
  await keep(withToken(`${variable('TOKEN')}`));
  await writeFile(join(history, '001800000000000.json'), '{ "own');
  await mkdir(join(history, '001900000000000.json'));
  await writeFile(join(history, 'left.tmp'), '{}');
  expect((await last())?.loaded.config.owners).toEqual(['telegram:1']);
  expect((await last({ TOKEN: '1:a', KEY: 'k' }))?.loaded.config.channels.telegram).toMatchObject({ token: '1:a' });
  await keep(owned('2'));
  expect(await readdir(history)).not.toContain('left.tmp');
});

test('a clock that was set back does not make an old one the newest', async () => {
  const { history, write, keep, last } = await place();
  await keep(owned('1'));
  await writeFile(join(history, '001900000000000.json'), owned('2'));
  await keep(owned('3'));
  await write('');
  await write('{');
  expect((await last())?.loaded.config.owners).toEqual(['telegram:3']);
});

test('a secret that stands in the config itself is not kept, and read from there again', async () => {
  const { history, write, keep, last } = await place();
  await keep(withToken('123:written-in-the-file'));
  const [name = ''] = await readdir(history);
  const kept = await readFile(join(history, name), 'utf8');
  expect(kept).not.toContain('written-in-the-file');
  expect(kept).toContain(variable('KEY'));
  await write(withToken('123:written-in-the-file').replace('"channels"', '"chanels": 1, "channels"'));
  expect((await last({ KEY: 'k' }))?.loaded.config.channels.telegram).toMatchObject({
    token: '123:written-in-the-file',
  });
  // As far as it can be understood.
  await write(withToken('123:written-in-the-file').slice(0, -20));
  expect((await last({ KEY: 'k' }))?.loaded.config.channels.telegram).toMatchObject({
    token: '123:written-in-the-file',
  });
  // Another one may be for another server.
  for (const other of ['{}', `{ "x": 1, ${withToken('123:of-another-bot').slice(1)}`]) {
    await write(other);
    expect(await last({ KEY: 'k' })).toBeUndefined();
  }
});

test('a copy of the config keeps neither comments nor passwords in addresses', async () => {
  const { history, keep } = await place();
  await keep(
    '{ // was 123:an-old-token\n "models": { "a": { "provider": "openai", "base_url": "https://u:pass-in-url@h/v1" } } }',
  );
  const kept = await Promise.all((await readdir(history)).map((name) => readFile(join(history, name), 'utf8')));
  expect(kept.join()).toContain('openai');
  expect(kept.join()).not.toMatch(/old-token|pass-in-url/);
});

test('nothing is kept that may be a secret by where it stands, or by its shape; what is plainly none is', async () => {
  const { history, write, keep, last } = await place();
  const text = JSON.stringify({
    agent: { instructions: 'Use ghp_abcdefghijklmnopqrstuvwxyz0123456789 there.' },
    mcp_servers: {
      git: {
        command: 'npx',
        args: ['-y', '@scope/server-git', './own', '--pat=in-option', 'in-argument'],
        env: { GITHUB_PAT: 'in-env', OTHER: variable('OTHER') },
      },
      web: { url: 'https://a.example/mcp?api_key=in-url', headers: { 'X-Api-Key': 'in-header', 'X-Team': 'home' } },
      path: { url: 'https://a.example/s/in-path-of-the-url/mcp' },
      plain: { url: 'https://b.example/v1/mcp' },
    },
    hooks: {
      after_tool_call: [
        { command: 'curl -H "Authorization: Bearer in-command" https://c.example' },
        { command: 'cat > log' },
      ],
    },
  });
  await keep(text);
  const [name = ''] = await readdir(history);
  const kept = await readFile(join(history, name), 'utf8');
  expect(kept).not.toMatch(/in-\w|ghp_/);
  for (const plain of [
    'npx',
    '-y',
    '@scope/server-git',
    './own',
    variable('OTHER'),
    'https://b.example/v1/mcp',
    'home',
    'cat > log',
  ])
    expect(kept).toContain(JSON.stringify(plain));
  // As long as they stand in the person's file, a start finds them there.
  await write(text.replace('"agent"', '"agnet": {}, "agent"'));
  expect((await last({ OTHER: 'x' }))?.loaded.config).toMatchObject({
    mcp_servers: { git: { env: { GITHUB_PAT: 'in-env' } } },
  });
});

test('copies of the config are found where `data_dir` is, however it is written, and one that cannot be started with is passed over', async () => {
  const { folder, write, keep } = await place();
  await keep(owned('1'));
  await keep(owned('2'));
  const options = {
    path: 'config.json',
    explicit: true,
    env: { WHERE: join(folder, 'data') },
    channels: channelSettings,
    parts: featureParts,
    cwd: folder,
  };
  for (const dir of [variable('WHERE'), './data', join(folder, 'data')]) {
    for (const start of ['{', '{ "owners": [}, '])
      for (const end of ['"onwers": [] }', '"ow']) {
        await write(`${start} "data_dir": "${dir}", ${end}`);
        expect(await lastGood(options, async ({ config }) => config.owners)).toMatchObject({ opened: ['telegram:2'] });
      }
  }
  const open = async ({ config: { owners } }: LoadedConfig): Promise<readonly string[]> => {
    if (owners[0] === 'telegram:2') throw new ConfigError([{ key: 'owners', text: 'not today' }]);
    return owners;
  };
  expect(await lastGood(options, open)).toMatchObject({ opened: ['telegram:1'] });
});

test('a number that may be a secret is left out too, and a text with a fault has no copy', () => {
  const copy = withoutSecrets('\uFEFF{ "a": { "password": 73219911 }, "env": { "PIN": 4711 }, "port": 8080, }') ?? '';
  expect(copy).not.toMatch(/73219911|4711/);
  expect(copy).toContain('8080');
  for (const fault of ['{ "token" "abc" }', '{ "token": "abc', '{ "a": , "token": "abc" }', '{} "abc"'])
    expect(withoutSecrets(fault)).toBeUndefined();
});
