import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { llmOnly } from '../../../../src/tools/output.ts';
import { registrationOf } from '../../../../src/tools/registry.ts';
import { defineTool } from '../../../../src/tools/tool.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { group } from '../../../support/daemon-setting.ts';
import { call } from '../../../support/scripted-model.ts';
import { png } from '../../../support/test-attachments.ts';
import { hostile } from './hostile-texts.ts';

const browser = new FileBrowser();

/** Runs in the page before all else. */
const trap = `
  Object.defineProperty(globalThis, '__pwned', { value: () => pwned('called'), writable: false });
  for (const name of ['alert', 'confirm', 'prompt']) Object.defineProperty(globalThis, name, { value: () => pwned(name) });
  document.addEventListener('securitypolicyviolation', (event) => pwned('policy: ' + event.violatedDirective));
`;

/** What would be called if a text was obeyed: in the page, and in its frames. */
async function setTrap(page: Page): Promise<() => Promise<readonly string[]>> {
  const caught: string[] = [];
  await page.exposeFunction('pwned', (why: string) => void caught.push(why));
  await page.addInitScript(trap);
  await page.reload();
  return async () => {
    const polluted = await page.evaluate(() => Reflect.get({}, 'polluted') !== undefined);
    return polluted ? [...caught, 'polluted'] : caught;
  };
}

/** Everything that a person could press in a text, and what could load or run by itself. */
async function dangerIn(page: Page, within = '.chat'): Promise<readonly string[]> {
  return page.locator(within).evaluate((shown) => {
    const links = [...shown.querySelectorAll('.markdown a, .chat-text a')].filter(
      (link) => !/^(?:https?|mailto):/.test(link.getAttribute('href') ?? ''),
    );
    const elements = shown.querySelectorAll(
      'script, iframe, object, embed, form:not(.chat-composer, search > form), base, meta, link, style, foreignObject, use, animate, set, video, audio, svg:not(.icon), .markdown img, [onerror], [onload], [onclick], [srcdoc], [xlink\\:href], .markdown [id], .markdown [name]',
    );
    return [...links, ...elements].map((one) => one.outerHTML.slice(0, 200));
  });
}

const echo = registrationOf(
  defineTool({
    name: 'echo_back',
    category: 'filesystem_read',
    description: 'Says what it is told.',
    input: z.record(z.string(), z.unknown()),
    describeCall: () => 'repeat it',
    execute: async (args) => llmOnly(String(args.text)),
  }),
);

describe('a hostile text', () => {
  test('in answers is shown and does nothing', async () => {
    const setting = await pageSetting();
    const { page } = await browser.open(setting, { path: '/chat' });
    const caught = await setTrap(page);
    const field = page.locator('.chat-composer textarea');
    expect(hostile.length).toBeGreaterThanOrEqual(60);
    // Alone each, as a text may be harmless beside another, and growing, as half of one may not be.
    for (const [number, text] of hostile.entries()) {
      const half = Math.floor(text.length / 2);
      setting.daemon.model.next({ early: text.slice(0, half), rest: () => `${text.slice(half)}\n\nend of ${number}.` });
      await field.fill(`say ${number}`);
      await field.press('Enter');
      await page
        .locator('.chat-answer', { hasText: `end of ${number}.` })
        .first()
        .waitFor();
    }
    expect(await dangerIn(page)).toEqual([]);
    await page.reload();
    await page.locator('.chat-answer', { hasText: `end of ${hostile.length - 1}.` }).waitFor();
    expect(await dangerIn(page)).toEqual([]);
    // Pressed and pointed at, they lead to the web or nowhere.
    for (const summary of await page.locator('.chat details > summary').all()) await summary.click();
    for (const link of await page.locator('.markdown-no-link').all()) await link.click({ force: true });
    expect(await caught()).toEqual([]);
  });

  test('in messages, names, titles, arguments, results and files is shown and does nothing', async () => {
    const setting = await pageSetting({ tools: [echo] });
    const { channel, model } = setting.daemon;
    const { page } = await browser.open(setting, { path: '/chat' });
    const caught = await setTrap(page);
    const field = page.locator('.chat-composer textarea');
    const texts = hostile.filter((_, index) => index % 4 === 0);
    for (const [number, text] of texts.entries()) {
      const args = JSON.parse(
        `{"__proto__": {"polluted": 1}, "text": ${JSON.stringify(text)}, ${JSON.stringify(text)}: 1}`,
      );
      model.next([call('echo_back', args)], `end of ${number}.`);
      await field.fill(text);
      await field.press('Enter');
      await page.locator('.chat-answer', { hasText: `end of ${number}.` }).waitFor();
      const open = page.locator('.chat-call:not([open]) > summary');
      while ((await open.count()) > 0) await open.first().click();
    }
    for (const [number, text] of texts.slice(0, 8).entries())
      await channel.say(`from a group ${number}`, {
        by: `eve${number}`,
        in: { channel: 'test', chatId: `g${number}`, kind: 'group', title: text },
      });
    expect(await dangerIn(page)).toEqual([]);
    await page.reload();
    await page.locator('.chat-call').first().waitFor();
    expect(await dangerIn(page)).toEqual([]);
    expect(await caught()).toEqual([]);
  });

  test('as the name of a file, a person or a tool is shown and does nothing', async () => {
    const setting = await pageSetting();
    const { channel, model } = setting.daemon;
    const { page } = await browser.open(setting, { path: '/chat' });
    const caught = await setTrap(page);
    const field = page.locator('.chat-composer textarea');
    const names = hostile.filter((_, index) => index % 4 === 1);
    for (const [number, name] of names.slice(0, 6).entries()) {
      await page.locator('.chat-composer input[type=file]').setInputFiles([
        { name: `${name}.png`, mimeType: 'image/png', buffer: png },
        { name, mimeType: name, buffer: Buffer.from(name) },
      ]);
      await page.locator('.chat-chosen li').nth(1).waitFor();
      model.next([call(name, { text: name })], `end of ${number}.`);
      await field.fill(`look at ${number}`);
      await field.press('Enter');
      await page.locator('.chat-answer', { hasText: `end of ${number}.` }).waitFor();
    }
    expect(await page.locator('.chat-own .chat-file').count()).toBe(12);
    expect(await dangerIn(page)).toEqual([]);
    await page.reload();
    await page.locator('.chat-own .chat-file img').first().waitFor();
    expect(await dangerIn(page)).toEqual([]);

    for (const [number, name] of names.entries())
      await channel.say(`I am ${number}`, { by: 'bob', name, in: { ...group, title: 'Names' } });
    await page.locator('.chat-listed', { hasText: 'Names' }).click();
    await page.locator('.chat-said', { hasText: `I am ${names.length - 1}` }).waitFor();
    expect(await dangerIn(page)).toEqual([]);
    await page.goto(new URL('/activity', page.url()).href);
    await page.locator('.run-row').first().waitFor();
    expect(await dangerIn(page, 'main')).toEqual([]);
    await page.goto(new URL('/activity?q=look', page.url()).href);
    await page.locator('.run-row', { hasText: 'look at' }).first().click();
    await page.locator('.timeline-tool').first().waitFor();
    expect(await dangerIn(page, 'main')).toEqual([]);
    expect(await caught()).toEqual([]);
  });
});
