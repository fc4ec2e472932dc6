import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileBrowser, type OpenOptions } from '../../support/browser/browser.ts';
import type { OpenedPage } from '../../support/browser/opened-page.ts';

const project = resolve(import.meta.dirname, '../../..');
const browser = new FileBrowser();
/** Nobody listens there: the files come from the folder of the test. */
const address = 'http://127.0.0.1:1';
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; require-trusted-types-for 'script'";
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };
let built = '';

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'keyturn-gallery-'));
  const args = ['build', 'packages/page/gallery', '--config', 'packages/page/vite.config.ts', '--outDir', built];
  const how = ['--mode', 'gallery', '--emptyOutDir', '--logLevel', 'warn'];
  execFileSync(process.execPath, [join(project, 'node_modules/vite/bin/vite.js'), ...args, ...how], {
    cwd: project,
    stdio: 'inherit',
  });
});

afterAll(() => rmSync(built, { recursive: true, force: true }));

async function gallery(options: OpenOptions = {}): Promise<OpenedPage> {
  const opened = await browser.blank(options);
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await opened.context.route(`${address}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = pathname === '/' ? 'index.html' : pathname;
    await route.fulfill({
      body: file === '/icon.svg' ? '' : readFileSync(join(built, file)),
      contentType: types[extname(file)] ?? 'image/svg+xml',
      headers: { 'Content-Security-Policy': policy },
    });
  });
  await opened.page.goto(`${address}/`);
  return opened;
}

function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.matches(':focus'));
}

async function done(page: Page): Promise<string | null> {
  return page.getByTestId('done').textContent();
}

describe.each([
  ['light', {}],
  ['dark', { isDark: true }],
  ['on a phone', { width: 390 }],
  ['in Chinese', { language: 'zh' }],
] as const)('all parts, %s', (_how, options) => {
  test('follow the rules of accessibility, and nothing is wider than the window', async () => {
    const opened = await gallery(options);
    await opened.axe();
    await opened.page.getByRole('button', { name: 'Open dialog' }).click();
    await opened.page.getByRole('dialog').waitFor();
    await opened.axe();
    expect(await opened.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

test('a dialog takes the focus, keeps it, and gives it back', async () => {
  const { page } = await gallery();
  const opener = page.getByRole('button', { name: 'Open dialog' });
  for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5)]) {
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'A dialog' });
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(
      await page.evaluate(
        "document.activeElement.closest('dialog') !== null || document.activeElement === document.body",
      ),
    ).toBe(true);
    await leave();
    await dialog.waitFor({ state: 'detached' });
    expect(await hasFocus(opener)).toBe(true);
  }
});

test('what asks first does nothing until it is confirmed', async () => {
  const { page } = await gallery();
  await page.getByRole('button', { name: 'Ask first' }).click();
  await page.getByRole('dialog').getByRole('button').nth(1).click();
  expect(await done(page)).toBe('nothing');
  await page.getByRole('button', { name: 'Ask first' }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await done(page)).toBe('confirmed');
});

test('a menu is used with the keyboard alone', async () => {
  const { page } = await gallery();
  const button = page.getByRole('button', { name: 'Menu: things to do' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await done(page)).toBe('second');
  expect(await hasFocus(button)).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  expect(await hasFocus(page.getByRole('menuitemradio'))).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
});

test('tabs are moved through with arrows', async () => {
  const { page } = await gallery();
  await page.getByRole('tab', { name: 'One' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('panel two').waitFor();
  expect(await page.getByRole('tab', { name: 'Two' }).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowRight');
  await page.getByText('panel one').waitFor();
});

test('a table sorts by numbers as numbers, and back', async () => {
  const { page } = await gallery();
  const names = () => page.getByRole('table').locator('tbody td:first-child').allTextContents();
  expect(await names()).toEqual(['pear', 'apple', 'melon']);
  await page.getByRole('button', { name: 'Weight' }).click();
  expect(await names()).toEqual(['apple', 'pear', 'melon']);
  await page.getByRole('button', { name: 'Weight' }).click();
  expect(await names()).toEqual(['melon', 'pear', 'apple']);
});

test('fields take what is typed, and say what is wrong', async () => {
  const { page } = await gallery();
  await page.getByLabel('City').fill('x');
  await page.getByRole('alert').filter({ hasText: 'No city' }).waitFor();
  await page.getByLabel('City').fill('Rome');
  await page.getByLabel('Colour').selectOption('blue');
  await page.getByRole('switch', { name: 'Lamp' }).click();
  await expect.poll(() => page.getByTestId('fields').textContent()).toBe('Rome blue true');
});

test('what is copied can be pasted, and it is said', async () => {
  const { page } = await gallery();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.locator('.toast').waitFor();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('copied text');
});

test('what goes wrong in a page is seen', async () => {
  const opened = await gallery();
  const { page } = opened;
  await page.evaluate("console.error('said so')");
  await page.evaluate("document.body.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))");
  await page.evaluate("setTimeout(() => { throw new Error('thrown') })");
  await page.evaluate("setTimeout(() => { location.href = 'http://127.0.0.2:9/' }, 50)");
  const wanted = [/said so/, /Content Security Policy/, /asked elsewhere: http:..127.0.0.2:9/, /Error: thrown/];
  for (const pattern of wanted) await expect.poll(() => opened.faults.some((fault) => pattern.test(fault))).toBe(true);
  opened.expectsFault(/^/);
});

describe('ten thousand rows', () => {
  test('are few in the document, wherever they are scrolled to', async () => {
    const { page } = await gallery();
    const rows = page.getByRole('list', { name: 'Rows' }).getByRole('listitem');
    await rows.first().waitFor();
    for (const top of [0, 1_000, 200_000, 399_600]) {
      await page.locator('.virtual-list').evaluate((list, to) => list.scrollTo(0, to), top);
      await page.getByText(`row ${top / 40}`, { exact: true }).waitFor();
      expect(await rows.count()).toBeLessThan(40);
    }
  });

  test('are moved through with the keyboard, say which they are, and are opened', async () => {
    const { page } = await gallery();
    const first = page.getByRole('listitem').filter({ hasText: /^row 0$/ });
    await first.focus();
    await page.keyboard.press('End');
    await page.getByText('row 9999', { exact: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    const focused = page.locator('.virtual-list-row:focus');
    await expect.poll(() => focused.textContent()).toBe('row 9998');
    expect(await focused.getAttribute('aria-posinset')).toBe('9999');
    expect(await focused.getAttribute('aria-setsize')).toBe('10000');
    await page.keyboard.press('Enter');
    expect(await done(page)).toBe('opened row 9998');
    await page.keyboard.press('Home');
    await expect.poll(() => focused.textContent()).toBe('row 0');
  });
});
