import { hash, randomBytes } from 'node:crypto';
import type { Device } from '../../conversation/access/access.ts';
import { noticeTo } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { newId, sameSecret } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { DeviceFiles } from './gateway/device-files.ts';
import type { SessionStore } from './gateway/tables.ts';
import type { DeviceStore, StoredDevice } from './tables.ts';
import { deviceWords } from './words.ts';

/** What the parts of this feature are made from. */
export interface DevicesCore extends FeatureCore {
  readonly stored: { readonly devices: DeviceStore; readonly sessions: SessionStore; readonly files: DeviceFiles };
}

export interface PairedDevice {
  readonly device: Device;
  /** 256 bits in hex. Only its hash is stored. */
  readonly token: string;
}

/** Its name may be set later, since people see it on the device. */
interface KnownDevice extends StoredDevice {
  name: string;
  lastSeenAt?: number | undefined;
}

/** The name of a device without a given name. */
const unnamed = 'device';
const idLength = 10;
const longestName = 60;

export type DeviceBook = ReturnType<typeof createDeviceBook>;

/** The paired devices: who owns them, and authentication by token. */
export function createDeviceBook(
  stored: readonly StoredDevice[],
  { stored: { devices: store }, readers, clock, deliver }: DevicesCore,
) {
  const devices = new Map<string, KnownDevice>(stored.map((device) => [device.id, { ...device }]));
  return {
    /** Returns the device with this token. Compares with every hash in constant time. */
    authenticate(token: string): Device | undefined {
      const given = hashOf(token);
      return [...devices.values()].filter(({ tokenHash }) => sameSecret(given, tokenHash))[0];
    },

    /** The devices of these accounts, or all devices if `principals` is left out. Oldest first. */
    all: (principals?: readonly string[]): readonly Device[] =>
      [...devices.values()].filter(({ principal }) => principals?.includes(principal) ?? true),

    find: (id: string): Device | undefined => devices.get(id),

    /** Redeems a pairing code; undefined if it is unknown, used or expired. `name`: the device's own. */
    async pair(code: string, name = ''): Promise<PairedDevice | undefined> {
      const token = randomBytes(32).toString('hex');
      const tokenHash = hashOf(token);
      const paired = await store.pair({
        code: code.replaceAll(/[\s-]/g, '').toLowerCase(),
        id: newId(idLength),
        tokenHash,
        name: oneLine(name, longestName) || unnamed,
        words: (device, place) => noticeTo({}, pairedWords(device, readers.forPlace(place))),
        at: clock.now(),
      });
      if (paired === undefined) return undefined;
      devices.set(paired.device.id, { ...paired.device, tokenHash });
      deliver(paired.places);
      return { device: paired.device, token };
    },

    async seen(id: string): Promise<void> {
      const device = devices.get(id);
      if (device === undefined) return;
      device.lastSeenAt = clock.now();
      await store.seen(id, device.lastSeenAt);
    },

    /** Stores the name that a device gives itself, if no person has named it. */
    async introduced(id: string, name: string): Promise<void> {
      const device = devices.get(id);
      const called = oneLine(name, longestName);
      if (device?.name !== unnamed || called === '') return;
      device.name = called;
      await store.rename(id, called);
    },

    /** Removes a device: its token stops working at once. Returns a function that puts it back. */
    remove(id: string): () => void {
      const device = devices.get(id);
      devices.delete(id);
      return () => void (device && devices.set(id, device));
    },
  };
}

function hashOf(token: string): string {
  return hash('sha256', token);
}

function pairedWords({ id, name }: Device, { language }: Reader): string {
  return deviceWords[language].paired({ name: nameCode(name), undo: inlineCode(`/devices revoke ${id}`) });
}
