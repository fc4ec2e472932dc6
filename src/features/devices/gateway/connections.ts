import type { WebSocket } from 'ws';
import { accountOf, type Device } from '../../../conversation/devices/device-stores.ts';
import { Background } from '../../../lib/background.ts';
import { Connection, type ConnectionParts, type SocketQuery } from './connection.ts';
import type { People } from './credentials.ts';

export interface ConnectionsParts extends ConnectionParts {
  readonly people: People;
}

/** All sockets that are open, and how many there may be. */
export class Connections {
  readonly #parts: ConnectionsParts;
  readonly #open = new Set<Connection>();
  readonly #background: Background;
  #callOffPing = (): void => {};

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
    this.#background = new Background(parts.log);
  }

  get size(): number {
    return this.#open.size;
  }

  isOnline(deviceId: string): boolean {
    return [...this.#open].some(({ device }) => device.id === deviceId);
  }

  /** Why the device can open no further socket now; undefined if it can. */
  refusalOf(device: Device): { readonly status: 429 | 503; readonly reason: string } | undefined {
    const { max_connections, max_connections_per_person } = this.#parts.config.gateway;
    if (this.#open.size >= max_connections)
      return { status: 503, reason: 'As many are connected as may be. Try again later.' };
    if (this.#ofPerson(device).length >= max_connections_per_person)
      return { status: 429, reason: 'As many of your devices and pages are connected as may be. Close one.' };
    return undefined;
  }

  connect(webSocket: WebSocket, device: Device, query: SocketQuery): void {
    const { config, counters, devices } = this.#parts;
    const connection: Connection = new Connection(webSocket, device, this.#parts, {
      closed: () => {
        this.#open.delete(connection);
        if (this.#open.size === 0) this.#callOffPing();
      },
      roomFor: () =>
        2 * config.attachments.max_bytes - this.#ofPerson(device).reduce((sum, { heldBytes }) => sum + heldBytes, 0),
    });
    this.#open.add(connection);
    if (this.#open.size === 1) this.#ping();
    counters.connections += 1;
    this.#background.run('it could not be noted that a device was connected', () => devices.seen(device.id));
    connection.open(query);
  }

  /** Closes those whose person may not talk any more, and those that show a session that is their person's no longer. */
  review(): void {
    for (const connection of [...this.#open]) {
      if (!this.#parts.people.mayTalk(accountOf(connection.device)))
        connection.close(1008, 'Your person may not talk here any more.');
      else if (!connection.isAtHome) connection.close(1008, 'This session belongs to somebody else now.');
    }
  }

  /** The device is paired no longer: its sockets are closed, and its calls fail. */
  hangUpOn(deviceId: string): void {
    for (const connection of [...this.#open])
      if (connection.device.id === deviceId) connection.close(1008, 'This device is paired no longer.');
  }

  /** Closes all: those that do not close within a second are cut off. */
  async close(): Promise<void> {
    this.#callOffPing();
    for (const connection of [...this.#open]) connection.close(1001, 'Keyturn is being stopped. Come again.');
    await this.#background.settled();
  }

  #ofPerson(device: Device): readonly Connection[] {
    const accounts = this.#parts.people.accountsOf(accountOf(device));
    return [...this.#open].filter((connection) => accounts.includes(accountOf(connection.device)));
  }

  #ping(): void {
    const { clock, config } = this.#parts;
    this.#callOffPing();
    this.#callOffPing = clock.after(config.gateway.ping_secs * 1000, () => {
      for (const connection of [...this.#open]) connection.ping();
      if (this.#open.size > 0) this.#ping();
    });
  }
}
