import { hash, randomBytes } from 'node:crypto';
import type { Device } from '../../conversation/access/access.ts';
import { noticeTo } from '../../engine/message.ts';
import type { AdmittedBrowser, FeatureCore } from '../../feature-points.ts';
import { Background } from '../../lib/background.ts';
import { newId, sameSecret } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { DeviceFiles } from './gateway/device-files.ts';
import type { SessionStore } from './gateway/tables.ts';
import type { DeviceSettings } from './settings.ts';
import type { DeviceStore, EndedRuns, NewBrowser, StoredDevice } from './tables.ts';
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

export interface SignedIn extends AdmittedBrowser {
  /** What ended with the browsers that it takes the place of. */
  readonly ended: EndedRuns;
}

/** Its name may be set later, since people see it on the device. */
interface KnownDevice extends StoredDevice {
  name: string;
  lastSeenAt?: number | undefined;
}

/** The name of a device without a given name. */
const unnamed = 'device';
const unnamedBrowser = 'browser';
const idLength = 10;
const longestName = 60;
/** A browser that is not seen for this long is let in no longer. In ms. */
const longestAway = 30 * 86_400_000;
/** How exactly it is stored when a browser was seen. In ms. */
const seenPause = 3_600_000;

/**
 * The paired devices, and the browsers where people have signed in: who owns them, and authentication by token. While the
 * gateway is off, only the browsers count.
 */
export interface DeviceBook {
  /** Returns the device with this token. Compares with every hash in constant time. */
  authenticate(token: string): Device | undefined;
  /** The devices of these accounts, or all devices if `principals` is left out. Oldest first. */
  all(principals?: readonly string[]): readonly Device[];
  find(id: string): Device | undefined;
  /** The browsers that were not seen for so long that they count no longer. They are to be removed. */
  faded(): readonly Device[];
  /** Redeems a pairing code; undefined if it is unknown, used or expired. `name`: the device's own. */
  pair(code: string, name?: string): Promise<PairedDevice | undefined>;
  /** Somebody has signed in there. Its token is the cookie, followed by the key. */
  signedIn(browser: Omit<NewBrowser, 'tokenHash'>): Promise<SignedIn>;
  /** The device was connected. */
  seen(id: string): Promise<void>;
  /**
   * The same of a browser, which says so with each request and frame: stored once an hour. Returns whether the device still
   * counts.
   */
  isThere(device: Device): boolean;
  /** Stores the name that a device gives itself, if no person has named it. */
  introduced(id: string, name: string): Promise<void>;
  /** Removes a device: its token stops working at once. Returns a function that puts it back. */
  remove(id: string): () => void;
}

interface BookContext {
  readonly devices: Map<string, KnownDevice>;
  readonly core: DevicesCore;
  readonly background: Background;
}

export function createDeviceBook(stored: readonly StoredDevice[], core: DevicesCore): DeviceBook {
  const devices = new Map<string, KnownDevice>(stored.map((device) => [device.id, { ...device }]));
  const context: BookContext = { devices, core, background: new Background(core.log) };
  return {
    authenticate(token) {
      const given = hashOf(token);
      return counting(context).filter(({ tokenHash }) => sameSecret(given, tokenHash))[0];
    },
    all: (principals) => counting(context).filter(({ principal }) => principals?.includes(principal) ?? true),
    find(id) {
      const device = devices.get(id);
      return device !== undefined && counts(device, core) ? device : undefined;
    },
    faded: () => [...devices.values()].filter((device) => hasFaded(device, core)),
    pair: (code, name = '') => pair(code, name, context),
    signedIn: (browser) => signedIn(browser, context),
    seen: (id) => seen(id, context),
    isThere: (device) => isThere(device, context),
    introduced: (id, name) => introduced(id, name, context),
    remove(id) {
      const device = devices.get(id);
      devices.delete(id);
      return () => void (device && devices.set(id, device));
    },
  };
}

function counting({ devices, core }: BookContext): readonly KnownDevice[] {
  return [...devices.values()].filter((device) => counts(device, core));
}

function counts(device: Device, core: DevicesCore): boolean {
  return device.isBrowser ? !hasFaded(device, core) : core.own.gateway.enabled;
}

function hasFaded({ isBrowser, createdAt, lastSeenAt = createdAt }: Device, { clock }: DevicesCore): boolean {
  return isBrowser && clock.now() - lastSeenAt > longestAway;
}

async function signedIn(
  { inPlaceOf, ...browser }: Omit<NewBrowser, 'tokenHash'>,
  { devices, core }: BookContext,
): Promise<SignedIn> {
  const [cookie, key] = [newHalf(), newHalf()];
  const known = {
    ...browser,
    name: oneLine(browser.name, longestName) || unnamedBrowser,
    tokenHash: hashOf(cookie + key),
  };
  const ended = await core.stored.devices.admit({ ...known, inPlaceOf });
  const device = { ...known, isBrowser: true };
  devices.set(device.id, device);
  return { device, cookie, key, ended };
}

function isThere(device: Device, context: BookContext): boolean {
  const { core, devices, background } = context;
  if (!devices.has(device.id) || !counts(device, core)) return false;
  if (device.isBrowser && core.clock.now() - (device.lastSeenAt ?? 0) >= seenPause)
    background.run('it could not be noted that a browser was there', () => seen(device.id, context));
  return true;
}

async function pair(code: string, name: string, { devices, core }: BookContext): Promise<PairedDevice | undefined> {
  const { stored, readers, clock, deliver } = core;
  const token = newHalf();
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

/** 256 bits in hex. */
function newHalf(): string {
  return randomBytes(32).toString('hex');
}

function hashOf(token: string): string {
  return hash('sha256', token);
}

function pairedWords({ id, name }: Device, { language }: Reader): string {
  return deviceWords[language].paired({ name: nameCode(name), undo: inlineCode(`/devices revoke ${id}`) });
}
