import type { Agent as HttpAgent } from 'node:http';
import type { ProxyServer, ProxySettings } from './proxy-settings.ts';

/** How this process reaches the network: directly, or through proxies. All requests to elsewhere are made with it. */
export interface Network {
  /** The platform's. Rejects as that does; a fault of the proxy is the innermost cause, a `ProxyError`. */
  readonly fetch: typeof fetch;
  /** A new agent, with connections of its own, for clients that take one of Node's. Undefined: none is needed. */
  readonly agentFor: (url: string | URL) => HttpAgent | undefined;
  /** The proxy to this URL (http, https, ws, wss). Undefined: directly. */
  readonly proxyFor: (url: URL) => ProxyServer | undefined;
  /** What it was made of. Holds passwords: `proxyWords` shows it. */
  readonly settings: ProxySettings;
}

/**
 * How long an agent keeps a connection that nobody uses, in ms: most servers and gateways keep it for a minute or more. An
 * agent of Node's heeds the shorter time that a server names only if it has one itself.
 */
export const longestIdle = 50_000;

/** Without proxies. */
export const directNetwork: Network = {
  fetch: (input, init) => fetch(input, init),
  agentFor: () => undefined,
  proxyFor: () => undefined,
  settings: {},
};
