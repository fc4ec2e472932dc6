import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { placesOf } from '../../../../src/features/devices/gateway/door-places.ts';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { type Log, silentLog } from '../../../../src/lib/log.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { SignedInBrowser, signIn } from '../../../support/gateway/signed-in-browser.ts';
import { waitUntil } from '../../../support/wait-for.ts';

describe('while the gateway is off', () => {
  test('nothing listens until somebody asks for a link; then browsers come in, and no device does', async () => {
    const setting = await pageSetting({ standsStill: true });
    expect(() => setting.daemon.gatewayAddress).toThrow('never open');
    const browser = await signIn(await setting.link());
    expect(setting.daemon.gatewayAddress).toBe(browser.origin);
    expect(browser.origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const answers = await Promise.all([
      browser.send('/pair', { method: 'POST', headers: { 'X-Pairing-Code': 'abcd-efgh' } }),
      browser.send('/api/tools', { headers: { Authorization: 'Bearer abc' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 401]);
    for (const { body } of answers) expect(JSON.stringify(body)).toContain('enabled');
    await setting.daemon.channel.ask('/device phone', deviceWords.en.noGateway);
  });

  test('a device that was paired before is let in no longer, and again once it is on', async () => {
    const setting = await pageSetting({ standsStill: true, gateway: { enabled: true } });
    const { daemon } = setting;
    daemon.channel.clear();
    await daemon.channel.say('/device phone');
    const { text } = await daemon.channel.sees('Type this code');
    const [, code = ''] = /`([a-z0-9]{4}-[a-z0-9]{4})`/.exec(text) ?? [];
    const paired = await fetch(`${daemon.gatewayAddress}/pair`, {
      method: 'POST',
      headers: { 'X-Pairing-Code': code },
    });
    const { token }: { readonly token?: unknown } = Object(await paired.json());
    const browser = await signIn(await setting.link());
    const client = await browser.greeted();
    const comes = async () =>
      (await fetch(`${daemon.gatewayAddress}/api/tools`, { headers: { Authorization: `Bearer ${String(token)}` } }))
        .status;
    expect(await comes()).toBe(200);
    await daemon.edit({ gateway: { enabled: false, port: 0 } });
    expect(await client.whenClosed()).toBe(1001);
    expect(await comes()).toBe(401);
    // The port is another one each time.
    const moved = new SignedInBrowser(daemon.gatewayAddress, browser.cookie, browser.key);
    expect((await moved.ask('/page/me')).status).toBe(200);
    await daemon.edit({ gateway: { enabled: true, port: 0 } });
    expect(await comes()).toBe(200);
  });

  test('a port that another program has is left to it: another one is open, the same one after a restart', async () => {
    const other = createServer((_request, response) => response.end('mine'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = Object(other.address()) satisfies AddressInfo;
    const setting = await pageSetting({ standsStill: true, gateway: { port } });
    const browser = await signIn(await setting.link());
    expect(new URL(browser.origin).port).not.toBe(String(port));
    expect((await browser.ask('/page/me')).status).toBe(200);
    await setting.daemon.restart();
    await waitUntil(async () => (await browser.ask('/page/me').catch(() => undefined))?.status === 200, {
      what: 'the page to be there again',
    });
  });

  test('a browser comes in again after a restart without a new link, and chats', async () => {
    const setting = await pageSetting({ standsStill: true });
    const before = await signIn(await setting.link());
    const { port } = new URL(before.origin);
    await setting.daemon.restart({ gateway: { port: Number(port), max_connections_per_person: 1000 } });
    const client = await before.greeted();
    expect(await client.ask('hello')).toMatchObject({ type: 'done' });
  });

  test('the chats of browsers are there from the start if somebody is signed in, though nobody has come yet', async () => {
    const told: string[] = [];
    const log: Log = {
      ...silentLog,
      info: (fields, words) => void told.push(`${words}: ${JSON.stringify(fields)}`),
      child: () => log,
    };
    const setting = await pageSetting({ standsStill: true, log });
    const isThere = () => told.some((line) => /^channel connected:.*"device"/.test(line));
    const link = await setting.link();
    expect(isThere()).toBe(false);
    await signIn(link);
    expect(isThere()).toBe(true);
    told.splice(0);
    await setting.daemon.restart();
    await waitUntil(isThere, { what: 'the chats of browsers to be there' });
  });

  test('the port is closed when the page is switched off, and open again with it', async () => {
    const setting = await pageSetting({ standsStill: true });
    const browser = await signIn(await setting.link());
    const client = await browser.greeted();
    const gateway = { port: Number(new URL(browser.origin).port), max_connections_per_person: 1000 };
    await setting.daemon.edit({ gateway, page: { enabled: false } });
    expect(await client.whenClosed()).toBe(1001);
    await expect(browser.ask('/page/me')).rejects.toThrow('ECONNREFUSED');
    await setting.daemon.edit({ gateway, page: { enabled: true } });
    expect((await browser.ask('/page/me')).status).toBe(200);
    await setting.daemon.edit({ gateway, page: { enabled: false } });
    expect((await setting.daemon.channel.ask('/status details', '- test: ')).text).not.toContain('- device: ');
  });
});

test.each([
  ['http://127.0.0.1:42617', [], 'http://127.0.0.1:42617', undefined],
  ['http://127.0.0.1:42617', ['keyturn.example.com'], 'http://127.0.0.1:42617', 'https://keyturn.example.com'],
  ['http://[::1]:42617', ['192.168.1.5'], 'http://[::1]:42617', undefined],
  ['http://192.168.1.5:80', [], 'http://192.168.1.5:80', 'http://192.168.1.5:80'],
  ['http://0.0.0.0:42617', ['192.168.1.5'], 'http://127.0.0.1:42617', 'http://192.168.1.5:42617'],
  ['http://[::]:42617', ['[fd00::5]', '192.168.1.5'], 'http://127.0.0.1:42617', 'http://[fd00::5]:42617'],
  ['http://0.0.0.0:42617', [], 'http://127.0.0.1:42617', undefined],
])(
  'a gateway at %s that allows %j is found here at %s, and from elsewhere at %s',
  (address, hosts, here, elsewhere) => {
    expect(placesOf(address, undefined, { allowed_hosts: hosts })).toEqual({ here, elsewhere, instead: undefined });
  },
);

test('a gateway at another port than that of the config is not found from elsewhere, where the name leads to the other', () => {
  const places = placesOf('http://127.0.0.1:5000', 42_617, { allowed_hosts: ['keyturn.example.com'] });
  expect(places).toEqual({ here: 'http://127.0.0.1:5000', elsewhere: undefined, instead: 42_617 });
});
