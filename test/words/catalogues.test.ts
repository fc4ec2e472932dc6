import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../../src/lib/text-width.ts';
import { entriesIn } from '../support/catalogue-entries.ts';

/** What is shown of a catalogue's texts: buttons on a phone, and what pops up at a press. */
const [mostCells, longestToast] = [30, 200];

const root = join(import.meta.dirname, '../..');
const paths = globSync(['src/**/words.ts', 'channels/**/words.ts'], { cwd: root })
  .filter((path) => path !== 'src/lib/words.ts')
  .toSorted();

describe.each(paths)('%s', async (path) => {
  const entries = await entriesIn(path);

  test('has a catalogue', () => {
    expect(entries).not.toEqual([]);
  });

  describe.each(['en', 'zh'])('in %s', (language) => {
    const said = entries.flatMap(({ key, said }) => said(language).map(({ text }) => ({ key, text })));

    test('says something with all values, and nothing that is no text', () => {
      for (const { key, text } of said) {
        expect(text, key).toBeTypeOf('string');
        expect(text, key).not.toMatch(/\bundefined\b|\[object|\bNaN\b/);
      }
    });

    test('has buttons and what pops up in their limits', () => {
      for (const { key, text } of said) {
        if (key.startsWith('button')) expect(textWidth(String(text)), key).toBeLessThanOrEqual(mostCells);
        if (key.startsWith('toast')) expect(String(text).length, key).toBeLessThanOrEqual(longestToast);
      }
    });
  });

  test('is Chinese in Chinese, with Chinese marks', () => {
    for (const { key, said } of entries) {
      const all = said('zh').map(({ text }) => String(text));
      // Some name only a tool or a file.
      const isChinese = all.some((one) => /\p{Script=Han}/u.test(one));
      if (all.some((one) => /[a-z]{3} [a-z]{2}/i.test(one))) expect(isChinese, key).toBe(true);
      for (const one of all) expect(one, key).not.toMatch(/\p{Script=Han}[,.;:?!()](?:\p{Script=Han}|$)/u);
    }
  });
});
