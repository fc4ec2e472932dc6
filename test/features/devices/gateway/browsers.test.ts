import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { devicesText } from '../../../../src/cli/commands/see/people.ts';
import { seeWords } from '../../../../src/cli/commands/see/words.ts';
import type { DeviceFacts } from '../../../../src/conversation/access/people-facts.ts';
import { socketName } from '../../../../src/daemon/local-socket/socket-place.ts';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { askSocket, requestLine } from '../../../support/ask-socket.ts';
import { type PageSetting, pageSetting } from '../../../support/browser/page-setting.ts';
import { type SignedInBrowser, signIn } from '../../../support/gateway/signed-in-browser.ts';
import { pair } from '../../../support/link-setting.ts';
import { held } from '../../../support/scripted-model.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const day = 86_400_000;
const numRuns = Math.min(2_000, Number(process.env.KEYTURN_PROPERTY_RUNS ?? 40));

interface Signed {
  readonly setting: PageSetting;
  readonly browser: SignedInBrowser;
}

async function signedIn(gateway: Readonly<Record<string, unknown>> = {}): Promise<Signed> {
  const setting = await pageSetting({ gateway, standsStill: true });
  return { setting, browser: await signIn(await setting.link()) };
}

/** Cookies that another program of the host has set under names like ours. */
function ofOthers(count: number): string {
  return Array.from({ length: count }, (_, at) => `keyturn_session_x${at}=${String(at).padStart(64, '0')}`).join('; ');
}

function devicesIn({ daemon }: PageSetting, more = '') {
  return daemon.rows(`SELECT id, name FROM devices WHERE revoked_at IS NULL ${more} ORDER BY created_at, id`);
}

describe.each([{ enabled: true }, { enabled: false }])('a browser, at a gateway that is on: $enabled', (gateway) => {
  test('is let in with both halves of its proof, from its own page, and else is not', async () => {
    const { setting, browser } = await signedIn(gateway);
    const other = await signIn(await setting.link('bob'));
    const { cookie, key, origin } = browser;
    const cookieOf = (half: string) => ({ Cookie: `a=b; keyturn_session=${half}; c="d"` });
    const keyOf = (half: string) => ({ 'X-Keyturn-Key': half });
    const proofs: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
      ['nothing', {}, false],
      ['the cookie', cookieOf(cookie), false],
      ['the key', keyOf(key), false],
      ['both', { ...cookieOf(cookie), ...keyOf(key) }, true],
      ['both, swapped', { ...cookieOf(key), ...keyOf(cookie) }, false],
      ['a cookie of Bob, own key', { ...cookieOf(other.cookie), ...keyOf(key) }, false],
      ['own cookie, a key of Bob', { ...cookieOf(cookie), ...keyOf(other.key) }, false],
      ['both as a token', { Authorization: `Bearer ${cookie}${key}` }, false],
      ['both as the key', keyOf(cookie + key), false],
      ['both as the cookie', { ...cookieOf(cookie + key), ...keyOf('') }, false],
      ['both, and a wrong token', { ...browser.proof, Authorization: 'Bearer wrong' }, false],
      [
        'both, beside another Keyturn',
        { Cookie: `keyturn_session_1=${other.cookie}; keyturn_session_42617=${cookie}`, ...keyOf(key) },
        true,
      ],
      ['both, wrong cookie name', { Cookie: `x_keyturn_session=${cookie}`, ...keyOf(key) }, false],
      [
        'both, beside one more cookie',
        { Cookie: `keyturn_session=${other.cookie}; keyturn_session=${cookie}`, ...keyOf(key) },
        true,
      ],
      [
        'both, behind as many cookies of others as headers have room for',
        { Cookie: `${ofOthers(150)}; keyturn_session_1=${cookie}`, ...keyOf(key) },
        true,
      ],
    ];
    const origins = [undefined, origin, 'http://127.0.0.1:1', 'https://evil.example', 'null'];
    const sites = [undefined, 'same-origin', 'same-site', 'cross-site', 'none'];
    for (const [what, proof, isGood] of proofs)
      for (const from of origins)
        for (const site of sites)
          for (const method of ['GET', 'POST']) {
            const headers = {
              ...proof,
              ...(from === undefined ? {} : { Origin: from }),
              ...(site === undefined ? {} : { 'Sec-Fetch-Site': site }),
            };
            const isOwn = (site ?? 'same-origin') === 'same-origin' && (method === 'GET' || from !== undefined);
            const status = from !== undefined && from !== origin ? 403 : isGood ? (isOwn ? 200 : 403) : 401;
            const path = method === 'GET' ? '/api/tools' : '/api/ticket';
            const { status: found } = await browser.send(path, { method, headers });
            expect({ what, from, site, method, status: found }).toEqual({ what, from, site, method, status });
          }
    const rebound = await browser.ask('/api/tools', { headers: { Host: 'evil.example' } });
    expect(rebound.status).toBe(403);
  });

  test('chats by a ticket, which is good once, and only from a page', async () => {
    const { browser } = await signedIn(gateway);
    const client = await browser.greeted();
    expect(await client.ask('hello')).toMatchObject({ type: 'done' });
    const ticket = await browser.ticket();
    expect(await browser.open(ticket, {}).whenRefused()).toBe(401);
    expect(await browser.open(ticket).whenRefused()).toBe(401);
    const elsewhere = browser.open(await browser.ticket(), { Origin: 'http://127.0.0.1:1' });
    expect(await elsewhere.whenRefused()).toBe(403);
    // Nothing but a ticket opens a socket: pages cannot set headers there.
    expect(await browser.open('', { Origin: browser.origin, ...browser.proof }).whenRefused()).toBe(401);
  });

  test('is listed, and cut off with its socket, its tickets and its run when it is revoked', async () => {
    const { setting, browser } = await signedIn(gateway);
    const { channel, model } = setting.daemon;
    const client = await browser.greeted();
    const ticket = await browser.ticket();
    const slow = held('too late');
    model.next({ early: 'I begin', rest: slow.script });
    await client.ask('write', 'chunk');
    const shown = await channel.ask('/devices', 'Firefox');
    const [{ id, name } = {}] = devicesIn(setting);
    expect(shown.text).toContain(
      deviceWords.en.deviceLine({
        name: `\`${String(name)}\``,
        isBrowser: true,
        pairedOn: '14 Nov 2023',
        seen: deviceWords.en.connectedNow,
      }),
    );
    await channel.ask(`/devices revoke ${String(id)}`, String(name));
    expect(await client.whenClosed()).toBe(1008);
    expect((await browser.ask('/api/tools')).status).toBe(401);
    expect(await browser.open(ticket).whenRefused()).toBe(401);
    slow.release();
    const stillOpen = 'SELECT * FROM conversations WHERE is_open = 1';
    await waitUntil(() => setting.daemon.rows(stillOpen).length === 0, { what: 'its run to have ended' });
  });

  test('signs out', async () => {
    const { setting, browser } = await signedIn(gateway);
    const client = await browser.greeted();
    const headers = { 'Content-Type': 'application/json' };
    expect((await browser.ask('/page/signout', { method: 'POST', headers, body: '{}' })).status).toBe(200);
    expect(await client.whenClosed()).toBe(1008);
    expect((await browser.ask('/page/me')).status).toBe(401);
    expect(devicesIn(setting)).toEqual([]);
  });
});

describe('a browser', () => {
  test('is listed at the machine as what it is', async () => {
    const { setting } = await signedIn({ enabled: true });
    const [listed] = await askSocket(join(setting.daemon.folder, 'data', socketName), requestLine('devices'));
    const { result }: { readonly result?: unknown } = Object(listed);
    const { devices = [] }: { readonly devices?: readonly DeviceFacts[] } = Object(result);
    expect(devices).toMatchObject([{ person: 'test:ada', isBrowser: true }]);
    for (const language of ['en', 'zh'] as const)
      expect(devicesText(devices, 0, language)).toContain(seeWords[language].browser({ name: devices[0]?.name ?? '' }));
  });

  test('that was not seen for 30 days is let in no longer, and is removed; one that comes again stays', async () => {
    const { setting, browser } = await signedIn();
    const [lost] = devicesIn(setting);
    const kept = await signIn(await setting.link());
    setting.passes(29 * day);
    expect((await kept.ask('/api/tools')).status).toBe(200);
    setting.passes(day + 1);
    expect((await kept.ask('/api/tools')).status).toBe(200);
    expect((await browser.ask('/api/tools')).status).toBe(401);
    await setting.daemon.restart();
    await waitUntil(() => devicesIn(setting).length === 1, { what: 'the browser to be removed' });
    expect(devicesIn(setting)).not.toContainEqual(lost);
  });

  test('that stays open for 30 days was there all the time', async () => {
    const { setting, browser } = await signedIn();
    const client = await browser.greeted();
    for (let hours = 0; hours < 35 * 24; hours += 20) {
      setting.passes(20 * 3_600_000);
      client.send({ type: 'ping' });
      await client.next('pong');
    }
    expect((await browser.ask('/api/tools')).status).toBe(200);
  });

  test('is one of twenty of its person: one more lets the one go that was not seen for the longest', async () => {
    const { setting, browser: first } = await signedIn();
    setting.passes(1000);
    const second = await signIn(await setting.link());
    setting.passes(2 * 3_600_000);
    expect((await first.ask('/api/tools')).status).toBe(200);
    for (let more = 0; more < 18; more += 1) await signIn(await setting.link());
    expect((await second.ask('/api/tools')).status).toBe(200);
    setting.passes(3 * 3_600_000);
    expect((await first.ask('/api/tools')).status).toBe(200);
    const bobs = await signIn(await setting.link('bob'));
    await signIn(await setting.link());
    expect(devicesIn(setting, "AND principal = 'test:ada'")).toHaveLength(20);
    expect((await first.ask('/api/tools')).status).toBe(200);
    expect((await bobs.ask('/api/tools')).status).toBe(200);
  });

  test('loses its rights with its person, at once', async () => {
    const setting = await pageSetting({ standsStill: true });
    await pair(setting.daemon.channel, 'pia');
    const browser = await signIn(await setting.link('pia'));
    const client = await browser.greeted();
    await setting.daemon.channel.say('/unpair pia');
    expect(await client.whenClosed()).toBe(1008);
    expect((await browser.ask('/api/tools')).status).toBe(403);
    expect((await browser.ask('/page/me')).status).toBe(401);
  });

  test('is let in by nothing less than both halves', async () => {
    const { browser } = await signedIn();
    const { cookie, key } = browser;
    const half = (right: string) =>
      fc.oneof(
        fc.constantFrom('', right.slice(1), `${right}0`, ` ${right}`, right.toUpperCase(), right.replace(/^./, 'z')),
        fc.nat(63).map((at) => right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1)),
        fc.stringMatching(/^[0-9a-f]{64}$/),
        fc.constant(right),
      );
    await fc.assert(
      fc.asyncProperty(half(cookie), half(key), async (one, other) => {
        const isRight = one === cookie && other === key;
        const headers = { Cookie: `keyturn_session=${one}`, 'X-Keyturn-Key': other };
        expect((await browser.send('/api/tools', { headers })).status).toBe(isRight ? 200 : 401);
      }),
      { numRuns, seed: 20_261_130 },
    );
  });
});
