import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Language } from '../../src/lib/words.ts';
import { TelegramSetting } from '../../test/e2e/telegram-setting.ts';
import { fewerColours } from './photograph.ts';
import { type Theme, themes } from './sheet.ts';

const lines = {
  en: {
    ask: 'Which notes are there?',
    found: 'One: `shopping.md`, with what you wanted from the market.',
    notes: '# Shopping\n\n- bread\n- tea\n',
    change: 'Bread is done. Put milk and apples on the list, please.',
    say: 'I take the bread off and add both.',
    news: '# Shopping\n\n- tea\n- milk\n- apples\n',
  },
  zh: {
    ask: '现在有哪些笔记？',
    found: '有一个：`shopping.md`，写着你想在市场上买的东西。',
    notes: '# 购物\n\n- 面包\n- 茶\n',
    change: '面包买好了。请把牛奶和苹果加到清单上。',
    say: '我把面包划掉，再加上这两样。',
    news: '# 购物\n\n- 茶\n- 牛奶\n- 苹果\n',
  },
} as const;

const size = { width: 1120, height: 780 } as const;

/**
 * Photographs the page of a real daemon into the folder: a card that asks in a chat, and the timeline of a run. What is seen was
 * said over Telegram and in the page.
 */
export async function photographPage(language: Language, folder: string): Promise<void> {
  const words = lines[language];
  await using setting = await TelegramSetting.start({
    config: { language, tools: { shell: { sandbox: 'off' } } },
  });
  const { telegram, model, daemon } = setting;
  const ada = setting.newOwner();
  await writeFile(join(daemon.workspace, 'shopping.md'), words.notes);
  model
    .onUser(words.ask, { calls: [{ name: 'list_dir', arguments: { path: '.' } }] })
    .onUser(words.change, {
      text: words.say,
      calls: [{ name: 'write_file', arguments: { path: 'shopping.md', content: words.news } }],
    })
    .onResult('shopping.md', words.found);
  telegram.say(ada, words.ask, { from: { id: ada, is_bot: false, first_name: 'Ada' } });
  await telegram.waitForMessage(ada, words.found.replaceAll('`', ''));
  telegram.say(ada, '/web', { from: { id: ada, is_bot: false, first_name: 'Ada' } });
  const link = await telegram.waitFor(
    () =>
      /http:\S+#ticket=\w+/.exec(
        telegram
          .chat(ada)
          .map(({ text }) => text)
          .join('\n'),
      )?.[0],
    { timeoutMs: 20_000, what: 'a link to the page' },
  );
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    await takePictures({ browser, link, language, folder });
  } finally {
    await browser.close();
  }
}

interface Visit {
  readonly browser: Browser;
  readonly link: string;
  readonly language: Language;
  readonly folder: string;
}

async function takePictures({ browser, link, language, folder }: Visit): Promise<void> {
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: 2, locale, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(link);
  const box = page.locator('textarea');
  await box.fill(lines[language].change);
  await box.press('Enter');
  await page.locator('.approval button').first().waitFor();
  // It tells who has signed in, for a moment.
  await page.locator('.toast button').first().click();
  await page.locator('.toast').first().waitFor({ state: 'detached' });
  for (const theme of themes) await takePicture('chat', theme);
  await page.goto(new URL('/activity', link).href);
  await page.getByText(lines[language].ask).first().click();
  await page.locator('main details').first().click();
  for (const theme of themes) await takePicture('activity', theme);

  async function takePicture(what: string, theme: Theme): Promise<void> {
    await page.emulateMedia({ colorScheme: theme });
    const picture = join(folder, `page-${what}-${language}-${theme}.png`);
    await page.screenshot({ path: picture });
    fewerColours(picture, 64);
  }
}
