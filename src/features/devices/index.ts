import { join } from 'node:path';
import { deviceChannel } from '../../conversation/access/access.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { untilAborted } from '../../lib/clock.ts';
import { type InLanguage, wordsIn } from '../../lib/words.ts';
import { deviceCommands, obeyedDeviceCommands, waitingCodes } from './commands.ts';
import { createDeviceBook, type DevicesCore } from './device-book.ts';
import { createDeviceFiles } from './gateway/device-files.ts';
import { Door } from './gateway/door.ts';
import { createDeviceFileStore, createSessionStore } from './gateway/tables.ts';
import { deviceSettings } from './settings.ts';
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
  const { database, config, accounts, health } = given;
  const own = given.settings(deviceSettings);
  const files = createDeviceFiles(createDeviceFileStore(database), join(config.data_dir, 'device-files'));
  const stored = { devices: createDeviceStore(database), sessions: createSessionStore(database), files };
  const core: DevicesCore = { ...given, own, stored };
  const book = createDeviceBook(await stored.devices.all(), core);
  accounts.include(book);
  const door = new Door(core, book);
  await door.prepare();
  const parts = { ...core, devices: book, gatewayNow: () => door.gateway };
  given.listings.set('devices', {
    list: async (asked) => (await import('./listing.ts')).listDevices(asked, parts),
  });
  return {
    ...obeyedDeviceCommands(parts),
    webDoor: door,
    waiting: (origin) => waitingCodes(origin, parts),
    channels: door.gateway === undefined ? [] : [door.gateway.channel],
    start: (channels) => door.start(channels),
    reload: (change) => door.reload(change),
    async faults(over) {
      if (door.gateway === undefined) return [];
      await untilAborted(health.whenTried([deviceChannel]), over);
      const found = health.of(deviceChannel)?.health;
      if (found === undefined || !('reason' in found)) return [];
      const { reason } = found;
      const words: InLanguage = (language) => deviceWords[language].notStarted({ why: wordsIn(language, reason) });
      return [{ place: ['gateway'], words }];
    },
    stop: () => door.stop(),
  };
}
