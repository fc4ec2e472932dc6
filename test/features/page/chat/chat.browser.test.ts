import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chatWords } from '../../../../packages/page/src/views/chat/words.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { call, held } from '../../../support/scripted-model.ts';

const browser = new FileBrowser();
const { en, zh } = chatWords;

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

  test('does not blink when an answer is complete', async () => {
    const setting = await pageSetting();
    const { page } = await browser.open(setting, { path: '/chat' });
    const answer = held(' and it ends.');
    setting.daemon.model.next({ early: 'It begins', rest: answer.script });
    await say(page, 'hello');
    await answers(page).filter({ hasText: 'It begins' }).waitFor();
    await page.locator('.chat-log').evaluate((log) => {
      Reflect.set(globalThis, 'fewest', 1);
      new (Reflect.get(globalThis, 'MutationObserver'))(() => {
        const count = log.querySelectorAll('.chat-answer').length;
        Reflect.set(globalThis, 'fewest', Math.min(count, Reflect.get(globalThis, 'fewest')));
      }).observe(log, { subtree: true, childList: true, characterData: true });
    });
    answer.release();
    await answers(page).filter({ hasText: 'It begins and it ends.' }).waitFor();
    await page.locator('.markdown-grows').waitFor({ state: 'detached' });
    await page.locator('.chat-answer time').waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'fewest'))).toBe(1);
  });

  test('decides what waits in it: approved here, denied here with a reason, decided elsewhere, too late', async () => {
    const setting = await pageSetting({ tools: [unlock] });
    const { model, channel } = setting.daemon;
    const opened = await browser.open(setting, { path: '/chat' });
    const { page } = opened;
    const choose = async (choice: RegExp): Promise<void> => {
      await page.locator('.approval-actions[data-seen=true]').waitFor();
      await page.locator('.approval-actions button', { hasText: choice }).first().click();
    };
    model.next([call('unlock', { door: 'front' })], 'The front is open.');
    await say(page, 'open the front');
    await page.locator('.approval', { hasText: 'front' }).waitFor();
    await opened.axe();
    await choose(/Approve|Allow|Run/);
    await answers(page).filter({ hasText: 'The front is open.' }).waitFor();
    await page.locator('.chat-call-success').waitFor();
    expect(await page.locator('.approval').count()).toBe(0);

    model.next([call('unlock', { door: 'back' })], 'It stays shut.');
    await say(page, 'open the back');
    await choose(/Deny|No/);
    await answers(page).filter({ hasText: 'It stays shut.' }).waitFor();
    await page.locator('.chat-call-denied').waitFor();

    model.next([call('unlock', { door: 'side' })], 'Nobody came.');
    await say(page, 'open the side');
    await page.locator('.approval', { hasText: 'side' }).waitFor();
    setting.passes(48 * 3_600_000);
    await page.locator('.chat-call-expired').waitFor();
    expect(await page.locator('.approval').count()).toBe(0);
    await channel.whenIdle();
  });

  test('shows the same in all tabs', async () => {
    const setting = await pageSetting({ tools: [unlock] });
    const { model } = setting.daemon;
    const one = await browser.open(setting, { path: '/chat' });
    await say(one.page, 'first');
    await answers(one.page).filter({ hasText: 'echo: first' }).waitFor();
    const other = await one.another();
    await answers(other.page).filter({ hasText: 'echo: first' }).waitFor();
    const answer = held(' and ends');
    model.next({ early: 'It begins', rest: answer.script });
    await say(other.page, 'second');
    for (const { page } of [one, other]) {
      await page.locator('.chat-own', { hasText: 'second' }).waitFor();
      await page.locator('.chat-answer', { hasText: 'It begins' }).waitFor();
    }
    answer.release();
    for (const { page } of [one, other]) {
      await answers(page).filter({ hasText: 'It begins and ends' }).waitFor();
      await page.locator('.markdown-grows').waitFor({ state: 'detached' });
      expect(await answers(page).count()).toBe(2);
      expect(await page.locator('.chat-own').count()).toBe(2);
    }
    model.next([call('unlock', { door: 'front' })], 'Open.');
    await say(one.page, 'open');
    for (const { page } of [one, other]) await page.locator('.approval-actions[data-seen=true]').waitFor();
    await other.page.locator('.approval-actions button').first().click();
    for (const { page } of [one, other]) await answers(page).filter({ hasText: 'Open.' }).waitFor();
    expect(await one.page.locator('.approval').count()).toBe(0);
  });

  test('is whole after it was loaded again while an answer was written', async () => {
    const setting = await pageSetting({ tools: [unlock] });
    const { model } = setting.daemon;
    const { page } = await browser.open(setting, { path: '/chat' });
    const answer = held(' the end.');
    model.next({ early: 'It is long, up to', rest: answer.script });
    await say(page, 'tell me');
    await answers(page).filter({ hasText: 'It is long' }).waitFor();
    await page.reload();
    await answers(page).filter({ hasText: 'It is long' }).waitFor();
    expect(await page.locator('.chat-own').count()).toBe(1);
    answer.release();
    await answers(page).filter({ hasText: 'up to the end.' }).waitFor();
    await page.locator('.markdown-grows').waitFor({ state: 'detached' });
    expect(await answers(page).count()).toBe(1);
  });

  test('sends what was written without a connection when it is back, once, and has what was said meanwhile', async () => {
    const setting = await pageSetting();
    const { model } = setting.daemon;
    const opened = await browser.open(setting, { path: '/chat' });
    opened.expectsFault(/WebSocket|net::ERR_|status of 50/);
    const { page } = opened;
    model.next(held('never').script);
    await say(page, 'first');
    await model.asked(1);
    await page.locator('.chat-outgoing').waitFor({ state: 'detached' });
    const { port } = new URL(page.url());
    await setting.daemon.stop();
    await page.locator('.shell-offline').waitFor();
    await say(page, 'written away');
    await page.locator('.chat-outgoing', { hasText: en.sentLater }).waitFor();
    model.next('first is answered', 'so is the other');
    await setting.daemon.start({ gateway: { port: Number(port), max_connections_per_person: 1000 } });
    await answers(page).filter({ hasText: 'answered' }).waitFor();
    await page.locator('.chat-outgoing').waitFor({ state: 'detached' });
    expect(await page.locator('.chat-own', { hasText: 'written away' }).count()).toBe(1);
  });

  test('sends what was written without a connection though the page was closed meanwhile, once', async () => {
    const setting = await pageSetting();
    const opened = await browser.open(setting, { path: '/chat' });
    opened.expectsFault(/WebSocket|net::ERR_|status of 50/);
    const { page } = opened;
    await say(page, 'again');
    await answers(page).filter({ hasText: 'echo: again' }).waitFor();
    await page.locator('.chat-outgoing').waitFor({ state: 'detached' });
    const address = page.url();
    await setting.daemon.stop();
    await page.locator('.shell-offline').waitFor();
    await say(page, 'again');
    await page.locator('.chat-outgoing', { hasText: en.sentLater }).waitFor();
    await page.goto('about:blank');
    const { port } = new URL(address);
    await setting.daemon.start({ gateway: { port: Number(port), max_connections_per_person: 1000 } });
    await page.goto(address);
    await answers(page).nth(1).waitFor();
    await page.locator('.chat-outgoing').waitFor({ state: 'detached' });
    expect(await page.locator('.chat-own', { hasText: 'again' }).count()).toBe(2);
    await page.reload();
    await answers(page).nth(1).waitFor();
    expect(await page.locator('.chat-own').count()).toBe(2);
  });

  test('says so where there is no conversation, and keeps a new one that was only begun', async () => {
    const setting = await pageSetting();
    const opened = await browser.open(setting, { path: '/chat/device:zzz' });
    opened.expectsFault(/status of 404/);
    const { page } = opened;
    await page.getByText(en.notHere).waitFor();
    expect(await page.locator('.chat-composer').count()).toBe(0);
    await opened.axe();
    await page.getByRole('button', { name: en.newChat }).click();
    await page.getByText(en.begin).waitFor();
    await page.reload();
    await page.getByText(en.begin).waitFor();
    expect(await page.getByText(en.notHere).count()).toBe(0);
    await say(page, 'it begins');
    await answers(page).filter({ hasText: 'echo: it begins' }).waitFor();
  });

  test('stops, and answers again', async () => {
    const setting = await pageSetting();
    const { model } = setting.daemon;
    const { page } = await browser.open(setting, { path: '/chat' });
    model.next({ early: 'I go on and on', rest: held('never').script });
    await say(page, 'talk');
    await answers(page).filter({ hasText: 'I go on' }).waitFor();
    await page.getByRole('button', { name: en.stop }).click();
    await answers(page).filter({ hasText: 'interrupted' }).waitFor();
    await page.getByRole('button', { name: en.stop }).waitFor({ state: 'detached' });
    model.next('Another answer.');
    await page.getByRole('button', { name: en.again }).click();
    await answers(page).filter({ hasText: 'Another answer.' }).waitFor();
  });

  test('brings files there and back: pictures are seen, others are kept', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const setting = await pageSetting({ files: { 'note.txt': 'hello there' } });
    await setting.daemon.write('dot.png', png);
    const { model } = setting.daemon;
    const { page } = await browser.open(setting, { path: '/chat' });
    await page.locator('.chat-composer input[type=file]').setInputFiles([
      { name: 'door.png', mimeType: 'image/png', buffer: png },
      { name: '名字 & <b>.txt', mimeType: 'text/plain', buffer: Buffer.from('text') },
    ]);
    await page.locator('.chat-chosen li').nth(1).waitFor();
    await say(page, 'look');
    await page.locator('.chat-own .chat-file', { hasText: 'door.png' }).waitFor();
    await page.locator('.chat-own .chat-file', { hasText: '名字 & <b>.txt' }).waitFor();
    await page.locator('.chat-outgoing').waitFor({ state: 'detached' });
    await answers(page).first().waitFor();
    model.next([call('send_file', { path: 'dot.png' }), call('send_file', { path: 'note.txt' })], 'Here they are.');
    await say(page, 'show me');
    await page.locator('.chat-shown-file img').waitFor();
    expect(await page.locator('.chat-shown-file img').evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(1);
    await page.locator('.chat-shown-file', { hasText: 'note.txt' }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: en.download('note.txt') }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('note.txt');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).toString()).toBe('hello there');
    await page.reload();
    await page.locator('.chat-shown-file img').waitFor();
    const sent = page.locator('.chat-own .chat-file', { hasText: 'door.png' }).locator('img');
    await sent.waitFor();
    expect(await sent.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(1);
  });

  test('shows conversations of platforms as they go on, to read', async () => {
    const setting = await pageSetting();
    const { channel } = setting.daemon;
    await channel.ask('hello from the phone', 'echo: hello from the phone');
    const opened = await browser.open(setting, { path: '/chat' });
    const { page } = opened;
    await page.locator('.chat-listed', { hasText: en.untitled('test') }).click();
    await answers(page).filter({ hasText: 'echo: hello from the phone' }).waitFor();
    await page.locator('.chat-elsewhere').waitFor();
    expect(await page.locator('.chat-composer').count()).toBe(0);
    await channel.say('and more');
    await answers(page).filter({ hasText: 'echo: and more' }).waitFor();
    await opened.axe();
  });

  test('keeps what was begun, sends with Enter alone, and takes up what was said last', async () => {
    const setting = await pageSetting();
    const { page } = await browser.open(setting, { path: '/chat' });
    const field = page.locator('.chat-composer textarea');
    await say(page, 'first');
    await answers(page).first().waitFor();
    await field.fill('one');
    await field.press('Shift+Enter');
    await field.pressSequentially('two');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('one\ntwo');
    // An input method takes Enter for itself.
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await field.inputValue()).toBe('one\ntwo');
    await field.press('Enter');
    await page.locator('.chat-own', { hasText: 'two' }).waitFor();
    expect(await field.inputValue()).toBe('');
    await field.press('ArrowUp');
    expect(await field.inputValue()).toBe('one\ntwo');
  });

  test('is named and found, on a phone, in the dark, in Chinese', async () => {
    const setting = await pageSetting();
    const opened = await browser.open(setting, { path: '/chat', width: 390, isDark: true, language: 'zh' });
    const { page } = opened;
    await page.getByRole('button', { name: zh.newChat }).click();
    await say(page, '你好，**世界**');
    await answers(page).filter({ hasText: '你好' }).waitFor();
    await opened.axe();
    const isWide = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = Reflect.get(globalThis, 'document').documentElement;
      return scrollWidth > clientWidth;
    });
    expect(isWide).toBe(false);
    await page.getByRole('button', { name: zh.rename }).click();
    await page.locator('.chat-rename input').fill('奈良之行');
    await page.getByRole('button', { name: zh.save }).click();
    await page.locator('.chat-head h2', { hasText: '奈良之行' }).waitFor();
    await page.locator('.chat-back').click();
    await page.locator('.chat-search').fill('奈良');
    await page.locator('.chat-listed', { hasText: '奈良之行' }).waitFor();
    expect(await page.locator('.chat-listed').count()).toBe(1);
    await opened.axe();
  });

  test('stays where a person reads while more comes, and tells of it', async () => {
    const setting = await pageSetting();
    const { page } = await browser.open(setting, { path: '/chat', height: 500 });
    const long = Array.from({ length: 60 }, (_, line) => `Line ${line}\n\n`).join('');
    setting.daemon.model.next(long);
    await say(page, 'tell me');
    await page.getByText('Line 59').waitFor();
    const log = page.locator('.chat-log');
    const fromEnd = () =>
      log.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    await expect.poll(fromEnd).toBeLessThan(5);
    await page.locator('.markdown-grows').waitFor({ state: 'detached' });
    await log.evaluate((element) => element.scrollTo({ top: 100 }));
    await page.locator('.chat-to-end').waitFor();
    await say(page, 'more');
    await page.locator('.chat-to-end', { hasText: en.toEnd }).waitFor();
    expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBe(100);
    await page.locator('.chat-to-end').click();
    await expect.poll(fromEnd).toBeLessThan(5);
  });

  test('keeps a message that was refused, to be sent again or not', async () => {
    const setting = await pageSetting({ config: { attachments: { max_bytes: 1000 } } });
    const opened = await browser.open(setting, { path: '/chat' });
    // Loaded again, it asks for a chat of which nothing is stored yet.
    opened.expectsFault(/status of 404/);
    const { page } = opened;
    const large = { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(5000, 'x') };
    await page.locator('.chat-composer input[type=file]').setInputFiles(large);
    await page.locator('.chat-chosen li').waitFor();
    await say(page, 'look at this');
    const refused = page.locator('.chat-outgoing', { has: page.getByRole('alert') });
    await refused.waitFor();
    await page.getByRole('button', { name: en.retry }).click();
    await refused.waitFor();
    // Loading the page again loses nothing that was written.
    await page.reload();
    await page.locator('.chat-outgoing', { hasText: 'look at this' }).waitFor();
    await page.getByRole('button', { name: en.retry }).click();
    await answers(page).filter({ hasText: 'echo: look at this' }).waitFor();
    await page.locator('.chat-outgoing').waitFor({ state: 'detached' });
    expect(await page.locator('.chat-own').count()).toBe(1);
  });

  test('shows a friend their own conversations alone', async () => {
    const setting = await pageSetting();
    await setting.daemon.channel.ask('a secret of Ada', 'echo: a secret of Ada');
    const opened = await browser.open(setting, { path: '/chat', as: 'bob' });
    opened.expectsFault(/status of 404/);
    const { page } = opened;
    await page.locator('.chat-listed').first().waitFor();
    expect(await page.locator('.chat-listed').count()).toBe(1);
    await page.goto(new URL('/chat/test:ada', page.url()).href);
    await page.getByText(en.notHere).waitFor();
    expect(await page.locator('.chat-entry').count()).toBe(0);
  });

  test('stays quick with the longest message', async () => {
    const setting = await pageSetting();
    const { page } = await browser.open(setting, { path: '/chat' });
    const long = Array.from(
      { length: 3_000 },
      (_, number) => `${number}. item with **bold** and \`code\` and more words\n\n`,
    )
      .join('')
      .slice(0, 240_000);
    setting.daemon.model.next(`${long}\n\nthe end`);
    await say(page, 'tell me everything');
    await answers(page).filter({ hasText: 'the end' }).first().waitFor();
    await page.locator('.markdown-grows').waitFor({ state: 'detached' });
    // What is written meanwhile is not held up.
    const field = page.locator('.chat-composer textarea');
    await field.pressSequentially('still quick');
    expect(await field.inputValue()).toBe('still quick');
  });
});
