import type { Device, DevicePairing, DeviceStore, StoredDevice } from '../conversation/devices/device-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** The paired devices, in SQLite. */
export class SqliteDeviceStore implements DeviceStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async all(): Promise<readonly StoredDevice[]> {
    return this.#tables.devices.all();
  }

  pair(pairing: DevicePairing): Promise<{ readonly device: Device; readonly places: readonly string[] } | undefined> {
    return this.#database.write(() => {
      const { devices, outbox, audit } = this.#tables;
      const { id, tokenHash, at } = pairing;
      const code = devices.takeCode(pairing.code, at);
      if (code === undefined) return undefined;
      const { principal, personName, conversationId, name = pairing.name } = code;
      const device: Device = { id, name, principal, personName, createdAt: at };
      devices.add({ ...device, tokenHash });
      outbox.add({ conversationId, message: pairing.words(device) }, at);
      audit.add({ at, kind: 'device-paired', conversationId, actor: principal, detail: { device: id, name } });
      return { device, places: [conversationId] };
    });
  }

  rename(id: string, name: string): Promise<void> {
    return this.#database.write(() => this.#tables.devices.rename(id, name));
  }

  seen(id: string, at: number): Promise<void> {
    return this.#database.write(() => this.#tables.devices.seen(id, at), 'relaxed');
  }
}
