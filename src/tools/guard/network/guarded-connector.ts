import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { untilAborted } from '../../../lib/clock.ts';
import { hostOf } from './host-name.ts';
import { refusePrivate } from './network-rules.ts';
import { WebError } from './web-client.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to its addresses. Rejects as `dns.lookup` does. */
export type HostLookup = (name: string) => Promise<readonly HostAddress[]>;

export const systemLookup: HostLookup = (name) => lookup(name, { all: true });

export interface ConnectionRules {
  readonly url: URL;
  readonly permits: (url: URL, address: string) => boolean;
  readonly lookup: HostLookup;
  readonly signal: AbortSignal;
}

/**
 * Connects to the host of one URL. A name is looked up once, and the connection uses the permitted addresses of that
 * answer: a different second answer (DNS rebinding) has no effect. Fails with `WebError` if none is permitted.
 */
export function guardedConnector(build: typeof buildConnector, rules: ConnectionRules): buildConnector.connector {
  return (options, callback) => {
    const { signal } = rules;
    // A lookup cannot be cancelled, so its result is ignored.
    untilAborted(permittedAddresses(rules), signal)
      .then((addresses) => {
        if (addresses === undefined) throw signal.reason;
        const connect = build({ lookup: pinned(addresses), signal, timeout: 0, allowH2: false, maxCachedSessions: 0 });
        connect(options, callback);
      })
      .catch((cause: unknown) =>
        callback(cause instanceof Error ? cause : new Error('no connection', { cause }), null),
      );
  };
}

async function permittedAddresses({ url, permits, lookup }: ConnectionRules): Promise<readonly HostAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const found = family === 0 ? await lookup(host) : [{ address: host, family }];
  const permitted = found.filter(({ address }) => permits(url, address));
  if (permitted.length === 0) throw new WebError(refusePrivate(host));
  return permitted;
}

/** A lookup that returns these addresses for any name. */
export function pinned(addresses: readonly HostAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
