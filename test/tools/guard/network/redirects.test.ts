import { createServer } from 'node:https';
import { expect, test } from 'vitest';
import { type HostLookup, WebError } from '../../../../src/tools/guard/network/network-rules.ts';
import { nextHop } from '../../../../src/tools/guard/network/web-client.ts';
import { listed } from '../../setting.ts';
import { ask, clientWith, type HomeServer, homeServer, leadsHome } from './network-setting.ts';

/** `/302?to=URL` redirects there with that status; everything else is answered. */
function redirecting(): Promise<HomeServer> {
  return homeServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const to = url.searchParams.get('to');
    request.resume();
    if (to === null) return response.end('arrived');
    return response.writeHead(Number(url.pathname.slice(1)), { location: to }).end('moved');
  });
}

const allowPrivate = ['one.example', 'two.example'];

test.each(listed`
      http://127.0.0.1:{port}/ ¦ http://localhost:{port}/ ¦ http://[::1]:{port}/ ¦ http://0x7f.1:{port}/
      ¦ //127.0.0.1:{port}/ ¦ http://169.254.169.254/latest/meta-data/ ¦ http://home.example:{port}/
      ¦ file:///etc/passwd ¦ ftp://one.example/ ¦ http://name:secret@one.example:{port}/ ¦ http://one.example:22/
      ¦ http://[::bad/`)('a public host cannot redirect to %s', async (to) => {
  const server = await redirecting();
  const target = to.replace('{port}', `${server.port}`);
  const url = `http://one.example:${server.port}/302?to=${encodeURIComponent(target)}`;
  await expect(ask(clientWith({ allowPrivate }), url)).rejects.toBeInstanceOf(WebError);
  expect(server.connections()).toBe(1);
});

test('a refused redirect is reported with its target, but without the address behind it', async () => {
  const server = await redirecting();
  const url = `http://one.example:${server.port}/302?to=http://home.example:${server.port}/x`;
  const problem = await ask(clientWith({ allowPrivate }), url).catch((cause: unknown) => cause);
  expect(problem).toMatchObject({ message: expect.stringMatching(/^home\.example is this machine or in its private/) });
  const written = `http://one.example:${server.port}/302?to=http://127.0.0.1:${server.port}/x`;
  await expect(ask(clientWith({ allowPrivate }), written)).rejects.toThrow(
    `The answer was a redirect to http://127.0.0.1:${server.port}/x, which is not followed. 127.0.0.1 is this machine`,
  );
});

test('what the caller refuses is refused on every hop', async () => {
  const server = await redirecting();
  const url = `http://one.example:${server.port}/302?to=http://two.example:${server.port}/`;
  const refuse = ({ hostname }: URL): string | undefined => (hostname === 'two.example' ? 'Not that one.' : undefined);
  await expect(ask(clientWith({ allowPrivate }), url, { refuse })).rejects.toThrow(/not followed\. Not that one\./);
  expect(server.requests).toHaveLength(1);
});

test('five redirects are followed, six are not', async () => {
  const server = await homeServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('arrived');
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const client = clientWith({ allowPrivate });
  const answer = await ask(client, `http://one.example:${server.port}/5`);
  expect(answer).toMatchObject({ status: 200, url: `http://one.example:${server.port}/0` });
  expect(answer.hops).toEqual([5, 4, 3, 2, 1, 0].map((left) => `http://one.example:${server.port}/${left}`));
  await expect(ask(client, `http://one.example:${server.port}/6`)).rejects.toThrow(/More than 5 redirects/);
});

test('a redirect to another origin gets none of the headers for the first, nor does the first after that', async () => {
  const server = await redirecting();
  const back = `http://one.example:${server.port}/`;
  const over = `http://two.example:${server.port}/307?to=${encodeURIComponent(back)}`;
  await ask(clientWith({ allowPrivate }), `http://one.example:${server.port}/307?to=${encodeURIComponent(over)}`, {
    headers: {
      Authorization: 'Bearer secret',
      Cookie: 'a=b',
      'X-Api-Key': 'secret',
      Accept: 'text/plain',
      'Accept-Language': 'de',
      'User-Agent': 'me',
    },
  });
  const [first, ...rest] = server.requests.map(({ headers }) => headers);
  expect(first).toMatchObject({ authorization: 'Bearer secret', cookie: 'a=b', 'x-api-key': 'secret' });
  expect(rest).toHaveLength(2);
  for (const headers of rest) {
    expect(headers).toMatchObject({ accept: 'text/plain', 'accept-language': 'de', 'user-agent': 'me' });
    expect(JSON.stringify(headers)).not.toMatch(/secret|a=b/);
  }
});

test('within an origin headers are kept; another port is another origin', async () => {
  const [server, other] = [await redirecting(), await redirecting()];
  const to = `http://one.example:${other.port}/`;
  const url = `http://one.example:${server.port}/302?to=${encodeURIComponent(`/302?to=${encodeURIComponent(to)}`)}`;
  await ask(clientWith({ allowPrivate }), url, { headers: { authorization: 'secret' } });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['secret', 'secret']);
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test.each([
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [303, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [301, 'PUT', 'PUT'],
  [302, 'DELETE', 'DELETE'],
  [307, 'POST', 'POST'],
  [308, 'PATCH', 'PATCH'],
])('after %i a %s continues as %s', (status, method, then) => {
  const hop = { url: new URL('https://a.example/x'), method, headers: { 'content-type': 'text/plain' }, body: 'a' };
  expect(nextHop(hop, { status, headers: { location: '/y' } })).toEqual({
    url: new URL('https://a.example/y'),
    method: then,
    ...(then === 'GET' ? { headers: {} } : { headers: hop.headers, body: 'a' }),
  });
});

test('a redirect without a target is the final response', () => {
  const hop = { url: new URL('https://a.example/x'), method: 'GET', headers: {} };
  for (const status of [200, 300, 304, 404]) {
    expect(nextHop(hop, { status, headers: { location: '/y' } })).toBeUndefined();
  }
  expect(nextHop(hop, { status: 302, headers: {} })).toBeUndefined();
});

test('a redirect from https to http is refused', () => {
  const hop = { url: new URL('https://a.example/x'), method: 'GET', headers: {} };
  expect(() => nextHop(hop, { status: 302, headers: { location: 'http://a.example/x' } })).toThrow(
    'a.example redirects to http://a.example/x, without encryption, which is not followed.',
  );
});

test('a name that resolves differently the second time is connected to its first address', async () => {
  const server = await homeServer((request, response) => response.end(request.socket.localAddress));
  let looks = 0;
  const rebinding: HostLookup = async () => {
    looks += 1;
    return looks === 1 ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '::1', family: 6 }];
  };
  // Where the name leads at first stands for a public address.
  const client = clientWith({ allowPrivate: ['127.0.0.1'], lookup: rebinding });
  const url = `http://rebind.example:${server.port}/`;
  expect((await ask(client, url)).body.toString()).toMatch(/127\.0\.0\.1$/);
  expect(looks).toBe(1);
  await expect(ask(client, url)).rejects.toThrow(/rebind\.example is this machine or in its private network/);
  expect(looks).toBe(2);
  expect(server.connections()).toBe(1);
});

test('a name is looked up again on every hop', async () => {
  const server = await redirecting();
  const url = `http://one.example:${server.port}/302?to=/end`;
  let looks = 0;
  const rebinding: HostLookup = async (name) => {
    looks += 1;
    return looks === 1 ? leadsHome(name) : [{ address: '10.0.0.1', family: 4 }];
  };
  const client = clientWith({ allowPrivate: ['127.0.0.0/8', '::1'], lookup: rebinding });
  await expect(ask(client, url)).rejects.toThrow(/one\.example is this machine or in its private network/);
  expect(server.requests).toHaveLength(1);
});

test('a server that does not speak https is reported as such', async () => {
  const server = createServer({}, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const failed = ask(clientWith({ allowPrivate }), `https://one.example:${port}/`);
  await expect(failed).rejects.toThrow(/one\.example:\d+ and this machine found no kind of encryption that both know/);
  await new Promise((resolve) => server.close(resolve));
});
