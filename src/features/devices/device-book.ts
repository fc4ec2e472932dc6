import { hash, randomBytes } from 'node:crypto';
import type { Device } from '../../conversation/devices/device.ts';
import { noticeTo } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { newId, sameSecret } from '../../lib/ids.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import type { StoredDevice } from '../../store/devices.ts';

export interface PairedDevice {
  readonly device: Device;
  /** 256 bits in hex. It is stored nowhere: only what is computed from it is. */
  readonly token: string;
}

export interface RevokedDevice {
  readonly id: string;
  /** The conversations in which a run ended with it, and in which nothing is left to do. */
  readonly settled: readonly string[];
}

/** The name of a device to which nobody has given one. */
const unnamed = 'device';
const idLength = 10;
const longestName = 60;

export type DeviceBook = ReturnType<typeof createDeviceBook>;

/** The devices that may come in, by their tokens, and whose they are. */
export function createDeviceBook(
  stored: readonly StoredDevice[],
  { store: { devices: store }, clock, deliver }: Pick<FeatureCore, 'store' | 'clock' | 'deliver'>,
) {
  const devices = new Map(stored.map((device) => [device.id, device]));
  let tellRevoked = (_revoked: RevokedDevice): void => {};
  return {
    /** The device whose token it is. All are looked at, each for as long as the others. */
    authenticate(token: string): Device | undefined {
      const given = hashOf(token);
      return [...devices.values()].filter(({ tokenHash }) => sameSecret(given, tokenHash))[0];
    },

    /** Of these accounts' people; those of all, where none are named. The oldest first. */
    all: (principals?: readonly string[]): readonly Device[] =>
      [...devices.values()].filter(({ principal }) => principals?.includes(principal) ?? true),

    find: (id: string): Device | undefined => devices.get(id),

    /**
     * Takes a code from a device that nobody knows yet. `name`: what it calls itself, if it says so. Undefined if the code is
     * not good: it was used, or never given.
     */
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

    /** The device says what it is called: that counts where nobody has given it a name. */
    async introduced(id: string, name: string): Promise<void> {
      const device = devices.get(id);
      const called = oneLine(name, longestName);
      if (device?.name !== unnamed || called === '') return;
      devices.set(id, { ...device, name: called });
      await store.rename(id, called);
    },

    /**
     * A device is paired no longer. Nothing that it says is taken from now on: it would be stored behind what `end` ends
     * with it. `end` calls `revoked` once that is committed, with the conversations in which nothing is left to do. If it
     * does not, the device stays paired.
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

    /** Who is told at once of devices that are revoked. */
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
