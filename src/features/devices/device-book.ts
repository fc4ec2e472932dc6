import { hash, randomBytes } from 'node:crypto';
import type { Device } from '../../conversation/access/access.ts';
import { noticeTo } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { newId, sameSecret } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import type { StoredDevice } from '../../store/devices.ts';

export interface PairedDevice {
  readonly device: Device;
  /** 256 bits in hex. Only its hash is stored. */
  readonly token: string;
}

export interface RevokedDevice {
  readonly id: string;
  /** The conversations in which a run ended with it and nothing is left to do. */
  readonly settled: readonly string[];
}

/** The name of a device without a given name. */
const unnamed = 'device';
const idLength = 10;
const longestName = 60;

export type DeviceBook = ReturnType<typeof createDeviceBook>;

/** Pairing and access of devices, while the gateway is on. */
export interface DeviceAccess {
  readonly devices: DeviceBook;
  readonly isOnline: (deviceId: string) => boolean;
  /** Called after somebody got a code. */
  readonly codeGiven: () => void;
}

/** The paired devices: who owns them, and authentication by token. */
export function createDeviceBook(
  stored: readonly StoredDevice[],
  { store: { devices: store }, clock, deliver }: Pick<FeatureCore, 'store' | 'clock' | 'deliver'>,
) {
  const devices = new Map(stored.map((device) => [device.id, device]));
  let tellRevoked = (_revoked: RevokedDevice): void => {};
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
        words: (device) => noticeTo({}, pairedWords(device)),
        at: clock.now(),
      });
      if (paired === undefined) return undefined;
      devices.set(paired.device.id, { ...paired.device, tokenHash });
      deliver(paired.places);
      return { device: paired.device, token };
    },

    async seen(id: string): Promise<void> {
      const lastSeenAt = clock.now();
      const device = devices.get(id);
      if (device === undefined) return;
      devices.set(id, { ...device, lastSeenAt });
      await store.seen(id, lastSeenAt);
    },

    /** Stores the name that a device gives itself, if no person has named it. */
    async introduced(id: string, name: string): Promise<void> {
      const device = devices.get(id);
      const called = oneLine(name, longestName);
      if (device?.name !== unnamed || called === '') return;
      devices.set(id, { ...device, name: called });
      await store.rename(id, called);
    },

    /**
     * Unpairs a device. Its token stops working at once, so that nothing arrives after `end` has ended its runs. `end`
     * calls `revoked` after the commit, with the conversations in which nothing is left to do. If it does not, the
     * device stays paired.
     */
    async revoke(
      id: string,
      end: (revoked: (settled: RevokedDevice['settled']) => void) => Promise<void>,
    ): Promise<void> {
      const device = devices.get(id);
      devices.delete(id);
      let isRevoked = false;
      try {
        await end((settled) => {
          isRevoked = true;
          tellRevoked({ id, settled });
        });
      } finally {
        if (!isRevoked && device !== undefined) devices.set(id, device);
      }
    },

    /** Registers the only listener for revoked devices. */
    onRevoked(tell: typeof tellRevoked): void {
      tellRevoked = tell;
    },
  };
}

function hashOf(token: string): string {
  return hash('sha256', token);
}

function pairedWords({ id, name }: Device): string {
  return `📱 Paired: ${nameCode(name)}. If that was not you, end it with ${inlineCode(`/devices revoke ${id}`)}.`;
}
