import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeServer, listenOnLoopback } from './loopback.ts';

export interface BreakableServerDependencies {
  /** What it rejects with is a mistake of the fake, unless the request was broken off. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Left out, nobody can ask for a WebSocket. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** The server below a fake platform: counts its connections, and breaks them when it is told to. */
export class BreakableServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isOut = false;
  /** How many connections were taken so far. */
  connections = 0;
  /** Mistakes of the fake itself. A test that meets one cannot be trusted. */
  readonly mistakes: unknown[] = [];

  constructor({ serve, upgrade }: BreakableServerDependencies) {
    this.#server = createServer((request, response) => {
      serve(request, response).catch((error: unknown) => {
        if (request.destroyed && !request.complete) return;
        this.mistakes.push(error);
        response.destroy();
      });
    });
    this.#server.on('connection', (socket) => this.#admit(socket));
    if (upgrade !== undefined) this.#server.on('upgrade', upgrade);
  }

  /** Resolves with the port. */
  open(): Promise<number> {
    return listenOnLoopback(this.#server);
  }

  /** Resets every connection, old and new, until it is over. */
  outage(on: boolean): void {
    this.#isOut = on;
    if (!on) return;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Breaks every connection, those of WebSockets as well. Throws the mistakes of the fake, if there are any. */
  async close(): Promise<void> {
    const closed = closeServer(this.#server);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    if (this.mistakes.length > 0) throw new AggregateError(this.mistakes, 'The fake itself is wrong.');
  }

  #admit(socket: Socket): void {
    if (this.#isOut) {
      socket.resetAndDestroy();
      return;
    }
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
