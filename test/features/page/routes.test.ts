import { describe, expect, test } from 'vitest';
import type { PageRoute } from '../../../src/features/page/page-route.ts';
import { pageRoutes } from '../../../src/features/page/routes.ts';
import { serverWords } from '../../../src/features/page/server/words.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { pageSetting, paired, type SignedIn } from '../../support/page/page-setting.ts';

/** With a name for what differs. */
const concrete = ({ path }: PageRoute): string => path.replace(/:\w+/g, 'none');
const { nothingHere, notSignedIn } = serverWords.en;

describe('each route', () => {
  test('is unlike every other', () => {
    const names = pageRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('is closed to strangers, whatever half of a proof they have', async () => {
    const { owner, friend } = await people();
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { Cookie: owner.proof.Cookie ?? '' },
      { 'X-Keyturn-Key': owner.key },
      { Cookie: owner.proof.Cookie ?? '', 'X-Keyturn-Key': friend.key },
      { ...owner.proof, 'Sec-Fetch-Site': 'cross-site' },
    ];
    for (const route of [...pageRoutes, signOut, unknown])
      for (const headers of wrong) {
        const answer = await ask(route, owner.origin, headers);
        expect([route.path, answer.status, await answer.json()]).toEqual([route.path, 401, { error: notSignedIn }]);
      }
    const { headers, status } = await ask(unknown, owner.origin, owner.proof);
    expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('application/json')]);
  });

  test('of owners is not there for others', async () => {
    const { owner, friend } = await people();
    for (const route of pageRoutes) {
      const [toOwner, toFriend] = await Promise.all([
        ask(route, owner.origin, owner.proof),
        ask(route, friend.origin, friend.proof),
      ]);
      const isHidden = toFriend.status === 404 && errorOf(await toFriend.json()) === nothingHere;
      expect([route.path, isHidden]).toEqual([route.path, route.forOwners === true]);
      expect([route.path, toOwner.status, toFriend.status]).not.toContain(500);
      expect([route.path, errorOf(await toOwner.json().catch(() => ({})))]).not.toEqual([route.path, nothingHere]);
    }
  });

  test('takes a POST as JSON alone, of bounded length, from the page alone', async () => {
    const { owner } = await people();
    for (const route of pageRoutes.filter(({ method }) => method === 'POST')) {
      const send = (body: string, headers: Readonly<Record<string, string>>) =>
        fetch(`${owner.origin}/page/${concrete(route)}`, {
          method: 'POST',
          body,
          headers: { ...owner.proof, Origin: owner.origin, ...headers },
        });
      const json = { 'Content-Type': 'application/json' };
      expect((await send('{}', { 'Content-Type': 'text/plain' })).status, route.path).toBe(415);
      expect((await send('{', json)).status, route.path).toBe(400);
      expect(
        (await send(JSON.stringify('x'.repeat((route.longestBody ?? 262_144) + 1_000)), json)).status,
        route.path,
      ).toBe(413);
      expect((await send('{}', { ...json, Origin: 'https://evil.example' })).status, route.path).toBe(403);
    }
  });

  test('is closed to a paired program', async () => {
    const setting = await pageSetting({ config: { gateway: { enabled: true } } });
    const { origin } = await setting.browser();
    const { token } = await paired(setting);
    for (const route of [...pageRoutes, signOut, unknown]) {
      const answer = await ask(route, origin, { Authorization: `Bearer ${token}` });
      expect([route.path, answer.status, await answer.json()]).toEqual([route.path, 401, { error: notSignedIn }]);
    }
  });
});

test('answers in the language that the page asks for, else in that of the person', async () => {
  const { owner } = await people();
  expect(await errorIn(owner, {})).toBe(serverWords.en.notReachable);
  expect(await errorIn(owner, { 'X-Keyturn-Language': 'zh' })).toBe(serverWords.zh.notReachable);
  const stranger = await fetch(`${owner.origin}/page/me`, { headers: { 'Accept-Language': 'fr, zh-CN;q=0.8' } });
  expect(errorOf(await stranger.json())).toBe(serverWords.zh.notSignedIn);
});

test('a phone is signed in where it reaches this machine', async () => {
  const setting = await pageSetting({ config: { gateway: { enabled: true, allowed_hosts: ['keyturn.example.com'] } } });
  const link = await setting.link();
  expect(link.origin).toBe('https://keyturn.example.com');
  const browser = await setting.browserAt(setting.daemon.gatewayAddress);
  const answer: unknown = await (await browser.post('phone')).json();
  const url = new URL(isJsonObject(answer) ? String(answer.url) : '');
  expect(url.origin).toBe('https://keyturn.example.com');
  expect((await setting.signIn(new URL(url.hash, browser.origin))).status).toBe(200);
});

async function people(): Promise<{ readonly owner: SignedIn; readonly friend: SignedIn }> {
  const setting = await pageSetting();
  return { owner: await setting.browser('ada'), friend: await setting.browser('bob') };
}

const signOut = { method: 'POST', path: 'signout' } as const;
const unknown = { method: 'GET', path: 'none/at/all' } as const;

function ask(
  route: Pick<PageRoute, 'method' | 'path'>,
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { method, path } = route;
  const url = `${origin}/page/${path.replace(/:\w+/g, 'none')}`;
  const json = { Origin: origin, 'Content-Type': 'application/json' };
  return fetch(url, method === 'GET' ? { headers } : { method, body: '{}', headers: { ...json, ...headers } });
}

async function errorIn(browser: SignedIn, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return errorOf(await (await browser.post('phone', {}, headers)).json());
}

function errorOf(body: unknown): unknown {
  return isJsonObject(body) ? body.error : undefined;
}
