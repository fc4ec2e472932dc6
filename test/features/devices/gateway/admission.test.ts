import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../../src/features/devices/gateway/credentials.ts';
import { Lockout } from '../../../../src/lib/lockout.ts';
import { gatewaySetting, pairedSetting } from '../../../support/gateway/gateway-setting.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const settings = {
  host: '127.0.0.1',
  allowed_hosts: ['keyturn.example.com'],
  allowed_origins: ['https://app.example.com'],
};

describe('a request is let in', () => {
  test.each<[string, string | undefined, string | undefined, boolean]>([
    ['for this machine by its name', 'localhost:42617', undefined, true],
    ['for this machine by its address', '127.0.0.1:42617', undefined, true],
    ['for this machine by its address in IPv6', '[::1]:42617', undefined, true],
    ['for a name of the config', 'Keyturn.Example.com', undefined, true],
    ['from a page of the config', 'localhost:42617', 'https://app.example.com', true],
    ['from a page of its own', 'localhost:42617', 'http://localhost:42617', true],
    ['not for another name, which leads here', 'evil.example:42617', undefined, false],
    ['not for a name that ends like one of the config', 'evilkeyturn.example.com', undefined, false],
    ['not without a name', undefined, undefined, false],
    ['not from another page', 'localhost:42617', 'https://evil.example', false],
    ['not from a page of another port of this machine', 'localhost:42617', 'http://localhost:3000', false],
    ['not from a page without a name', 'localhost:42617', 'null', false],
    ['not from a page that has made its own name lead here', 'evil.example', 'http://evil.example', false],
  ])('%s', (_name, host, origin, isLetIn) => {
    expect(refusalOf({ host, origin }, settings) === undefined).toBe(isLetIn);
  });

  test('over HTTP and WebSocket alike', async () => {
    const { setting, token } = await pairedSetting();
    expect(await statusWith(setting.address, '/healthz', { host: 'evil.example' })).toBe(403);
    expect(await statusWith(setting.address, '/healthz', { origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith(setting.address, '/healthz', {})).toBe(200);
    const rebound = setting.open({ token, headers: { Host: 'evil.example' } });
    expect(await rebound.whenRefused()).toBe(403);
    const foreign = setting.open({ token, headers: { Origin: 'https://evil.example' } });
    expect(await foreign.whenRefused()).toBe(403);
  });

  test('from a page of the config, which may ask beforehand', async () => {
    const setting = await gatewaySetting({ gateway: { allowed_origins: ['https://app.example.com'] } });
    const origin = 'https://app.example.com';
    const asked = await fetch(`${setting.address}/api/ticket`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    const refused = await fetch(`${setting.address}/api/ticket`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

describe('who guesses at codes', () => {
  test('is locked out after five, ever longer, and then even with the right code', async () => {
    const setting = await gatewaySetting();
    const code = await setting.code();
    for (let guess = 0; guess < 5; guess += 1) expect((await setting.pair(`wrong-${guess}`)).status).toBe(403);
    expect((await setting.pair(code)).status).toBe(429);
    const evading = await setting.pair(code, { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for=203.0.113.9' });
    expect([evading.status, evading.headers.get('retry-after')]).toEqual([429, '30']);
    setting.daemon.clock.advance(30_000);
    expect((await setting.pair('wrong-again')).status).toBe(403);
    expect((await setting.pair(code)).headers.get('retry-after')).toBe('60');
    setting.daemon.clock.advance(60_000);
    expect((await setting.pair(code)).status).toBe(200);
  });

  test('keeps nobody out who was given a new code since', async () => {
    const setting = await gatewaySetting();
    for (let guess = 0; guess < 5; guess += 1) await setting.pair(`wrong-${guess}`);
    expect((await setting.pair('wrong-again')).status).toBe(429);
    expect((await setting.pair(await setting.code())).status).toBe(200);
  });

  test('with many guesses at once has no more of them', async () => {
    const setting = await gatewaySetting();
    const guesses = Array.from({ length: 30 }, (_, guess) => setting.pair(`wrong-${guess}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(25);
  });

  test('from many addresses at once is locked out as one is', () => {
    const lockout = new Lockout(new ManualClock());
    for (let guess = 0; guess < 50; guess += 1) lockout.take(`10.0.0.${guess}`);
    expect(lockout.waitOf('10.9.9.9')).toBe(30_000);
  });

  test('counts as one with all the addresses of their network in IPv6', () => {
    const lockout = new Lockout(new ManualClock());
    for (let guess = 0; guess < 5; guess += 1) lockout.take(`2001:db8:1:2::${guess}`);
    expect(lockout.waitOf('2001:db8:1:2:ffff:1:2:3')).toBe(30_000);
    expect(lockout.waitOf('2001:db8:1:3::1')).toBe(0);
  });
});

/** `fetch` sets these headers by itself. */
function statusWith(
  address: string,
  path: string,
  { host, origin }: { readonly host?: string; readonly origin?: string },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(address);
    const headers = { Host: host ?? `127.0.0.1:${port}`, ...(origin === undefined ? {} : { Origin: origin }) };
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
