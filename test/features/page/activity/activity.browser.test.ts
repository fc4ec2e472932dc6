import { expect, test } from 'vitest';
import { figureWords } from '../../../../packages/page/src/views/activity/figures/words.ts';
import { timelineWords } from '../../../../packages/page/src/views/activity/timeline/words.ts';
import { activityWords } from '../../../../packages/page/src/views/activity/words.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { readPage } from '../../../support/recording-tool.ts';
import { call } from '../../../support/scripted-model.ts';
import { minute, noon, type StoredRun, withRuns } from './stored-runs.ts';

const browser = new FileBrowser();

/** A run in which a page was read, and a person then allowed a call. */
async function withApproval() {
  const setting = await pageSetting({ tools: [unlock, readPage().registration] });
  const { channel, model } = setting.daemon;
  model.next([call('read_page', { what: 'news' })], [call('unlock', { door: 'front' })], 'It is **open**.\n\n- now');
  await channel.say('read the page, then open the door');
  await channel.press(await channel.sees(/nlock the front door/), { by: 'ada' });
  await channel.sees(/It is \*\*open/);
  return setting;
}

test.each([
  ['wide and light', { language: 'en' }],
  ['in Chinese, on a dark phone', { language: 'zh', width: 390, height: 844, isDark: true }],
] as const)('a run shows which rule asked, who allowed it and what had been read before, %s', async (_how, options) => {
  const setting = await withApproval();
  const opened = await browser.open(setting, { ...options, path: '/activity' });
  const { page } = opened;
  const words = timelineWords[options.language];
  await opened.axe();
  await page.getByText('read the page, then open the door').click();
  const step = page.locator('details', { hasText: 'unlock' });
  await step.locator('summary').click();
  await step
    .getByText(words.asked({ reason: words.because.tainted }))
    .nth(1)
    .waitFor();
  const told = (await step.textContent()) ?? '';
  expect(told).toContain('evil.example');
  expect(told).toContain(words.untrusted.yes);
  expect(told).toContain('front is open');
  expect(told).toMatch(
    new RegExp(words.decisions.approved({ by: 'Ada', at: '@', waited: undefined }).replace(/@.*/, '.*')),
  );
  // The answer stands there as in the chat, where the model said it and where it was sent.
  for (const place of ['.timeline-turn', '.timeline-deliveries']) {
    expect(await page.locator(`${place} .markdown strong`, { hasText: 'open' }).count(), place).toBe(1);
    expect(await page.locator(`${place} .markdown li`, { hasText: 'now' }).count(), place).toBe(1);
  }
  await page.getByText(words.unfold).click();
  expect(await page.locator('details[open]').count()).toBe(2);
  await opened.axe();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

  const id = await step.getAttribute('id');
  const again = await opened.another(`${new URL(page.url()).pathname}#${id}`);
  await again.page.locator(`details[open][id="${id}"] summary:focus`).waitFor();
  expect(await again.page.locator('details[open]').count()).toBe(1);
});

test('the list is live, and a run is live while it goes on', async () => {
  const setting = await pageSetting({ tools: [unlock] });
  const { channel, model } = setting.daemon;
  const { page } = await browser.open(setting, { path: '/activity' });
  await page.getByText(activityWords.en.noRuns).waitFor();
  model.next([call('unlock', { door: 'back' })], 'It is open.');
  await channel.say('open the back door');
  await page.getByText('open the back door').click();
  await page.getByText(timelineWords.en.outcomes.awaiting).waitFor();
  await channel.press(await channel.sees(/nlock the back door/), { by: 'ada' });
  await page.getByText(timelineWords.en.outcomes.success).waitFor();
  await page.getByText('It is open.').first().waitFor();
});

test('ten thousand runs scroll: only those that are seen are drawn, and asked for as they are needed', async () => {
  const setting = await pageSetting();
  const many = Array.from(
    { length: 10_000 },
    (_, index): StoredRun => ({ at: noon + index, says: `message ${index}` }),
  );
  await withRuns(setting.daemon, many);
  const { page } = await browser.open(setting, { path: '/activity' });
  await page.getByText('message 9999', { exact: true }).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/page/runs?')) asked.push(request.url());
  });
  const rows = page.locator('.virtual-list-row');
  let [steps, seen] = [0, 0];
  for (; seen < 2_000 && steps < 200; steps += 1) {
    await page.evaluate("document.querySelector('.virtual-list').scrollBy(0, 3000)");
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await rows.count()).toBeLessThan(45);
    seen = Math.max(...(await rows.evaluateAll((all) => all.map((row) => Number(row.dataset.row)))));
  }
  expect(seen).toBeGreaterThanOrEqual(2_000);
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.length).toBeLessThan(30);
});

test('filters stand in the address, and the list can be taken away as a file', async () => {
  const setting = await pageSetting();
  await withRuns(setting.daemon, [
    { at: noon, says: 'one', calls: [{ name: 'shell', outcome: 'error' }] },
    { at: noon + minute, says: 'two', by: 'bob' },
  ]);
  const opened = await browser.open(setting, { path: '/activity' });
  const { page } = opened;
  await page.locator('.filters > summary').click();
  await page.getByLabel(activityWords.en.tool).selectOption('shell');
  await page.getByText('two', { exact: true }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?tool=shell');
  await opened.axe();
  await page.reload();
  await page.getByText('one', { exact: true }).waitFor();
  expect(await page.locator('.run-row').count()).toBe(1);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText(activityWords.en.download).click()]);
  expect(file.suggestedFilename()).toBe('keyturn-runs.jsonl');
  await page.getByText(activityWords.en.noFilter).click();
  await page.getByText('two', { exact: true }).waitFor();
});

test('a list that the daemon does not give to this browser any more signs it out', async () => {
  const opened = await browser.open(await pageSetting(), { path: '/activity' });
  opened.expectsFault(/status of 401/);
  const { page } = opened;
  await page.route(/runs\.jsonl/, (route) => route.fulfill({ status: 401, json: { error: 'signed out' } }));
  await page.getByText(activityWords.en.download).click();
  await page.locator('.shell').waitFor({ state: 'detached' });
});

test.each([
  ['wide', { language: 'en' }],
  ['in Chinese, on a dark phone', { language: 'zh', width: 390, height: 844, isDark: true }],
] as const)('the search leads to where it was found, %s', async (_how, options) => {
  const setting = await pageSetting();
  await withRuns(setting.daemon, [
    { at: noon, says: '灯塔在哪里？', calls: [{ name: 'web', result: 'the lighthouse 灯塔' }] },
  ]);
  const opened = await browser.open(setting, { ...options, path: '/activity/search' });
  const { page } = opened;
  await page.getByLabel(activityWords[options.language].searchFor).fill('灯塔');
  await page.keyboard.press('Enter');
  await page.locator('mark').nth(1).waitFor();
  await opened.axe();
  await page.getByText('the lighthouse').click();
  await page.locator('details[open] summary:focus').waitFor();
  expect(new URL(page.url()).pathname).toBe('/activity/run1');
});

test.each([
  ['wide and light', { language: 'en' }],
  ['in Chinese, on a dark phone', { language: 'zh', width: 390, height: 844, isDark: true }],
] as const)('the figures are drawn, and stand in tables, %s', async (_how, options) => {
  const setting = await pageSetting();
  await withRuns(setting.daemon, [
    { at: noon, says: 'one', calls: [{ name: 'shell', outcome: 'error', asked: 'approved' }] },
    { at: noon + minute, says: 'two', model: 'other', tokens: 1234 },
  ]);
  const opened = await browser.open(setting, { ...options, path: '/activity/figures' });
  const { page } = opened;
  const words = figureWords[options.language];
  await page.locator('.plot-canvas[data-drawn="true"] canvas').nth(5).waitFor();
  const tokens = page.locator('.plot', { hasText: words.tokens });
  await tokens.getByText(words.asTable).click();
  expect(await tokens.locator('tbody tr').count()).toBe(30);
  expect(await tokens.locator('tbody tr').last().textContent()).toMatch(/1,234/);
  await opened.axe();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});
