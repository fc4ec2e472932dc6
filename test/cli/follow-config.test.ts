import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { channelLoaders, channelSettings } from '../../channels/index.ts';
import { createConfigFollower, stateOfConfig } from '../../src/cli/follow-config.ts';
import { type OpenSetup, openSetup } from '../../src/cli/open-setup.ts';
import { cliWords } from '../../src/cli/words.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configWords } from '../../src/config/words.ts';
import { daemonWords } from '../../src/daemon/words.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { wordsIn } from '../../src/lib/words.ts';
import { variable } from '../e2e/daemon-config.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newFolder } from '../support/new-folder.ts';
import { anything, saying } from '../support/saying.ts';
import { featureParts } from '../support/whole-schema.ts';

const first = {
  owners: ['telegram:1'],
  channels: {
    terminal: { enabled: false },
    telegram: { enabled: true, token: variable('TELEGRAM'), api_root: 'http://127.0.0.1:1' },
    discord: { enabled: true, token: variable('DISCORD'), api_url: 'http://127.0.0.1:1' },
  },
};

/** A folder with a config that runs, and what is told to the daemon because of its files. */
async function following(written: object | string = first, isThere = true, fault?: ConfigError) {
  const folder = await newFolder();
  const path = join(folder, 'config.json');
  if (isThere) await write(path, written);
  await writeFile(
    join(folder, '.env'),
    'TELEGRAM=123456:first-telegram-token-aaaaaaaaaaaaaaa\nDISCORD=MTAwMDAwMDAwMDAwMDAwMDAw.Gfirst.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n',
  );
  const clock = new ManualClock();
  const place = { path, explicit: isThere, env: {}, channels: channelSettings, parts: featureParts, cwd: folder };
  const parts = { loaders: channelLoaders, environment: {}, clock, log: silentLog };
  const read = await stateOfConfig(path);
  const running = await openSetup(await loadConfig(place), parts);
  const told: string[] = [];
  const lines: string[] = [];
  const note = (fields: object, words = ''): void => void lines.push(`${words} ${JSON.stringify(fields)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log };
  const opened: OpenSetup[] = [running];
  const follower = createConfigFollower({
    ...{ place, read, running, fault, clock, log },
    holds(now) {
      opened.push(now);
      if (now.setup.secrets.length > running.setup.secrets.length) told.push(`${now.setup.secrets.length} secrets`);
    },
    open: (loaded, before) => openSetup(loaded, parts, before),
    daemon: {
      edited: async ({ config }, { made, gone }) => {
        const channels = [...made.keys(), ...gone.map((name) => `no ${name}`)].join(', ');
        told.push(`edited: owners ${config.owners.join()}; channels ${channels === '' ? 'as before' : channels}`);
      },
      configFault: (words) => told.push(words === undefined ? 'mended' : wordsIn('en', words)),
      tellOwners: (words) => told.push(wordsIn('en', words)),
    },
  });
  onTestFinished(() => follower.stop());
  /** Lets it look so often, one look after the other. */
  const look = async (times = 4): Promise<void> => {
    for (let time = 0; time < times; time += 1) await follower.look();
  };
  return { folder, path, told, follower, look, lines, opened };
}

const write = (path: string, content: object | string): Promise<void> =>
  writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
const owned = (owner: string): object => ({ ...first, owners: [owner] });

describe('an edit', () => {
  test('is told once it has stopped changing, and once', async () => {
    const { path, told, look } = await following();
    await look(5);
    expect(told).toEqual([]);
    await write(path, owned('telegram:2'));
    await look(1);
    expect(told).toEqual([]);
    await look(3);
    expect(told).toEqual(['edited: owners telegram:2; channels as before']);
  });

  test('that is half written is waited for', async () => {
    const { path, told, look } = await following();
    const whole = JSON.stringify(owned('telegram:3'));
    for (const length of [0, 10, 50]) {
      await write(path, whole.slice(0, length));
      await look(1);
    }
    await write(path, whole);
    await look();
    expect(told).toEqual(['edited: owners telegram:3; channels as before']);
  });

  test('that is read when half of it is written, or has stayed half written for a moment, is not told as a fault', async () => {
    const { path, told, look } = await following();
    await write(path, '{ "owners": [');
    await look(3);
    await write(path, owned('telegram:3'));
    await look();
    expect(told).toEqual(['edited: owners telegram:3; channels as before']);
  });

  test('where a workspace is around the config, is read only when a person says so', async () => {
    const { path, told, follower, look } = await following({ ...first, workspace: '.' });
    await write(path, { ...first, workspace: '.', owners: ['telegram:3'] });
    await look(8);
    expect(told).toEqual([]);
    follower.readAgain();
    await look();
    expect(told).toEqual(['edited: owners telegram:3; channels as before']);
    await write(path, { ...first, workspace: '.' });
    await look(8);
    expect(told).toHaveLength(1);
  });

  test('of a comment, or that is undone at once, changes nothing', async () => {
    const { path, told, look } = await following();
    await write(path, `// mine\n${JSON.stringify(first)}`);
    await look();
    await write(path, owned('telegram:2'));
    await look(1);
    await write(path, first);
    await look();
    expect(told).toEqual([]);
  });

  test('by renaming another file over it, and behind a link, is seen', async () => {
    const { folder, path, told, look } = await following();
    const other = join(folder, 'other.json');
    await write(other, owned('telegram:4'));
    await rename(other, path);
    await look();
    await write(other, owned('telegram:5'));
    await rm(path);
    await symlink(other, path);
    await look();
    await write(other, owned('telegram:6'));
    await look();
    expect(told.map((words) => words.slice(15, 25))).toEqual(['telegram:4', 'telegram:5', 'telegram:6']);
  });

  test.each([
    [
      'TELEGRAM=123456:second-telegram-token-aaaaaaaaaaaaaa\nDISCORD=MTAwMDAwMDAwMDAwMDAwMDAw.Gfirst.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n',
      'telegram',
    ],
    [
      'TELEGRAM=123456:first-telegram-token-aaaaaaaaaaaaaaa\nDISCORD=MTAwMDAwMDAwMDAwMDAwMDAw.Gother.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n',
      'discord',
    ],
  ])('of a token in .env starts that channel again, and no other', async (variables, channel) => {
    const { folder, told, look } = await following();
    await writeFile(join(folder, '.env'), variables);
    await look();
    // Before anything can be logged that works with it; and what was secret stays so.
    expect(told).toEqual(['3 secrets', `edited: owners telegram:1; channels ${channel}`]);
    await writeFile(join(folder, '.env'), variables.replaceAll('second', 'third').replaceAll('Gother', 'Gnewer'));
    await look();
    expect(told[2]).toBe('4 secrets');
  });

  test.each([
    ['a model', { model: 'b' }, 'models'],
    ['the transcriber', { transcription: { name: 'w', base_url: 'http://127.0.0.1:1' } }, 'transcriber'],
    ['the sandbox', { tools: { shell: { sandbox: 'off' } } }, 'sandbox'],
    ['the instructions', { agent: { instructions: 'Be brief.' } }, undefined],
  ] as const)('of %s opens that again, and nothing else', async (_what, edit, part) => {
    const model = { provider: 'openai_compatible', name: 'x', base_url: 'http://127.0.0.1:1/v1' };
    const base = { ...first, model: 'a', models: { a: model, b: model }, tools: { shell: { sandbox: 'required' } } };
    const { path, look, opened } = await following(base);
    await write(path, { ...base, ...edit });
    await look();
    const [before, after] = opened.map(({ setup }) => setup);
    const parts = ['models', 'transcriber', 'sandbox'] as const;
    expect(parts.filter((each) => before?.[each] !== after?.[each])).toEqual(part === undefined ? [] : [part]);
  });

  test('is kept as one that works, and what it newly allows is logged', async () => {
    const { folder, path, look, follower, lines } = await following();
    await write(path, { ...owned('telegram:2'), approval: { policy: 'always_allow' } });
    await look();
    await follower.stop();
    const history = join(folder, 'data', 'config-history');
    const [name = ''] = await readdir(history);
    expect(await readFile(join(history, name), 'utf8')).toContain('telegram:2');
    expect(lines.join()).toContain('tools run without asking anybody');
  });

  test('that makes a config where there was none is followed', async () => {
    const { path, told, look } = await following(undefined, false);
    await look();
    await write(path, { ...first, owners: ['telegram:8'] });
    await look();
    expect(told).toEqual(['2 secrets', 'edited: owners telegram:8; channels telegram, discord, no terminal']);
  });

  test('of who may talk leaves the channels as they are, but for roles on Discord, which it has to ask for', async () => {
    const { path, told, look } = await following();
    const { telegram, discord } = first.channels;
    const edit = (more: object): Promise<void> => write(path, { ...first, channels: { ...first.channels, ...more } });
    await edit({
      telegram: { ...telegram, allow_from: ['7000007'] },
      discord: { ...discord, allow_from: ['100000000000000008'] },
    });
    await look();
    await edit({
      telegram: { ...telegram, allow_from: ['7000007'] },
      discord: { ...discord, allow_from: ['role:100000000000000008'] },
    });
    await look();
    await edit({ telegram: { ...telegram, enabled: false } });
    await look();
    expect(told).toEqual([
      'edited: owners telegram:1; channels as before',
      'edited: owners telegram:1; channels discord',
      'edited: owners telegram:1; channels discord, no telegram',
    ]);
  });

  test('of what only a restart changes is told once, and the rest of it holds', async () => {
    const { path, told, look } = await following();
    const edit = { ...owned('telegram:2'), data_dir: './other', tools: { stop_secs: 7 } };
    await write(path, edit);
    await look();
    await write(path, { ...edit, owners: ['telegram:3'] });
    await look();
    expect(told).toEqual([
      daemonWords.en.atNextStart({ keys: ['data_dir', 'tools.stop_secs'] }),
      'edited: owners telegram:2; channels as before',
      'edited: owners telegram:3; channels as before',
    ]);
  });
});

describe('a file that cannot be used', () => {
  const faults: readonly (readonly [string, (path: string) => Promise<unknown>, RegExp])[] = [
    ['has an unknown key', (path) => write(path, '{\n  "onwers": []\n}'), /config\.json:2:3 {2}onwers: .*"owners"/],
    [
      'has no channel',
      (path) => write(path, '{ "channels": { "terminal": { "enabled": false } } }'),
      saying(cliWords.en.noChannel),
    ],
    ['names a model that cannot be', (path) => write(path, { ...first, model: 'missing' }), /missing/],
    [
      'names a workspace that cannot be',
      (path) => write(path, { ...first, workspace: '/proc/none' }),
      /The workspace \/proc\/none/,
    ],
    ['is empty', (path) => write(path, ' \n'), saying(cliWords.en.emptyConfig)],
    ['is gone', (path) => rm(path), saying(configWords.en.noConfigFile)],
    [
      'is a folder',
      (path) => rm(path).then(() => mkdir(path)),
      saying(configWords.en.unreadable({ reason: 'folder' })),
    ],
  ];

  test.each(faults)(
    'because it %s changes nothing; that is told once, and once when it is mended',
    async (_why, spoil, words) => {
      const { path, told, look } = await following();
      await spoil(path);
      await look(6);
      expect(told).toHaveLength(1);
      const [opening, next] = told[0]?.split('\n') ?? [];
      expect([opening, next === '']).toEqual([daemonWords.en.configUnusable, false]);
      expect(told[0]).toMatch(words);
      await rm(path, { recursive: true, force: true });
      await write(path, first);
      await look(6);
      expect(told.slice(1)).toEqual(['mended']);
    },
  );

  test('is told again only when something else is wrong, and never written to', async () => {
    const { path, told, look } = await following();
    for (const key of ['onwers', 'onwers', 'modle']) {
      await write(path, `{ "${key}": 1 }`);
      await look();
    }
    expect(told).toHaveLength(2);
    const before = await stat(path, { bigint: true });
    await look(4);
    expect(await readFile(path, 'utf8')).toBe('{ "modle": 1 }');
    expect((await stat(path, { bigint: true })).mtimeNs).toBe(before.mtimeNs);
  });

  test('at the start is told to owners; the first lines printed say it, so the log does not', async () => {
    const fault = new ConfigError([{ file: 'config.json', key: 'onwers', text: 'unknown' }]);
    const { path, told, follower, look, lines } = await following(first, true, fault);
    follower.begin();
    expect(told).toEqual([expect.stringMatching(saying(`${daemonWords.en.configUnusable}\n${anything}onwers`))]);
    expect(lines).toEqual([]);
    await write(path, owned('telegram:2'));
    await look();
    expect(told.slice(1)).toEqual(['edited: owners telegram:2; channels as before', 'mended']);
  });

  test('is read again on SIGHUP, though it has not changed', async () => {
    const { folder, path, told, follower, look, lines } = await following();
    follower.readAgain();
    await look();
    expect(lines.join()).toContain('the config has not changed');
    await rm(path);
    await look();
    lines.length = 0;
    follower.readAgain();
    await look();
    expect(lines.join()).toContain(configWords.en.noConfigFile);
    // The log says what came of it; owners have read it.
    expect(told).toHaveLength(2);
    await write(path, owned('telegram:9'));
    await look();
    expect(told.slice(2)).toEqual(['edited: owners telegram:9; channels as before', 'mended']);
    await rm(join(folder, '.env'));
    await look();
    expect(told[4]).toContain('the variable TELEGRAM is not set');
  });
});
