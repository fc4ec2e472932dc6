import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import type { Changes } from '../wait-for.ts';
import type { ScaledTime } from './scaled-time.ts';
import { type DisconnectReason, SocketConnection } from './socket-connection.ts';

/** What the app says to an envelope. */
export interface Acknowledgement {
  readonly envelopeId: string;
  readonly answer: JsonObject;
}

interface Dependencies {
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
  readonly #dependencies: Dependencies;
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #tickets = new Set<string>();
  #connections: SocketConnection[] = [];
  #turn = 0;
  #issued = 0;
  /** How many were taken so far. */
  opened = 0;
  /** Told of every acknowledgement. */
  onAcknowledgement: (acknowledgement: Acknowledgement) => void = () => {};

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** How many are open. */
  get count(): number {
    return this.#connections.filter(({ isOpen }) => isOpen).length;
  }

  /** A ticket lets one connection in, once. */
  ticket(): string {
    this.#issued += 1;
    const ticket = `ticket-${this.#dependencies.appId}-${this.#issued}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  /** False if the ticket is not of this app, or was used. */
  admit(ticket: string, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#tickets.delete(ticket)) return false;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new SocketConnection({
        socket: webSocket,
        pingMs: this.#dependencies.pingMs,
        onMessage: (text) => this.#receive(text),
        onClose: () => this.#forget(connection),
      });
      this.#welcome(connection);
    });
    return true;
  }

  /** Through which the next payload goes: each in its turn. Undefined if none is ready. */
  next(): SocketConnection | undefined {
    const ready = this.#connections.filter(({ isReady }) => isReady);
    this.#turn += 1;
    return ready[this.#turn % Math.max(1, ready.length)];
  }

  /** Asks one connection to go, or all. The server closes those that stay. The one that has been open longest is the first. */
  disconnect(reason: DisconnectReason, which: 'all' | number = 'all'): void {
    for (const connection of this.#chosen(which)) {
      connection.disconnect(reason);
      if (reason !== 'warning') this.#dependencies.time.after(patience, () => connection.close());
    }
  }

  /** Ends connections without notice. */
  drop(which: 'all' | number = 'all'): void {
    for (const connection of this.#chosen(which)) connection.drop();
  }

  /** Nothing more is sent, and nothing is on its way any more. */
  async hush(): Promise<void> {
    await Promise.all(this.#chosen('all').map((connection) => connection.hush()));
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
    const open = this.#connections.filter(({ isOpen }) => isOpen);
    if (which === 'all') return open;
    const one = open[which];
    if (one === undefined) throw new Error(`There is no connection ${which}: ${open.length} are open.`);
    return [one];
  }

  #welcome(connection: SocketConnection): void {
    const { appId, changes } = this.#dependencies;
    if (this.count >= mostConnections) {
      connection.disconnect('too_many_websockets');
      connection.close();
      return;
    }
    this.opened += 1;
    this.#connections.push(connection);
    connection.send({
      type: 'hello',
      num_connections: this.count,
      debug_info: {
        host: 'fake',
        started: '2026-01-01 00:00:00.000',
        build_number: 1,
        approximate_connection_time: 18_060,
      },
      connection_info: { app_id: appId },
    });
    changes.notify();
  }

  #forget(connection: SocketConnection): void {
    this.#connections = this.#connections.filter((other) => other !== connection);
    this.#dependencies.changes.notify();
  }

  #receive(text: string): void {
    const message = parse(text);
    if (!isJsonObject(message) || typeof message.envelope_id !== 'string') return;
    const { envelope_id: envelopeId, payload } = message;
    this.onAcknowledgement({ envelopeId, answer: isJsonObject(payload) ? payload : {} });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
