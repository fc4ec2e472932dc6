import { once } from 'node:events';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** A gateway that says whatever a test wants, sound or not, and acknowledges heartbeats. */
export class RawGateway {
  readonly #server: WebSocketServer;
  readonly heard: { readonly op: number; readonly d: unknown }[] = [];
  /** How often somebody has connected. */
  connections = 0;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('message', (data: RawData) => {
        const payload = JSON.parse(String(data));
        this.heard.push(payload);
        if (payload.op === 1) socket.send('{"op":11}');
      });
      socket.on('error', () => {});
    });
  }

  static async open(): Promise<RawGateway> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new RawGateway(server);
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port.');
    return `ws://127.0.0.1:${address.port}`;
  }

  get open(): number {
    return [...this.#server.clients].filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  }

  hears(op: number): number {
    return this.heard.filter((payload) => payload.op === op).length;
  }

  say(op: number, d: unknown, rest: object = {}): void {
    this.write(JSON.stringify({ op, d, s: null, t: null, ...rest }));
  }

  write(data: string | Buffer): void {
    for (const socket of this.#server.clients) socket.send(data);
  }

  hangUp(code: number): void {
    for (const socket of this.#server.clients) socket.close(code);
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
