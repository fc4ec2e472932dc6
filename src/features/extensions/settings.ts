/*
 * The keys of the config that name code of others: `mcp_servers`, `tool_modules`, `channel_plugins`, `plugins`, and
 * `hooks`, which are the operator's own.
 */

import { existsSync } from 'node:fs';
import { keyFault, reservedChannels } from '../../config/cross-checks.ts';
import { enabledChannels, pluggedChannel } from '../../config/extension-settings.ts';
import { holdsKey } from '../../config/loose-settings.ts';
import { type Around, type Brought, settingsPart } from '../../config/settings-part.ts';
import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import type { InLanguage } from '../../lib/words.ts';
import { channelName, type ExtensionSettings, extensionKeys, hookList } from './extension-keys.ts';
import { privateServerTools, serverNotes } from './mcp/server-notes.ts';
import { extensionSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export const extensionSettings = settingsPart({
  keys: extensionKeys,
  switched: ['mcp_servers'],
  channels: pluggedChannels,
  brings: (settings, config) => brought(settings, enabledChannels(config.channels)),
  *faults({ channel_plugins }, { ownChannels }) {
    for (const name of Object.keys(channel_plugins))
      if ([...ownChannels, ...reservedChannels].includes(name))
        yield keyFault(['channel_plugins', name], (language) => extensionSettingWords[language].ownName);
  },
  warnings: (settings, around) => warningsOf(settings, around),
  notes: ({ mcp_servers }) => [...serverNotes(mcp_servers), ...privateServerTools(mcp_servers)],
  // Loaded only for this look.
  missing: async (settings, around) => (await import('./missing-parts.ts')).missingParts(settings, around),
});

/** The channels that the config names, as far as their names can be any. */
function pluggedChannels(written: JsonValue) {
  const named = isJsonObject(written) && isJsonObject(written.channel_plugins) ? written.channel_plugins : {};
  const names = Object.keys(named).filter((name) => channelName.test(name));
  return Object.fromEntries(names.map((name) => [name, pluggedChannel]));
}

function brought(
  { mcp_servers, tool_modules, channel_plugins, plugins, hooks }: ExtensionSettings,
  enabled: ReadonlyMap<string, unknown>,
): Partial<Brought> {
  const servers = Object.entries(mcp_servers);
  const running = servers.filter(([, server]) => server.enabled);
  return {
    pluggedChannels: Object.keys(channel_plugins).filter((name) => enabled.has(name)),
    toolNames: servers.map(([name]) => `${name}_*`),
    unknownTools: plugins.enabled || tool_modules.length > 0 ? [true] : [],
    calls: running.map(([name, { category = defaultCategory }]) => ({ name: `${name}_*`, category })),
    playedCalls: running.flatMap(([server, { category = defaultCategory, tools }]) => [
      { name: `${server}_*`, category },
      ...Object.entries(tools)
        .filter(([, tool]) => tool.enabled)
        .map(([pattern, own]) => ({ name: `${server}_${pattern}`, category: own.category ?? category })),
    ]),
    toolLists: hookList(hooks).map(({ event, index, tools }) => [['hooks', event, index, 'tools'], tools] as const),
    programs: [
      ...hookList(hooks).map(({ event, index, command = '', working_dir: folder }) => ({
        key: `hooks.${event}[${index}]`,
        words: command.split(/[\s'"`;|&()<>=]+/),
        folder,
      })),
      // Sandboxed servers can do no more than any command.
      ...servers
        .filter(([, { sandbox }]) => !sandbox)
        .map(([name, { command, args, cwd: folder = '.' }]) => ({
          key: `mcp_servers.${name}`,
          words: [command ?? '', ...args.flatMap((each) => each.split('='))],
          folder,
        })),
    ],
    servers: running.map(([name, { url, headers }]) => ({
      path: ['mcp_servers', name, 'url'],
      address: url,
      hasKey: holdsKey(undefined, headers),
    })),
  };
}

/** The category of tools without a setting: they ask. */
const defaultCategory = 'network_write';

function* warningsOf(
  { mcp_servers, channel_plugins, plugins, hooks }: ExtensionSettings,
  { config, brought: all }: Around,
): Generator<InLanguage> {
  for (const [name, { command = '' }] of Object.entries(mcp_servers))
    if (/\s/.test(command) && !existsSync(command))
      yield (language) => extensionSettingWords[language].programAlone({ name });
  for (const { event, index, plugin } of hookList(hooks))
    if (plugin !== undefined && !plugins.enabled)
      yield (language) => extensionSettingWords[language].hookIdle({ hook: `hooks.${event}[${index}]` });
  // Trust in a plugged-in channel can be given only on another channel.
  const enabled = [...enabledChannels(config.channels).keys()];
  const areAllPlugins = enabled.length > 0 && enabled.every((name) => Object.hasOwn(channel_plugins, name));
  if (areAllPlugins && all.channels.length === 0) yield (language) => extensionSettingWords[language].onlyPlugged;
}
