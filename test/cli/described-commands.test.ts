import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../../channels/index.ts';
import { checkConfig } from '../../src/cli/check-config.ts';
import { unknownCommands } from '../../src/cli/described-commands.ts';
import { openSetup } from '../../src/cli/open-setup.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configWords } from '../../src/config/words.ts';
import { commandMenu, loadFeatures } from '../../src/daemon/command-menu.ts';
import { silentLog } from '../../src/lib/log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newFolder } from '../support/new-folder.ts';
import { featureParts } from '../support/whole-schema.ts';

/** A config that describes these commands for the menu of Telegram in German. */
async function describing(commands: readonly string[], enabled = true) {
  const cwd = await newFolder();
  const telegram = {
    enabled,
    token: `1:${'a'.repeat(35)}`,
    commands: { de: Object.fromEntries(commands.map((name) => [name, 'Tut etwas.'])) },
  };
  const channels = { terminal: { enabled: true }, telegram };
  await writeFile(join(cwd, 'config.json'), JSON.stringify({ channels }), { mode: 0o600 });
  const env = { PATH: process.env.PATH };
  return { path: 'config.json', explicit: true, env, channels: channelSettings, parts: featureParts, cwd };
}

describe('a command that the config describes for the menu of Telegram', () => {
  const key = 'channels.telegram.commands.de.stpo';
  const text = configWords.en.noCommand({ name: 'stpo', meant: 'stop' });

  test('is refused by a check if there is none of its name, with its line and the nearest one', async () => {
    const { faults } = await checkConfig(await describing(['stpo']));
    expect(faults).toMatchObject([{ file: 'config.json', line: 1, key, text }]);
  });

  test('is refused at a start, too', async () => {
    const parts = { loaders: {}, environment: process.env, clock: new ManualClock(), log: silentLog };
    const loaded = await loadConfig(await describing(['stpo']));
    const refusal: unknown = await openSetup(loaded, parts).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain(`${key}: ${text}`);
  });

  test('is taken if it exists, the core’s and the features’', async () => {
    const names = commandMenu(await loadFeatures()).map(({ name }) => name);
    expect((await checkConfig(await describing(names))).faults).toEqual([]);
  });

  test('does not matter while the channel is off', async () => {
    expect((await checkConfig(await describing(['stpo'], false))).faults).toEqual([]);
  });

  test('is no matter of ours in the settings of a channel from elsewhere', async () => {
    const loaded = await loadConfig(await describing(['stop']));
    const others = { irc: { enabled: true, allow_from: [], groups: {}, commands: { deploy: { script: 'x' } } } };
    const config = { ...loaded.config, channels: { ...loaded.config.channels, ...others } };
    const brought = { ...loaded.brought, pluggedChannels: ['irc'] };
    expect(await unknownCommands({ config, brought })).toEqual([]);
    expect(await unknownCommands({ config, brought: loaded.brought })).toHaveLength(1);
  });
});
