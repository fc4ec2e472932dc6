import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pageNames } from '../../../src/features/page/page-names.ts';
import { pageSetting } from '../../support/page/page-setting.ts';

test('every place of the page is answered with the page, and with its files alone', async () => {
  const setting = await pageSetting();
  const { origin } = await setting.link();
  const index = await text(`${origin}/`);
  for (const name of pageNames) expect(await text(`${origin}/${name}`)).toBe(index);
  for (const name of pageNames.filter(Boolean)) expect(await text(`${origin}/${name}/k3f9/more`)).toBe(index);
  expect(await text(`${origin}/chat?x=1`)).toBe(index);
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(index) ?? [];
  const asset = await fetch(`${origin}${script}`);
  expect([asset.status, asset.headers.get('cache-control'), asset.headers.get('content-type')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    'text/javascript; charset=utf-8',
  ]);
  const strange = ['/assets/none.js', '/assets/', '/assets', '/assets/../index.html', '/assets/%2e%2e%2findex.html'];
  const more = [
    '/assets/..%5cindex.html',
    '/assets/index.html',
    '/assets/%00',
    '//etc/passwd',
    '/sw.js.map',
    '/src/main.tsx',
  ];
  for (const path of [...strange, ...more]) expect([path, (await raw(origin, path)).status]).toEqual([path, 404]);
});

test('a mistyped address is answered with the page to who looks with a browser, as nothing to programs', async () => {
  const setting = await pageSetting();
  const { origin } = await setting.link();
  const index = await text(`${origin}/`);
  const looks = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
  for (const path of ['/nope', '/nope/more?x=1', '/signin']) {
    const page = await raw(origin, path, looks);
    expect([path, page.status, page.body.toString()]).toEqual([path, 404, index]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const { status, headers } = await raw(origin, path);
    expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json']);
  }
  for (const path of ['/assets/none.js', '/page/none'])
    expect((await raw(origin, path, looks)).headers['content-type']).toBe('application/json');
  expect((await raw(origin, '/nope', { ...looks, method: 'POST' })).body.toString()).not.toBe(index);
});

test('is sent packed, once, and only to be read', async () => {
  const setting = await pageSetting();
  const { origin } = await setting.link();
  const index = await text(`${origin}/`);
  const packed = await raw(origin, '/', { headers: { 'Accept-Encoding': 'gzip' } });
  expect([packed.headers['content-encoding'], gunzipSync(packed.body).toString()]).toEqual(['gzip', index]);
  const tag = String(packed.headers.etag);
  expect(await raw(origin, '/', { headers: { 'If-None-Match': tag } })).toMatchObject({ status: 304 });
  const head = await raw(origin, '/', { method: 'HEAD' });
  expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, tag]);
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await raw(origin, '/', { method })).status).toBe(404);
});

test('every answer says what a browser may do with it', async () => {
  const setting = await pageSetting();
  const browser = await setting.browser();
  const { origin } = browser;
  const paths = ['/', '/chat/x', '/assets/none.js', '/signin', '/page/me', '/page/none', '/sw.js'];
  const answers = await Promise.all([...paths.map((path) => fetch(`${origin}${path}`)), browser.get('me')]);
  for (const { url, headers } of answers) {
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy, url).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy, url).toContain("frame-ancestors 'none'");
    expect(policy, url).toContain("require-trusted-types-for 'script'; trusted-types keyturn-worker");
    expect(policy, url).not.toMatch(/unsafe|https?:|\*/);
    expect(Object.fromEntries(headers), url).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'cache-control': expect.stringMatching(/^no-(?:store|cache)$/),
    });
  }
});

async function text(url: string): Promise<string> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return answer.text();
}

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** `fetch` tidies paths up, and unpacks what it gets. */
function raw(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = {},
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<RawAnswer> {
  const { hostname: host, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    request({ host, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}
