import { describe, expect, test } from 'vitest';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import type { MarkdownInline, MarkdownNode } from '../../src/lib/markdown-tree.ts';

const parse = lazyParser();

/** All words that stand in it. */
function wordsIn(nodes: readonly MarkdownNode[]): string {
  return JSON.stringify(nodes);
}

function inLine(markdown: string): readonly MarkdownInline[] {
  const [first] = parse(markdown);
  return first?.type === 'paragraph' ? first.children : [];
}

/** How deep styles are nested there. */
function depthOf(nodes: readonly MarkdownInline[]): number {
  return Math.max(0, ...nodes.map((node) => ('children' in node ? 1 + depthOf(node.children) : 0)));
}

function text(value: string): MarkdownInline {
  return { type: 'text', value };
}

function link(url: string, words = url): MarkdownInline {
  return { type: 'link', url, children: [text(words)] };
}

describe('nothing of what was written is missing', () => {
  test('where cells go beyond the head of a table', () => {
    const [table] = parse('| a | b |\n|--:|---|\n| 1 | 2 | **3** | 4 \\| 5 |\n| 6 |');
    expect(table).toEqual({
      type: 'table',
      align: ['right', undefined],
      rows: [
        [[text('a')], [text('b')]],
        [[text('1')], [text('2')], [{ type: 'strong', children: [text('3')] }], [text('4 | 5')]],
        [[text('6')], []],
      ],
    });
  });

  test.each([
    ['quotes', `${'> '.repeat(500)}word\nlazy\n\nlast`],
    ['items', `${'- '.repeat(500)}word\nlazy\n\nlast`],
    [
      'items over many lines',
      `${Array.from({ length: 150 }, (_, depth) => `${'  '.repeat(depth)}- word`).join('\n')}\nlazy\n\nlast`,
    ],
    ['styles', `${'*a **b '.repeat(500)}word${' b** a*'.repeat(500)} lazy\n\nlast`],
    ['pictures', `${'![a'.repeat(5000)}word${'](x)'.repeat(5000)} lazy\n\nlast`],
    ['brackets', `${'['.repeat(5000)}word${']'.repeat(5000)} lazy\n\nlast`],
  ])('where %s are nested deeper than a person would', (_, markdown) => {
    const words = wordsIn(parse(markdown));
    for (const word of ['word', 'lazy', 'last']) expect(words).toContain(word);
  });

  test('where a row, or a paragraph, has more parts than one call takes arguments', () => {
    expect(wordsIn(parse(`a|b\n-|-\n${'|'.repeat(150_000)}word`))).toContain('word');
    expect(wordsIn(parse(`${'a\n'.repeat(150_000)}word`))).toContain('word');
  });

  test('where a link stands deep within styles', () => {
    const deep = `${'*a **b '.repeat(20)}[word](https://a.com)${' b** a*'.repeat(20)}`;
    expect(wordsIn(parse(deep))).toContain('](https://a.com)');
    expect(depthOf(inLine(deep))).toBe(24);
  });

  test('where marks are nested a thousand deep', () => {
    expect(wordsIn(parse(`${'***a '.repeat(990)}word${' a***'.repeat(990)}`))).toContain('word');
  });

  test('in notes of one word and of many blocks', () => {
    const [paragraph, one, many, after] = parse(
      'a[^1] b[^2] c[^3]\n\n[^1]: word\n[^2]: First\n    line\n\n    Second\n\nafter',
    );
    expect(paragraph).toEqual({ type: 'paragraph', children: [text('a[1] b[2] c[^3]')] });
    expect(one).toMatchObject({ type: 'footnote', label: '1', children: [{ type: 'paragraph' }] });
    expect(many).toMatchObject({
      type: 'footnote',
      label: '2',
      children: [{ type: 'paragraph' }, { type: 'paragraph' }],
    });
    expect(after).toEqual({ type: 'paragraph', children: [text('after')] });
  });
});

describe('addresses', () => {
  test.each([
    ['see https://a.com/x_y_*z*q.', [text('see '), link('https://a.com/x_y_*z*q'), text('.')]],
    [
      '**(www.a.com/b_(c))**',
      [{ type: 'strong', children: [text('('), link('http://www.a.com/b_(c)', 'www.a.com/b_(c)'), text(')')] }],
    ],
    ['**https://a.cn/b**的', [{ type: 'strong', children: [link('https://a.cn/b')] }, text('的')]],
    ['~~https://a.cn~~です', [{ type: 'delete', children: [link('https://a.cn')] }, text('です')]],
    ['https://a.cn/**/b', [link('https://a.cn/**/b')]],
    ['http://localhost:3000/a_b_', [link('http://localhost:3000/a_b'), text('_')]],
    ['[https://a.com](https://b.com)', [link('https://b.com', 'https://a.com')]],
    ['[a](javascript:b)', [link('javascript:b', 'a')]],
  ])('are links: %s', (markdown, expected) => {
    expect(inLine(markdown)).toEqual(expected);
  });

  test.each([
    'file.md',
    'a.py and b.sh',
    'me@a.com',
    'ftp://a.com',
    'a.com/b',
    'xhttps://a.com',
    'awww.a.com',
    'https:// a',
    '//a.com',
  ])('are not what only looks like one: %s', (markdown) => {
    expect(inLine(markdown)).toEqual([text(markdown)]);
  });
});

describe('a list', () => {
  test('has boxes, a first number, and empty lines or none', () => {
    expect(parse('3. [x] a\n4. [ ] **b**\n5. [ ]\n6. [c](d)')).toMatchObject([
      {
        isSpread: false,
        items: [
          { number: 3, box: '☑ ' },
          { number: 4, box: '☐ ' },
          { number: 5, box: '' },
          { number: 6, box: '' },
        ],
      },
    ]);
    expect(parse('- a\n\n  b\n- c')).toMatchObject([
      { isSpread: false, items: [{ number: undefined, isSpread: true }, { isSpread: false }] },
    ]);
    expect(parse('- a\n  - b\n\n- c')).toMatchObject([{ isSpread: true, items: [{ isSpread: false }, {}] }]);
  });

  test('has its box beside a link that is called x', () => {
    expect(parse('- [x] a\n\n[x]: https://a.com')).toMatchObject([{ items: [{ box: '' }] }]);
  });
});
