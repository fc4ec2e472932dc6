import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNetwork } from '../../../../src/lib/network/open-network.ts';
import { proxySettings } from '../../../../src/lib/network/proxy-settings.ts';
import { SandboxNetwork } from '../../../../src/tools/guard/process/sandbox-network.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { openProxy, openSocks } from '../../../support/proxy-server.ts';

const login = { name: 'ada', password: 'p@ss:w/örd%' };
const withLogin = (url: string): string => url.replace('//', `//${login.name}:${encodeURIComponent(login.password)}@`);

interface Given {
  readonly allowed?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What this machine knows of names: addresses. Others are unknown. */
  readonly names?: Readonly<Record<string, string>>;
}

/** The proxy of commands, and how a command uses it. */
async function setting({ allowed = ['*'], environment, names = {} }: Given) {
  const network = await openNetwork(proxySettings(undefined, environment).settings);
  const lookup = async (name: string) =>
    (names[name] ?? '').split(' ').flatMap((address) => (address === '' ? [] : [{ address, family: 4 }]));
  const proxy = new SandboxNetwork(lookup, () => network);
  onTestFinished(() => proxy.stop());
  const command = await proxy.open(allowed);
  const { username, password } = new URL(command.environment.https_proxy ?? '');
  const authorization = `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const say = (head: string, then = ''): Promise<string> =>
    new Promise((resolve) => {
      let said = '';
      const socket = connect(command.socket, () => socket.write(`${head}\r\nHost: x\r\n${authorization}\r\n\r\n`));
      socket.setEncoding('latin1').on('data', (chunk) => {
        said += String(chunk);
        if (then !== '' && said.endsWith('established\r\n\r\n')) socket.write(then);
      });
      socket.on('error', () => {}).on('close', () => resolve(said));
    });
  return {
    command,
    get: (url: string) => say(`GET ${url} HTTP/1.1\r\nConnection: close`),
    /** Opens a tunnel, and asks for a page in it. */
    tunnel: (target: string) =>
      say(`CONNECT ${target} HTTP/1.1`, 'GET /inside HTTP/1.1\r\nHost: inside\r\nConnection: close\r\n\r\n'),
  };
}

/** A site that says hello, and what it got. */
async function site() {
  const seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    response.end('hello');
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return { port, seen };
}

/** A proxy for which a.test and b.test are that port. */
async function proxyTo(port: number, kind: 'http' | 'socks', changed = {}) {
  const hosts = { 'a.test': port, 'b.test': port, 'nas.lan': port, '127.0.0.1': port };
  const made = await (kind === 'http' ? openProxy : openSocks)({ hosts, login, ...changed });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

describe.each(['http', 'socks'] as const)('behind an operator’s proxy (%s)', (kind) => {
  test('requests and tunnels of commands go through it by name, with its login, which the site does not get', async () => {
    const { port, seen } = await site();
    const { url, asked, faults } = await proxyTo(port, kind);
    const { get, tunnel, command } = await setting({ environment: { ALL_PROXY: withLogin(url) } });
    expect(await get('http://a.test/page?q=1')).toContain('hello');
    expect(await tunnel('a.test:443')).toMatch(/^HTTP\/1\.1 200 .*hello/s);
    expect(asked).toEqual(kind === 'http' ? ['GET a.test', 'CONNECT a.test:443'] : ['a.test:80', 'a.test:443']);
    expect(faults).toEqual([]);
    expect(seen.map((one) => one.url)).toEqual(['/page?q=1', '/inside']);
    expect(seen.flatMap(({ headers }) => headers['proxy-authorization'] ?? [])).toEqual([]);
    expect([command.refused(), command.faults()]).toEqual([[], []]);
    expect(JSON.stringify(command.environment)).not.toContain(encodeURIComponent(login.password));
  });

  test('what the list does not have is refused before it is asked', async () => {
    const { port } = await site();
    const { url, asked } = await proxyTo(port, kind);
    const names = { 'inner.test': '10.0.0.7', 'mixed.test': '93.184.216.34 192.168.1.2', 'own.test': '127.0.0.1' };
    const { get, tunnel, command } = await setting({
      allowed: ['a.test', '*.lan', 'inner.test', 'mixed.test', 'own.test', 'meta.test'],
      environment: { ALL_PROXY: withLogin(url), NO_PROXY: 'none.test' },
      names: { ...names, 'meta.test': '169.254.169.254' },
    });
    const refused = ['b.test', 'nas.lan', 'inner.test', 'mixed.test', 'own.test', 'meta.test', '127.0.0.1'];
    for (const host of refused) {
      expect(`${host} ${await get(`http://${host}/`)}`).toContain(' 403 ');
      expect(`${host} ${await tunnel(`${host}:443`)}`).toContain(' 403 ');
    }
    expect(asked).toEqual([]);
    expect(command.refused().map((words) => words.replace(/ .*/, ''))).toEqual(refused);
  });

  test('NO_PROXY goes directly, to the address that was judged', async () => {
    const { port, seen } = await site();
    const { url, asked } = await proxyTo(port, kind);
    const { get, tunnel } = await setting({
      allowed: ['a.test', '127.0.0.1'],
      environment: { ALL_PROXY: withLogin(url), NO_PROXY: '.test' },
      names: { 'a.test': '127.0.0.1' },
    });
    expect(await get(`http://a.test:${port}/direct`)).toContain('hello');
    expect(await tunnel(`a.test:${port}`)).toContain('hello');
    expect(asked).toEqual([]);
    expect(seen).toHaveLength(2);
  });

  test('a proxy that does not want us is named to the command and in its result, without the password', async () => {
    const { port } = await site();
    const { url } = await proxyTo(port, kind);
    const { get, tunnel, command } = await setting({ environment: { ALL_PROXY: url.replace('//', '//ada:wrong@') } });
    for (const answer of [await get('http://a.test/'), await tunnel('a.test:443')]) {
      expect(answer).toMatch(/^HTTP\/1\.1 502 .*The proxy \S+ does not accept the name and password of ALL_PROXY/s);
      expect(answer).not.toContain('wrong');
    }
    expect(command.faults()).toEqual([expect.stringContaining('does not accept the name and password')]);
  });

  test('a host that the proxy does not reach, and a proxy that is gone, are named', async () => {
    const { port } = await site();
    const made = await proxyTo(port, kind);
    const { get, tunnel, command } = await setting({ environment: { ALL_PROXY: withLogin(made.url) } });
    expect(await tunnel('absent.example:443')).toContain('does not reach absent.example:443');
    await made[Symbol.asyncDispose]();
    expect(await get('http://a.test/')).toContain('takes no connections');
    expect(await tunnel('a.test:443')).toContain('takes no connections');
    expect(command.faults()).toHaveLength(2);
  });
});

test('an edit of the proxy holds for the next request of a command that runs', async () => {
  const { port } = await site();
  const { url, asked } = await proxyTo(port, 'http', { login: undefined });
  const networks = [{}, { HTTP_PROXY: url }].map(async (environment) =>
    openNetwork(proxySettings(undefined, environment).settings),
  );
  const [direct, proxied] = await Promise.all(networks);
  let now = direct;
  const made = new SandboxNetwork(
    async () => [],
    () => now ?? direct ?? { proxyFor: () => undefined, agentFor: () => undefined },
  );
  onTestFinished(() => made.stop());
  const command = await made.open(['a.test']);
  const { username, password } = new URL(command.environment.http_proxy ?? '');
  const get = (): Promise<string> =>
    new Promise((resolve) => {
      let said = '';
      const auth = Buffer.from(`${username}:${password}`).toString('base64');
      const socket = connect(command.socket, () =>
        socket.write(`GET http://a.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${auth}\r\n\r\n`),
      );
      socket.on('data', (chunk) => {
        said += String(chunk);
        socket.end();
      });
      socket.on('error', () => {}).on('close', () => resolve(said));
    });
  expect(await get()).toContain('a.test has no address');
  now = proxied;
  expect(await get()).toContain('hello');
  expect(asked).toEqual(['GET a.test']);
});
