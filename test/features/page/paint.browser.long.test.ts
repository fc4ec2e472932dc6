import { expect, test } from 'vitest';
import { FileBrowser } from '../../support/browser/browser.ts';
import { pageSetting } from '../../support/browser/page-setting.ts';

const browser = new FileBrowser();
const visits = 7;

/** Read in the page, whose clock stands still: after how many ms something was painted. */
const firstPaint = `new Promise((resolve) => {
  const told = (list) => list.getEntriesByName('first-contentful-paint').forEach(({ startTime }) => resolve(startTime));
  new PerformanceObserver(told).observe({ type: 'paint', buffered: true });
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
