import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sameSecret } from '../../../lib/ids.ts';
import { ProxyError } from '../../../lib/network/connection-fault.ts';
import { directNetwork, type Network } from '../../../lib/network/network.ts';
import type { ProxyServer } from '../../../lib/network/proxy-settings.ts';
import { openTunnel, refusedBy } from '../../../lib/network/tunnel/tunnel.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import { type HostLookup, hostOf, pinned, portOf, reachableAddresses, systemLookup } from '../network/network-rules.ts';
import { BoundsError } from './bounds.ts';
import { boundsErrorWords } from './words.ts';

/** A command's access to the allowed hosts. */
export interface CommandNetwork {
  /** The proxy's socket, for the relay. */
  readonly socket: string;
  /** Points programs to the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** The hosts refused so far, each with the reason. */
  refused(): readonly string[];
  /** What the operator's proxy did not do so far, a sentence each. */
  faults(): readonly string[];
  /** Closes its connections and revokes its token. */
  close(): void;
}

/** The relay's port inside the sandbox. */
export const relayPort = 3128;

/** Limits of the proxy: times in ms, sizes in bytes, and counts. */
const limits = {
  connect: 30_000,
  head: 20_000,
  idle: 30 * 60_000,
  headBytes: 32_768,
  perCommand: 256,
  all: 2_048,
  refused: 50,
};

/** A command that may use the proxy. */
interface Client {
  readonly token: string;
  readonly allowed: readonly string[];
  /** Its connections, on both sides of the proxy. */
  readonly open: Set<Socket>;
  readonly refused: Set<string>;
  /** What the operator's proxy did not do, in words. */
  readonly faults: Set<string>;
}

/** A permitted request: its client, its target, and the addresses to connect to, or the proxy that leads there. */
interface Wish {
  readonly client: Client;
  readonly url: URL;
  readonly found: Parameters<typeof pinned>[0];
  readonly proxy: ProxyServer | undefined;
}

/** The proxy that listens on the socket at this path, in a folder of its own. */
interface OpenProxy {
  readonly server: Server;
  readonly folder: string;
  readonly path: string;
}

/** How the requests go on from here. Read at each of them. */
type OnwardNetwork = () => Pick<Network, 'proxyFor' | 'agentFor'>;

/**
 * The proxy through which commands reach the hosts on the operator's list and nothing else. It refuses this machine and
 * its network, whatever a name resolves to, unless the address itself is listed. A name is looked up once, and the
 * connection uses the addresses that were checked; or it leads through the operator's proxy, which gets the name (see
 * docs/decisions/0055-network-guard-behind-a-proxy.md). It listens on a socket in its own folder, from the first command
 * on; each command has a token. Node's parser reads the head of a request, and the proxy writes a new one: no byte is
 * passed on as it came, and no connection serves two requests.
 */
export class SandboxNetwork {
  readonly #lookup: HostLookup;
  readonly #onward: OnwardNetwork;
  readonly #clients = new Map<string, Client>();
  #opening: Promise<OpenProxy> | undefined;

  constructor(lookup: HostLookup = systemLookup, onward: OnwardNetwork = () => directNetwork) {
    this.#lookup = lookup;
    this.#onward = onward;
  }

  /** Opens access to these hosts for one command. Rejects with `BoundsError`. */
  async open(allowed: readonly string[]): Promise<CommandNetwork> {
    this.#opening ??= this.#listen();
    const { path } = await this.#opening.catch((cause: unknown) => {
      this.#opening = undefined;
      const reason = messageOf(cause);
      throw new BoundsError((language) => boundsErrorWords[language].noProxy({ reason }), { cause });
    });
    const id = randomUUID();
    const token = randomBytes(24).toString('hex');
    const client: Client = { token, allowed, open: new Set(), refused: new Set(), faults: new Set() };
    this.#clients.set(id, client);
    return {
      socket: path,
      environment: proxyVariables(`http://${id}:${token}@127.0.0.1:${relayPort}`),
      refused: () => [...client.refused],
      faults: () => [...client.faults],
      close: () => {
        this.#clients.delete(id);
        for (const socket of client.open) socket.destroy();
      },
    };
  }

  /** Closes all connections and removes the socket. */
  async stop(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#opening]);
    this.#opening = undefined;
    if (opened.status === 'rejected' || opened.value === undefined) return;
    const { server, folder } = opened.value;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    for (const { open } of this.#clients.values()) for (const socket of open) socket.destroy();
    this.#clients.clear();
    await closed;
    await rm(folder, { recursive: true, force: true });
  }

  async #listen(): Promise<OpenProxy> {
    // Only our user can enter such a folder.
    const folder = await mkdtemp(join(tmpdir(), 'keyturn-network-'));
    const server = process.getBuiltinModule('node:http').createServer({
      maxHeaderSize: limits.headBytes,
      headersTimeout: limits.head,
      requestTimeout: 0,
      connectionsCheckingInterval: limits.head,
    });
    server.maxConnections = limits.all;
    server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()).setTimeout(limits.idle));
    // `GET http://host/path`: sent as a new request, on its own connection.
    server.on('request', (request, response) => {
      const { url = '' } = request;
      const target = /^http:\/\//i.test(url) ? URL.parse(url) : null;
      this.#serve(request, target, (wish) => passOn(request, response, wish, this.#onward()));
    });
    // `CONNECT host:port`.
    server.on('connect', (request, _, head) => {
      const { url = '', socket } = request;
      // Nearly all that is tunnelled is TLS: the proxy for https takes it.
      const target = authority.test(url) ? URL.parse(`https://${url}`) : null;
      this.#serve(request, target, (wish) => void carry(socket, head, wish));
    });
    const path = join(folder, 'proxy.sock');
    server.listen(path);
    await once(server, 'listening');
    return { server, folder, path };
  }

  /** Neither a command's request nor a server's response may crash the daemon. */
  #serve(request: IncomingMessage, url: URL | null, pass: (wish: Wish) => void): void {
    this.#wishOf(request, url)
      .then((wish) => (wish === undefined ? request.resume() : pass(wish)))
      .catch(() => request.socket.destroy());
  }

  /** Who asks, and for what. Undefined if that is refused, which is answered here, or if the client is gone. */
  async #wishOf({ headers, socket }: IncomingMessage, url: URL | null): Promise<Wish | undefined> {
    const client = this.#clientOf(headers['proxy-authorization'] ?? '');
    if (client === undefined) {
      const realm = 'proxy-authenticate: Basic realm="Keyturn"\r\n';
      return refuse(socket, 407, 'Only the command itself may use this proxy.', realm);
    }
    if (client.open.size >= 2 * limits.perCommand) return refuse(socket, 503, 'Too many connections at once.');
    keep(client, socket);
    const form = 'This proxy takes "CONNECT host:port" and "http://host/path", without a name before an "@".';
    if (url === null || url.username !== '' || url.password !== '' || url.port === '0')
      return refuse(socket, 400, form);
    const host = hostOf(url);
    const proxy = this.#onward().proxyFor(url);
    const found = await reachableAddresses(host, {
      allowed: client.allowed,
      lookup: this.#lookup,
      isProxied: proxy !== undefined,
    });
    if (typeof found === 'string') {
      note(client.refused, found);
      return refuse(socket, 403, `The sandbox does not allow reaching ${found}.`);
    }
    if (found.length === 0 && proxy === undefined) return refuse(socket, 502, `${host} has no address.`);
    return socket.destroyed ? undefined : { client, url, found, proxy };
  }

  #clientOf(authorization: string): Client | undefined {
    const [, encoded = ''] = /^basic +([a-z0-9+/=]+)$/i.exec(authorization) ?? [];
    const [id = '', token = ''] = Buffer.from(encoded, 'base64').toString('latin1').split(':', 2);
    const client = this.#clients.get(id);
    return client !== undefined && sameSecret(token, client.token) ? client : undefined;
  }
}

const authority = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i;

/** The socket closes with the command, after a long silence, or if it does not connect in time. */
function keep({ open }: Client, socket: Socket): void {
  socket.setTimeout(socket.connecting ? limits.connect : limits.idle);
  if (open.has(socket)) return;
  open.add(socket);
  socket.once('close', () => open.delete(socket));
  socket.on('timeout', () => socket.destroy(new Error('Nothing came for too long.')));
  socket.once('connect', () => socket.setTimeout(limits.idle));
}

function note(noted: Set<string>, words: string): void {
  if (noted.size < limits.refused) noted.add(words);
}

function refuse(socket: Socket, status: number, reason: string, header = ''): undefined {
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\n${header}\r\n${reason}\n`);
}

function proxyVariables(url: string): Readonly<Record<string, string>> {
  const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  const proxies = Object.fromEntries(names.map((name) => [name, url]));
  // Otherwise git first asks the proxy how to authenticate.
  return { ...proxies, NODE_USE_ENV_PROXY: '1', GIT_CONFIG_PARAMETERS: "'http.proxyAuthMethod=basic'" };
}

/** Sends the request on a connection of its own, and passes the response back. */
function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { client, url, found, proxy }: Wish,
  { agentFor }: Pick<Network, 'agentFor'>,
): void {
  // Not imported: that would load all of Node's HTTP at each start, for a proxy that few need.
  const { request: httpRequest } = process.getBuiltinModule('node:http');
  // Node assumes that a GET has no body.
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const framing = isChunked ? { 'transfer-encoding': 'chunked' } : lengthOf(request.headers);
  const outgoing = httpRequest({
    host: hostOf(url),
    port: portOf(url),
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(request), ...framing, host: url.host, connection: 'close' },
    ...(proxy === undefined ? { agent: false, lookup: pinned(found) } : { agent: agentFor(url) }),
  });
  const fail = (error?: unknown): void => {
    const words = proxy === undefined ? undefined : faultOf(client, error);
    outgoing.destroy();
    if (response.headersSent || response.destroyed) response.destroy();
    else response.writeHead(502, { connection: 'close' }).end(`${words ?? `${url.host} did not answer.`}\n`);
  };
  outgoing.on('socket', (socket) => keep(client, socket));
  outgoing.on('error', fail);
  outgoing.on('close', () => response.headersSent || fail());
  outgoing.on('response', (answer) => {
    answer.on('error', fail);
    const { statusCode = 0 } = answer;
    if (statusCode < 200) return fail();
    // The operator's proxy asks us, not the command.
    if (statusCode === 407 && proxy !== undefined) return fail(refusedBy(proxy, statusCode, url.host));
    response.writeHead(statusCode, { ...endToEnd(answer), ...lengthOf(answer.headers) });
    answer.pipe(response);
  });
  response.on('error', fail).on('close', () => outgoing.destroy());
  request.on('error', fail);
  request.pipe(outgoing);
}

/** Connects a tunnel's socket to its target. Bytes that arrive before our response are not read until then. */
async function carry(socket: Socket, head: Buffer, wish: Wish): Promise<void> {
  const outgoing = await connectTo(wish).catch((error: unknown) => {
    const words = faultOf(wish.client, error);
    socket.end(`HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n${words === undefined ? '' : `${words}\n`}`);
  });
  if (outgoing === undefined) return;
  outgoing.on('error', () => socket.destroy());
  outgoing.on('close', () => socket.destroySoon());
  socket.on('close', () => outgoing.destroySoon());
  if (socket.destroyed) return void outgoing.destroy();
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  outgoing.write(head);
  socket.pipe(outgoing).pipe(socket);
}

/** A connection to the target. Rejects if there is none, with `ProxyError` if a proxy leads there. */
async function connectTo({ client, url, found, proxy }: Wish): Promise<Socket> {
  const target = { host: hostOf(url), port: portOf(url) };
  if (proxy !== undefined) {
    const outgoing = await openTunnel(proxy, target);
    keep(client, outgoing);
    return outgoing;
  }
  const outgoing = connect({ ...target, lookup: pinned(found), allowHalfOpen: true });
  keep(client, outgoing);
  await once(outgoing, 'connect');
  return outgoing;
}

/** What the operator's proxy did not do, noted for the command's result. Undefined if that is not the fault. */
function faultOf({ faults }: Client, error: unknown): string | undefined {
  if (!(error instanceof ProxyError)) return undefined;
  note(faults, error.message);
  return error.message;
}

/** The headers without hop-by-hop ones. */
function endToEnd({ headersDistinct, headers }: IncomingMessage): Record<string, string[]> {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim())]);
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      values === undefined || dropped.has(name) || !values.every((value) => sendable.test(value))
        ? []
        : [[name, values]],
    ),
  );
}

/** Node's writer refuses other values, which its parser accepts. */
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The proxy sets the last two itself. */
const hopByHop: readonly string[] = `connection keep-alive proxy-connection proxy-authenticate proxy-authorization te
  trailer upgrade expect http2-settings transfer-encoding content-length`.split(/\s+/);

/** The length of the body, unless it is chunked. If a response has neither, Node chooses the framing. */
function lengthOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
  return length === undefined ? {} : { 'content-length': length };
}
