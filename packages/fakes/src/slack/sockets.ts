import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Changes } from '../changes.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import type { ScaledTime } from './scaled-time.ts';

/** Why Slack ends a connection. */
type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets';

interface SocketsParts {
  readonly appId: string;
  readonly time: ScaledTime;
  readonly pingMs: number;
  readonly changes: Changes;
}

const mostConnections = 10;
/** How long an app may stay after it was asked to go, in Slack's seconds. */
const patience = 10;

/** The Socket Mode connections of one app. */
export class Sockets {
  readonly #parts: SocketsParts;
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #tickets = new Set<string>();
  #connections: SocketConnection[] = [];
  #turn = 0;
  #issued = 0;
  /** How many were taken so far. */
  opened = 0;
  /** Told of every acknowledgement, with what the app says in it. */
  onAcknowledgement: (envelopeId: string, answer: unknown) => void = () => {};

  constructor(parts: SocketsParts) {
    this.#parts = parts;
  }

  get #open(): readonly SocketConnection[] {
    return this.#connections.filter(({ isOpen }) => isOpen);
  }

  /** How many are open. */
  get count(): number {
    return this.#open.length;
  }

  /** A ticket lets one connection in, once. */
  ticket(): string {
    this.#issued += 1;
    const ticket = `ticket-${this.#parts.appId}-${this.#issued}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  /** False if the ticket is not of this app, or was used. */
  admit(ticket: string, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#tickets.delete(ticket)) return false;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket));
    return true;
  }

  /** Through which the next payload goes: each in its turn. Undefined if none is ready. */
  next(): { send(message: JsonObject): void } | undefined {
    const ready = this.#open.filter(({ isLeaving }) => !isLeaving);
    this.#turn += 1;
    return ready[this.#turn % Math.max(1, ready.length)];
  }

  /** Asks one connection to go, or all. The server closes those that stay. The one that has been open longest is the first. */
  disconnect(reason: DisconnectReason, which: 'all' | number = 'all'): void {
    for (const connection of this.#chosen(which)) {
      connection.disconnect(reason);
      if (reason !== 'warning') this.#parts.time.after(patience, () => connection.socket.close(1000));
    }
  }

  /** Ends connections without notice. */
  drop(which: 'all' | number = 'all'): void {
    for (const { socket } of this.#chosen(which)) socket.terminate();
  }

  /** Nothing more is sent, and nothing is on its way any more. */
  async hush(): Promise<void> {
    await Promise.all(this.#open.map((connection) => connection.hush()));
  }

  /** Leaves connections half open for ever. */
  fallSilent(which: 'all' | number = 'all'): void {
    for (const connection of this.#chosen(which)) connection.fallSilent();
  }

  close(): Promise<void> {
    this.drop();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #chosen(which: 'all' | number): readonly SocketConnection[] {
    return which === 'all' ? this.#open : this.#open.slice(which, which + 1);
  }

  #welcome(socket: WebSocket): void {
    const { appId, changes, pingMs } = this.#parts;
    const connection = new SocketConnection(socket, pingMs);
    if (this.count >= mostConnections) {
      connection.disconnect('too_many_websockets');
      socket.close(1000);
      return;
    }
    this.opened += 1;
    this.#connections.push(connection);
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('close', () => {
      this.#connections = this.#connections.filter((other) => other !== connection);
      changes.notify();
    });
    connection.send({ type: 'hello', num_connections: this.count, connection_info: { app_id: appId } });
    changes.notify();
  }

  #receive(text: string): void {
    const message = parseJson(text);
    if (!isJsonObject(message) || typeof message.envelope_id !== 'string') return;
    this.onAcknowledgement(message.envelope_id, message.payload ?? {});
  }
}

/** One WebSocket that the app has opened. */
class SocketConnection {
  readonly socket: WebSocket;
  #isSilent = false;
  /** Nothing new is sent through it. */
  isLeaving = false;

  constructor(socket: WebSocket, pingMs: number) {
    this.socket = socket;
    socket.on('ping', (data) => {
      if (!this.#isSilent) socket.pong(data);
    });
    // What breaks is closed at once, and told so.
    socket.on('error', () => socket.terminate());
    const pings = setInterval(() => {
      if (!this.#isSilent && this.isOpen) socket.ping('fake');
    }, pingMs);
    socket.on('close', () => clearInterval(pings));
  }

  /** Whether it counts as a connection of the app, silent or not. */
  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** What is sent into silence is lost, and nobody says so. */
  send(message: JsonObject): void {
    if (!this.#isSilent && this.isOpen) this.socket.send(JSON.stringify(message));
  }

  /** Asks the app to go. After a warning it may still be sent something. */
  disconnect(reason: DisconnectReason): void {
    this.send({ type: 'disconnect', reason, debug_info: { host: 'fake' } });
    this.isLeaving ||= reason !== 'warning';
  }

  /** Sends nothing more. Resolves once the app has answered a last ping: nothing is on its way any more. */
  hush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#isSilent = true;
    this.socket.on('pong', (data) => {
      if (data.toString() === 'last') resolve();
    });
    this.socket.ping('last');
    return promise;
  }

  /** From now on it is open, and nothing comes through it in either direction: half of it is gone. */
  fallSilent(): void {
    this.#isSilent = true;
    this.socket.pause();
  }
}
