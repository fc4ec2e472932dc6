import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** Opens the server on a free port of this machine, which nobody else can reach. Resolves with the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/** Breaks every connection and closes the server. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/**
 * A free port for servers that take no port 0. It is below those that systems give to who asks for any (from 32768 on
 * Linux, from 49152 elsewhere): nobody else is given it, also not while the server ends and begins again.
 */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const server = createServer();
    const port = randomInt(10_000, 32_768);
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch {
      continue;
    }
    await closeServer(server);
    return port;
  }
  throw new Error('Of 100 ports of this machine none was free.');
}
