import { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import {
  fitsDomains,
  guardedConnector,
  networkRules,
  parsePrivateHost,
} from '../../../../src/tools/guard/network/network-rules.ts';
import { networkWords } from '../../../../src/tools/guard/network/words.ts';
import { listed } from '../../setting.ts';
import { ask, clientWith, hasIpv6, homeServer, leadsHome, leadsTo } from './network-setting.ts';

const refusal = /Only the operator can open it/;

test('a listed name may lead to a private address, and no other name may', async () => {
  const server = await homeServer((_, response) => response.end('at home'));
  const client = clientWith({ allowPrivate: ['nas.local'] });
  const { body } = await ask(client, `http://NAS.local.:${server.port}/`);
  expect(body.toString()).toBe('at home');
  for (const host of ['other.local', 'a.nas.local', 'nas.example', 'localhost', '127.0.0.1', '[::1]']) {
    await expect(ask(client, `http://${host}:${server.port}/`), host).rejects.toThrow(refusal);
  }
  expect(server.connections()).toBe(1);
});

test('a listed address opens that address, written or resolved', async () => {
  const server = await homeServer((_, response) => response.end('at home'));
  const client = clientWith({ allowPrivate: ['127.0.0.1'], lookup: leadsTo('127.0.0.1') });
  expect((await ask(client, `http://127.0.0.1:${server.port}/`)).status).toBe(200);
  expect((await ask(client, `http://0x7f.1:${server.port}/`)).status).toBe(200);
  expect((await ask(client, `http://nas.local:${server.port}/`)).status).toBe(200);
  await expect(ask(client, `http://127.0.0.2:${server.port}/`)).rejects.toThrow(refusal);
  await expect(ask(client, `http://[::1]:${server.port}/`)).rejects.toThrow(refusal);
  expect(server.connections()).toBe(3);
});

test('of the addresses of a name, only listed ones are connected to', async () => {
  const server = await homeServer((request, response) => response.end(request.socket.localAddress));
  const client = clientWith({ allowPrivate: ['127.0.0.0/8'], lookup: leadsTo('::1', '127.0.0.1') });
  const { body } = await ask(client, `http://localhost:${server.port}/`);
  expect(body.toString()).toMatch(/127\.0\.0\.1$/);
  expect(server.connections()).toBe(1);
});

test('an entry with a port opens no other port', async () => {
  const server = await homeServer((_, response) => response.end('at home'));
  const lookup = leadsHome;
  for (const [entry, url] of [
    ['nas.local', 'http://nas.local'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['127.0.0.0/8', 'http://127.0.0.1'],
    ...(hasIpv6() ? (['[::1]', '[::/64]'] as const).map((entry) => [entry, 'http://[::1]'] as const) : []),
  ] as const) {
    const open = clientWith({ allowPrivate: [`${entry}:${server.port}`], lookup });
    expect((await ask(open, `${url}:${server.port}/`)).status, entry).toBe(200);
    const closed = clientWith({ allowPrivate: [`${entry}:${server.port - 1}`], lookup });
    await expect(ask(closed, `${url}:${server.port}/`), entry).rejects.toThrow(refusal);
  }
  expect(server.connections()).toBe(hasIpv6() ? 5 : 3);
});

test("a cloud's metadata service is opened only by an entry for exactly that", () => {
  const broad = networkRules(['169.254.0.0/16', '0.0.0.0/0', '::/0', 'fd00:ec2::254/128']);
  for (const host of `169.254.169.254 [::ffff:169.254.169.254] [::a9fe:a9fe] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::]
      [fd00:ec2::254] 100.100.100.200 168.63.129.16 metadata.google.internal metadata.google.internal.
      METADATA.goog`.split(/\s+/)) {
    expect(broad.refuse(`http://${host}/`), host).toMatch(refusal);
  }
  expect(broad.permits(new URL('http://evil.example/'), '169.254.169.254')).toBe(false);
  expect(networkRules(['evil.example']).permits(new URL('http://evil.example/'), '169.254.169.254')).toBe(false);

  const exact = networkRules(['169.254.169.254', 'metadata.google.internal']);
  expect(exact.refuse('http://169.254.169.254/latest')).toBeUndefined();
  expect(exact.permits(new URL('http://metadata.google.internal/'), '169.254.169.254')).toBe(true);
  expect(exact.refuse('http://[fd00:ec2::254]/')).toMatch(refusal);
});

test("an origin of the operator's config is open for that one request", async () => {
  const server = await homeServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.2:${server.port}/` });
    response.end();
  });
  const client = clientWith();
  const operatorOrigin = `http://127.0.0.1:${server.port}`;
  expect((await ask(client, `${operatorOrigin}/`, { operatorOrigin })).status).toBe(200);
  await expect(ask(client, `${operatorOrigin}/away`, { operatorOrigin })).rejects.toThrow(refusal);
  await expect(ask(client, `http://127.0.0.1:${server.port + 1}/`, { operatorOrigin })).rejects.toThrow(refusal);
  await expect(ask(client, `${operatorOrigin}/`)).rejects.toThrow(refusal);
  expect(server.connections()).toBe(2);
});

test('the operator learns what is wrong with each invalid entry', () => {
  const entries = `nas.local nas:0 nas:99999 *.local http://nas/ 10.0.0.0/33 fd00::/129 10.0.0.0/8/8`.split(/\s+/);
  const more = ['name/8', '127.1', '0x7f.1', '999.1.1.1', '', '[::1', '10.0.0.0/x', 'a b', 'a@b'];
  const said = [...entries, ...more]
    .map(parsePrivateHost)
    .map((host) => (typeof host === 'function' ? host('en') : host));
  const { noPort, starOpensTooMuch, noHost, writeAddress } = networkWords.en;
  expect(said).toEqual([
    { type: 'name', name: 'nas.local' },
    noPort({ port: '0' }),
    noPort({ port: '99999' }),
    starOpensTooMuch,
    ...Array.from({ length: 5 }, () => noHost),
    writeAddress({ address: '127.0.0.1' }),
    writeAddress({ address: '127.0.0.1' }),
    ...Array.from({ length: 6 }, () => noHost),
  ]);
  expect(() => networkRules(['nas', '*.local'])).toThrow(`tools.network.allow_private[1]: ${starOpensTooMuch}`);
});

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost', 'www.example.com'])(
  'a connection to %s is refused, even if the URL was not checked before',
  async (host) => {
    const server = await homeServer((_, response) => response.end('secret'));
    const url = new URL(`http://${host}:${server.port}/`);
    const { permits } = networkRules([]);
    const { signal } = new AbortController();
    const connect = guardedConnector(buildConnector, { url, permits, lookup: leadsHome, signal });
    const failed = await new Promise((resolve) => {
      connect({ hostname: url.hostname, protocol: url.protocol, port: url.port, host: url.host }, (cause, socket) => {
        socket?.destroy();
        resolve(cause);
      });
    });
    expect(failed).toMatchObject({ name: 'WebError' });
    expect(server.connections()).toBe(0);
  },
);

const fitting = listed`api.example.com in api.example.com ¦ API.Example.COM. in api.example.com
  ¦ api.example.com in API.example.com ¦ a.myco.com in *.myco.com ¦ a.b.c.myco.com. in *.MyCo.com
  ¦ anything.example in * ¦ bücher.example in xn--bcher-kva.example ¦ xn--bcher-kva.example in bücher.example
  ¦ a.bücher.example in *.bücher.example ¦ 10.0.0.1 in 10.0.0.1 ¦ [::1] in ::1 ¦ my_host.example in my_host.example`;

test.each(fitting.map((pair) => pair.split(' in ')))('%s fits %s', (host = '', pattern = '') => {
  expect(fitsDomains(host, ['other.example', pattern])).toBe(true);
});

const others = listed`myco.com in *.myco.com ¦ evilmyco.com in *.myco.com ¦ myco.com.evil.example in *.myco.com
  ¦ .myco.com in *.myco.com ¦ a.example.com in example.com ¦ example.com in a.example.com
  ¦ example.comm in example.com ¦ exampleXcom in example.com ¦  in *.myco.com ¦ a/b in *
  ¦ evil.example#.myco.com in *.myco.com ¦ evil.example/.myco.com in *.myco.com ¦ evil@a.myco.com in *.myco.com
  ¦ a.myco.com:8080 in *.myco.com`;

test.each(others.map((pair) => pair.split(' in ')))('%s does not fit %s', (host = '', pattern = '') => {
  expect(fitsDomains(host, [pattern])).toBe(false);
});
