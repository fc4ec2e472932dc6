import { isIP, type Socket } from 'node:net';
import { innermostError } from '../../http.ts';
import { oneLine } from '../../plain-text.ts';
import type { Language } from '../../words.ts';
import { certificateWords } from '../certificates/certificates.ts';
import { ProxyError } from '../connection-fault.ts';
import { basicCredentials, type ProxyServer, proxyAddress } from '../proxy-settings.ts';
import { tunnelWords } from './words.ts';

interface TunnelTarget {
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
}

/** The time until the proxy has connected, in ms: real time, as of all connections. */
const longestHandshake = 30_000;
/** More than any answer to CONNECT, in bytes. */
const longestHead = 32_768;

/** Opens a connection to the target through the proxy. Throws `ProxyError`. */
export async function openTunnel(proxy: ProxyServer, target: TunnelTarget): Promise<Socket> {
  const socket = await connectToProxy(proxy);
  // Whoever waits for the socket hears of a failure; an event that nobody hears would end the process.
  socket.on('error', () => {});
  const late = (): void => void socket.destroy(failing((words) => words.silent({ proxy: proxyAddress(proxy) })));
  socket.setTimeout(longestHandshake, late);
  try {
    await (proxy.scheme === 'socks5' ? askSocks(socket, proxy, target) : askToConnect(socket, proxy, target));
    socket.setTimeout(0).off('timeout', late);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof ProxyError) throw error;
    const { code } = innermostError(error);
    throw failing((words) => words.closed({ proxy: proxyAddress(proxy), code }));
  }
}

/** Connects to the proxy itself, by TLS if it wants that. Throws `ProxyError`. */
export async function connectToProxy(proxy: ProxyServer): Promise<Socket> {
  const { scheme, host, port } = proxy;
  const isSecure = scheme === 'https';
  const socket = isSecure
    ? process.getBuiltinModule('node:tls').connect({ host, port, servername: isIP(host) === 0 ? host : '' })
    : process.getBuiltinModule('node:net').connect({ host, port });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = (): void => void socket.destroy(failing((words) => words.unreached({ proxy: proxyAddress(proxy) })));
  socket.setTimeout(longestHandshake, late);
  socket.once(isSecure ? 'secureConnect' : 'connect', resolve).once('error', reject);
  try {
    await promise;
    socket.setNoDelay(true).setKeepAlive(true, 60_000).setTimeout(0).off('timeout', late);
    return socket.off('error', reject);
  } catch (error) {
    throw unreachable(proxy, error);
  }
}

/** Why there is no connection to the proxy. */
function unreachable(proxy: ProxyServer, error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  const network = innermostError(error);
  const place = placeOf(proxy);
  const certificate = certificateWords(network, place.proxy);
  if (certificate !== undefined) return refusing((words, language) => words.unusable({ why: certificate(language) }));
  const { code = network.name } = network;
  if (code === 'ECONNREFUSED') return failing((words) => words.takesNothing(place));
  if (code === 'ENOTFOUND') return failing((words) => words.notFound(place));
  return failing((words) => words.unreachable({ proxy: place.proxy, code }));
}

type Saying = (words: (typeof tunnelWords)[Language], language: Language) => string;

function failing(say: Saying): ProxyError {
  return new ProxyError('PROXY_FAILS', (language) => say(tunnelWords[language], language));
}

function refusing(say: Saying): ProxyError {
  return new ProxyError('PROXY_REFUSES', (language) => say(tunnelWords[language], language));
}

function placeOf(proxy: ProxyServer): { readonly proxy: string; readonly source: string } {
  return { proxy: proxyAddress(proxy), source: proxy.source };
}

function hostAndPort({ host, port }: TunnelTarget): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

async function askToConnect(socket: Socket, proxy: ProxyServer, target: TunnelTarget): Promise<void> {
  const place = hostAndPort(target);
  const lines = [
    `CONNECT ${place} HTTP/1.1`,
    `Host: ${place}`,
    'Proxy-Connection: Keep-Alive',
    ...credentialLines(proxy),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await receive(socket, (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    if (end !== -1) return end + 4;
    return bytes.length > longestHead ? bytes.length : undefined;
  });
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(head.toString('latin1')) ?? [];
  if (status === undefined) throw refusing((words) => words.noHttpProxy(placeOf(proxy)));
  if (!status.startsWith('2')) throw refusedBy(proxy, Number(status), place);
}

function credentialLines(proxy: ProxyServer): readonly string[] {
  const isNamed = proxy.username !== undefined || proxy.password !== undefined;
  return isNamed ? [`Proxy-Authorization: Basic ${basicCredentials(proxy)}`] : [];
}

/** What an HTTP proxy means by a status of its own. `place`: the target. */
export function refusedBy(proxy: ProxyServer, status: number, place: string): ProxyError {
  if (status === 407) return unauthorised(proxy, '407');
  const barred = { proxy: proxyAddress(proxy), place: oneLine(place, 200), mark: `${status}` };
  if (status >= 500 || status === 408 || status === 429) return failing((words) => words.doesNotReach(barred));
  return refusing((words) => words.doesNotLetUs(barred));
}

/** `mark`: how the proxy said it. */
function unauthorised(proxy: ProxyServer, mark: string): ProxyError {
  const { scheme, username } = proxy;
  const example = `${scheme}://NAME:PASSWORD@host:port`;
  return username === undefined
    ? refusing((words) => words.wantsPassword({ ...placeOf(proxy), mark, example }))
    : refusing((words) => words.wrongPassword({ ...placeOf(proxy), mark }));
}

/** RFC 1928, and RFC 1929 for the password. The proxy gets the target's name, and looks it up. */
async function askSocks(socket: Socket, proxy: ProxyServer, { host, port }: TunnelTarget): Promise<void> {
  const { username, password } = proxy;
  const hasPassword = username !== undefined || password !== undefined;
  socket.write(Buffer.from(hasPassword ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await receive(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
  if (version !== 5) throw refusing((words) => words.noSocksProxy(placeOf(proxy)));
  if (method === 2 && hasPassword) await authenticate(socket, proxy);
  else if (method !== 0) throw unauthorised(proxy, 'SOCKS');
  socket.write(
    Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(host, proxy), Buffer.from([port >> 8, port & 255])]),
  );
  const [, code = 1] = await receive(socket, socksReplyLength);
  if (code !== 0) throw socksRefusal(proxy, code, hostAndPort({ host, port }));
}

async function authenticate(socket: Socket, proxy: ProxyServer): Promise<void> {
  const [name, password] = [proxy.username ?? '', proxy.password ?? ''].map((text) => Buffer.from(text));
  if (name === undefined || password === undefined || name.length > 255 || password.length > 255)
    throw refusing((words) => words.longPassword(placeOf(proxy)));
  socket.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([password.length]), password]));
  const [, status] = await receive(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
  if (status !== 0) throw unauthorised(proxy, 'SOCKS');
}

/** Type, then the address: 1 IPv4, 3 name with its length, 4 IPv6. */
function socksAddress(host: string, proxy: ProxyServer): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (family === 6) return Buffer.from([4, ...bytesOfIpv6(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw refusing((words) => words.longName({ proxy: proxyAddress(proxy) }));
  return Buffer.concat([Buffer.from([3, name.length]), name]);
}

function bytesOfIpv6(address: string): readonly number[] {
  // The URL parser writes an IPv4 end in hexadecimal.
  const spelled = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = spelled.split('::');
  const [head, tail] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const [first = [], last = []] = [head, tail];
  const zeros = Array.from({ length: after === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/** The reply ends with the address that the proxy has bound, in the same form, and a port. */
function socksReplyLength(bytes: Buffer): number | undefined {
  const [version, code, , type, length = 0] = bytes;
  // A refusal may come without the rest.
  if (bytes.length >= 2 && (version !== 5 || code !== 0)) return bytes.length;
  if (bytes.length < 5) return undefined;
  const whole = 6 + (type === 1 ? 4 : type === 4 ? 16 : 1 + length);
  return bytes.length >= whole ? whole : undefined;
}

function socksRefusal(proxy: ProxyServer, code: number, place: string): ProxyError {
  const barred = { proxy: proxyAddress(proxy), place: oneLine(place, 200) };
  if (code === 2) return refusing((words) => words.doesNotLetUsBySocks(barred));
  return failing((words) => words.doesNotReachBySocks({ ...barred, code }));
}

/**
 * Reads from the socket until `lengthOf` knows how much belongs together, and leaves the rest. Rejects if the connection
 * ends before.
 */
function receive(socket: Socket, lengthOf: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let bytes: Buffer = Buffer.alloc(0);
  // At once: what is put back would be read here again.
  const leave = (): void => {
    socket.off('readable', look).off('error', failed).off('end', ended).off('close', ended);
  };
  const failed = (error: Error): void => {
    leave();
    reject(error);
  };
  const ended = (): void => failed(new Error('the connection has ended'));
  const look = (): void => {
    for (let chunk: unknown = socket.read(); chunk !== null; chunk = socket.read()) {
      if (chunk instanceof Uint8Array) bytes = Buffer.concat([bytes, chunk]);
    }
    const length = lengthOf(bytes);
    if (length === undefined) return;
    leave();
    if (length < bytes.length) socket.unshift(bytes.subarray(length));
    resolve(bytes.subarray(0, length));
  };
  socket.on('readable', look).on('error', failed).on('end', ended).on('close', ended);
  look();
  return promise;
}
