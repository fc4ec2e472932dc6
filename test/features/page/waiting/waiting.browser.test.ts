import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { approvalWords } from '../../../../packages/page/src/components/approval/words.ts';
import { shellWords } from '../../../../packages/page/src/shell/words.ts';
import { waitingWords } from '../../../../packages/page/src/views/waiting/words.ts';
import { llmOnly } from '../../../../src/tools/output.ts';
import { registrationOf } from '../../../../src/tools/registry.ts';
import { defineTool } from '../../../../src/tools/tool.ts';
import { FileBrowser, type OpenOptions } from '../../../support/browser/browser.ts';
import type { OpenedPage } from '../../../support/browser/opened-page.ts';
import { type PageSetting, type PageSettingOptions, pageSetting } from '../../../support/browser/page-setting.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { call } from '../../../support/scripted-model.ts';

const browser = new FileBrowser();

const wipe = registrationOf(
  defineTool({
    name: 'wipe',
    category: 'destructive',
    description: 'Wipes a disk.',
    input: z.object({ disk: z.string() }),
    describeCall: ({ disk }) => `wipe ${disk}`,
    execute: async () => llmOnly('gone'),
  }),
);

const at = (page: Page) => ({
  card: page.locator('[data-approval]'),
  seen: page.locator('[data-approval] [data-seen="true"]'),
  ended: page.locator('[data-ended]'),
  choice: (verb: string) => page.locator(`[data-approval] button[data-choice$=":${verb}"]`),
});

const open = (setting: PageSetting, options: OpenOptions = {}): Promise<OpenedPage> =>
  browser.open(setting, { path: '/waiting', ...options });

/** Something waits for Ada, who has asked for it. */
async function unlocking(options: PageSettingOptions = {}): Promise<PageSetting> {
  const setting = await pageSetting({ tools: [unlock], ...options });
  setting.daemon.model.otherwise(() => 'All done.');
  await ask(setting, 'front');
  return setting;
}

async function ask({ daemon }: PageSetting, door: string): Promise<void> {
  daemon.model.next([call('unlock', { door })]);
  await daemon.channel.say(`open the ${door} door`);
  await daemon.channel.sees(new RegExp(`nlock the ${door} door`));
}

test('a card is allowed by a press, once it was seen; what became of it stays in its place', async () => {
  const setting = await unlocking();
  const { page, axe } = await shown(await open(setting));
  const { card, choice, seen, ended } = at(page);
  await card.waitFor();
  expect(await card.textContent()).toContain('unlock the front door');
  await axe();
  await seen.waitFor();
  await choice('a').click();
  await ended.waitFor();
  expect(await ended.getAttribute('data-state')).toBe('approved');
  expect(await card.count()).toBe(0);
  await setting.daemon.channel.sees('All done.');
  await axe();
});

/** Runs in the page: presses the first button that allows something in the moment that it is drawn. */
const pressAtOnce = `new Promise((resolve) => {
  const look = () => {
    const button = document.querySelector('[data-approval] button[data-choice$=":a"]');
    if (button === null) return void requestAnimationFrame(look);
    button.click();
    resolve(button.getAttribute('aria-disabled'));
  };
  look();
  document.querySelector('a[href="/waiting"]').click();
})`;

test('a press on a card that has not been seen for a moment does nothing', async () => {
  const setting = await unlocking();
  const { page } = await shown(await open(setting, { path: '/activity' }));
  // The press comes in the same moment as the card.
  const pressed = await page.evaluate(pressAtOnce);
  expect(pressed).toBe('true');
  await at(page).seen.waitFor();
  expect(await at(page).card.count()).toBe(1);
});

test('a denial has a reason, which the model reads', async () => {
  const setting = await unlocking();
  const { page, axe } = await shown(await open(setting));
  const { seen, choice, ended } = at(page);
  await seen.waitFor();
  await choice('r').click();
  const text = page.getByLabel(approvalWords.en.reason);
  await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('textarea');
  await axe();
  await text.fill('it is late');
  await seen.waitFor();
  await page.locator('[data-approval] button[type="submit"]').click();
  await ended.waitFor();
  expect(await ended.getAttribute('data-state')).toBe('denied');
  await setting.daemon.channel.sees('All done.');
  expect(JSON.stringify(setting.daemon.model.last.messages)).toContain('it is late');
});

test('keys alone move between cards and decide them', async () => {
  const setting = await unlocking();
  await ask(setting, 'back');
  const { page } = await shown(await open(setting));
  const { card, ended } = at(page);
  await card.nth(1).waitFor();
  for (const [index, key] of ['d', 'a'].entries()) {
    // What was decided leads to the next one.
    if (index === 0) await page.keyboard.press('j');
    await page.locator('[data-approval]:focus [data-seen="true"]').waitFor();
    await page.keyboard.press(key);
    await ended.nth(index).waitFor();
  }
  expect(await ended.evaluateAll((all) => all.map((one) => one.getAttribute('data-state')))).toEqual([
    'denied',
    'approved',
  ]);
});

test('a question is answered by its buttons, and in words', async () => {
  const setting = await pageSetting();
  const { channel, model } = setting.daemon;
  const { page, axe } = await shown(await open(setting));
  const asks = async (answer: string) => {
    model.next([call('ask', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] })], `Fine: ${answer}.`);
    await channel.say('a drink');
    await at(page).seen.waitFor();
  };
  await asks('coffee');
  await axe();
  await page.locator('button[data-choice^="as:"]').nth(1).click();
  await channel.sees('Fine: coffee.');
  await asks('milk');
  await page.getByLabel(approvalWords.en.answer).fill('milk');
  await page.locator('[data-approval] button[type="submit"]').click();
  await channel.sees('Fine: milk.');
  expect(JSON.stringify(model.last.messages)).toContain('milk');
});

test('two tabs and the chat are in step; what has expired says so', async () => {
  const setting = await unlocking();
  const first = await open(setting);
  const second = await first.another();
  await at(second.page).seen.waitFor();
  await at(second.page).choice('d').click();
  for (const { page } of [first, second]) {
    await at(page).ended.waitFor();
    expect(await at(page).ended.getAttribute('data-state')).toBe('denied');
  }
  await ask(setting, 'back');
  await at(first.page).card.waitFor();
  const { channel } = setting.daemon;
  await channel.press(await channel.card());
  await at(first.page).ended.nth(1).waitFor();
  await ask(setting, 'side');
  await at(first.page).card.waitFor();
  setting.passes(1_900_000);
  await at(first.page).ended.nth(2).waitFor();
  expect(await at(first.page).ended.nth(2).getAttribute('data-state')).toBe('expired');
});

test('what was decided is found again, and a permission is ended', async () => {
  const setting = await unlocking();
  const { page, axe } = await shown(await open(setting));
  await at(page).seen.waitFor();
  await at(page).choice('w').click();
  await at(page).ended.waitFor();
  await setting.daemon.channel.sees('All done.');
  await page.getByRole('tab', { name: waitingWords.en.tabs.decided }).click();
  const decided = page.locator('[data-decided]');
  await decided.waitFor();
  expect(await decided.textContent()).toContain('open the front door');
  await axe();
  await page.getByLabel(waitingWords.en.decidedSearch).fill('nothing like it');
  await page.getByText(waitingWords.en.nothingFound).waitFor();
  await page.getByRole('tab', { name: waitingWords.en.tabs.grants }).click();
  await page.getByRole('button', { name: waitingWords.en.revoke, exact: true }).waitFor();
  await axe();
  await page.getByRole('button', { name: waitingWords.en.revoke, exact: true }).click();
  await page.getByText(waitingWords.en.nothingGranted).waitFor();
  await page.getByRole('tab', { name: waitingWords.en.tabs.undelivered }).click();
  await page.getByText(waitingWords.en.delivered).waitFor();
  await axe();
});

test('on a phone, in the dark and in Chinese, a card can be read and decided', async () => {
  const setting = await unlocking();
  const { page, axe } = await shown(await open(setting, { width: 390, height: 844, isDark: true, language: 'zh' }));
  await page.getByText(approvalWords.zh.kinds.call).waitFor();
  await axe();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await at(page).seen.waitFor();
  await at(page).choice('a').click();
  await at(page).ended.waitFor();
  await axe();
});

test('a change of 5,000 lines is shown side by side, a part at a time, and counted', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
  const setting = await pageSetting({
    config: { approval: { policy: 'always_require' } },
    files: { 'long.txt': `${lines.join('\n')}\n` },
  });
  const { channel, model } = setting.daemon;
  model.next(
    [call('write_file', { path: 'long.txt', content: lines.map((line) => `${line}!`).join('\n') })],
    'Written.',
  );
  await channel.say('shout');
  await channel.card();
  const { page, axe } = await shown(await open(setting, { width: 1400, height: 900 }));
  await page.getByRole('button', { name: approvalWords.en.showChange }).click();
  const rows = page.locator('.diff-table tbody tr');
  await rows.nth(199).waitFor();
  expect(await rows.count()).toBe(200);
  expect(await page.locator('.diff-counts').textContent()).toBe('−5,000 +5,000');
  await axe('.diff');
  await page.getByRole('button', { name: approvalWords.en.moreRows({ count: '1,000' }) }).click();
  await rows.nth(1199).waitFor();
});

async function shown(opened: OpenedPage) {
  await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
  return { page: opened.page, axe: (within?: string) => opened.axe(within) };
}

test('a key alone allows nothing that may do harm: it leads to the button', async () => {
  const setting = await pageSetting({ tools: [wipe] });
  setting.daemon.model.next([call('wipe', { disk: 'a' })], 'All done.');
  await setting.daemon.channel.say('wipe it');
  await setting.daemon.channel.card();
  const { page, axe } = await shown(await open(setting));
  await at(page).seen.waitFor();
  expect(await at(page).card.textContent()).toContain(approvalWords.en.dangerous);
  await axe();
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await page.locator('[data-approval] button[data-choice$=":a"]:focus').waitFor();
  expect(await at(page).ended.count()).toBe(0);
  await page.keyboard.press('Enter');
  await at(page).ended.waitFor();
  expect(await at(page).ended.getAttribute('data-state')).toBe('approved');
});

test('while the daemon cannot be reached nothing is decided, and a later press counts', async () => {
  const setting = await unlocking();
  const opened = await open(setting);
  opened.expectsFault(/decide|ERR_INTERNET_DISCONNECTED/);
  const { page } = await shown(opened);
  await at(page).seen.waitFor();
  await page.route('**/page/decide', (route) => route.abort('internetdisconnected'));
  await at(page).choice('a').click();
  await page.getByText(waitingWords.en.unreachable).waitFor();
  expect(await at(page).card.count()).toBe(1);
  await page.unroute('**/page/decide');
  await at(page).seen.waitFor();
  await at(page).choice('a').click();
  await at(page).ended.waitFor();
  await setting.daemon.channel.sees('All done.');
});

test('a browser that was told to tells of what begins to wait while nobody looks: of what kind, and no more', async () => {
  const setting = await unlocking();
  const opened = await open(setting);
  const { page } = await shown(opened);
  await at(page).card.waitFor();
  await opened.context.grantPermissions(['notifications']);
  await page.evaluate(watchNotifications);
  const known = page.waitForResponse(/\/page\/waiting$/);
  await page.getByLabel(waitingWords.en.notify).selectOption('kind');
  await known;
  await page.evaluate(lookAway);
  await ask(setting, 'back');
  await expect.poll(() => page.evaluate('window.told')).toEqual([[waitingWords.en.notifyKinds.call, null]]);
});

test('tells of nothing any more once the person has signed out, though the answer was on its way', async () => {
  const setting = await unlocking();
  const opened = await open(setting);
  // What else was on its way is refused.
  opened.expectsFault(/status of 401/);
  const { page } = opened;
  await at(page).card.waitFor();
  await opened.context.grantPermissions(['notifications']);
  await page.evaluate(watchNotifications);
  const known = page.waitForResponse(/\/page\/waiting$/);
  await page.getByLabel(waitingWords.en.notify).selectOption('content');
  await known;
  await page.evaluate(lookAway);
  const late = Promise.withResolvers<void>();
  await page.route('**/page/waiting', async (route) => {
    const response = await route.fetch();
    await late.promise;
    // It may be of no use to anybody any more.
    await route.fulfill({ response }).catch(() => undefined);
  });
  const asked = page.waitForRequest('**/page/waiting');
  await ask(setting, 'back');
  await asked;
  await page.locator('.menu-button').click();
  await page.getByRole('menuitem', { name: shellWords.en.signOut }).click();
  await page.locator('.shell').waitFor({ state: 'detached' });
  late.resolve();
  await page.unrouteAll({ behavior: 'wait' });
  // What was answered before this is read before it.
  await page.evaluate(async () => (await fetch('/')).text());
  expect(await page.evaluate('window.told')).toEqual([]);
});

/** These run in the page. */
const watchNotifications = `
  window.told = [];
  window.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, { body = null }) { window.told.push([title, body]); }
    close() {}
  };`;
const lookAway = `Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })`;
