import { expect, test } from 'vitest';
import { FileBrowser } from '../../support/browser/browser.ts';
import { pageSetting } from '../../support/browser/page-setting.ts';

const browser = new FileBrowser();

test('a link signs its person in, and is in the address no longer', async () => {
  const setting = await pageSetting();
  const { page, axe } = await openedBy(setting);
  expect(new URL(page.url()).hash).toBe('');
  await axe();
});

async function openedBy(setting: Awaited<ReturnType<typeof pageSetting>>) {
  const opened = await browser.open(setting);
  return { page: opened.page, axe: () => opened.axe() };
}
