import type { WebSocket } from 'ws';
import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { DeviceBook } from '../conversation/devices/device-book.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import { Background } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Connection, type ConnectionDependencies, type SocketQuery } from './connection.ts';
import { DeviceSocket, type SocketSettings } from './device-socket.ts';
import type { Metrics } from './metrics.ts';

export interface SwitchboardSettings extends SocketSettings {
  readonly most: number;
  readonly mostPerPerson: number;
  /** How long the first word may take, in milliseconds. */
  readonly hello: number;
  /** How often each is asked whether it is there, in milliseconds. */
  readonly ping: number;
  /** The most that the files of one message may have together, in bytes. */
  readonly maxFiles: number;
}

export interface SwitchboardDependencies
  extends Pick<ConnectionDependencies, 'devices' | 'sessions' | 'store' | 'owners' | 'tools' | 'desk'> {
  readonly devices: DeviceBook;
  readonly isSamePerson: (account: string, other: string) => boolean;
  /** Whether the person behind an account may talk with us. */
  readonly mayTalk: (account: string) => boolean;
  readonly settings: SwitchboardSettings;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

interface Line {
  readonly device: Device;
  readonly socket: DeviceSocket;
  readonly connection: Connection;
}

/** All sockets that are open, and how many there may be. */
export class Switchboard {
  readonly #dependencies: SwitchboardDependencies;
  readonly #lines = new Set<Line>();
  readonly #background: Background;
  #callOffPing = (): void => {};

  constructor(dependencies: SwitchboardDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
  }

  get size(): number {
    return this.#lines.size;
  }

  isOnline(deviceId: string): boolean {
    return [...this.#lines].some(({ device }) => device.id === deviceId);
  }

  /** Why the device can open no further socket now; undefined if it can. */
  refusalOf(device: Device): { readonly status: 429 | 503; readonly reason: string } | undefined {
    const { settings } = this.#dependencies;
    if (this.#lines.size >= settings.most)
      return { status: 503, reason: 'As many are connected as may be. Try again later.' };
    if (this.#ofPerson(device).length >= settings.mostPerPerson)
      return { status: 429, reason: 'As many of your devices and pages are connected as may be. Close one.' };
    return undefined;
  }

  connect(webSocket: WebSocket, device: Device, query: SocketQuery): void {
    const { clock, settings, metrics, devices, log, ...shared } = this.#dependencies;
    const callOffHello = clock.after(settings.hello, () => socket.close(1008, 'You said nothing. Come again.'));
    const socket = new DeviceSocket({
      webSocket,
      clock,
      settings,
      heard: (text) => {
        callOffHello();
        metrics.count('frames_in');
        connection.hear(text);
      },
      closed: () => {
        callOffHello();
        this.#remove(line);
        connection.close();
      },
    });
    const fields = log.child({ device: device.id });
    const { maxFiles } = settings;
    const roomFor = (): number => 2 * maxFiles - this.#heldFor(device);
    const connection = new Connection({ ...shared, devices, device, socket, maxFiles, roomFor, log: fields });
    const line: Line = { device, socket, connection };
    this.#lines.add(line);
    if (this.#lines.size === 1) this.#ping();
    metrics.count('connections');
    this.#background.run('it could not be noted that a device was connected', () => devices.seen(device.id));
    connection.open(query);
  }

  /** Hangs up on those whose person may not talk any more, and on those who show what is their person's no longer. */
  review(): void {
    const { mayTalk } = this.#dependencies;
    for (const { device, socket, connection } of [...this.#lines]) {
      if (!mayTalk(accountOf(device))) socket.close(1008, 'Your person may not talk here any more.');
      else if (!connection.isAtHome) socket.close(1008, 'This session belongs to somebody else now.');
    }
  }

  /** The device is paired no longer: its sockets are closed, and what it was asked fails. */
  hangUpOn(deviceId: string): void {
    for (const { device, socket } of [...this.#lines]) {
      if (device.id === deviceId) socket.close(1008, 'This device is paired no longer.');
    }
  }

  /** Closes all: those that do not close within a second are cut off. */
  async close(): Promise<void> {
    this.#callOffPing();
    for (const { socket } of [...this.#lines]) socket.close(1001, 'Keyturn is being stopped. Come again.');
    await this.#background.settled();
  }

  #ofPerson(device: Device): readonly Line[] {
    const { isSamePerson } = this.#dependencies;
    return [...this.#lines].filter((line) => isSamePerson(accountOf(line.device), accountOf(device)));
  }

  /** How much of files waits for messages on all sockets of the device's person, in bytes. */
  #heldFor(device: Device): number {
    return this.#ofPerson(device).reduce((sum, { connection }) => sum + connection.heldBytes, 0);
  }

  #remove(line: Line): void {
    this.#lines.delete(line);
    if (this.#lines.size === 0) this.#callOffPing();
  }

  #ping(): void {
    const { clock, settings } = this.#dependencies;
    this.#callOffPing();
    this.#callOffPing = clock.after(settings.ping, () => {
      for (const { socket } of [...this.#lines]) socket.ping();
      if (this.#lines.size > 0) this.#ping();
    });
  }
}
