import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { networkInterfaces } from 'node:os';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import type { HostLookup } from '../../../../src/tools/guard/network/network-rules.ts';
import {
  type WebClient,
  type WebRequest,
  type WebResponse,
  webAccess,
} from '../../../../src/tools/guard/network/web-client.ts';

export type HomeServer = Awaited<ReturnType<typeof homeServer>>;

/** A server at every address of this machine, IPv6 included where there is any. */
export async function homeServer(answer: RequestListener) {
  let connections = 0;
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    /** How often anybody connected. */
    connections: () => connections,
    requests,
    /** How many connections are open now. */
    open: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

/** Whether this machine has IPv6 at all. */
export function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((one) => one?.some(({ address }) => address === '::1'));
}

/** Every name leads to this machine. */
export const leadsHome: HostLookup = async () => [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export function leadsTo(...addresses: readonly string[]): HostLookup {
  const found = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  return async () => found;
}

export interface ClientOptions {
  readonly allowPrivate?: readonly string[];
  readonly lookup?: HostLookup;
  readonly clock?: Clock;
}

export function clientWith({
  allowPrivate = [],
  lookup = leadsHome,
  clock = systemClock,
}: ClientOptions = {}): WebClient {
  return webAccess(allowPrivate, clock, { lookup }).client;
}

/** Asks with what a test does not care about filled in. */
export function ask(
  client: WebClient,
  url: string,
  changed: Partial<WebRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<WebResponse> {
  return client({ url, maxBytes: 1_000_000, timeout: 100_000, ...changed }, signal);
}
