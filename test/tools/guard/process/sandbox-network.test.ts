import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CommandNetwork, SandboxNetwork } from '../../../../src/tools/guard/process/sandbox-network.ts';

const here = '127.0.0.1';

async function setting(allowed: readonly string[], names: Readonly<Record<string, readonly string[]>> = {}) {
  const lookup = async (name: string) =>
    (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const proxy = new SandboxNetwork(lookup);
  onTestFinished(() => proxy.stop());
  const network = await proxy.open(allowed);
  /** Sends a text to the proxy, `AUTH` in it being the command's token, and gives all that comes back. */
  const say = (text: string) => answerTo(network.socket, text.replace('AUTH', authOf(network)));
  return {
    proxy,
    network,
    say,
    get: (url: string) => say(`GET ${url} HTTP/1.1\r\nHost: x\r\nAUTH\r\nConnection: close\r\n\r\n`),
  };
}

function authOf({ environment }: CommandNetwork): string {
  const { username, password } = new URL(environment.https_proxy ?? '');
  return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function answerTo(path: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(path, () => socket.write(text, 'latin1'));
    socket.setEncoding('latin1').on('data', (chunk) => {
      said += String(chunk);
    });
    socket.on('error', () => {}).on('close', () => resolve(said));
  });
}

/** A site of this machine that says hello, and what it was asked. */
async function site() {
  const seen: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.setHeader('set-cookie', ['a=1', 'b=2']).setHeader('keep-alive', 'x').end('hello');
  });
  return { port: await listening(server), seen };
}

/** A server of this machine that does as it likes with a connection. */
async function rawSite(talk: (socket: Socket) => void): Promise<number> {
  return listening(createPlainServer({ allowHalfOpen: true }, (socket) => talk(socket.on('error', () => {}))));
}

async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, here, resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('what the proxy connects to', () => {
  test('is what is listed, under all its spellings, and nothing else', async () => {
    const { port } = await site();
    const names = { 'a.test': [here], 'b.sub.test': [here], 'sub.test': [here], 'other.test': [here] };
    const { get, network } = await setting(['a.test', '*.sub.test', here], names);
    for (const host of ['a.test', 'A.TEST', 'a.test.', 'b.sub.test', here, '2130706433', '0x7f.1']) {
      expect(`${host} ${await get(`http://${host}:${port}/`)}`).toContain('hello');
    }
    expect(network.refused()).toEqual([]);
    const refused = `sub.test other.test xa.test a.test.evil.test 127.0.0.2 [::1] [::ffff:127.0.0.1]`.split(/\s+/);
    for (const host of refused) expect(await get(`http://${host}:${port}/`)).toContain('403');
    expect(network.refused()).toEqual(refused.map((host) => host.replace(/[[\]]/g, '').replace('127.0.0.1', '7f00:1')));
  });

  test('is nothing private, whatever an allowed name leads to', async () => {
    const { port, seen } = await site();
    const addresses = `${here} ::1 ::ffff:127.0.0.1 10.0.0.1 169.254.169.254 168.63.129.16 0.0.0.0 fd00::1`;
    for (const address of addresses.split(' ')) {
      const { get, say, network } = await setting(['a.test'], { 'a.test': [address] });
      expect(await get(`http://a.test:${port}/`)).toContain('403');
      expect(await say(`CONNECT a.test:${port} HTTP/1.1\r\nAUTH\r\n\r\n`)).toContain('403');
      expect(network.refused()).toEqual([expect.stringMatching(/^a\.test \(resolved to /)]);
    }
    expect(seen).toEqual([]);
  });

  test('is the address that was checked: a second answer for the name changes nothing', async () => {
    const { port, seen } = await site();
    const answers = [here, '127.0.0.2'];
    const proxy = new SandboxNetwork(async () => [{ address: answers.shift() ?? '', family: 4 }]);
    onTestFinished(() => proxy.stop());
    const network = await proxy.open(['a.test', here]);
    const request = `GET http://a.test:${port}/ HTTP/1.1\r\nHost: x\r\n${authOf(network)}\r\nConnection: close\r\n\r\n`;
    expect(await answerTo(network.socket, request)).toContain('hello');
    expect(answers).toHaveLength(1);
    expect(await answerTo(network.socket, request)).toContain('403');
    expect(seen).toHaveLength(1);
  });

  test('of "*" is every public name, and no address', async () => {
    const { get } = await setting(['*'], { 'a.test': [here] });
    const hosts = `${here} 8.8.8.8 [2606:4700::1] localhost a.localhost nas.local intranet a.test`;
    for (const host of hosts.split(' ')) {
      expect(`${host} ${await get(`http://${host}/`)}`).toContain('403');
    }
    expect(await get('http://absent.example/')).toContain('502');
  });

  test('of "localhost" is this machine', async () => {
    const { port } = await site();
    expect(await (await setting(['localhost'], { localhost: [here] })).get(`http://localhost:${port}/`)).toContain(
      'hello',
    );
    const astray = await setting(['localhost'], { localhost: ['10.0.0.1'] });
    expect(await astray.get(`http://localhost:${port}/`)).toContain('403');
  });
});

describe('who may use the proxy', () => {
  test('is a command that runs, by its own token', async () => {
    const { port, seen } = await site();
    const { proxy, network, get } = await setting([here]);
    const other = await proxy.open([here]);
    const { username } = new URL(network.environment.http_proxy ?? '');
    const { password } = new URL(other.environment.http_proxy ?? '');
    const basic = (text: string) => `Proxy-Authorization: Basic ${Buffer.from(text).toString('base64')}`;
    for (const line of [
      `X: y`,
      basic(''),
      basic(`${username}:`),
      basic(`${username}:${password}`),
      basic('__proto__:x'),
    ]) {
      const answer = await answerTo(network.socket, `CONNECT ${here}:${port} HTTP/1.1\r\n${line}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 407 .*\r\nconnection: close\r\nproxy-authenticate: Basic/);
    }
    expect(await get(`http://${here}:${port}/`)).toContain('hello');
    network.close();
    expect(await get(`http://${here}:${port}/`)).toContain('407');
    expect(seen).toHaveLength(1);
    expect((await stat(dirname(network.socket))).mode & 0o777).toBe(0o700);
  });

  test('learns only its own refusals', async () => {
    const { proxy, network, get } = await setting(['a.test']);
    const other = await proxy.open(['a.test']);
    await get('http://b.test/');
    expect(network.refused()).toEqual(['b.test']);
    expect(other.refused()).toEqual([]);
  });
});

describe('a request', () => {
  test('is written again by the proxy, without hop-by-hop headers, and to the host that was checked', async () => {
    const { port, seen } = await site();
    const { say } = await setting([here]);
    const answer = await say(
      `POST http://${here}:${port}/path?q=1 HTTP/1.1\r\nHost: evil.test\r\nAUTH\r\nConnection: close, X-Own\r\nX-Own: 1\r\nX-Kept: 2\r\nTE: trailers\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody`,
    );
    expect(answer).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/i);
    expect(answer).not.toMatch(/keep-alive: x/i);
    const host = `${here}:${port}`;
    expect(seen).toEqual([
      { url: '/path?q=1', headers: { 'x-kept': '2', host, connection: 'close', 'content-length': '4' }, body: 'body' },
    ]);
  });

  test('cannot hide another one', async () => {
    const { port, seen } = await site();
    const { say } = await setting([here]);
    const hidden = `GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n`;
    const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    const head = `http://${here}:${port}/ HTTP/1.1\r\nHost: x\r\nAUTH\r\nConnection: close\r\n`;
    await say(`GET ${head}Transfer-Encoding: chunked\r\n\r\n${chunked}`);
    await say(`GET ${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`);
    expect(seen.map(({ url, body }) => ({ url, body }))).toEqual([
      { url: '/', body: hidden },
      { url: '/', body: hidden },
    ]);
    const doubtful = [
      `POST ${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
      `POST ${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody!`,
      `POST ${head}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
      `GET ${head} X: y\r\n\r\n`,
      `GET http://${here}:${port}@a.test/ HTTP/1.1\r\nHost: x\r\nAUTH\r\nConnection: close\r\n\r\n`,
      `GET http://a.test@${here}:${port}/ HTTP/1.1\r\nHost: x\r\nAUTH\r\nConnection: close\r\n\r\n`,
      `GET /path HTTP/1.1\r\nHost: ${here}:${port}\r\nAUTH\r\nConnection: close\r\n\r\n`,
      `CONNECT a@${here}:${port} HTTP/1.1\r\nAUTH\r\n\r\n`,
      `CONNECT ${here} HTTP/1.1\r\nAUTH\r\n\r\n`,
      `CONNECT ${here}:${port}/../ HTTP/1.1\r\nAUTH\r\n\r\n`,
      `GET ${head}Long: ${'x'.repeat(40_000)}\r\n\r\n`,
    ];
    for (const text of doubtful) expect(`${text.slice(0, 80)} ${await say(text)}`).toMatch(/ HTTP\/1.1 4(?:00|31) /);
    expect(seen).toHaveLength(2);
  });

  test('is answered, and the daemon goes on, whatever a server sends', async () => {
    const answers = [
      'HTTP/1.1 200 OK\r\nX: \x7f\r\ncontent-length: 2\r\n\r\nok',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ];
    answers.push('HTTP/1.1 099 Low\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut', 'nonsense', '');
    for (const answer of answers) {
      const port = await rawSite((socket) => socket.once('data', () => socket.end(answer, 'latin1')));
      const { get } = await setting([here]);
      expect(`${answer} ${await get(`http://${here}:${port}/`)}`).toMatch(/ HTTP\/1.1 (?:200|502) /);
    }
  });
});

describe('a tunnel', () => {
  test('carries bytes both ways, even those sent before the response, until both sides have ended', async () => {
    const port = await rawSite((socket) => {
      let said = '';
      socket.on('data', (chunk) => {
        said += String(chunk);
      });
      socket.on('end', () => socket.end(`heard ${said}`));
    });
    const { network } = await setting([here]);
    const answer = await new Promise<string>((resolve) => {
      let said = '';
      const socket = connect({ path: network.socket, allowHalfOpen: true }, () =>
        socket.end(`CONNECT ${here}:${port} HTTP/1.1\r\n${authOf(network)}\r\n\r\nearly ${'x'.repeat(200_000)}`),
      );
      socket.on('data', (chunk) => {
        said += String(chunk);
      });
      socket.on('close', () => resolve(said));
    });
    expect(answer).toMatch(/^HTTP\/1.1 200 .*\r\n\r\nheard early x{200000}$/);
  });

  test('to a port without a server is refused, and that of an ended command is closed', async () => {
    const { network, say } = await setting([here]);
    const free = await rawSite(() => {});
    const { port } = await site();
    expect(await say(`CONNECT ${here}:1 HTTP/1.1\r\nAUTH\r\n\r\n`)).toContain('502');
    const answer = new Promise<string>((resolve) => {
      const socket = connect(network.socket, () =>
        socket.write(`CONNECT ${here}:${free} HTTP/1.1\r\n${authOf(network)}\r\n\r\n`),
      );
      socket.once('data', () => network.close());
      socket.on('error', () => {}).on('close', () => resolve('closed'));
    });
    expect(await answer).toBe('closed');
    expect(await say(`CONNECT ${here}:${port} HTTP/1.1\r\nAUTH\r\n\r\n`)).toContain('407');
  });

  test('is one of at most 256 at once', async () => {
    const port = await rawSite(() => {});
    const { network } = await setting([here]);
    const wish = `CONNECT ${here}:${port} HTTP/1.1\r\n${authOf(network)}\r\n\r\n`;
    const answer = () => {
      const socket = connect(network.socket, () => socket.write(wish));
      return once(
        socket.on('error', () => {}),
        'data',
      ).then(String);
    };
    await Promise.all(Array.from({ length: 256 }, answer));
    expect(await answer()).toContain('503');
  });

  test('is ended by stop, and nothing is left', async () => {
    const port = await rawSite(() => {});
    const { proxy, network } = await setting([here]);
    const socket = connect(network.socket, () =>
      socket.write(`CONNECT ${here}:${port} HTTP/1.1\r\n${authOf(network)}\r\n\r\n`),
    );
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    await proxy.stop();
    await closed;
    await expect(stat(dirname(network.socket))).rejects.toThrow('ENOENT');
  });
});
