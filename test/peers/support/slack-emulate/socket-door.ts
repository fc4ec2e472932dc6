import { createServer, type IncomingMessage, request as passOn, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { isJsonObject } from '../../../../src/lib/json.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import type { SlackApp } from '../../../support/slack/slack-app.ts';

const eventsPath = '/callbacks';

/**
 * Stands before emulate and adds Socket Mode: hands out sockets, and sends through them what emulate calls back with. All
 * else goes to emulate, and its answers come back, as they are.
 */
export class SocketDoor {
  readonly #app: SlackApp;
  readonly #server: Server;
  #port = 0;
  /** Where emulate listens. Must be set before anything is asked. */
  emulatePort = 0;
  /** Mistakes of the door itself. A test that meets one cannot be trusted. */
  readonly mistakes: unknown[] = [];

  constructor(app: SlackApp) {
    this.#app = app;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (!request.destroyed || request.complete) this.mistakes.push(error);
        response.destroy();
      });
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  async open(): Promise<void> {
    this.#port = await listenOnLoopback(this.#server);
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }

  get root(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** To which emulate sends its event callbacks. */
  get callbacks(): string {
    return `${this.root}${eventsPath}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (request.url) {
      case '/api/apps.connections.open':
        return this.#offerSocket(request, response);
      case eventsPath: {
        const body: unknown = await json(request);
        if (!isJsonObject(body)) throw new Error('emulate calls back with something that is no event.');
        this.#app.deliveries.deliver('events_api', body);
        response.end();
        return;
      }
      default:
        return this.#pass(request, response);
    }
  }

  #offerSocket(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const isOurs = request.headers.authorization === `Bearer ${this.#app.appToken}`;
    const url = `ws://127.0.0.1:${this.#port}/link/?ticket=${this.#app.sockets.ticket()}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isOurs ? { ok: true, url } : { ok: false, error: 'invalid_auth' }));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const inner = passOn({ host: '127.0.0.1', port: this.emulatePort, method, path: url, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      inner.on('response', resolve);
      inner.on('error', reject);
    });
    const [answer] = await Promise.all([answered, pipeline(request, inner)]);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const ticket = new URL(request.url ?? '/', this.root).searchParams.get('ticket') ?? '';
    if (!this.#app.sockets.admit(ticket, request, socket, head)) socket.destroy();
  }
}
