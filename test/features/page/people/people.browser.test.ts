import { expect, test } from 'vitest';
import { peopleWords } from '../../../../packages/page/src/views/people/words.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { useTool } from '../../../support/use-tool.ts';

const browser = new FileBrowser();
const words = peopleWords.en;

const ofOwners = [
  'channels',
  'people',
  'groups',
  'schedules',
  'memories',
  'pins',
  'devices',
  'links',
  'trust',
] as const;

async function setting() {
  const made = await pageSetting({ config: { tools: { schedule: { time_zone: 'UTC' } } } });
  const { daemon } = made;
  await useTool(daemon, 'remind', { text: 'feed the bees', in_minutes: 600 });
  await useTool(daemon, 'memory_store', { text: 'Ada keeps bees.\nAll of them are black.' });
  await daemon.channel.say('/pin the hive is green');
  await daemon.channel.say('hello', { by: 'eve' });
  await daemon.channel.whenIdle();
  return made;
}

test('an owner lets somebody in, changes what is planned and remembered, and cuts off another browser', async () => {
  const made = await setting();
  const friend = await browser.open(made, { as: 'bob' });
  const { page } = await browser.open(made, { path: '/people' });
  const tab = (name: keyof typeof words.tabs) => page.getByRole('tab', { name: new RegExp(`^${words.tabs[name]}`) });
  await page.getByRole('heading', { name: 'test', exact: true }).waitFor();

  await tab('people').click();
  await page.getByRole('button', { name: `${words.letThemIn} Eve` }).click();
  await page.getByRole('list', { name: words.letIn }).getByText('test:eve').waitFor();

  await tab('schedules').click();
  await page.getByRole('button', { name: 'Change the text feed the bees' }).click();
  await page.getByRole('textbox', { name: words.newText }).fill('feed the hens');
  await page.getByRole('button', { name: words.save }).click();
  await page.getByRole('heading', { name: 'feed the hens' }).waitFor();

  await tab('memories').click();
  await page.locator('.people-text', { hasText: 'All of them are black.' }).waitFor();
  await page.getByRole('searchbox', { name: words.search }).fill('nothing like it');
  await page.getByText(words.nothingFound).waitFor();
  await page.getByRole('searchbox', { name: words.search }).fill('bees');
  await page.getByRole('button', { name: /^Forget Ada/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
  await page.getByText(words.nothingFound).waitFor();

  await tab('devices').click();
  await page.getByText('Of Bob').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Of Bob' }).getByRole('button').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Of Bob').waitFor({ state: 'detached' });
  friend.expectsFault(/401|WebSocket/);
  await friend.page.locator('.shell').waitFor({ state: 'detached' });
  expect(made.daemon.rows('SELECT text FROM memories')).toEqual([]);
  expect(made.daemon.rows('SELECT text FROM schedules')).toEqual([{ text: 'feed the hens' }]);
});

test('a command whose answer was lost acts once when it is given again, and acts again later', async () => {
  const made = await setting();
  const opened = await browser.open(made, { path: '/people/schedules' });
  opened.expectsFault(/net::ERR_FAILED/);
  const { page } = opened;
  const change = async (from: string, to: string): Promise<void> => {
    await page.getByRole('button', { name: `Change the text ${from}` }).click();
    await page.getByRole('textbox', { name: words.newText }).fill(to);
    await page.getByRole('button', { name: words.save }).click();
  };
  const keys: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/page/command')) keys.push(request.postDataJSON().key);
  });
  // The daemon obeys, and the page does not hear of it.
  await page.route(
    '**/page/command',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await change('feed the bees', 'feed the hens');
  await page.locator('.toast-fault').waitFor();
  await page.getByRole('button', { name: words.save }).click();
  await page.getByRole('heading', { name: 'feed the hens' }).waitFor();
  await change('feed the hens', 'feed the cats');
  await page.getByRole('heading', { name: 'feed the cats' }).waitFor();
  await change('feed the cats', 'feed the hens');
  await page.getByRole('heading', { name: 'feed the hens' }).waitFor();
  expect([keys[0] === keys[1], new Set(keys).size]).toEqual([true, 3]);
});

test('each tab follows the rules of accessibility, in both colours, on a phone, in Chinese', async () => {
  const made = await setting();
  for (const look of [{}, { isDark: true, width: 390, language: 'zh' as const }]) {
    const opened = await browser.open(made, { ...look, path: '/people/channels' });
    const said = peopleWords[look.language ?? 'en'];
    for (const name of ofOwners) {
      await opened.page.getByRole('tab', { name: new RegExp(`^${said.tabs[name]}`) }).click();
      await opened.page.locator('.people .skeleton').waitFor({ state: 'detached' });
      await opened.axe();
      const beyond = await opened.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([name, beyond]).toEqual([name, 0]);
    }
  }
});

test('a friend sees their own lists, and no tab of owners', async () => {
  const made = await setting();
  const { page } = await browser.open(made, { as: 'bob', path: '/people/people' });
  await page.getByText(words.empty.schedules).waitFor();
  const tabs = () => page.getByRole('tab').allTextContents();
  await expect.poll(tabs).toEqual(ofOwners.slice(3, -1).map((name) => words.tabs[name]));
});
