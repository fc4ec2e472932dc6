import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { channelLoaders, channelSettings } from '../../channels/index.ts';
import { loadAtStart, type OnFault } from '../../src/cli/load-at-start.ts';
import { openSetup } from '../../src/cli/open-setup.ts';
import { cliWords } from '../../src/cli/words.ts';
import { keepGood } from '../../src/config/last-good.ts';
import { warningWords } from '../../src/config/warnings/words.ts';
import { silentLog } from '../../src/lib/log.ts';
import { wordsIn } from '../../src/lib/words.ts';
import { modelWords } from '../../src/models/words.ts';
import { variable } from '../e2e/daemon-config.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newFolder } from '../support/new-folder.ts';
import { anything, saying } from '../support/saying.ts';
import { featureParts } from '../support/whole-schema.ts';

const words = cliWords.en;
const good = { model: 'offline', owners: ['terminal:1'], tools: { shell: { sandbox: 'off' } } };

/** A folder whose config has worked once, and has this text now; without a text it is gone. */
async function place(text: string | undefined, env: Readonly<Record<string, string>> = {}, kept: object = good) {
  const folder = await newFolder();
  await keepGood(join(folder, 'data'), JSON.stringify(kept), 1_700_000_000_000);
  if (text !== undefined) await writeFile(join(folder, 'config.json'), text);
  const options = {
    path: 'config.json',
    explicit: false,
    env,
    channels: channelSettings,
    parts: featureParts,
    cwd: folder,
  };
  const parts = { loaders: channelLoaders, environment: {}, clock: new ManualClock(), log: silentLog };
  return (onFault: OnFault, hasTerminal: boolean) =>
    loadAtStart(options, onFault, hasTerminal, (loaded) => openSetup(loaded, parts));
}

test.each([
  ['has an unknown key', '{ "onwers": [] }', /onwers/],
  ['is empty', ' ', saying(words.emptyConfig)],
  ['is gone', undefined, saying(words.goneConfig)],
  ['has a workspace that cannot be', '{ "workspace": "/proc/none" }', /The workspace \/proc\/none/],
])(
  'a config that %s: a service starts with the last good one, a terminal and --strict refuse',
  async (_why, text, reason) => {
    const start = await place(text);
    const { opened, fault, warnings } = await start('by-terminal', false);
    expect(opened.setup.config.owners).toEqual(good.owners);
    expect(fault?.message).toMatch(reason);
    expect(wordsIn('en', warnings[0] ?? '')).toMatch(saying(words.lastGoodUsed({ kept: anything })));
    await expect(start('by-terminal', true)).rejects.toThrow(saying(words.lastGoodHint({ kept: anything })));
    expect((await start('last-good', true)).opened.setup.config.owners).toEqual(good.owners);
    await expect(start('strict', false)).rejects.toThrow(reason);
  },
);

test('a key of the environment that HTTP cannot carry counts as a config that cannot be used', async () => {
  const start = await place('{ "models": { "a": { "provider": "openai", "name": "x" } } }', { OPENAI_API_KEY: 'a\nb' });
  expect((await start('by-terminal', false)).fault?.message).toContain(modelWords.en.keyUnsendable({ modelKey: 'a' }));
});

test('where no config has worked yet, one that is not there is one of defaults alone', async () => {
  const folder = await newFolder();
  const options = {
    path: 'config.json',
    explicit: false,
    env: {},
    channels: channelSettings,
    parts: featureParts,
    cwd: folder,
  };
  const { opened } = await loadAtStart(options, 'by-terminal', false, async ({ source }) => source);
  expect(opened).toBe('defaults');
});

const literal = { ...good, channels: { telegram: { enabled: true, token: '1:secret-in-file' } } };

test.each(['', '{', '{ "channels": { "telegram": { "enabled": true, "tok'])(
  'a torn config whose secret stood only in it (%j): the refusal says which copy lacks what, and how to have a whole one',
  async (text) => {
    for (const onFault of ['by-terminal', 'last-good'] as const) {
      const failed = await (await place(text, {}, literal))(onFault, false).catch((error: Error) => error.message);
      const lacking = words.lackingSecrets({ kept: anything, keys: 'channels.telegram.token' });
      expect(failed).toMatch(saying(`\n${lacking}`));
      expect(failed).not.toContain('secret-in-file');
    }
  },
);

test('a start warns of secrets in the config itself, and of none that a variable holds', async () => {
  const start = async (token: string) =>
    (await place(JSON.stringify({ ...literal, channels: { telegram: { enabled: true, token } } }), { TG: '1:abc' }))(
      'strict',
      false,
    );
  const { warnings } = await start('1:secret-in-file');
  expect(warnings.map((warning) => wordsIn('en', warning))).toEqual([
    warningWords.en.literalSecrets({ keys: 'channels.telegram.token', isOne: true }),
  ]);
  expect((await start(variable('TG'))).warnings).toEqual([]);
});
