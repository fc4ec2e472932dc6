import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { sameSecret } from '../../lib/same-secret.ts';
import { noticeTo } from '../notice.ts';
import { type Device, type DeviceStore, type StoredDevice, unnamed } from './device-store.ts';
import { pairedWords } from './device-words.ts';

export interface DeviceBookDependencies {
  readonly store: DeviceStore;
  readonly clock: Clock;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** What a device is told that was paired. */
export interface PairedDevice {
  readonly device: Device;
  /** 256 bits in hex. It is stored nowhere: only what is computed from it is. */
  readonly token: string;
}

/** A device that is paired no longer. */
export interface RevokedDevice {
  readonly id: string;
  /** The conversations in which a run ended with it, and in which nothing is left to do. */
  readonly settled: readonly string[];
}

const idLength = 10;
const longestName = 60;

/** The devices that may come in, by their tokens, and whose they are. */
export class DeviceBook {
  readonly #dependencies: DeviceBookDependencies;
  readonly #devices: Map<string, StoredDevice>;
  #tellRevoked: (revoked: RevokedDevice) => void = () => {};

  constructor(devices: readonly StoredDevice[], dependencies: DeviceBookDependencies) {
    this.#dependencies = dependencies;
    this.#devices = new Map(devices.map((device) => [device.id, device]));
  }

  /** The device whose token it is. All are looked at, each for as long as the others. */
  authenticate(token: string): Device | undefined {
    const hash = hashOf(token);
    const [found] = [...this.#devices.values()].filter(({ tokenHash }) => sameSecret(hash, tokenHash));
    return found;
  }

  /** Of these accounts' people; those of all, where none are named. The oldest first. */
  all(principals?: readonly string[]): readonly Device[] {
    return [...this.#devices.values()].filter(({ principal }) => principals?.includes(principal) ?? true);
  }

  find(id: string): Device | undefined {
    return this.#devices.get(id);
  }

  /**
   * Takes a code from a device that nobody knows yet. `name`: what it calls itself, if it says so. Undefined if the code is
   * not good: it was used, or never given.
   */
  async pair(code: string, name = ''): Promise<PairedDevice | undefined> {
    const { store, clock, deliver } = this.#dependencies;
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
    this.#devices.set(paired.device.id, { ...paired.device, tokenHash });
    deliver(paired.places);
    return { device: paired.device, token };
  }

  /** The device is connected now. */
  async seen(id: string): Promise<void> {
    const { store, clock } = this.#dependencies;
    const lastSeenAt = clock.now();
    const device = this.#devices.get(id);
    if (device === undefined) return;
    this.#devices.set(id, { ...device, lastSeenAt });
    await store.seen(id, lastSeenAt);
  }

  /** The device says what it is called: that counts where nobody has given it a name. */
  async introduced(id: string, name: string): Promise<void> {
    const device = this.#devices.get(id);
    const called = oneLine(name, longestName);
    if (device?.name !== unnamed || called === '') return;
    this.#devices.set(id, { ...device, name: called });
    await this.#dependencies.store.rename(id, called);
  }

  /**
   * A device is paired no longer. Nothing that it says is taken from now on: it would be stored behind what `store` ends
   * with it. `store` resolves with the conversations in which nothing is left to do; undefined if nothing was stored, and
   * then, as when it rejects, the device stays paired.
   */
  async revoke(id: string, store: () => Promise<RevokedDevice['settled'] | undefined>): Promise<void> {
    const device = this.#devices.get(id);
    this.#devices.delete(id);
    let settled: RevokedDevice['settled'] | undefined;
    try {
      settled = await store();
    } finally {
      if (settled === undefined && device !== undefined) this.#devices.set(id, device);
    }
    if (settled !== undefined) this.#tellRevoked({ id, settled });
  }

  /** Who is told at once of devices that are revoked. */
  onRevoked(tell: (revoked: RevokedDevice) => void): void {
    this.#tellRevoked = tell;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
