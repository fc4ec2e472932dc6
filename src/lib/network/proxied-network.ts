import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { buildConnector, Dispatcher } from 'undici';
import { once } from '../background.ts';
import { longestIdle, type Network } from './network.ts';
import { basicCredentials, type ProxyServer, proxyAddress } from './proxy-settings.ts';
import { connectToProxy, openTunnel, refusedBy } from './tunnel/tunnel.ts';

type Undici = typeof import('undici');
type FindProxy = (url: URL) => ProxyServer | undefined;

/** All connections go through the proxies that `proxyFor` finds. */
export function proxiedNetwork(proxyFor: FindProxy): Omit<Network, 'settings'> {
  const shared = once(async () => {
    const undici = await import('undici');
    // Node's own fetch speaks an older form of the dispatcher.
    return new undici.Dispatcher1Wrapper(proxyDispatcher(undici, { proxyFor }));
  });
  return {
    async fetch(input, init) {
      const options: RequestInit = { ...init };
      Reflect.set(options, 'dispatcher', await shared());
      return fetch(input, options);
    },
    agentFor(given) {
      const url = new URL(given);
      const proxy = proxyFor(url);
      return proxy && proxyAgent(url, proxy);
    },
    proxyFor,
  };
}

interface DispatcherOptions {
  readonly proxyFor: FindProxy;
  /** Awaited before each connection, which is not opened if it rejects. */
  readonly before?: () => Promise<void>;
  /** Without limits of time of its own. */
  readonly isPatient?: boolean;
}

/**
 * Sends requests through the proxies: http by an HTTP proxy as that proxy's own requests, everything else through a
 * tunnel. Errors of the proxies are `ProxyError`s.
 */
export function proxyDispatcher({ Agent, buildConnector }: Undici, options: DispatcherOptions): Dispatcher {
  const { proxyFor, before, isPatient = false } = options;
  const direct = buildConnector({ allowH2: false, ...(isPatient && { timeout: 0 }) });
  /** The proxies that take requests as their own, by origin. */
  const forwarding = new Map<string, ProxyServer>();

  const connect: buildConnector.connector = (wanted, callback) => {
    const failed = (error: unknown): void =>
      callback(error instanceof Error ? error : new Error('no connection', { cause: error }), null);
    const checked = before?.() ?? Promise.resolve();
    checked.then(() => open(wanted, callback)).catch(failed);
  };

  async function open(wanted: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    const url = new URL(`${wanted.protocol}//${wanted.host ?? wanted.hostname}`);
    const own = forwarding.get(url.origin);
    if (own !== undefined) return callback(null, await connectToProxy(own));
    const proxy = proxyFor(url);
    if (proxy === undefined) return void direct(wanted, callback);
    const isSecure = url.protocol === 'https:';
    const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
    const tunnel = await openTunnel(proxy, { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port });
    if (!isSecure) return callback(null, tunnel);
    direct({ ...wanted, httpSocket: tunnel }, callback);
  }

  const limits = isPatient ? { headersTimeout: 0, bodyTimeout: 0 } : {};
  return new Agent({ connect, ...limits }).compose((dispatch) => (asked, handler) => {
    const url = new URL(String(asked.origin));
    const proxy = proxyFor(url);
    if (proxy === undefined || !isForwarding(url, proxy)) return dispatch(asked, handler);
    const { origin } = new URL(proxyAddress(proxy));
    forwarding.set(origin, proxy);
    const headers = withHeaders(asked.headers, { host: url.host, ...credentialHeaders(proxy) });
    const request = { ...asked, origin, path: `${url.origin}${asked.path}`, headers, servername: proxy.host };
    return dispatch(request, ownAnswer(handler, proxy, url));
  });
}

/** Whether the proxy takes a request whole. It could, but often may not, open a tunnel for plain http. */
function isForwarding({ protocol }: URL, { scheme }: ProxyServer): boolean {
  return protocol === 'http:' && scheme !== 'socks5';
}

function credentialHeaders(proxy: ProxyServer): Readonly<Record<string, string>> {
  const isNamed = proxy.username !== undefined || proxy.password !== undefined;
  return isNamed ? { 'proxy-authorization': `Basic ${basicCredentials(proxy)}` } : {};
}

type GivenHeaders = Dispatcher.DispatchOptions['headers'];

/** As names and values in turn, which every client takes. Those added replace others of the name. */
function withHeaders(given: GivenHeaders, added: Readonly<Record<string, string>>): string[] {
  const list: string[] = [];
  const add = (name: unknown, value: unknown): void => {
    if (value === undefined || Object.hasOwn(added, String(name).toLowerCase())) return;
    for (const one of Array.isArray(value) ? value : [value]) list.push(String(name), String(one));
  };
  if (Array.isArray(given)) for (let at = 0; at < given.length; at += 2) add(given[at], given[at + 1]);
  else if (given && typeof given === 'object' && Symbol.iterator in given)
    for (const [name, value] of given) add(name, value);
  else for (const [name, value] of Object.entries(given ?? {})) add(name, value);
  return [...list, ...Object.entries(added).flat()];
}

/** Keeps answers of the proxy's own from looking like the target's. */
function ownAnswer(handler: Dispatcher.DispatchHandler, proxy: ProxyServer, url: URL): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart(controller, status, headers, message) {
      if (isOfProxy(status, headers)) controller.abort(refusedBy(proxy, status, url.host));
      else handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}

/** Whether the proxy has answered itself, without having passed on anything. `Proxy-Status` is of RFC 9209. */
function isOfProxy(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  if (status === 407) return true;
  const { 'x-squid-error': squid = '', 'proxy-status': said = '' } = headers;
  return status >= 400 && (unsentAtSquid.test(String(squid)) || unsent.test(String(said)));
}

const unsentAtSquid = /^ERR_(?:DNS_FAIL|CONNECT_FAIL|ACCESS_DENIED|CANNOT_FORWARD|CACHE_ACCESS_DENIED)/;
const unsent =
  /;\s*error="?(?:dns_\w+|destination_\w+|connection_refused|connection_timeout|http_request_denied|proxy_configuration_error)/;

/** For http and https as for ws and wss. Connections to plain web sockets are tunnels, as browsers make them. */
function proxyAgent(url: URL, proxy: ProxyServer): HttpAgent {
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const { Agent } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const agent = new Agent({ keepAlive: true, timeout: longestIdle });
  if (isForwarding(url, proxy)) return forwardingAgent(agent, url, proxy);
  return Object.assign(agent, {
    createConnection: (options: ConnectionOptions, callback: ConnectionCallback): undefined => {
      const { host = '', port = isSecure ? 443 : 80 } = options;
      openTunnel(proxy, { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }).then(
        (socket) => callback(null, isSecure ? secured(socket, options) : socket),
        (error: Error) => callback(error),
      );
    },
  });
}

/** What Node passes to `createConnection`. */
interface ConnectionOptions {
  readonly host?: string;
  readonly port?: number | string;
  readonly servername?: string;
}

type ConnectionCallback = (error: Error | null, socket?: Duplex) => void;

function secured(socket: Socket, options: ConnectionOptions): Duplex {
  const tls = process.getBuiltinModule('node:tls');
  const { servername = '', host = '' } = options;
  return tls.connect({ socket, host, servername, ALPNProtocols: ['http/1.1'] });
}

/** Requests whole URLs of the proxy. */
function forwardingAgent(agent: HttpAgent, url: URL, proxy: ProxyServer): HttpAgent {
  const add: unknown = Reflect.get(agent, 'addRequest');
  return Object.assign(agent, {
    // Called by Node with a request whose head has not been written yet.
    addRequest(request: ClientRequest, options: object): void {
      request.path = `${url.origin}${request.path}`;
      for (const [name, value] of Object.entries(credentialHeaders(proxy))) request.setHeader(name, value);
      if (typeof add === 'function') Reflect.apply(add, agent, [request, options]);
    },
    createConnection(_options: ConnectionOptions, callback: ConnectionCallback): undefined {
      connectToProxy(proxy).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error),
      );
    },
  });
}
