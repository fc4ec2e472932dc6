import { once } from 'node:events';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

export type RawGateway = Awaited<ReturnType<typeof openRawGateway>>;

/** A gateway that says whatever a test wants, sound or not, and acknowledges heartbeats. */
export async function openRawGateway() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  const heard: { readonly op: number; readonly d: unknown }[] = [];
  server.on('connection', (socket) => {
    socket.on('message', (data: RawData) => {
      const payload = JSON.parse(String(data));
      heard.push(payload);
      if (payload.op === 1) socket.send('{"op":11}');
    });
    socket.on('error', () => {});
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');

  function write(data: string | Buffer): void {
    for (const socket of server.clients) socket.send(data);
  }

  return {
    ...{ heard, write, url: `ws://127.0.0.1:${address.port}` },

    get open(): number {
      return [...server.clients].filter(({ readyState }) => readyState === WebSocket.OPEN).length;
    },

    hears: (op: number): number => heard.filter((payload) => payload.op === op).length,
    say: (op: number, d: unknown, rest: object = {}) => write(JSON.stringify({ op, d, s: null, t: null, ...rest })),

    async close(): Promise<void> {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}
