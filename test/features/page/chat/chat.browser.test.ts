import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { held } from '../../../support/scripted-model.ts';

const browser = new FileBrowser();

/** Says something as a person does. */
async function say(page: Page, text: string): Promise<void> {
  const field = page.locator('.chat-composer textarea');
  await field.fill(text);
  await field.press('Enter');
}

const answers = (page: Page) => page.locator('.chat-answer');

describe('chat', () => {
  test('shows an answer while it is written, and keeps it', async () => {
    const setting = await pageSetting();
    const opened = await browser.open(setting, { path: '/chat' });
    const { page } = opened;
    const answer = held('\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n\nand $x^2$.');
    setting.daemon.model.next({ early: 'I **begin**', rest: answer.script });
    await say(page, 'hello');
    await page.locator('.markdown-grows strong').waitFor();
    answer.release();
    await page.locator('.chat-answer table').waitFor();
    await page.locator('.chat-answer math').waitFor();
    await page.locator('.hljs-keyword').waitFor();
    await page.locator('.markdown-grows').waitFor({ state: 'detached' });
    expect(page.url()).toContain('/chat/device:');
    expect(await answers(page).count()).toBe(1);
    await opened.axe();
  });
});
