import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { waitingWords } from '../../../../packages/page/src/views/waiting/words.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import type { OpenedPage } from '../../../support/browser/opened-page.ts';
import { type PageSetting, pageSetting } from '../../../support/browser/page-setting.ts';
import { PushReader } from '../../../support/page/push-service.ts';

const browser = new FileBrowser();

/** The waiting room of Ada, in a browser that may show notifications. */
async function opened(setting: PageSetting): Promise<OpenedPage> {
  const there = await browser.visit(setting);
  await there.context.grantPermissions(['notifications']);
  const link = await setting.link();
  await there.page.goto(new URL(`/waiting${link.hash}`, link).href);
  await there.isSignedIn();
  return there;
}

const choose = (page: Page, mode: string) => page.getByLabel(waitingWords.en.notify).selectOption(mode);
const chosen = (page: Page) => page.getByLabel(waitingWords.en.notify).inputValue();
const kept = ({ daemon }: PageSetting) => daemon.all('page_push').map(({ endpoint }) => endpoint);

/** What its own push service gives a browser: that of Chromium is of Google, whom no test asks. */
const subscribing = (reader: PushReader): string => `
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (applicationServerKey.length !== 87) throw new Error('no key');
    return { toJSON: () => (${JSON.stringify(reader.subscription)}) };
  };`;

test('where the push service cannot be reached, that is said, and all is as before', async () => {
  const setting = await pageSetting();
  const { page, axe } = await shown(await opened(setting));
  await page.evaluate(`PushManager.prototype.subscribe = async () => { throw new Error('nobody is there'); }`);
  await choose(page, 'kind');
  await choose(page, 'push');
  await page.getByText(waitingWords.en.pushFailed({ reason: 'nobody is there' })).waitFor();
  await expect.poll(() => chosen(page)).toBe('kind');
  expect(kept(setting)).toEqual([]);
  await axe();
});

test('a browser subscribes when it is told to, again when that was lost, and no longer when it is switched off', async () => {
  const setting = await pageSetting();
  const there = await opened(setting);
  const { page } = there;
  const reader = new PushReader('https://push.example.com/of-ada');
  await there.context.addInitScript(subscribing(reader));
  await page.reload();
  await choose(page, 'push');
  await expect.poll(() => kept(setting)).toEqual([reader.endpoint]);
  await expect.poll(() => chosen(page)).toBe('push');
  setting.daemon.tamper('DELETE FROM page_push');
  await page.reload();
  await expect.poll(() => kept(setting)).toEqual([reader.endpoint]);
  await choose(page, 'off');
  await expect.poll(() => kept(setting)).toEqual([]);
  // The worker is told of by its address alone: the policy of the page has held.
  await choose(page, 'push');
  await expect.poll(() => kept(setting)).toEqual([reader.endpoint]);
});

test('the worker shows what it is sent, once for the same matter, and opens the waiting room', async () => {
  const setting = await pageSetting();
  const there = await opened(setting);
  const { page, context } = there;
  await there.context.addInitScript(subscribing(new PushReader('https://push.example.com/of-ada')));
  const devtools = await context.newCDPSession(page);
  const registered = registrationIn(devtools);
  await page.goto(new URL('/activity', page.url()).href);
  await page.goto(new URL('/waiting', page.url()).href);
  await choose(page, 'push');
  await expect.poll(() => kept(setting)).toHaveLength(1);
  const registrationId = await registered;
  const { origin } = new URL(page.url());
  const deliver = (data: string) => devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  const tag = 'keyturn-one';
  await deliver(JSON.stringify({ title: 'Something waits', tag, language: 'en' }));
  await deliver(JSON.stringify({ title: 'Something waits', tag, language: 'en' }));
  await expect.poll(() => page.evaluate(notifications)).toEqual([['Something waits', tag]]);
  await deliver('no JSON');
  await expect.poll(() => page.evaluate(notifications)).toContainEqual(['Keyturn', 'keyturn']);
  await page.goto(new URL('/activity', page.url()).href);
  const [worker] = context.serviceWorkers();
  expect(await worker?.evaluate(press)).toBe('/waiting');
  expect(await page.evaluate(notifications)).toEqual([]);
});

/** Runs in the page. */
const notifications = `navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
  .then((all) => all.map(({ title, tag }) => [title, tag]))`;

/** Runs in the worker: what a press on the notification does, and where it leads. Only a person's press may open a window. */
const press = `new Promise(async (resolve) => {
  const [notification] = await self.registration.getNotifications();
  Clients.prototype.openWindow = async (path) => resolve(path);
  self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
})`;

async function registrationIn(devtools: CDPSession): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
    if (first !== undefined) resolve(first.registrationId);
  });
  await devtools.send('ServiceWorker.enable');
  return promise;
}

async function shown(there: OpenedPage) {
  await there.page.getByLabel(waitingWords.en.notify).waitFor();
  return { page: there.page, axe: () => there.axe() };
}
