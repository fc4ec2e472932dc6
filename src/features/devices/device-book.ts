import { hash, randomBytes } from 'node:crypto';
import type { Device } from '../../conversation/access/access.ts';
import { noticeTo } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { newId, sameSecret } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { DeviceFiles } from './gateway/device-files.ts';
import type { SessionStore } from './gateway/tables.ts';
import type { DeviceSettings } from './settings.ts';
import type { DeviceStore, StoredDevice } from './tables.ts';
import { deviceWords } from './words.ts';

/** What the parts of this feature are made from. */
export interface DevicesCore extends FeatureCore {
  /** The feature's own settings, always the current ones. */
  readonly own: DeviceSettings;
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

/** The paired devices: who owns them, and authentication by token. */
export interface DeviceBook {
  /** Returns the device with this token. Compares with every hash in constant time. */
  authenticate(token: string): Device | undefined;
  /** The devices of these accounts, or all devices if `principals` is left out. Oldest first. */
  all(principals?: readonly string[]): readonly Device[];
  find(id: string): Device | undefined;
  /** Redeems a pairing code; undefined if it is unknown, used or expired. `name`: the device's own. */
  pair(code: string, name?: string): Promise<PairedDevice | undefined>;
  /** The device was connected. */
  seen(id: string): Promise<void>;
  /** Stores the name that a device gives itself, if no person has named it. */
  introduced(id: string, name: string): Promise<void>;
  /** Removes a device: its token stops working at once. Returns a function that puts it back. */
  remove(id: string): () => void;
}

interface BookContext {
  readonly devices: Map<string, KnownDevice>;
  readonly core: DevicesCore;
}

export function createDeviceBook(stored: readonly StoredDevice[], core: DevicesCore): DeviceBook {
  const devices = new Map<string, KnownDevice>(stored.map((device) => [device.id, { ...device }]));
  const context: BookContext = { devices, core };
  return {
    authenticate(token) {
      const given = hashOf(token);
      return [...devices.values()].filter(({ tokenHash }) => sameSecret(given, tokenHash))[0];
    },
    all: (principals) => [...devices.values()].filter(({ principal }) => principals?.includes(principal) ?? true),
    find: (id) => devices.get(id),
    pair: (code, name = '') => pair(code, name, context),
    seen: (id) => seen(id, context),
    introduced: (id, name) => introduced(id, name, context),
    remove(id) {
      const device = devices.get(id);
      devices.delete(id);
      return () => void (device && devices.set(id, device));
    },
  };
}

async function pair(code: string, name: string, { devices, core }: BookContext): Promise<PairedDevice | undefined> {
  const { stored, readers, clock, deliver } = core;
  const token = randomBytes(32).toString('hex');
  const tokenHash = hashOf(token);
  const paired = await stored.devices.pair({
    code: code.replaceAll(/[\s-]/g, '').toLowerCase(),
    id: newId(idLength),
    tokenHash,
    name: oneLine(name, longestName) || unnamed,
    words: (device, conversationId) => noticeTo({}, pairedWords(device, readers.forConversation(conversationId))),
    at: clock.now(),
  });
  if (paired === undefined) return undefined;
  devices.set(paired.device.id, { ...paired.device, tokenHash });
  deliver(paired.conversationIds);
  return { device: paired.device, token };
}

async function seen(id: string, { devices, core }: BookContext): Promise<void> {
  const device = devices.get(id);
  if (device === undefined) return;
  device.lastSeenAt = core.clock.now();
  await core.stored.devices.seen(id, device.lastSeenAt);
}

async function introduced(id: string, name: string, { devices, core }: BookContext): Promise<void> {
  const device = devices.get(id);
  const called = oneLine(name, longestName);
  if (device?.name !== unnamed || called === '') return;
  device.name = called;
  await core.stored.devices.rename(id, called);
}

function hashOf(token: string): string {
  return hash('sha256', token);
}

function pairedWords({ id, name }: Device, { language }: Reader): string {
  return deviceWords[language].paired({ name: nameCode(name), undo: inlineCode(`/devices revoke ${id}`) });
}
