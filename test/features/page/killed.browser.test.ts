import { expect, test } from 'vitest';
import { FileBrowser } from '../../support/browser/browser.ts';
import { DaemonProcess } from '../../support/daemon-process.ts';
import { runCommandOf } from '../../support/run-command.ts';

const browser = new FileBrowser();
const base = { model: 'offline', channels: { terminal: { enabled: true } } };

/** The link that its operator gets in another terminal. */
async function linkOf(daemon: DaemonProcess): Promise<URL> {
  await expect.poll(async () => (await runCommandOf(daemon, ['status'])).code).toBe(0);
  const told: { readonly here: string } = JSON.parse((await runCommandOf(daemon, ['web', '--json'])).stdout);
  return new URL(told.here);
}

test('a process that was killed is found again by the page, with its person', async () => {
  await using daemon = DaemonProcess.start({ config: { ...base, gateway: { port: 0 } }, stdin: 'pipe' });
  const link = await linkOf(daemon);
  const opened = await browser.blank();
  const { page } = opened;
  await page.goto(link.href);
  await opened.isSignedIn();
  await page.locator('main h1').first().waitFor();
  opened.expectsFault(/ERR_|WebSocket connection to|status of 50/);
  await daemon.kill();
  await page.locator('.shell-offline').waitFor();
  daemon.writeConfig({ ...base, gateway: { port: Number(link.port) } });
  await daemon.restart();
  await page.locator('.shell-offline').waitFor({ state: 'detached' });
  await page.locator('nav a[href="/people"]').click();
  await page.locator('[aria-current="page"][href="/people"]').waitFor();
  await page.reload();
  await opened.isSignedIn();
});

test('a page that is opened while the process is away comes up when it is there', async () => {
  await using daemon = DaemonProcess.start({ config: { ...base, gateway: { port: 0 } }, stdin: 'pipe' });
  const link = await linkOf(daemon);
  const opened = await browser.blank();
  const { page } = opened;
  await page.goto(link.href);
  await opened.isSignedIn();
  opened.expectsFault(/ERR_|WebSocket connection to|status of 50/);
  // The files of the page are there, and what it asks is not answered.
  await page.route('**/page/**', (route) => route.abort());
  await page.reload();
  await page.getByRole('status').waitFor();
  expect(await page.locator('.shell').count()).toBe(0);
  await page.unroute('**/page/**');
  await opened.isSignedIn();
});
