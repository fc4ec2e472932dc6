import { inOrder, type Turns } from '../../extension-kit/extension.ts';
import { forbiddenIn, writtenByTools } from '../../extension-kit/forbidden-places.ts';
import { createProviders, type WantedProvider } from '../../extension-kit/providers.ts';
import type { ChannelPort, Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { PinnedModule } from './pinned-modules.ts';
import { moduleSettings } from './settings.ts';

/**
 * Files of code that run within Keyturn, each while an owner trusts it with all that it imports: the operator's own
 * tools, and channels of others. Only what the config names is loaded. A failure affects nothing else.
 */
export const modules: FeatureDefinition = { name: 'modules', settings: moduleSettings, make: makeModules };

function makeModules(core: FeatureCore): Feature {
  // One module starts after the other, so that name conflicts always resolve the same way.
  const startInTurn = inOrder();
  const providers = createProviders(core, (channels) => wantedModules(channels, core, startInTurn));
  const { start, reload, faults, stop } = providers;
  return { ...providers.reports, start, reload, faults, stop };
}

/**
 * The modules of the config. They are read when they are made, so that owners get one message about all that are new.
 */
function wantedModules(
  channels: ChannelPort,
  core: FeatureCore,
  startInTurn: Turns,
): readonly WantedProvider<PinnedModule>[] {
  const { config, trust } = core;
  const own = core.settings(moduleSettings);
  const forbidden = writtenByTools(config);
  const parts = { core, trust, isForbidden: forbiddenIn(forbidden) };
  const tools = own.tool_modules.map((path) => ({
    place: ['tool_modules', path],
    madeOf: { path, forbidden },
    make: async () => (await import('./tool-module.ts')).toolModule(path, { ...parts, startInTurn }),
  }));
  const plugged = channels.plugged().map((name) => {
    const [place = { from: '' }, settings] = [own.channel_plugins[name], ownSettings(config.channels[name])];
    return {
      place: ['channels', name],
      madeOf: { channel: name, place, settings, forbidden, network: core.network.settings },
      make: async () =>
        (await import('./channel-plugins/channel-plugin.ts')).channelPlugin(name, place, settings, {
          ...parts,
          channels,
        }),
    };
  });
  return [...tools, ...plugged];
}

/** The settings in `channels.<name>` without the ones that Keyturn reads itself. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}
