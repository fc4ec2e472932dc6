import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withoutSign } from '../../../../packages/page/src/lib/labels.ts';
import { toolsWords } from '../../../../packages/page/src/views/tools/words.ts';
import { cardWords } from '../../../../src/approval/asking/words.ts';
import { toolsPageWords } from '../../../../src/features/page/tools/words.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { llmOnly } from '../../../../src/tools/output.ts';
import { registrationOf } from '../../../../src/tools/registry.ts';
import { defineTool } from '../../../../src/tools/tool.ts';
import { FileBrowser } from '../../../support/browser/browser.ts';
import { pageSetting } from '../../../support/browser/page-setting.ts';
import { RecordingTool } from '../../../support/recording-tool.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const browser = new FileBrowser();
const words = toolsWords.en;

/** Every kind of field, and what stands in it in the end. */
const shapes = z.strictObject({
  text: z.string().max(40),
  long: z.string().optional().describe('Many lines.'),
  whole: z.number().int().min(1),
  part: z.number().optional(),
  flag: z.boolean(),
  colour: z.enum(['red', 'green']),
  level: z.union([z.literal(1), z.literal(2)]).optional(),
  maybe: z.string().nullable().optional(),
  words: z.array(z.string()),
  places: z.array(z.strictObject({ name: z.string(), at: z.number() })).optional(),
  where: z.strictObject({ city: z.string(), zip: z.string().optional() }),
  either: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.number() })]),
  anything: z.record(z.string(), z.number()).optional(),
});

async function setting() {
  const taken: JsonValue[] = [];
  const shaped = defineTool({
    name: 'shaped',
    category: 'hardware',
    description: 'Takes arguments of every kind.',
    input: shapes,
    describeCall: () => 'take what was written',
    execute: async (input) => {
      taken.push(JSON.parse(JSON.stringify(input)));
      return llmOnly('all of it taken');
    },
  });
  const made = await pageSetting({ tools: [registrationOf(shaped)] });
  return { made, taken };
}

/** The daemon does what it is asked; the page does not hear of it. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

test('a tool is called by hand with arguments of every kind, asked for, and what came of it is shown', async () => {
  const { made, taken } = await setting();
  const { page } = await browser.open(made, { path: '/tools' });
  await page.getByRole('searchbox', { name: words.search }).fill('every kind');
  await page.getByRole('link', { name: /shaped/ }).click();
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  await field('text').waitFor();
  await page.getByRole('button', { name: words.call }).click();
  await page.getByText(words.faulty).waitFor();
  expect(await field('text').getAttribute('aria-invalid')).toBe('true');

  await field('text').fill('a text');
  await field('long').fill('one\ntwo');
  await field('whole').fill('3');
  await field('part').fill('-1.5');
  await page.getByLabel('flag', { exact: true }).selectOption({ label: words.yes });
  await page.getByLabel('colour', { exact: true }).selectOption('"green"');
  await page.getByLabel('level', { exact: true }).selectOption('2');
  await field('maybe').fill('perhaps');
  await page.getByRole('button', { name: words.add({ name: 'words' }) }).click();
  await page.getByRole('group', { name: 'words' }).getByRole('textbox').fill('first');
  await page.getByRole('button', { name: words.add({ name: 'places' }) }).click();
  await page.getByRole('group', { name: 'places' }).getByRole('textbox', { name: 'name' }).fill('home');
  await page.getByRole('group', { name: 'places' }).getByRole('textbox', { name: 'at' }).fill('7');
  await page.getByRole('group', { name: 'where' }).getByRole('textbox', { name: 'city' }).fill('Ulm');
  await field('either').fill('{"b": 2');
  await page.getByText(words.notJson).waitFor();
  await field('either').fill('{"b": 2}');
  await field('anything').fill('{"x": 1}');
  await page.getByRole('button', { name: words.check }).click();
  await page.getByText(words.fits).waitFor();
  await page.getByRole('button', { name: words.call }).click();

  await page.waitForURL(/\/chat\//);
  await page.locator('.approval-actions[data-seen=true]').waitFor();
  await page.getByRole('button', { name: withoutSign(cardWords.en.buttonApprove), exact: true }).click();
  await waitUntil(() => taken.length === 1, { timeoutMs: 20_000 });
  expect(taken).toEqual([
    {
      text: 'a text',
      long: 'one\ntwo',
      whole: 3,
      part: -1.5,
      flag: true,
      colour: 'green',
      level: 2,
      maybe: 'perhaps',
      words: ['first'],
      places: [{ name: 'home', at: 7 }],
      where: { city: 'Ulm' },
      either: { b: 2 },
      anything: { x: 1 },
    },
  ]);
  expect(made.daemon.model.requests).toEqual([]);
  await page.getByText('all of it taken').first().waitFor({ state: 'attached' });
});

test('a call whose answer was lost is made once, however often it is pressed; the next one is another', async () => {
  const look = new RecordingTool('look', 'filesystem_read');
  const made = await pageSetting({ tools: [look.registration] });
  const opened = await browser.open(made, { path: '/tools/look' });
  opened.expectsFault(/net::ERR_FAILED|status of 409/);
  const { page } = opened;
  await page.getByRole('textbox', { name: 'what', exact: true }).fill('once');
  const calls = '**/page/tools/look/call';
  const press = async (): Promise<void> => {
    const asked = page.waitForRequest(calls);
    await page.getByRole('button', { name: words.call }).click();
    await asked;
  };
  await page.route(calls, loseAnswer, { times: 1 });
  await press();
  await page.locator('.toast-fault').first().waitFor();
  await press();
  await page.getByText(toolsPageWords.en.calledBefore).waitFor();
  await waitUntil(() => look.executed.length > 0);
  expect(made.daemon.rows("SELECT 1 FROM audit WHERE kind = 'called-by-hand'")).toHaveLength(1);
  await press();
  await page.waitForURL(/\/chat\//);
  await waitUntil(() => look.executed.length > 1);
  expect(look.executed).toEqual(['once', 'once']);
});

test('the list and a form follow the rules of accessibility, in both colours, on a phone, in Chinese', async () => {
  const { made } = await setting();
  for (const look of [{}, { isDark: true, width: 390, language: 'zh' as const }]) {
    const opened = await browser.open(made, { ...look, path: '/tools' });
    const said = toolsWords[look.language ?? 'en'];
    await opened.page.getByRole('link', { name: /shaped/ }).waitFor();
    await opened.axe();
    await opened.page.getByRole('link', { name: /shaped/ }).click();
    await opened.page.getByRole('button', { name: said.add({ name: 'places' }) }).click();
    await opened.page.getByRole('button', { name: said.check }).click();
    await opened.page.getByText(said.faulty).waitFor();
    await opened.axe();
    const beyond = await opened.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(beyond).toBe(0);
  }
});

test('a friend sees why a tool asks, there where they are', async () => {
  const { made } = await setting();
  await made.daemon.channel.ask('hello', 'echo: hello', { by: 'bob', at: 'test:bob' });
  const { page } = await browser.open(made, { as: 'bob', path: '/tools/shaped' });
  await page.getByText(words.asks, { exact: true }).waitFor();
  await page
    .getByText(/hardware/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: words.back }).click();
  const places = page.getByLabel(words.where).locator('option');
  await expect.poll(() => places.allTextContents()).toContain('test: test:bob');
});
