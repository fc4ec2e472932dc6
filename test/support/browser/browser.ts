import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findBrowser } from './find-browser.ts';
import { OpenedPage } from './opened-page.ts';
import type { PageSetting } from './page-setting.ts';

export interface OpenOptions {
  /** Who signs in: the owner if not set. */
  readonly as?: string;
  /** What the person, and the browser, speak. English if not set. */
  readonly language?: 'en' | 'zh';
  /** In pixels: 390 is a phone. */
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** Where it is opened; `/` if not set. */
  readonly path?: string;
}

/** The browser of a test file: launched for its first test, closed behind its last. Call it once, at the top of the file. */
export class FileBrowser {
  #browser: Browser | undefined;

  constructor() {
    beforeAll(async () => {
      const executablePath = findBrowser(process.env);
      if (executablePath === undefined) throw new Error('There is no browser: apt-get install chromium');
      this.#browser = await chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] });
    });
    afterAll(() => this.#browser?.close());
  }

  /** Opens the page in a browser profile of its own, signed in through a link of the person's chat. */
  async open(setting: PageSetting, options: OpenOptions = {}): Promise<OpenedPage> {
    const { as = 'ada', language, path = '/' } = options;
    if (language !== undefined) await setting.daemon.channel.say(`/language ${language}`, { by: as });
    const opened = await this.visit(setting, options);
    const link = await setting.link(as);
    await opened.page.goto(new URL(path + link.hash, link).href);
    await opened.isSignedIn();
    return opened;
  }

  /** A browser profile that nobody is signed in with, before it goes anywhere. */
  visit(setting: PageSetting, options: OpenOptions = {}): Promise<OpenedPage> {
    return this.blank(options, setting.daemon.clock.now());
  }

  /** The same without a daemon. */
  async blank(options: OpenOptions = {}, now = Date.now()): Promise<OpenedPage> {
    const { language = 'en', width = 1200, height = 800, isDark = false } = options;
    const context = await this.#profile({
      locale: language === 'zh' ? 'zh-CN' : 'en-GB',
      viewport: { width, height },
      colorScheme: isDark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      isMobile: width < 500,
      hasTouch: width < 500,
    });
    return OpenedPage.in(context, now);
  }

  async #profile(options: Parameters<Browser['newContext']>[0]): Promise<BrowserContext> {
    if (this.#browser === undefined) throw new Error('The browser was not launched: make it at the top of the file.');
    const context = await this.#browser.newContext({ ...options, timezoneId: 'UTC' });
    context.setDefaultTimeout(60_000);
    onTestFinished(() => context.close());
    return context;
  }
}
