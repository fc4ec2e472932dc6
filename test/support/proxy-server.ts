import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listenOnLoopback } from './loopback.ts';
import { tlsFile } from './tls-server.ts';

export interface ProxyOptions {
  /** Where names lead, as the proxy alone knows: ports of this machine by host. Others cannot be reached (502). */
  readonly hosts: Readonly<Record<string, number>>;
  /** Without it, nobody has to say who they are. */
  readonly login?: { readonly name: string; readonly password: string };
  /** Answers every request with this status in place of doing what was asked. */
  readonly refuse?: number;
  /** It is spoken to by TLS, with this certificate of `test/support/tls`. */
  readonly certificate?: string;
}

/**
 * An HTTP proxy on this machine that keeps to RFC 9110: it takes CONNECT with host and port, and http requests with the
 * whole URL; a request for itself is an error, as are credentials that it has not asked for.
 */
export async function openProxy(options: ProxyOptions) {
  /** What was asked of it: `CONNECT host:port`, or the method and the host. */
  const asked: string[] = [];
  const faults: string[] = [];
  const sockets = new Set<Duplex>();
  const changed = { ...options };

  function statusFor({ headers }: IncomingMessage): number {
    if (changed.refuse !== undefined) return changed.refuse;
    const { login } = changed;
    const given = headers['proxy-authorization'];
    if (login === undefined) {
      if (given !== undefined) faults.push('credentials that nobody has asked for');
      return 200;
    }
    const wanted = Buffer.from(`${login.name}:${login.password}`).toString('base64');
    return given === `Basic ${wanted}` ? 200 : 407;
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    if (url === null || url.protocol !== 'http:') {
      faults.push(`a request for itself: ${request.method} ${request.url}`);
      return void response.writeHead(400).end();
    }
    asked.push(`${request.method} ${url.host}`);
    if (request.headers.host !== url.host) faults.push(`the host ${request.headers.host} for ${url.host}`);
    const status = statusFor(request);
    const port = changed.hosts[url.hostname];
    if (status !== 200 || port === undefined)
      return void response.writeHead(status === 200 ? 502 : status).end('the proxy');
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = httpRequest(
      { host: '127.0.0.1', port, method: request.method, path: `${url.pathname}${url.search}`, headers },
      (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)),
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  function tunnel(request: IncomingMessage, socket: Duplex): void {
    asked.push(`CONNECT ${request.url}`);
    socket.on('error', () => {});
    const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(request.url ?? '') ?? [];
    if (port === '') faults.push(`CONNECT without a port: ${request.url}`);
    if (request.headers.host !== request.url) faults.push(`the host ${request.headers.host} for ${request.url}`);
    const status = statusFor(request);
    const target = changed.hosts[host.replace(/^\[(.*)\]$/, '$1')];
    if (status !== 200 || target === undefined)
      return void socket.end(`HTTP/1.1 ${status === 200 ? 502 : status} No\r\nContent-Length: 0\r\n\r\n`);
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy()).on('close', () => sockets.delete(onward));
    socket.on('close', () => onward.destroy());
  }

  const { certificate } = options;
  const server =
    certificate === undefined
      ? createServer(forward)
      : createHttpsServer({ key: tlsFile('server.key'), cert: tlsFile(`${certificate}.pem`) }, forward);
  server.on('connect', tunnel).on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listenOnLoopback(server);
  return {
    asked,
    /** Where a client did not keep to the rules. */
    faults,
    port,
    /** Without credentials. */
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    change: (next: Partial<ProxyOptions>): void => void Object.assign(changed, next),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface SocksOptions extends Pick<ProxyOptions, 'hosts' | 'login'> {
  /** Answers every request with this code of RFC 1928. */
  readonly refuse?: number;
}

/** A SOCKS 5 proxy on this machine that keeps to RFC 1928 and 1929, and takes names and addresses. */
export async function openSocks(options: SocksOptions) {
  const asked: string[] = [];
  const faults: string[] = [];
  const sockets = new Set<Socket>();

  async function serve(socket: Socket): Promise<void> {
    const read = bytesOf(socket);
    const [version, methods = 0] = await read(2);
    if (version !== 5) faults.push(`version ${version}`);
    const offered = await read(methods);
    const { login } = options;
    const wanted = login === undefined ? 0 : 2;
    if (!offered.includes(wanted)) return void socket.end(Buffer.from([5, 255]));
    socket.write(Buffer.from([5, wanted]));
    if (login !== undefined && !(await knows(login, read))) return void socket.end(Buffer.from([1, 1]));
    if (login !== undefined) socket.write(Buffer.from([1, 0]));
    const [, command, reserved, type] = await read(4);
    if (command !== 1 || reserved !== 0) faults.push(`command ${command}, reserved ${reserved}`);
    const host = await hostOf(type, read);
    const port = (await read(2)).readUInt16BE();
    asked.push(`${host}:${port}`);
    const target = options.hosts[host];
    const code = options.refuse ?? (target === undefined ? 4 : 0);
    if (code !== 0 || target === undefined) return void socket.end(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
    const onward = connect(target, '127.0.0.1', () => {
      // In two parts, as a network may bring it, and with a name as the bound address.
      socket.write(Buffer.from([5, 0, 0]));
      socket.write(Buffer.concat([Buffer.from([3, 5]), Buffer.from('bound'), Buffer.from([0, 1])]));
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  }

  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    asked,
    faults,
    port: address.port,
    url: `socks5h://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Read = (length: number) => Promise<Buffer>;

async function knows({ name, password }: { readonly name: string; readonly password: string }, read: Read) {
  const [version, nameLength = 0] = await read(2);
  const given = (await read(nameLength)).toString();
  const [passwordLength = 0] = await read(1);
  return version === 1 && given === name && (await read(passwordLength)).toString() === password;
}

async function hostOf(type: number | undefined, read: Read): Promise<string> {
  switch (type) {
    case 1:
      return [...(await read(4))].join('.');
    case 3: {
      const [length = 0] = await read(1);
      return (await read(length)).toString();
    }
    default:
      return new URL(`http://[${(await read(16)).toString('hex').replace(/(....)(?!$)/g, '$1:')}]`).hostname.slice(
        1,
        -1,
      );
  }
}

function bytesOf(socket: Socket): Read {
  return async (length) => {
    for (;;) {
      const found: unknown = length === 0 ? Buffer.alloc(0) : socket.read(length);
      if (Buffer.isBuffer(found)) return found;
      await new Promise<void>((resolve, reject) => {
        socket.once('readable', resolve).once('close', () => reject(new Error('it has ended')));
      });
    }
  };
}
