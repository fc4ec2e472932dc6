import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chatWords } from '../../../../packages/page/src/views/chat/words.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { type PageSetting, pageSetting } from '../../../support/browser/page-setting.ts';

const browser = new FileBrowser();
const words = chatWords.en;

/** Holds something back until it is let go. */
function gate() {
  return Promise.withResolvers<void>();
}

/** Ada says the numbers in her chat of the platform, and is answered. */
async function count({ daemon }: PageSetting, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number += 1) await daemon.channel.ask(`say ${number}.`, `echo: say ${number}.`);
}

/** The numbers that are shown as answered, in their order. */
async function answered(page: Page): Promise<readonly number[]> {
  const texts = await page.locator('.chat-answer').allTextContents();
  return texts.map((text) => Number(/echo: say (\d+)\./.exec(text)?.[1]));
}

const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, number) => number);

test('what was said earlier is shown once, however fast its button is pressed', async () => {
  const setting = await pageSetting();
  await count(setting, 0, 40);
  const { page } = await browser.open(setting, { path: '/chat/test:ada' });
  const earlier = page.getByRole('button', { name: words.earlier });
  await earlier.waitFor();
  // Both in one moment, before anything is drawn.
  await earlier.evaluate((button) => {
    for (const _press of [1, 2]) Reflect.apply(Reflect.get(button, 'click'), button, []);
  });
  await earlier.waitFor({ state: 'detached' });
  await page.locator('.chat-answer', { hasText: 'echo: say 0.' }).first().waitFor();
  expect(await answered(page)).toEqual(upTo(40));
});

test('what was said earlier leaves no gap if much is said while it comes', async () => {
  const setting = await pageSetting();
  await count(setting, 0, 35);
  const { page } = await browser.open(setting, { path: '/chat/test:ada' });
  const [older, newest] = [gate(), gate()];
  const earlier = page.getByRole('button', { name: words.earlier });
  await earlier.waitFor();
  await page.route('**/entries?before=*', async (route) => {
    await older.promise;
    await route.continue();
  });
  await page.route('**/entries', async (route) => {
    await newest.promise;
    await route.continue();
  });
  await earlier.click();
  await count(setting, 35, 70);
  newest.resolve();
  await page.locator('.chat-answer', { hasText: 'echo: say 69.' }).waitFor();
  const late = page.waitForResponse(/entries\?before=/);
  older.resolve();
  await (await late).finished();
  for (let presses = 0; (await earlier.count()) > 0 && presses < 5; presses += 1) {
    const before = await page.locator('.chat-answer').count();
    await earlier.click();
    await expect.poll(() => page.locator('.chat-answer').count()).toBeGreaterThan(before);
  }
  expect(await answered(page)).toEqual(upTo(70));
});

test('of two messages with the same text the one that was refused stays, though the other was stored', async () => {
  const setting = await pageSetting({ config: { attachments: { max_bytes: 1000 } } });
  const opened = await browser.open(setting, { path: '/chat' });
  const { page } = opened;
  const [stored, refusal] = [gate(), gate()];
  await page.routeWebSocket(/./, (socket) => {
    const daemon = socket.connectToServer();
    daemon.onMessage(async (frame) => {
      if (JSON.parse(String(frame)).type === 'error') await refusal.promise;
      socket.send(frame);
    });
  });
  await page.route('**/entries', async (route) => {
    await stored.promise;
    await route.continue();
  });
  await page.reload();
  const field = page.locator('.chat-composer textarea');
  setting.daemon.model.next('Seen.');
  await field.fill('look');
  await field.press('Enter');
  const large = { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(5000, 'x') };
  await page.locator('.chat-composer input[type=file]').setInputFiles(large);
  await page.locator('.chat-chosen li').waitFor();
  await field.fill('look');
  await field.press('Enter');
  await page.locator('.chat-outgoing').nth(1).waitFor();
  stored.resolve();
  await page.locator('.chat-own:not(.chat-outgoing)').waitFor();
  expect(await page.locator('.chat-outgoing').count()).toBe(1);
  refusal.resolve();
  const refused = page.locator('.chat-outgoing', { hasText: 'large.txt' });
  await refused.getByRole('alert').waitFor();
  await page.locator('.chat-answer', { hasText: 'Seen.' }).waitFor();
  expect(await page.locator('.chat-own').count()).toBe(2);
});
