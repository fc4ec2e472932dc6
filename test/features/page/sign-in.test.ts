import { describe, expect, test } from 'vitest';
import { serverWords } from '../../../src/features/page/server/words.ts';
import { pageWords } from '../../../src/features/page/words.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { group } from '../../support/daemon-setting.ts';
import { DeviceClient } from '../../support/gateway/device-client.ts';
import { type PageSetting, pageSetting, signedIn, ticketIn } from '../../support/page/page-setting.ts';

const words = pageWords.en;
const told = serverWords.en;
const minute = 60_000;

describe('a link from the chat', () => {
  test('signs its person in, once', async () => {
    const setting = await pageSetting();
    const link = await setting.link();
    const browser = await signedIn(link.origin, await setting.signIn(link, { 'User-Agent': firefox }));
    const me = await json(await browser.get('me'));
    expect(me).toMatchObject({ isOwner: true, deviceName: 'Firefox on Linux', language: 'en', currency: 'USD' });
    expect(me.accounts).toContainEqual({ principal: 'test:ada', channel: 'test' });
    const undo = `\`/devices revoke ${String(me.deviceId)}\``;
    await setting.daemon.channel.sees(words.signedIn({ name: '`Firefox on Linux`', undo }));
    const again = await setting.signIn(link);
    expect([again.status, await again.json(), again.headers.get('set-cookie')]).toEqual([
      403,
      { error: told.wrongTicket },
      null,
    ]);
  });

  test('signs in a friend as themselves', async () => {
    const setting = await pageSetting();
    const me = await json(await (await setting.browser('bob')).get('me'));
    expect(me).toMatchObject({ isOwner: false });
    expect(me.accounts).toContainEqual({ principal: 'test:bob', channel: 'test' });
  });

  test('is good for ten minutes', async () => {
    const setting = await pageSetting();
    const [late, right] = [await setting.link(), await setting.link()];
    setting.daemon.clock.advance(10 * minute - 1);
    expect((await setting.signIn(right)).status).toBe(200);
    setting.daemon.clock.advance(1);
    expect((await setting.signIn(late)).status).toBe(403);
  });

  test('ends the oldest of eleven', async () => {
    const setting = await pageSetting();
    const links: URL[] = [];
    for (let count = 0; count < 11; count += 1) links.push(await setting.link());
    const [oldest, second] = links;
    expect([oldest, second].map((link) => link && ticketIn(link.hash).length)).toEqual([40, 40]);
    if (oldest !== undefined) expect((await setting.signIn(oldest)).status).toBe(403);
    if (second !== undefined) expect((await setting.signIn(second)).status).toBe(200);
  });

  test('signs nobody in whose rights have ended since', async () => {
    const setting = await pageSetting();
    const link = await setting.link('bob');
    await setting.daemon.edit({ channels: { test: { allow_from: [] } } });
    const answer = await setting.signIn(link);
    expect([answer.status, await answer.json()]).toEqual([403, { error: told.notLetIn }]);
  });

  test('ends with a restart; who was signed in is so again', async () => {
    const setting = await pageSetting();
    const [browser, link] = [await setting.browser(), await setting.link()];
    await setting.daemon.restart();
    const origin = setting.daemon.gatewayAddress;
    const answer = await fetch(`${origin}/page/me`, { headers: browser.proof });
    expect(answer.status).toBe(200);
    expect((await setting.signIn(new URL(link.hash, origin))).status).toBe(403);
  });
});

describe('the cookie', () => {
  test('is for no script and no other site, and for TLS alone where there is TLS', async () => {
    const setting = await pageSetting();
    const cookie = async (origin: (link: URL) => string): Promise<string> => {
      const link = await setting.link();
      return (await setting.signIn(link, { Origin: origin(link) })).headers.get('set-cookie') ?? '';
    };
    const common = /^keyturn_session_\d+=[0-9a-f]{64}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict/;
    const [plain, encrypted] = [await cookie(({ origin }) => origin), await cookie(({ host }) => `https://${host}`)];
    expect(plain).toMatch(common);
    expect(plain).not.toContain('Secure');
    expect(encrypted).toMatch(common);
    expect(encrypted).toContain('; Secure');
  });

  test('ends with the sign-out, as all that was let in with it', async () => {
    const setting = await pageSetting();
    const browser = await setting.browser();
    const out = await browser.post('signout');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringMatching(/^keyturn_session_\d+=; .*Max-Age=0/),
    ]);
    expect((await browser.get('me')).status).toBe(401);
  });
});

describe('who guesses at tickets', () => {
  test('is locked out after five, until somebody is given a new link', async () => {
    const setting = await pageSetting();
    const wrong = await guessed(setting);
    const locked = await setting.signIn(wrong);
    expect([locked.status, locked.headers.get('retry-after'), await locked.json()]).toEqual([
      429,
      '30',
      { error: told.tooManyTries({ seconds: 30 }) },
    ]);
    await setting.link();
    expect((await setting.signIn(wrong)).status).toBe(403);
  });

  test('locks out nobody who has a link', async () => {
    const setting = await pageSetting();
    const [link, next] = [await setting.link(), await setting.link('bob')];
    const wrong = await guessed(setting);
    const signedIn = await setting.signIn(link);
    expect([signedIn.status, (await setting.signIn(link)).status]).toEqual([200, 429]);
    // Nor is somebody with a link a reason to bear more guesses.
    expect([(await setting.signIn(wrong)).status, (await setting.signIn(next)).status]).toEqual([429, 200]);
  });

  test('is refused from elsewhere, and with what is no JSON', async () => {
    const setting = await pageSetting();
    const link = await setting.link();
    const tried = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await setting.signIn(link, headers)).status;
    expect(await tried({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await tried({ 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await tried({ Origin: 'https://evil.example' })).toBe(403);
    expect(await tried({ 'Content-Type': 'text/plain' })).toBe(415);
    expect((await fetch(`${link.origin}/signin?ticket=${ticketIn(link.hash)}`)).status).toBe(404);
    const long = { method: 'POST', body: `"${'x'.repeat(5_000)}"`, headers: { 'Content-Type': 'application/json' } };
    expect((await fetch(`${link.origin}/signin`, long)).status).toBe(413);
    // None of these has used it up.
    expect(await tried({})).toBe(200);
  });
});

describe('no link is given', () => {
  test('in a group, on a device, and to who talks because everybody may', async () => {
    const setting = await pageSetting({ allowFrom: ['bob', '*'], config: { gateway: { enabled: true } } });
    const { channel } = setting.daemon;
    await channel.say('/web', { by: 'ada', in: group });
    expect((await channel.sees(words.notHere)).text).not.toContain('http');
    await channel.say('/web', { by: 'eve' });
    expect((await channel.sees(words.unknownPerson)).text).not.toContain('http');
  });

  test('while the page is off, and nothing is there', async () => {
    const setting = await pageSetting();
    const browser = await setting.browser();
    await setting.daemon.edit({ page: { enabled: false } });
    await expect(fetch(`${browser.origin}/`)).rejects.toThrow('fetch failed');
    await setting.daemon.channel.say('/web', { by: 'ada' });
    await setting.daemon.channel.sees(words.isOff);
    await setting.daemon.edit({ page: { enabled: true } });
    expect((await fetch(`${setting.daemon.gatewayAddress}/page/me`, { headers: browser.proof })).status).toBe(200);
  });

  test('while the page is off, though the gateway is on, and what is open is closed', async () => {
    const setting = await pageSetting({ config: { gateway: { enabled: true, port: 0 } } });
    const browser = await setting.browser();
    const ticket = () =>
      fetch(`${browser.origin}/api/ticket`, { method: 'POST', headers: { ...browser.proof, Origin: browser.origin } });
    const client = new DeviceClient(browser.origin, {
      query: `ticket=${(await json(await ticket())).ticket}`,
      headers: { Origin: browser.origin },
    });
    await client.greet();
    await setting.daemon.edit({ page: { enabled: false } });
    await client.whenClosed();
    expect((await ticket()).status).toBe(401);
    expect((await fetch(`${browser.origin}/api/sessions`, { headers: browser.proof })).status).toBe(401);
    await setting.daemon.restart({ page: { enabled: false } });
    const origin = setting.daemon.gatewayAddress;
    expect((await fetch(`${origin}/api/sessions`, { headers: browser.proof })).status).toBe(401);
    await setting.daemon.edit({ page: { enabled: true } });
    expect((await fetch(`${origin}/api/sessions`, { headers: browser.proof })).status).toBe(200);
  });

  test('on the page itself', async () => {
    const setting = await pageSetting();
    const browser = await setting.browser();
    const ticket = await json(
      await fetch(`${browser.origin}/api/ticket`, {
        method: 'POST',
        headers: { ...browser.proof, Origin: browser.origin },
      }),
    );
    const client = new DeviceClient(browser.origin, {
      query: `ticket=${ticket.ticket}`,
      headers: { Origin: browser.origin },
    });
    await client.greet();
    const { full_response } = await client.ask('/web');
    expect(full_response).toContain(words.notFromDevice);
    client.socket.terminate();
  });
});

/** A wrong link, after as many guesses as are borne. */
async function guessed(setting: PageSetting): Promise<URL> {
  const wrong = new URL('#ticket=wrong', await setting.link());
  for (let guess = 0; guess < 5; guess += 1) expect((await setting.signIn(wrong)).status).toBe(403);
  return wrong;
}

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0';

async function json(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return isJsonObject(body) ? body : {};
}
