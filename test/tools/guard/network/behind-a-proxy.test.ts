import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { openNetwork } from '../../../../src/lib/network/open-network.ts';
import { proxySettings } from '../../../../src/lib/network/proxy-settings.ts';
import type { HostLookup } from '../../../../src/tools/guard/network/network-rules.ts';
import { originFetch } from '../../../../src/tools/guard/network/origin-fetch.ts';
import { webAccess } from '../../../../src/tools/guard/network/web-client.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { openProxy, openSocks } from '../../../support/proxy-server.ts';
import { ask, leadsTo } from './network-setting.ts';

/** The proxy reaches everything, private or not. */
const server = createServer((request, response) => {
  if (request.url === '/to-private') response.writeHead(302, { location: 'http://10.0.0.5/' });
  response.end(`hello from ${request.headers.host}`);
});
const names = [
  'public.example',
  'git.example',
  '10.0.0.5',
  '127.0.0.1',
  'nas.local',
  'intranet',
  'db.internal',
  'wiki.corp',
  '169.254.169.254',
  'metadata.google.internal',
];
let hosts: Record<string, number>;

beforeAll(async () => {
  const port = await listenOnLoopback(server);
  hosts = Object.fromEntries(names.map((name) => [name, port]));
});
afterAll(() => closeServer(server));

const unknown: HostLookup = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

interface Around {
  readonly lookup?: HostLookup;
  readonly allowPrivate?: readonly string[];
}

describe.each([
  ['http', openProxy],
  ['socks5', openSocks],
] as const)('a proxy that speaks %s', (_kind, open) => {
  /** Private hosts go through the proxy too: NO_PROXY is set, and does not name them. */
  async function reaches(url: string, { lookup = unknown, allowPrivate = [] }: Around = {}) {
    await using proxy = await open({ hosts });
    const network = await openNetwork(
      proxySettings(undefined, { ALL_PROXY: proxy.url, NO_PROXY: 'other.example' }).settings,
    );
    const { client } = webAccess(allowPrivate, systemClock, { lookup, network });
    const answer = await ask(client, url).then(
      ({ body }) => body.toString(),
      (error: Error) => error.message,
    );
    expect(proxy.faults).toEqual([]);
    return { answer, asked: proxy.asked };
  }

  test.each([
    ['http://public.example/', unknown],
    ['http://public.example/', leadsTo('93.184.216.34')],
    ['http://public.example/', leadsTo('93.184.216.34', '2606:2800:220:1::1')],
  ])('is asked for %s, which is public as far as is known', async (url, lookup) => {
    const { answer, asked } = await reaches(url, { lookup });
    expect(answer).toBe('hello from public.example');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('public.example');
  });

  test.each([
    ['http://10.0.0.5/', unknown],
    ['http://169.254.169.254/', unknown],
    ['http://metadata.google.internal/', unknown],
    ['http://nas.local/', unknown],
    ['http://db.internal/', unknown],
    ['http://intranet/', unknown],
    ['http://wiki.corp/', unknown],
    ['http://git.example/', leadsTo('10.0.0.5')],
    ['http://git.example/', leadsTo('93.184.216.34', '10.0.0.5')],
    ['http://git.example/', leadsTo('127.0.0.1')],
    ['http://git.example/', leadsTo('fd00::1')],
    ['http://public.example:22/', unknown],
  ])('is never asked for %s', async (url, lookup) => {
    const { answer, asked } = await reaches(url, { lookup });
    expect(answer).toMatch(/is this machine or in its private network|belongs to another service/);
    expect(asked).toEqual([]);
  });

  test.each([
    ['http://intranet/', ['intranet']],
    ['http://wiki.corp/', ['wiki.corp']],
    ['http://10.0.0.5/', ['10.0.0.0/8']],
  ])('is asked for %s if the operator has listed %j', async (url, allowPrivate) => {
    expect((await reaches(url, { allowPrivate })).answer).toBe(`hello from ${new URL(url).host}`);
  });

  test('does not lead to a private host by a redirect', async () => {
    const { answer, asked } = await reaches('http://public.example/to-private');
    expect(answer).toMatch(/redirect to http:\/\/10\.0\.0\.5\/, which is not followed/);
    expect(asked).toHaveLength(1);
  });

  test('is named where it is at fault', async () => {
    const { answer } = await reaches('http://nowhere.example/');
    expect(answer).toMatch(/proxy|Bad Gateway|the proxy/i);
  });

  test('is asked for a server of the config, under the same rules', async () => {
    await using proxy = await open({ hosts });
    const network = await openNetwork(
      proxySettings(undefined, { ALL_PROXY: proxy.url, NO_PROXY: 'other.example' }).settings,
    );
    const rules = { mayBePrivate: false, allowPrivate: [], maxBytes: 10_000, turnFor: async () => {}, network };
    const fine = await originFetch({ ...rules, url: new URL('http://public.example/mcp'), lookup: unknown });
    expect(await (await fine.fetch('http://public.example/mcp')).text()).toBe('hello from public.example');
    await fine.close();
    const bad = await originFetch({ ...rules, url: new URL('http://git.example/mcp'), lookup: leadsTo('10.0.0.5') });
    await expect(bad.fetch('http://git.example/mcp')).rejects.toThrow(/private network/);
    await bad.close();
    expect(proxy.asked).toHaveLength(1);
  });
});
