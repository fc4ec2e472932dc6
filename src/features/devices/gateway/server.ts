import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import type { ChannelAdapter, ChannelHost } from '../../../contract.ts';
import { type Device, deviceChannel } from '../../../conversation/access/access.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { createDeviceBook, type DeviceBook, type DevicesCore } from '../device-book.ts';
import { createRemoteTools } from '../remote/remote-tools.ts';
import type { DeviceSettings } from '../settings.ts';
import { deviceWords } from '../words.ts';
import type { SocketQuery } from './connection.ts';
import { createConnections } from './connections.ts';
import { createGate, Lockout, refusalOf } from './credentials.ts';
import { deviceChannelAdapter, type GatewayPort } from './device-channel.ts';
import { gatewayApp, type RoutesParts, socketPath } from './routes.ts';
import { createSessions } from './sessions.ts';

/** The open port, the devices that may use it, and the tools that they offer. */
export interface Gateway {
  /** The channel's name and adapter. Starting the channel opens the port. */
  readonly channel: readonly [string, ChannelAdapter];
  readonly devices: DeviceBook;
  isOnline(deviceId: string): boolean;
  /** Somebody got a pairing code. */
  codeGiven(): void;
  /** A device was revoked. */
  hangUpOn(deviceId: string): void;
  /** In these conversations a person has ended the run, and nothing is left to do. */
  aborted(conversationIds: readonly string[]): void;
  /** Unsubscribes from changes of rights, after the channel has ended. */
  close(): void;
}

/** Builds the gateway; its channel opens the port. Loaded and called only if the config enables it. */
export async function openGateway(core: DevicesCore): Promise<Gateway> {
  const { accounts, clock, registry, rightsChanged, stored } = core;
  const devices = createDeviceBook(await stored.devices.all(), core);
  accounts.include(devices);
  const tools = createRemoteTools(core);
  registry.include(tools);
  const sessions = createSessions(core, devices);
  const counters = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };
  const own = { ...core, log: core.log.child({ part: 'gateway' }), devices, sessions, tools, counters };
  const connections = createConnections(own);
  const lockout = new Lockout(clock);
  const server = new GatewayServer({ ...own, connections, gate: createGate(core, devices), lockout });
  return {
    channel: [deviceChannel, deviceChannelAdapter(core, sessions, server)],
    devices,
    isOnline: (deviceId) => connections.isOnline(deviceId),
    codeGiven: () => lockout.forget(),
    hangUpOn: (deviceId) => connections.hangUpOn(deviceId),
    aborted: (conversationIds) => sessions.aborted(conversationIds),
    close: rightsChanged.listen(() => connections.review()),
  };
}

/** A response may stall for this many times the request timeout. */
const patience = 6;
const longestHeaders = 16 * 1024;
/** Includes connections that have not sent a request yet. */
const mostConnections = 2_000;
/** Retry delay while the port is taken, in ms. */
const again = 5_000;
/** The only subprotocol that this gateway accepts. */
const ownProtocol = 'clawseed.v1';

/** The port for HTTP and WebSocket, without TLS. Checks `Host` and `Origin`, then the credential, then limits. */
class GatewayServer implements GatewayPort {
  readonly #parts: RoutesParts;
  /** Answers HTTP. */
  readonly #listener: RequestListener;
  #server: Server | undefined;
  #callOff: (() => void) | undefined;

  constructor(parts: RoutesParts) {
    this.#parts = parts;
    this.#listener = getRequestListener(gatewayApp(parts).fetch, { overrideGlobalObjects: false });
  }

  /** Never rejects: reports failures as health, and retries until the port is free. */
  open(host: ChannelHost): Promise<void> {
    const { port, host: address } = this.#parts.own.gateway;
    const made = makeServer(this.#listener, this.#parts);
    return new Promise((resolve) => {
      const failed = (error: NodeJS.ErrnoException): void => this.#failed(error, host, resolve);
      made.once('error', failed);
      made.listen(port, address, () => {
        made.off('error', failed);
        this.#listens(made, host);
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.#callOff?.();
    const closing = this.#server;
    this.#server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    await this.#parts.connections.close();
    // HTTP requests can be retried; sockets got a moment to close.
    closing.closeAllConnections();
    await closed;
  }

  #listens(server: Server, host: ChannelHost): void {
    this.#server = server;
    const found = server.address();
    const account = typeof found === 'object' && found !== null ? addressOf(found) : undefined;
    // One failed connection, such as at the limit of open files: the server keeps listening.
    server.on('error', (error) => host.log.warn({ err: error }, 'a connection could not be taken'));
    host.reportHealth({ status: 'connected', account });
  }

  #failed(error: NodeJS.ErrnoException, host: ChannelHost, done: () => void): void {
    host.reportHealth({ status: 'failing', reason: listenFault(error, this.#parts.own.gateway) });
    this.#callOff = host.clock.after(again, () => void this.open(host));
    done();
  }
}

/** Why the port cannot be opened. */
function listenFault({ code, message }: NodeJS.ErrnoException, { host, port }: DeviceSettings['gateway']): InLanguage {
  return (language) =>
    code === 'EADDRINUSE'
      ? deviceWords[language].portTaken({ host, port })
      : deviceWords[language].cannotListen({ why: message, host, port });
}

function makeServer(listener: RequestListener, parts: RoutesParts): Server {
  const { hello_secs, max_frame_bytes: maxPayload } = parts.own.gateway;
  const hello = hello_secs * 1000;
  const made = createServer(
    {
      maxHeaderSize: longestHeaders,
      headersTimeout: hello,
      requestTimeout: hello,
      connectionsCheckingInterval: Math.min(5_000, hello),
    },
    listener,
  );
  made.maxConnections = mostConnections;
  // Cuts off clients that request a file and do not read it. WebSockets have their own limits.
  made.timeout = patience * hello;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    perMessageDeflate: false,
    // Never echoes a token that was offered as a subprotocol.
    handleProtocols: (offered) => (offered.has(ownProtocol) ? ownProtocol : false),
  });
  made.on('upgrade', (request, socket, head) => {
    const upgrade = judge(request, parts);
    if ('reason' in upgrade) return refuseUpgrade(socket, upgrade.status, upgrade.reason);
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      parts.connections.connect(webSocket, upgrade.device, upgrade.query),
    );
  });
  return made;
}

type Upgrade =
  | { readonly device: Device; readonly query: SocketQuery }
  | { readonly status: number; readonly reason: string };

/** Decides whether a request may become a WebSocket, and for which device. */
function judge({ method, url = '', headers }: IncomingMessage, parts: RoutesParts): Upgrade {
  const { connections, gate, own } = parts;
  const reason = refusalOf({ host: headers.host, origin: headers.origin }, own.gateway);
  if (reason !== undefined) return { status: 403, reason };
  const target = URL.parse(url, 'http://localhost');
  if (method !== 'GET' || target?.pathname !== socketPath) return { status: 404, reason: 'There is nothing here.' };
  const query = target.searchParams;
  const given = { authorization: headers.authorization, protocols: headers['sec-websocket-protocol'], query };
  const admission = gate.admit(given, true);
  if ('reason' in admission) return admission;
  const { device } = admission;
  const asked = (key: string): string | undefined => query.get(key)?.slice(0, 200) || undefined;
  const said = { sessionId: asked('session_id'), name: asked('name'), persona: asked('persona') };
  return connections.refusalOf(device) ?? { device, query: said };
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Refuses an upgrade and destroys the socket, which the HTTP server no longer manages. */
function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  const body = `${reason}\n`;
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
