import { describe, expect, test } from 'vitest';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import { plainLinks } from '../../src/words/plain-links.ts';
import { messageWords } from '../../src/words/words.ts';

const isNamed = (host: string): boolean => host === 'ours.example';

function shown(markdown: string): string {
  return plainLinks(markdown, isNamed, 'en').replace(`\n\n${messageWords.en.plainLinks}`, '');
}

describe('an address of a host that nobody has named', () => {
  test.each([
    ['a bare address', 'See https://evil.example/?d=42.', 'See hxxps://evil[.]example/?d=42.'],
    ['a link', '[here](https://evil.example/a)', '[here] (hxxps://evil[.]example/a)'],
    ['a link with a title', '[here](<http://evil.example/a> "x")', '[here] (hxxp://evil[.]example/a "x")'],
    ['a picture', '![x](https://evil.example/a.png)', '![x] (hxxps://evil[.]example/a[.]png)'],
    ['an automatic link', '<https://evil.example>', 'hxxps://evil[.]example'],
    ['a reference', '[a][1]\n\n[1]: https://evil.example', '[a][1]\n\n[1] : hxxps://evil[.]example'],
    ['a name alone', 'at 42.evil.example now', 'at 42[.]evil[.]example now'],
    ['a name with a path', 'at evil.example/42', 'at evil[.]example/42'],
    ['www', 'www.evil.example', 'www[.]evil[.]example'],
    ['another scheme', 'ftp://evil.example/42', 'ftp[:]//evil[.]example/42'],
    ['a mail', '[m](mailto:a@evil.example?body=42)', '[m](mailto[:]a@evil[.]example?body=42)'],
    ['code', '`curl https://evil.example/42`', '`curl hxxps://evil[.]example/42`'],
    ['a login', 'https://ours.example@evil.example/', 'hxxps://ours[.]example@evil[.]example/'],
    ['other dots', 'https://evil。example/42', 'hxxps://evil[.]example/42'],
    ['numbers alone', 'at 93.184.216.34/p?d=42', 'at 93[.]184[.]216[.]34/p?d=42'],
    ['a picture as a name', 'at ➡️.ws/42', 'at ➡️[.]ws/42'],
    ['a login without a scheme', 'at a!:42@evil.example now', 'at a!:42@evil[.]example now'],
    ['a login that looks like a scheme', 'at SECRET:x@evil.example', 'at SECRET[:]x@evil[.]example'],
    ['a login and a path', 'at 42@evil.example/a', 'at 42@evil[.]example/a'],
    ['a scheme and backslashes', 'file:\\\\\\\\evil.example\\\\42', 'file[:]\\\\\\\\evil[.]example\\\\42'],
    ['very many labels', `at ${'a.'.repeat(90)}evil.example/42`, `at ${'a[.]'.repeat(90)}evil[.]example/42`],
    ['a sign as a label', 'at 42→.evil.example', 'at 42→[.]evil[.]example'],
    ['a mark that browsers ignore', 'at evil\u200d.example/42', 'at evil\u200d[.]example/42'],
    ['a digit before it', '[1https://evil.example/42](b)', '[1hxxps://evil[.]example/42](b)'],
    ['a label before the scheme', '[1.https://evil.example/42](b)', '[1.hxxps://evil[.]example/42](b)'],
    ['a backslash before it', 'at \\evil.example/42', 'at \\evil[.]example/42'],
  ])('%s is text', (_, markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test.each([
    ['an escape', 'a 42\\.evil\\.example'],
    ['an entity in HTML', '<a href="https&#58;//evil&#46;example/42">x</a>'],
    ['a picture in HTML', '<img src=https&colon;//evil&#46;example/42.png>'],
    ['tags within it', 'a 42.<b></b>evil.<u>ex</u>ample'],
    ['a comment within it', 'a 42.evil<!-- -->.example/'],
    ['an entity', 'a 42&#46;evil&#46;example'],
    ['an emphasis', 'a 42*.*evil**.**example'],
    ['a scheme in pieces', 'a https&colon;//evil.example/42'],
    ['a table', '| a |\n|---|\n| 42\\.evil\\.example |'],
    ['a line end in a link', '[x](\n//evil.example/42)'],
    ['a slash that is missing', '[x](https&#58;evil.example/42)'],
  ])('%s does not hide it', (_, markdown) => {
    const nodes = lazyParser()(plainLinks(markdown, isNamed, 'en'));
    expect(JSON.stringify(nodes)).not.toMatch(/"type":"(?:link|image)"/);
    expect(nodes[0]?.type === 'code' || !/evil\.example/.test(JSON.stringify(nodes))).toBe(true);
  });
});

test('below a text that was changed stands why', () => {
  expect(plainLinks('https://evil.example', isNamed, 'en')).toBe(
    `hxxps://evil[.]example\n\n${messageWords.en.plainLinks}`,
  );
});

test.each([
  ['a host that was named', 'See [ours](https://www.ours.example/a?b=c) and https://ours.example.'],
  ['names of files', 'Look at `src/a.ts`, vitest.config.ts, notes.md and [the notes](notes.md).'],
  ['sentences', 'That is it.And e.g. version 1.2.3, at 10.30 a.m. Ask bob@evil.example.'],
  ['lines in JSON', '`{"text":"do this first:\\nSend it.\\nThanks:\\r\\nAda"}`'],
  ['footnotes and lists', '1. one[^1]\n2. two\n\n[^1]: a note'],
])('%s stays as it is', (_, markdown) => {
  expect(plainLinks(markdown, isNamed, 'en')).toBe(markdown);
});
