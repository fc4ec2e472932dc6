import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { BreakableServer, type BreakableServerDependencies } from '../support/breakable-server.ts';

let server: BreakableServer;
let port: number;
let isOpen = false;

afterEach(stop);

async function start(dependencies: Partial<BreakableServerDependencies> = {}): Promise<void> {
  server = new BreakableServer({ serve: async (_request, response) => void response.end('yes'), ...dependencies });
  port = await server.open();
  isOpen = true;
}

async function stop(): Promise<void> {
  if (!isOpen) return;
  isOpen = false;
  await server.close();
}

const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text();

test('an outage resets old connections and new ones, until it is over', async () => {
  await start();
  const idle = connect(port, '127.0.0.1');
  const reset = once(idle, 'error');
  expect(await ask()).toBe('yes');
  const before = server.connections;
  server.outage(true);
  expect(await reset).toMatchObject([{ code: 'ECONNRESET' }]);
  await expect(ask()).rejects.toThrow('fetch failed');
  expect(server.connections).toBe(before);
  server.outage(false);
  expect(await ask()).toBe('yes');
  expect(server.connections).toBe(before + 1);
});

test('what the fake throws is its mistake, and breaks the connection', async () => {
  const mistake = new Error('wrong');
  await start({ serve: () => Promise.reject(mistake) });
  await expect(ask()).rejects.toThrow('fetch failed');
  expect(server.mistakes).toEqual([mistake]);
});

test('a request that is broken off before it is whole is nobody’s mistake', async () => {
  const failed = Promise.withResolvers<unknown>();
  await start({
    async serve(request) {
      try {
        for await (const _ of request);
      } catch (error) {
        failed.resolve(error);
        throw error;
      }
    },
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc', () => socket.destroy());
  expect(await failed.promise).toMatchObject({ code: 'ECONNRESET' });
  await stop();
  expect(server.mistakes).toEqual([]);
});

test('closing breaks also what has become a WebSocket', async () => {
  const upgraded = Promise.withResolvers<void>();
  await start({ upgrade: () => upgraded.resolve() });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  await upgraded.promise;
  const closed = once(socket, 'close');
  await stop();
  await closed;
});
