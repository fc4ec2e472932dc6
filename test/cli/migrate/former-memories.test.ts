import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entriesOf } from '../../../src/cli/migrate/memory-entries.ts';

const textsOf = (text: string) => entriesOf(text, 'MEMORY.md', []).map((entry) => entry.text);

test.each([
  ['nothing', '', []],
  ['a paragraph', 'One\ntwo.\n\nThree.', ['One\ntwo.', 'Three.']],
  ['points, with what belongs to each', '- one\n  - of it\n- two\n3. three', ['one\n  - of it', 'two', 'three']],
  [
    'headings, which stand before what is below them',
    '# T\n## A\nx\n### B\n- y\n## C\nz',
    ['A: x', 'A · B: y', 'C: z'],
  ],
  ['lines of Windows', '- one\r\n- two\r\n', ['one', 'two']],
  ['what `§` separates', 'a\n- b\n§\nc\n§\n', ['a\n- b', 'c']],
  ['a preamble and remarks, which are no memories', '---\ntitle: x\n---\n<!-- note -->\nReal.', ['Real.']],
  [
    'templates, which say nothing',
    '# User\n_Learn about them._\n- **Name:**\n- **Pronouns:** _(optional)_\n- Timezone:\n\n(nothing yet)\n\n---\n\n*This file is made.*',
    [],
  ],
  ['the same twice', '- a\n- a', ['a']],
  ['other languages', '## 偏好\n- 喝茶', ['偏好: 喝茶']],
])('the memories of a file: %s', (_what, text, expected) => {
  expect(textsOf(text)).toEqual(expected);
});

test('a long one is cut between words, and nothing of it is lost', () => {
  const long = Array.from({ length: 900 }, (_, index) => `word${index}`).join(' ');
  const cut = textsOf(long);
  expect(cut.length).toBeGreaterThan(3);
  expect(cut.every((text) => text.length <= 2000)).toBe(true);
  expect(cut.join(' ') === long).toBe(true);
  const solid = Array.from({ length: 1500 }, (_, index) => String(index)).join('');
  expect(textsOf(solid).join('') === solid).toBe(true);
});

test('any text gives entries that are not blank, and not too long', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('# a', '## b', '- c', '§', '---', '<!--', '-->', '', '  - d'));
  const property = fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
    for (const text of textsOf(lines.join('\n'))) expect(text.trim() !== '' && text.length <= 2100).toBe(true);
  });
  fc.assert(property, { seed: 7, numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 200) });
});
