import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deviceChannel } from '../../conversation/access/access.ts';
import type { ChannelPort, Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { untilAborted } from '../../lib/clock.ts';
import { type InLanguage, wordsIn } from '../../lib/words.ts';
import { deviceCommands, obeyedDeviceCommands, waitingCodes } from './commands.ts';
import type { DevicesCore } from './device-book.ts';
import { createDeviceFiles } from './gateway/device-files.ts';
import { createDeviceFileStore, createSessionStore } from './gateway/tables.ts';
import { type DeviceSettings, deviceSettings } from './settings.ts';
import { createDeviceStore, deviceTables } from './tables.ts';
import { deviceWords } from './words.ts';

/** Paired phones, browsers and scripts: their gateway, their chats and the tools they offer. */
export const devices: FeatureDefinition = {
  name: 'devices',
  commands: deviceCommands.all,
  settings: deviceSettings,
  tables: deviceTables,
  make: makeDevices,
};

async function makeDevices(given: FeatureCore): Promise<Feature> {
  const { database, config } = given;
  const own = given.settings(deviceSettings);
  const files = createDeviceFiles(createDeviceFileStore(database), join(config.data_dir, 'device-files'));
  const stored = { devices: createDeviceStore(database), sessions: createSessionStore(database), files };
  const core: DevicesCore = { ...given, own, stored };
  const open = async () => (own.gateway.enabled ? (await import('./gateway/server.ts')).openGateway(core) : undefined);
  let gateway = await open();
  let port: ChannelPort | undefined;
  const parts = { ...core, gatewayNow: () => gateway };
  return {
    ...obeyedDeviceCommands(parts),
    waiting: (origin) => waitingCodes(origin, parts),
    channels: gateway === undefined ? [] : [gateway.channel],
    async start(channels) {
      port = channels;
    },
    // Devices reconnect by themselves.
    async reload({ from, to }) {
      if (isDeepStrictEqual(partsOf(deviceSettings.read(from)), partsOf(deviceSettings.read(to)))) return;
      if (gateway !== undefined) await port?.detach(gateway.channel[0]);
      gateway?.close();
      gateway = await open();
      if (gateway === undefined) core.health.forget(deviceChannel);
      else await port?.attach(...gateway.channel);
    },
    async faults(over) {
      if (gateway === undefined) return [];
      await untilAborted(core.health.whenTried([deviceChannel]), over);
      const health = core.health.of(deviceChannel)?.health;
      if (health === undefined || !('reason' in health)) return [];
      const { reason } = health;
      const words: InLanguage = (language) => deviceWords[language].notStarted({ why: wordsIn(language, reason) });
      return [{ place: ['gateway'], words }];
    },
  };
}

/** The settings that need a new gateway. All others are read when used. */
function partsOf({ gateway, remote_tools }: DeviceSettings) {
  const { enabled, host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs } = gateway;
  return enabled && { host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs, remote_tools };
}
