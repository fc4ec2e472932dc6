import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { once } from '../../../lib/background.ts';
import type { Log } from '../../../lib/log.ts';

/** Answers requests. It is loaded by the first one. */
export interface Answering {
  readonly request: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Where to listen, and how long a request may take to arrive, in ms. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly hello: number;
}

/** A response may stall for this many times the request timeout. */
const patience = 6;
const longestHeaders = 16 * 1024;
/** Includes connections that have not sent a request yet. */
const mostConnections = 2_000;

/** The port for HTTP and WebSocket, without TLS. While nobody asks, nothing is loaded but this file. */
export interface Port {
  /** Where it listens: `http://127.0.0.1:42617`. Undefined while it is closed. */
  readonly address: string | undefined;
  /** Rejects if it cannot listen there: it may then be tried again. */
  open(where: Listening): Promise<void>;
  /** `ended`: ends the WebSockets, which get a moment to close. */
  close(ended?: () => Promise<void>): Promise<void>;
}

/** `load`: called by the first request, and again if it has rejected. */
export function createPort(load: () => Promise<Answering>, log: Log): Port {
  return new LazyPort(load, log);
}

class LazyPort implements Port {
  readonly #answering: () => Promise<Answering>;
  readonly #log: Log;
  #ready: Answering | undefined;
  #server: Server | undefined;

  constructor(load: () => Promise<Answering>, log: Log) {
    this.#log = log;
    this.#answering = once(async () => {
      this.#ready = await load();
      return this.#ready;
    });
  }

  get address(): string | undefined {
    const found = this.#server?.address();
    return typeof found === 'object' && found !== null ? addressOf(found) : undefined;
  }

  async open({ host, port, hello }: Listening): Promise<void> {
    const made = this.#make(hello);
    await new Promise<void>((resolve, reject) => {
      made.once('error', reject);
      made.listen(port, host, () => {
        made.off('error', reject);
        resolve();
      });
    });
    // One failed connection, such as at the limit of open files: the server keeps listening.
    made.on('error', (err) => this.#log.warn({ err }, 'a connection could not be taken'));
    this.#server = made;
  }

  async close(ended: () => Promise<void> = async () => {}): Promise<void> {
    const closing = this.#server;
    this.#server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    await ended();
    // HTTP requests can be retried.
    closing.closeAllConnections();
    await closed;
  }

  #make(hello: number): Server {
    const made = createServer({
      maxHeaderSize: longestHeaders,
      headersTimeout: hello,
      requestTimeout: hello,
      connectionsCheckingInterval: Math.min(5_000, hello),
    });
    made.maxConnections = mostConnections;
    // Cuts off clients that request a file and do not read it. WebSockets have their own limits.
    made.timeout = patience * hello;
    made.on('request', (request, response) => {
      if (this.#ready !== undefined) return void this.#ready.request(request, response);
      this.#whenReady(
        (answering) => void answering.request(request, response),
        () => response.writeHead(503, { Connection: 'close' }).end(),
      );
    });
    made.on('upgrade', (request, socket, head) => {
      if (this.#ready !== undefined) return this.#ready.upgrade(request, socket, head);
      socket.on('error', () => socket.destroy());
      this.#whenReady(
        (answering) => answering.upgrade(request, socket, head),
        () => socket.destroy(),
      );
    });
    return made;
  }

  #whenReady(answer: (answering: Answering) => void, giveUp: () => void): void {
    this.#answering().then(answer, (err: unknown) => {
      this.#log.error({ err }, 'what answers at the gateway could not be loaded');
      giveUp();
    });
  }
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
