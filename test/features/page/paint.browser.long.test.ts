import { expect, test } from 'vitest';
import { FileBrowser } from '../../support/browser/browser.ts';
import { pageSetting } from '../../support/browser/page-setting.ts';

const browser = new FileBrowser();
const visits = 7;

/** Read in the page, once something was painted: after how many ms that was. */
const firstPaint = `new Promise((resolve) => {
  const look = () => {
    const [entry] = performance.getEntriesByName('first-contentful-paint');
    if (entry === undefined) setTimeout(look, 10);
    else resolve(entry.startTime);
  };
  look();
})`;

test('how soon the first view is painted is told', async () => {
  const { page } = await browser.open(await pageSetting());
  const times: number[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    await page.reload();
    times.push(Number(await page.evaluate(firstPaint)));
  }
  const [middle = Number.NaN] = times.toSorted((a, b) => a - b).slice(Math.trunc(visits / 2));
  process.stdout.write(`First paint of the page, of ${visits} visits the middle one: ${Math.round(middle)} ms.\n`);
  expect(times.every((time) => time > 0)).toBe(true);
});
