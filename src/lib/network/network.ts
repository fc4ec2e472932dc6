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

/** Without proxies. */
export const directNetwork: Network = {
  fetch: (input, init) => fetch(input, init),
  agentFor: () => undefined,
  proxyFor: () => undefined,
  settings: {},
};
