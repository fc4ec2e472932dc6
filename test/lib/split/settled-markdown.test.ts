import { expect, test } from 'vitest';
import { settledLength } from '../../../src/lib/split/settled-markdown.ts';

test.each([
  ['plain words up to the last space', 'The sky is bl', 'The sky is '],
  ['nothing of bold that is still open', 'It is **very bl', 'It is '],
  ['bold that is closed', 'It is **blue** tod', 'It is **blue** '],
  ['nothing of a link that is still open', 'see [the sky](https://a', 'see '],
  ['nothing of code that is still open', 'run `ls -', 'run '],
  ['whole lines of open code', '```\nfirst\nsec', '```\nfirst\n'],
  ['no table until its head is known', 'so:\n| a | b |\n|---|', 'so:\n'],
  ['the whole rows of a table', '| a | b |\n|---|---|\n| 1 | 2 |\n| 3', '| a | b |\n|---|---|\n| 1 | 2 |\n'],
  ['nothing of what may become a fence', 'so:\n``', 'so:\n'],
  ['no block that is folded until it ends', 'so:\n<details><summary>M</summary>\n\nwords ', 'so:\n'],
  ['no title of a folded block until its line ends', 'so:\n\n> [!details]- More ab', 'so:\n\n'],
])('a growing text is settled with %s', (_what, text, settled) => {
  expect(text.slice(0, settledLength(text))).toBe(settled);
});
