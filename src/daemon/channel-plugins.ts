import type { Config } from '../config/schema.ts';
import type { ChannelPlace } from '../conversation/channel-plugins/channel-entry.ts';
import { ChannelPlugins } from '../conversation/channel-plugins/channel-plugins.ts';
import type { Bringer, SourceParts } from './bringers.ts';
import { pluggedChannels } from './channels.ts';
import { forbiddenPlaces } from './forbidden.ts';
import { ownerNotices } from './owner-notice.ts';
import type { Ground } from './parts.ts';

/** What brings the channels that others have written. */
export function makeChannelPlugins(ground: Ground, { trust, channels }: SourceParts): Bringer {
  const { config, health, log } = ground;
  const names = pluggedChannels(config);
  return new ChannelPlugins({
    plugins: new Map(names.map((name) => [name, { place: placeOf(config, name), block: config.channels[name] }])),
    isForbidden: forbiddenPlaces(config),
    trust,
    attach: (name, adapter) => channels.attach(name, adapter),
    detach: (name) => channels.detach(name),
    reportHealth: (name, reported) => health.report(name, reported),
    log,
    tellOwners: ownerNotices(ground),
  });
}

function placeOf({ channel_plugins }: Config, name: string): ChannelPlace {
  const { path = '', package: packageName, from = '' } = channel_plugins[name] ?? {};
  return packageName === undefined ? { type: 'path', path } : { type: 'package', name: packageName, from };
}
