import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TelegramServer } from '../../../../packages/fakes/src/telegram-server.ts';
import { setupWords } from '../../../../packages/page/src/views/settings/setup/words.ts';
import { stateWords } from '../../../../packages/page/src/views/settings/state-words.ts';
import { settingsWords } from '../../../../packages/page/src/views/settings/words.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import type { OpenedPage } from '../../../support/browser/opened-page.ts';
import { openPageOf } from '../../../support/browser/process-page.ts';
import { DaemonProcess, settingUpEntry } from '../../../support/daemon-process.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const browser = new FileBrowser();
const say = settingsWords.en;
const token = '7000001:AAliteral-token-of-a-bot-0123456789ab';

/** A Keyturn that runs with a config that people have written: with remarks, and with a secret in it. */
async function running(options: Partial<Parameters<typeof DaemonProcess.start>[0]> = {}) {
  const daemon = DaemonProcess.start({ config: { channels: { terminal: {} } }, stdin: 'pipe', ...options });
  onTestFinished(() => daemon.dispose());
  const { dataDir, workspace } = daemon;
  const text = `// mine
{
  "data_dir": ${JSON.stringify(dataDir)},
  "workspace": ${JSON.stringify(workspace)},
  "gateway": { "port": 0 },
  "agent": { "max_turns": 20 }, // how long it works
  "channels": {
    "terminal": { "enabled": true },
    "slack": { "enabled": false, "bot_token": "${token}" },
  },
}
`;
  writeFileSync(daemon.configFile, text);
  await daemon.waitForOutput('Keyturn');
  return { daemon, text, written: () => readFileSync(daemon.configFile, 'utf8') };
}

/** As the config names a variable. */
function reference(name: string): string {
  return `\${${name}}`;
}

function press({ page }: OpenedPage, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

/** Puts the cursor behind a word of the editor. */
async function cursorBehind({ page }: OpenedPage, word: string): Promise<void> {
  await page.getByRole('textbox', { name: say.text.label }).click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type(word);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowRight');
}

test('the text is edited: a fault is shown at its line, mended, compared, saved, taken over and taken back', async () => {
  const { daemon, text, written } = await running();
  const opened = await openPageOf(daemon, browser, { path: '/settings/text' });
  const { page } = opened;
  await cursorBehind(opened, 'max_turns');
  await page.keyboard.type('x');
  const fault = page.getByRole('button', { name: /max_turnsx/ });
  await fault.waitFor();
  expect(await page.getByRole('button', { name: say.text.review }).isDisabled()).toBe(true);
  await fault.click();
  await opened.axe();
  await cursorBehind(opened, 'max_turnsx');
  await page.keyboard.press('Backspace');
  await cursorBehind(opened, ': 20');
  await page.keyboard.type('5');
  await page.getByText(say.text.usable).waitFor();
  await press(opened, say.text.review);
  await page.getByRole('cell', { name: 'agent.max_turns' }).waitFor();
  await opened.axe();
  expect(await page.content()).not.toContain(token);
  await press(opened, say.review.save);
  await page.getByText(say.outcome['in-force']).waitFor();
  expect(written()).toBe(text.replace('20', '205'));
  await press(opened, say.review.done);
  await page.getByRole('tab', { name: say.tabs.versions }).click();
  await page.getByRole('cell', { name: 'agent.max_turns' }).first().waitFor();
  await opened.axe();
  await page
    .getByRole('row', { name: /agent\.max_turns/ })
    .getByRole('button')
    .first()
    .click();
  await press(opened, say.review.save);
  await page.getByText(say.outcome['in-force']).waitFor();
  expect(written()).toBe(text);
});

test('keys and values are completed from the schema, and the keyboard leads into the editor and out of it', async () => {
  const { daemon } = await running();
  const opened = await openPageOf(daemon, browser, { path: '/settings/text' });
  const { page } = opened;
  await cursorBehind(opened, '"agent": {');
  await page.keyboard.press('Control+ ');
  const options = page.getByRole('listbox');
  await options.getByRole('option', { name: 'max_failures' }).waitFor();
  await page.keyboard.type('max_fai');
  // The keys for it wait a moment, which does not pass here.
  await options.getByRole('option', { name: 'max_failures' }).click();
  await page.keyboard.type('3, ');
  await page.getByText('"max_failures": 3, ').waitFor();
  await page.getByText(say.text.usable).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(focused)).toBe('cm-content');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(focused)).not.toBe('cm-content');
  // What was written stays while somebody looks elsewhere.
  await page.getByRole('tab', { name: say.tabs.versions }).click();
  await page.getByRole('tab', { name: say.tabs.text }).click();
  await page.getByText('"max_failures": 3, ').waitFor();
});

/** The class of what has the focus, within the shadow, too. */
const focused = `[document.activeElement, document.activeElement?.shadowRoot?.activeElement].findLast(Boolean)?.classList[0]`;

test('a file that was changed meanwhile is not written over', async () => {
  const { daemon, text, written } = await running();
  const opened = await openPageOf(daemon, browser, { path: '/settings/text' });
  await cursorBehind(opened, ': 20');
  await opened.page.keyboard.type('5');
  await opened.page.getByText(say.text.usable).waitFor();
  await press(opened, say.text.review);
  await opened.page.getByRole('heading', { name: say.review.title }).waitFor();
  writeFileSync(daemon.configFile, text.replace('20', '30'));
  await press(opened, say.review.save);
  await opened.page.getByText(say.review.conflict).waitFor();
  await press(opened, say.review.done);
  await opened.page.getByText(say.text.differsNow).waitFor();
  expect(written()).toBe(text.replace('20', '30'));
  await press(opened, say.text.mine);
  await press(opened, say.text.review);
  await press(opened, say.review.save);
  await opened.page.getByText(say.outcome['in-force']).waitFor();
  expect(written()).toBe(text.replace('20', '205'));
});

test('Telegram is asked about a token at once, refuses a wrong one, and is switched on with a good one', async () => {
  await using telegram = await TelegramServer.start();
  const { daemon, text, written } = await running({
    entry: settingUpEntry(),
    env: { KEYTURN_SURROUNDINGS: JSON.stringify({ servers: [], channels: { telegram: { api_root: telegram.root } } }) },
  });
  const opened = await openPageOf(daemon, browser, { path: '/settings/setup' });
  const { page } = opened;
  const card = page.getByRole('region', { name: 'Telegram' });
  const words = setupWords.en.platform;
  const field = card.locator('input');
  await field.fill('7000001:AAwrong-token-0123456789');
  await card.getByRole('button', { name: words.check({ title: 'Telegram' }) }).click();
  await card.getByRole('alert').waitFor();
  expect(written()).toBe(text);
  await field.fill(telegram.token);
  await card.getByRole('button', { name: words.check({ title: 'Telegram' }) }).click();
  await card.getByRole('button', { name: words.switchOn, exact: true }).click();
  await page.getByRole('cell', { name: 'channels.telegram.token' }).waitFor();
  await opened.axe();
  await press(opened, say.review.save);
  await page.getByText(say.outcome['in-force']).waitFor();
  expect(written()).toContain(`"token": "${reference('TELEGRAM_BOT_TOKEN')}"`);
  expect(written()).toContain('// how long it works');
  expect(readFileSync(join(daemon.folder, '.env'), 'utf8')).toContain(`TELEGRAM_BOT_TOKEN=${telegram.token}`);
  expect(await page.content()).not.toContain(telegram.token);
  await press(opened, say.review.done);
  await card.getByText(words.isOn, { exact: true }).waitFor();
});

test('a form sets its keys, and says which calls would ask', async () => {
  const { daemon, text, written } = await running();
  const opened = await openPageOf(daemon, browser, { path: '/settings/setup' });
  const words = setupWords.en;
  const card = opened.page.getByRole('region', { name: words.groups.asking });
  await card.getByLabel(words.fields.policy).selectOption({ label: words.choices.always_require });
  await card.getByRole('button', { name: words.look }).click();
  await opened.page.getByText(say.review.asks).first().click();
  await opened.page.getByRole('row', { name: /read_file.*asks/ }).waitFor();
  await opened.axe();
  await press(opened, say.review.save);
  await opened.page.getByText(say.outcome['in-force']).waitFor();
  expect(written()).toContain('"policy": "always_require"');
  expect(written()).toContain(text.slice(0, text.indexOf('"channels"')));
});

test('the state is examined, backed up and reported, and the log has more lines', async () => {
  const { daemon } = await running();
  const opened = await openPageOf(daemon, browser, { path: '/settings/state' });
  const { page } = opened;
  const words = stateWords.en;
  await press(opened, words.makeBackup);
  await page.getByRole('cell', { name: /keyturn-.*tar\.gz/ }).waitFor();
  await press(opened, words.makeReport);
  await page.getByRole('region', { name: words.makeReport }).getByText('# ').first().waitFor();
  const download = page.waitForEvent('download');
  await press(opened, words.download);
  expect((await download).suggestedFilename()).toMatch(/^keyturn-report-.*\.md$/);
  await press(opened, words.examine);
  await page.getByRole('region', { name: words.doctor }).getByText('database').waitFor();
  await page.getByLabel(words.level).selectOption('debug');
  await waitUntil(() => daemon.output.includes('the level of the log is another one'), { what: 'the log to say so' });
  expect(await page.content()).not.toContain(token);
  await opened.axe();
});

describe.each([
  ['wide and light', {}],
  ['in Chinese, on a dark phone', { language: 'zh', width: 390, height: 844, isDark: true }],
] as const)('the settings, %s', (_how, options) => {
  test('are accessible in each of their parts', async () => {
    const { daemon } = await running();
    const opened = await openPageOf(daemon, browser, { ...options, path: '/settings' });
    const words = 'language' in options ? settingsWords.zh : say;
    const state = 'language' in options ? stateWords.zh : stateWords.en;
    await opened.page.getByRole('heading', { name: 'Telegram' }).waitFor();
    for (const name of ['setup', 'text', 'versions', 'state'] as const) {
      await opened.page.getByRole('tab', { name: words.tabs[name] }).click();
      if (name === 'text') await opened.page.getByText(words.text.usable).waitFor();
      if (name === 'state') await opened.page.getByText(state.level).first().waitFor();
      await opened.axe();
      expect(await opened.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });
});
