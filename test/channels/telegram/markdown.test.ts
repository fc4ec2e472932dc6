import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/telegram/markdown.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';

const parse = lazyParser();

/** The text with its styles written around their stretches: `<bold>x</bold>`. */
function shown(markdown: string): string {
  const { text, entities } = renderMarkdown(markdown, parse);
  let result = text;
  const tags = entities.flatMap((entity, index) => {
    const name = entity.type === 'text_link' ? `${entity.type} ${entity.url}` : entity.type;
    return [
      { at: entity.offset, order: index, tag: `<${name}>` },
      { at: entity.offset + entity.length, order: -1 - index, tag: `</${entity.type}>` },
    ];
  });
  for (const { at, tag } of tags.sort((a, b) => b.at - a.at || b.order - a.order))
    result = result.slice(0, at) + tag + result.slice(at);
  return result;
}

describe('markdown', () => {
  test.each([
    ['**b** *i* ~~s~~ `c`', '<bold>b</bold> <italic>i</italic> <strikethrough>s</strikethrough> <code>c</code>'],
    ['**bold _both_**', '<bold>bold <italic>both</italic></bold>'],
    ['# Head', '<bold>Head</bold>'],
    ['one\n\n\n\ntwo\nthree', 'one\n\ntwo\nthree'],
    ['one  \ntwo\\\nthree', 'one\ntwo\nthree'],
    ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['> quote\n> more', '<blockquote>quote\nmore</blockquote>'],
    ['> a\n>\n> > b', '<blockquote>a\n\nb</blockquote>'],
    ['- a\n- b\n  - c\n    d', '• a\n• b\n  • c\n    d'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['- a\n\n- b', '• a\n\n• b'],
    ['- [x] a\n- [ ] b', '☑ a\n☐ b'],
    ['- **a**\n  - **b**', '• <bold>a</bold>\n  • <bold>b</bold>'],
    ['1. **a\n   b**\n2. c', '1. <bold>a\n   b</bold>\n2. c'],
    ['a <b>x</b> <i>', 'a <bold>x</bold> <i>'],
    ['a[^1]\n\n[^1]: Note', 'a[1]\n\n[1] Note'],
    ['&amp; &lt;', '& <'],
  ])('%j is shown as %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test('code keeps its indentation and its language, and loses empty lines around it', () => {
    const { text, entities } = renderMarkdown('```ts\n\n  let a;\n\n    b;\n\n```', parse);
    expect(text).toBe('  let a;\n\n    b;');
    expect(entities).toEqual([{ type: 'pre', language: 'ts', offset: 0, length: text.length }]);
  });

  test('code in a list is not indented, so that it can be copied', () => {
    expect(shown('- a\n\n  ```\n  x\n  y\n  ```')).toBe('• a\n\n  <pre>x\ny</pre>'.replace('  <', '<'));
  });

  test('a table becomes columns', () => {
    const table = '| A | Bee |\n|---|--:|\n| x | 1 |\n| long `c` | 日本 |';
    expect(shown(table)).toBe('<pre>A      |  Bee\n-------+-----\nx      |    1\nlong c | 日本</pre>');
    const marked = '| ü | b |\n|---|---|\n| u\u0308 | 1 |\n| 𠀀 | 2 |';
    expect(shown(marked)).toBe('<pre>ü  | b\n---+--\nu\u0308  | 1\n𠀀 | 2</pre>');
  });

  test('a long cell does not widen the other rows', () => {
    const long = 'word '.repeat(200).trim();
    const { text } = renderMarkdown(`| a |\n|---|\n${'| x |\n'.repeat(50)}| ${long} |`, parse);
    expect(text.length).toBeLessThan(long.length + 50 * 40);
  });

  test('code cannot be bold: the style is laid around it', () => {
    expect(shown('**see `x` now**')).toBe('<bold>see</bold> <code>x</code> <bold>now</bold>');
    expect(shown('# `x`')).toBe('<code>x</code>');
  });

  test('what shows nothing becomes a placeholder', () => {
    for (const empty of ['', '  \n ', '\u200b', '[a]: https://a.com', '```\n```']) expect(shown(empty)).toBe('…');
  });

  test('half characters become whole ones', () => {
    expect(renderMarkdown('a \ud83d **b**', parse).text).toBe('a \ufffd b');
  });
});

describe('a link', () => {
  test.each([
    ['[a](https://a.com/x)', '<text_link https://a.com/x>a</text_link>'],
    ['![pic](https://a.com/p.png)', '<text_link https://a.com/p.png>pic</text_link>'],
    ['[a][r]\n\n[r]: https://a.com', '<text_link https://a.com/>a</text_link>'],
    ['[a](tg://resolve?domain=x)', '<text_link tg://resolve?domain=x>a</text_link>'],
    ['<https://a.com> www.a.com me@a.com', 'https://a.com www.a.com me@a.com'],
    ['[`a`](https://a.com)', '<text_link https://a.com/>a</text_link>'],
    ['**[a](https://a.com)**', '<text_link https://a.com/><bold>a</bold></text_link>'],
  ])('%j is shown as %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test.each([
    ['[a](http://localhost:80/x)', 'a (http://localhost:80/x)'],
    ['[a](./file.md)', 'a (./file.md)'],
    ['[me](mailto:me@a.com)', 'me (me@a.com)'],
    ['[a](javascript:x)', 'a (javascript:x)'],
    ['[a](tg://user?id=1)', 'a (tg://user?id=1)'],
    ['[a](https://x:y@a.com/)', 'a (https://x:y@a.com/)'],
    ['[a](#part)', 'a'],
    ['![a](data:image/png;base64,AAAA)', 'a'],
  ])('that Telegram would refuse, %j, is written out: %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test('is written out where there are too many to be hidden', () => {
    const few = renderMarkdown('[a](https://a.com/) '.repeat(60), parse);
    expect(few.entities).toHaveLength(60);
    const many = renderMarkdown('[a](https://a.com/) '.repeat(61), parse);
    expect(many.entities).toHaveLength(0);
    expect(many.text).toContain('a (https://a.com/) a (https://a.com/)');
  });
});

describe('every text', () => {
  test('with too much formatting keeps the links and the code', () => {
    const { entities } = renderMarkdown(
      '**b** '.repeat(80) + '`c` '.repeat(50) + '[a](https://a.com) '.repeat(40),
      parse,
    );
    const count = (type: string) => entities.filter((entity) => entity.type === type).length;
    expect([count('text_link'), count('code'), count('bold')]).toEqual([40, 50, 10]);
  });

  test('however deep it is nested is set without harm', () => {
    for (const markdown of [
      '>'.repeat(4000),
      '- '.repeat(2000),
      '*a _b '.repeat(800),
      '['.repeat(4000),
      Array.from({ length: 150 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
    ]) {
      expect(renderMarkdown(markdown, parse).text.length).toBeGreaterThan(0);
    }
    expect(renderMarkdown('**x** '.repeat(200_000), parse).text).toHaveLength(1_199_999);
  });
});
