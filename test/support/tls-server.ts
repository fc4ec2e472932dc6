import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';

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

/** A server for https; `listenOnLoopback` opens it. */
export function tlsServer(certificate: TestCertificate, listener: RequestListener): Server {
  return createServer({ key: tlsFile('server.key'), cert: tlsFile(`${certificate}.pem`) }, listener);
}
