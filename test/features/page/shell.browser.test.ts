import { describe, expect, test } from 'vitest';
import { shellWords } from '../../../packages/page/src/shell/words.ts';
import { FileBrowser } from '../../support/browser/browser.ts';
import type { OpenedPage } from '../../support/browser/opened-page.ts';
import { pageSetting } from '../../support/browser/page-setting.ts';
import { unlock } from '../../support/gateway/gateway-setting.ts';
import { call } from '../../support/scripted-model.ts';

const browser = new FileBrowser();

/** What the browser says of each answer that is no success. */
const refused = /Failed to load resource: the server responded with a status of 401/;
const lost = /ERR_(?:CONNECTION_REFUSED|INTERNET_DISCONNECTED|EMPTY_RESPONSE|CONNECTION_RESET)|WebSocket connection to/;

function signIn({ page }: OpenedPage): Promise<void> {
  return page.locator('.sign-in code').first().waitFor();
}

/** The page tells as whom a link has signed in. */
async function saysWho({ page }: OpenedPage, name: string): Promise<void> {
  await page.locator('.toast-done', { hasText: shellWords.en.signedInAs({ name }) }).waitFor();
}

/** Of whom the daemon takes this browser for. */
function accountsOf({ page }: OpenedPage): Promise<unknown> {
  return page.evaluate(
    "fetch('/page/me', { headers: { 'X-Keyturn-Key': localStorage.getItem('keyturn.key') } }).then((answer) => answer.json()).then((me) => me.accounts.map(({ principal }) => principal))",
  );
}

function keyOf({ page }: OpenedPage): Promise<unknown> {
  return page.evaluate("localStorage.getItem('keyturn.key')");
}

describe.each([
  ['wide and light', {}],
  ['dark', { isDark: true }],
  ['on a phone', { width: 390, height: 844 }],
  ['in Chinese, on a dark phone', { language: 'zh', width: 390, height: 844, isDark: true }],
] as const)('the page, %s', (_how, options) => {
  test('signs in by a link, and is accessible before and after', async () => {
    const setting = await pageSetting();
    const opened = await browser.visit(setting, options);
    const link = await setting.link();
    await opened.page.goto(link.origin);
    await signIn(opened);
    await opened.axe();
    expect(await opened.page.evaluate('document.documentElement.lang')).toBe('language' in options ? 'zh-CN' : 'en');
    await opened.page.goto(link.href);
    await opened.isSignedIn();
    await opened.axe();
    await opened.page.locator('.menu-button').click();
    await opened.axe();
    expect(new URL(opened.page.url()).hash).toBe('');
    expect(await opened.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

test('a link is good once: the second browser is told how to get one', async () => {
  const setting = await pageSetting();
  const link = await setting.link();
  const [first, second] = [await browser.visit(setting), await browser.visit(setting)];
  await first.page.goto(link.href);
  await first.isSignedIn();
  second.expectsFault(/status of 40[13]/);
  await second.page.goto(link.href);
  await second.page.getByRole('alert').waitFor();
  await signIn(second);
  expect(new URL(second.page.url()).hash).toBe('');
});

test('a link that is put into an open page signs in, too', async () => {
  const setting = await pageSetting();
  const opened = await browser.visit(setting);
  const link = await setting.link();
  await opened.page.goto(link.origin);
  await signIn(opened);
  await opened.page.evaluate(`location.hash = '${link.hash}'`);
  await opened.isSignedIn();
  expect(new URL(opened.page.url()).hash).toBe('');
});

test('a link of somebody else takes the place of nobody who has not said so', async () => {
  const setting = await pageSetting();
  const opened = await browser.open(setting, { path: '/people' });
  const { page } = opened;
  await saysWho(opened, 'ada');
  const link = await setting.link('bob');
  // As a page elsewhere leads here: in an open tab, or a new one.
  for (const lead of [
    () => page.evaluate(`location.hash = '${link.hash}'`),
    () => page.goto(new URL(`/waiting${link.hash}`, link).href),
  ]) {
    await lead();
    await page.getByRole('dialog').waitFor();
    await opened.axe('dialog');
    expect(new URL(page.url()).hash).toBe('');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await accountsOf(opened)).toContain('test:ada');
  }
  await page.reload();
  await opened.isSignedIn();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.evaluate(`location.hash = '${link.hash}'`);
  await page.getByRole('dialog').getByRole('button').last().click();
  await saysWho(opened, 'bob');
  expect(await accountsOf(opened)).toContain('test:bob');
});

test('a link that waited for an answer signs in nobody by itself when its person is signed out', async () => {
  const setting = await pageSetting();
  const opened = await browser.open(setting);
  const { page } = opened;
  const [link, used] = [await setting.link('bob'), await setting.link('bob')];
  await page.evaluate(`location.hash = '${link.hash}'`);
  await page.getByRole('dialog').waitFor();
  await page.evaluate("localStorage.removeItem('keyturn.key'); dispatchEvent(new StorageEvent('storage'))");
  await signIn(opened);
  await opened.axe();
  await page.locator('.sign-in .button-primary').click();
  await opened.isSignedIn();
  expect(await accountsOf(opened)).toContain('test:bob');
  // One that is of no use says so, and changes nothing.
  const other = await browser.visit(setting);
  await other.page.goto(used.href);
  await other.isSignedIn();
  opened.expectsFault(/status of 403/);
  await page.evaluate(`location.hash = '${used.hash}'`);
  await page.getByRole('dialog').getByRole('button').last().click();
  await page.locator('.toast-fault').waitFor();
  expect(await accountsOf(opened)).toContain('test:bob');
});

test('who signs out in one tab is out in all, and the daemon lets that browser in no longer', async () => {
  const setting = await pageSetting();
  const first = await browser.open(setting);
  const second = await first.another('/waiting');
  await second.isSignedIn();
  // Its connection may end before it hears why.
  second.expectsFault(refused);
  const key = await keyOf(first);
  await first.page.locator('textarea').fill('for nobody else');
  const kept = () => first.page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft')).length");
  await expect.poll(kept).toBe(1);
  await first.page.locator('.menu-button').click();
  await first.page.getByRole('menuitem').last().click();
  await signIn(first);
  await signIn(second);
  expect(await kept()).toBe(0);
  expect(await keyOf(second)).toBeNull();
  first.expectsFault(refused);
  const asked = `fetch('/page/me', { headers: { 'X-Keyturn-Key': '${key}' } }).then(({ status }) => status)`;
  expect(await first.page.evaluate(asked)).toBe(401);
});

test('a browser that is revoked in the chat is signed out while it is open', async () => {
  const setting = await pageSetting();
  const opened = await browser.open(setting);
  opened.expectsFault(refused);
  opened.expectsFault(lost);
  const id = await opened.page.evaluate(
    "fetch('/page/me', { headers: { 'X-Keyturn-Key': localStorage.getItem('keyturn.key') } }).then((answer) => answer.json()).then((me) => me.deviceId)",
  );
  await setting.daemon.channel.say(`/devices revoke ${id}`, { by: 'ada' });
  await signIn(opened);
});

test('a reload keeps the place and who is signed in', async () => {
  const setting = await pageSetting();
  const { page, ...opened } = await opening(await browser.open(setting, { path: '/people' }));
  await page.locator('h1').waitFor();
  await page.reload();
  await opened.isSignedIn();
  expect(new URL(page.url()).pathname).toBe('/people');
  await page.locator('[aria-current="page"][href="/people"]').waitFor();
});

test('places change with the links and the browser’s own buttons; the focus goes to the heading, the title says where', async () => {
  const setting = await pageSetting();
  const { page } = await browser.open(setting);
  await page.locator('main h1').waitFor();
  for (const name of ['waiting', 'activity', 'tools', 'people', 'settings']) {
    await page.locator(`nav a[href="/${name}"]`).click();
    await expect.poll(() => page.locator('h1:focus').count()).toBe(1);
    const label = await page.locator(`nav a[href="/${name}"] .shell-nav-name`).textContent();
    await expect.poll(() => page.title()).toContain(label);
  }
  await page.goBack();
  await page.locator('[aria-current="page"][href="/people"]').waitFor();
});

test('what is for owners is not there for a friend, and an address without anything says so', async () => {
  const setting = await pageSetting();
  const { page, ...opened } = await opening(await browser.open(setting, { as: 'bob', path: '/settings' }));
  await page.locator('main .empty').waitFor();
  await expect.poll(() => page.locator('nav a').count()).toBe(5);
  await opened.axe();
  await page.locator('main a[href="/chat"]').click();
  await page.locator('[aria-current="page"][href="/chat"]').waitFor();
});

test('the keyboard comes first to the link that skips to the content', async () => {
  const setting = await pageSetting();
  const { page } = await browser.open(setting);
  await page.locator('main h1').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.locator('.shell-skip:focus').count()).toBe(1);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('#content:focus').count()).toBe(1);
});

test('language and colours are chosen in the menu, and kept', async () => {
  const setting = await pageSetting();
  const { page, ...opened } = await opening(await browser.open(setting));
  const choose = async (index: number) => {
    await page.locator('.menu-button').click();
    await page.getByRole('menuitemradio').nth(index).click();
  };
  await choose(1);
  await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('zh-CN');
  await choose(4);
  await page.reload();
  await opened.isSignedIn();
  await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('zh-CN');
  await expect.poll(() => page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(20, 23, 26)');
  // The person is spoken to in it in their chat, too.
  await setting.daemon.channel.say('/language', { by: 'ada' });
  await setting.daemon.channel.sees('中文');
});

test('without the daemon the page says so, and is live again when it is back', async () => {
  const setting = await pageSetting();
  const opened = await browser.open(setting);
  opened.expectsFault(lost);
  opened.expectsFault(/status of 50/);
  const { port } = new URL(opened.page.url());
  await opened.page.locator('main h1').waitFor();
  await setting.daemon.stop();
  await opened.page.locator('.shell-offline').waitFor();
  await setting.daemon.start({ gateway: { port: Number(port), max_connections_per_person: 1000 } });
  await opened.page.locator('.shell-offline').waitFor({ state: 'detached' });
  await opened.page.locator('main h1').waitFor();
});

test('a page that is open has no session of its person, however often it comes back', async () => {
  const setting = await pageSetting({ gateway: { max_sessions_per_person: 1 } });
  const opened = await browser.open(setting, { path: '/people' });
  opened.expectsFault(lost);
  const hints = () =>
    opened.page.waitForEvent('websocket', {
      predicate: (socket) =>
        socket
          .waitForEvent('framereceived', { predicate: ({ payload }) => payload.includes('page_changed') })
          .then(() => true),
    });
  const reloaded = hints();
  await opened.page.reload();
  await reloaded;
  await opened.page.locator('main h1').waitFor();
  const { port } = new URL(opened.page.url());
  const again = hints();
  await setting.daemon.restart({ gateway: { port: Number(port), max_sessions_per_person: 1 } });
  await again;
  expect(setting.daemon.rows('SELECT id FROM device_sessions')).toEqual([]);
});

test('a connection that is refused though the browser is let in is tried again with pauses, and the page says why', async () => {
  const setting = await pageSetting();
  const opened = await browser.open(setting, { path: '/people' });
  let asked = 0;
  opened.page.on('request', (request) => {
    if (request.url().endsWith('/page/me')) asked += 1;
  });
  let isRefused = true;
  await opened.page.routeWebSocket(/ticket=/, (socket) => {
    if (isRefused) void socket.close({ code: 1008, reason: 'the reason why' });
    else socket.connectToServer();
  });
  await opened.page.reload();
  await opened.page.locator('.shell-offline', { hasText: 'the reason why' }).waitFor();
  expect(asked).toBeLessThan(5);
  isRefused = false;
  await opened.page.locator('.shell-offline').waitFor({ state: 'detached' });
});

test('the code of the view comes while the daemon is asked who signs in', async () => {
  const setting = await pageSetting();
  const opened = await browser.open(setting, { path: '/people' });
  const view = opened.page.waitForRequest(/people-view-.*js/);
  await opened.page.route('**/page/me', async (route) => {
    await view;
    await route.continue();
  });
  await opened.page.reload();
  await opened.isSignedIn();
});

test('what waits is counted beside its name, and in the title, as soon as it waits', async () => {
  const setting = await pageSetting({ tools: [unlock] });
  const { page, ...opened } = await opening(await browser.open(setting, { path: '/people' }));
  await page.locator('nav .icon').first().waitFor();
  expect(await page.locator('nav .badge').count()).toBe(0);
  const { channel, model } = setting.daemon;
  model.next([call('unlock', { door: 'front' })]);
  await channel.say('open the door', { by: 'ada' });
  await page.locator('nav .badge', { hasText: '1' }).waitFor();
  await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  await opened.axe('.shell-side');
  await channel.press(await channel.card());
  await page.locator('nav .badge').waitFor({ state: 'detached' });
});

test('a phone is shown a link for the same person, where one can reach it', async () => {
  const setting = await pageSetting();
  const signedIn = await browser.open(setting);
  const { page, ...opened } = await opening(signedIn);
  signedIn.expectsFault(lost);
  const { port } = new URL(page.url());
  const gateway = { port: Number(port), allowed_hosts: ['keyturn.example.com'] };
  await page.locator('main h1').waitFor();
  await setting.daemon.restart({ gateway });
  await page.locator('.menu-button').click();
  await page.getByRole('menuitem').first().click();
  await page.locator('.phone-dialog > svg path').waitFor();
  await opened.axe();
  await page.locator('.phone-dialog summary').click();
  expect(await page.locator('.phone-dialog code').textContent()).toMatch(/^https:\/\/keyturn\.example\.com\/#ticket=/);
});

test('no view is wider than a phone', async () => {
  const setting = await pageSetting({ tools: [unlock] });
  setting.daemon.model.next([call('unlock', { door: 'front' })]);
  await setting.daemon.channel.say('open the door', { by: 'ada' });
  await setting.daemon.channel.card();
  const { page } = await browser.open(setting, { width: 360, height: 740 });
  for (const name of ['waiting', 'activity', 'tools', 'people', 'settings', 'chat']) {
    await page.locator(`nav a[href="/${name}"]`).click();
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    const wide =
      "[...document.querySelectorAll('#content, html')].filter((it) => it.scrollWidth > it.clientWidth).length";
    expect(await page.evaluate(wide), name).toBe(0);
  }
});

/** Its page, and the rest bound to it. */
async function opening(opened: OpenedPage) {
  return { page: opened.page, axe: (within?: string) => opened.axe(within), isSignedIn: () => opened.isSignedIn() };
}
