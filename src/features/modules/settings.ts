/* The keys of the config that name files of code to run within Keyturn: `tool_modules` and `channel_plugins`. */

import { keyFault, reservedChannels } from '../../config/cross-checks.ts';
import { enabledChannels, pluggedChannel } from '../../config/extension-settings.ts';
import { settingsPart } from '../../config/settings-part.ts';
import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import { channelName, moduleKeys } from './module-keys.ts';
import { moduleSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export const moduleSettings = settingsPart({
  keys: moduleKeys,
  channels: pluggedChannels,
  brings({ tool_modules, channel_plugins }, { channels }) {
    const enabled = enabledChannels(channels);
    return {
      pluggedChannels: Object.keys(channel_plugins).filter((name) => enabled.has(name)),
      unknownTools: tool_modules.length > 0 ? [true] : [],
    };
  },
  *faults({ channel_plugins }, { ownChannels }) {
    for (const name of Object.keys(channel_plugins))
      if ([...ownChannels, ...reservedChannels].includes(name))
        yield keyFault(['channel_plugins', name], (language) => moduleSettingWords[language].ownName);
  },
  *warnings({ channel_plugins }, { config, brought }) {
    // Trust in a plugged-in channel can be given only on another channel.
    const enabled = [...enabledChannels(config.channels).keys()];
    const areAllPlugins = enabled.length > 0 && enabled.every((name) => Object.hasOwn(channel_plugins, name));
    if (areAllPlugins && brought.channels.length === 0) yield (language) => moduleSettingWords[language].onlyPlugged;
  },
  // Loaded only for this look.
  missing: async (settings, around) => (await import('./missing-parts.ts')).missingParts(settings, around),
});

/** The channels that the config names, as far as their names can be any. */
function pluggedChannels(written: JsonValue) {
  const named = isJsonObject(written) && isJsonObject(written.channel_plugins) ? written.channel_plugins : {};
  const names = Object.keys(named).filter((name) => channelName.test(name));
  return Object.fromEntries(names.map((name) => [name, pluggedChannel]));
}
