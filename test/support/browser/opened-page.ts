import axeCore from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** What axe found, short enough to read in a failed test. */
interface Violation {
  readonly rule: string;
  readonly help: string;
  readonly places: readonly string[];
}

/**
 * A tab with the page. Faults of the page fail its test: what the browser's console says, what the policy forbids, and what is
 * asked of other origins.
 */
export class OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #now: number;
  readonly #faults: string[] = [];
  readonly #expected: RegExp[] = [];

  private constructor(context: BrowserContext, page: Page, now: number) {
    this.context = context;
    this.page = page;
    this.#now = now;
  }

  /** A tab more of the profile. Its time is the daemon's, and stands still. */
  static async in(context: BrowserContext, now: number): Promise<OpenedPage> {
    const page = await context.newPage();
    const opened = new OpenedPage(context, page, now);
    await page.clock.setFixedTime(now);
    opened.#watch();
    onTestFinished(() => expect(opened.faults, 'faults of the page').toEqual([]));
    return opened;
  }

  /** A tab beside this one, at the same address or another. */
  async another(path?: string): Promise<OpenedPage> {
    const other = await OpenedPage.in(this.context, this.#now);
    await other.page.goto(path === undefined ? this.page.url() : new URL(path, this.page.url()).href);
    return other;
  }

  /** What has gone wrong, and was not expected. */
  get faults(): readonly string[] {
    return this.#faults.filter((fault) => !this.#expected.some((pattern) => pattern.test(fault)));
  }

  /** The test does what makes the browser complain so. */
  expectsFault(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  async isSignedIn(): Promise<void> {
    await this.page.locator('.shell').waitFor();
  }

  /** Everything that is shown now follows the rules of accessibility that axe can check, contrast included. */
  async axe(within = 'body'): Promise<void> {
    await this.page.evaluate(axeCore.source);
    const found = await this.page.evaluate(findViolations, within);
    expect(found).toEqual([]);
  }

  #watch(): void {
    const { page } = this;
    page.on('pageerror', (error) => this.#faults.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (/^(?:https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1')
        this.#faults.push(`asked elsewhere: ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      this.#faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
}

/** Runs in the page. */
async function findViolations(within: string): Promise<readonly Violation[]> {
  const axe: typeof axeCore = Reflect.get(globalThis, 'axe');
  const { violations } = await axe.run(within, { resultTypes: ['violations'] });
  return violations.map(({ id, help, nodes }) => ({
    rule: id,
    help,
    places: nodes.slice(0, 5).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  }));
}
