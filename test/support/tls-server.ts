import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

/**
 * Certificates made once, for `localhost`, `secure.test`, all below it, and 127.0.0.1, that hold until 2120: `company` is signed by
 * `authority`, as are `expired`, `future` and `other-name` (for other.example); `own` by itself.
 */
export type TestCertificate = 'company' | 'own' | 'expired' | 'future' | 'other-name';

/** A file of `test/support/tls`. */
export function tlsFile(name: string): string {
  return readFileSync(tlsPath(name), 'utf8');
}

export function tlsPath(name: string): string {
  return join(import.meta.dirname, 'tls', name);
}

/** Takes TLS, and passes on what is in it to a port of this machine. Resolves with its own port. */
export async function tlsFront(certificate: TestCertificate, port: number) {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ key: tlsFile('server.key'), cert: tlsFile(`${certificate}.pem`) }, (socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          (one === socket ? onward : socket).destroy();
        });
    }
    socket.pipe(onward).pipe(socket);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A server for https; `listenOnLoopback` opens it. */
export function tlsServer(certificate: TestCertificate, listener: RequestListener): Server {
  return createServer({ key: tlsFile('server.key'), cert: tlsFile(`${certificate}.pem`) }, listener);
}
