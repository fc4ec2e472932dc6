import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { renderMarkdown as renderForDiscord } from '../../channels/discord/markdown.ts';
import { shownMarkdown as renderForSlack } from '../../channels/slack/content.ts';
import { renderMarkdown as renderForTelegram } from '../../channels/telegram/markdown.ts';
import { ansiStyle, renderMarkdown as renderForTerminal } from '../../channels/terminal/render.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';

const parse = lazyParser();
/** Reads strictly, as Slack may. */
const strict = new MarkdownIt();

/** The words that are emphasised there, and the whole text, per channel. */
const channels = {
  telegram: (markdown: string) => {
    const { text, entities } = renderForTelegram(markdown, parse);
    const styled = entities.filter(({ type }) => ['bold', 'italic', 'strikethrough'].includes(type));
    return { text, styled: styled.map(({ offset, length }) => text.slice(offset, offset + length)) };
  },
  discord: (markdown: string) => {
    const marks = /\\([!-/:-@[-`{-~])|(\*\*|~~|\*)(?=\S)(.+?)(?<![\s\\])\2/g;
    const styled: (string | undefined)[] = [];
    const text = renderForDiscord(markdown, parse).replace(marks, (_, escaped, __, words) => {
      if (escaped === undefined) styled.push(words);
      return escaped ?? words;
    });
    return { text, styled };
  },
  slack: (markdown: string) => {
    const html = strict.render(renderForSlack(markdown));
    const styled = [...html.matchAll(/<(strong|em|s)>(.*?)<\/\1>/gs)].map(([, , words]) => words);
    const bare = html.replace(/<[^>]*>/g, '').replaceAll('\u200a', '');
    return {
      text: bare.replace(
        /&(lt|gt|amp|quot);/g,
        (_, name) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[String(name)] ?? '',
      ),
      styled,
    };
  },
} as const;

const emphasised: readonly (readonly [string, ...string[]])[] = [
  ['请**注意：**这个设置会改变所有文件。', '注意：'],
  ['**温度≥30℃**时停机，*100%*的情况', '温度≥30℃', '100%'],
  ['~~旧价：~~新价', '旧价：'],
  ['他**（张三）**和**（李四）**都同意', '（张三）', '（李四）'],
  ['これは**「太字」**です。*（注）*も', '「太字」', '（注）'],
  ['한국어**(중요)**입니다', '(중요)'],
  ['🔥**热门！**现在', '热门！'],
  ['请**🔴警告🔴**看', '🔴警告🔴'],
  ['用API**token：**登录', 'token：'],
  ['它会删除**“旧的”**文件，也会移动**《手册》**这一本。', '“旧的”', '《手册》'],
  ['这是**重点（必读）**内容', '重点（必读）'],
  ['- **具体：**说一棵树\n- **时间：**早上八点', '具体：', '时间：'],
  ['1. **第一步：**打开\n2. **第二步：**关闭', '第一步：', '第二步：'],
  ['> **提示：**先备份', '提示：'],
  ['价格~~￥100~~现在**￥80**。', '￥100', '￥80'],
  ['原价*￥80*元', '￥80'],
  ['**「引用」**和**【标题】**都可以', '「引用」', '【标题】'],
  ['他说**“好！”**然后走了', '“好！”'],
  ['使用**`npm`**命令，**很好。**对吧', '很好。'],
  ['共**50%**的人', '50%'],
  ['**（一）**总则', '（一）'],
  ['见**《三体》**第二部', '《三体》'],
  ['これは**重要（必読）**です。', '重要（必読）'],
  ['彼は**「はい。」**と言った', '「はい。」'],
  ['**注意：**ファイルを消します', '注意：'],
  ['値段は~~￥500~~です', '￥500'],
  ['**カタカナ、**ひらがな', 'カタカナ、'],
  ['**마크다운(Markdown)**의 문법', '마크다운(Markdown)'],
  ['그는 **“네.”**라고 했다', '“네.”'],
  ['**주의:**파일이 바뀝니다', '주의:'],
  ['這是**粗體**文字，**注意：**請看', '粗體', '注意：'],
  ['𠮷野家**「丼」**𠮷', '「丼」'],
  ['plain **bold** and *italic* and ~~gone~~', 'bold', 'italic', 'gone'],
  ['**B**ig *L*ong words', 'B', 'L'],
  ['**Note:** see **/start** and **.env**', 'Note:', '/start', '.env'],
  ['<b>粗体：</b>文字 <i>it</i> <s>x</s>', '粗体：', 'it', 'x'],
  ['<strong> spaced </strong>words', 'spaced'],
];

const literal: readonly string[] = [
  'see __all__, __enter__() and __my_name__',
  '__pycache__/x.py',
  '2*3*4 = 24',
  'a*b*c',
  'x**2 + y**2 = z**2',
  '(a)*b*(c)',
  '5 * 3 * 2',
  String.raw`C:\x\*.txt`,
  String.raw`C:\new_folder\_x and D:\a\(b)\[c]`,
  String.raw`\\server\share\_x`,
  String.raw`src\*.ts`,
  String.raw`\d+\.\d*`,
  '__init__',
  'call __init__ or __main__.py, __dirname',
  'if __name__ == "__main__":',
  'snake_case_word and _x',
  '*.ts,*.js and *.*',
  'src/**/*.ts and **/*.md',
  '/* a comment */',
  '~user and ~5',
  'const x: List<string>',
  'the <div> tag, and <T>',
  'a < b > c',
  '#include <stdio.h>',
];

describe('on every channel', () => {
  const each = Object.entries(channels);

  test.each(emphasised)('%j has its words emphasised', (markdown, ...words) => {
    for (const [channel, render] of each) {
      const { text, styled } = render(markdown);
      expect.soft(styled, channel).toEqual(expect.arrayContaining(words));
      expect.soft(text, channel).not.toMatch(/\*|~~/);
    }
  });

  test.each(literal)('%j keeps its characters', (markdown) => {
    for (const [channel, render] of each) {
      const { text, styled } = render(markdown);
      expect.soft(text.trim(), channel).toBe(markdown);
      expect.soft(styled, channel).toEqual([]);
    }
  });

  test('the terminal shows the same', () => {
    expect(renderForTerminal('请**注意：**这个 <b>x</b><br>2*3*4', ansiStyle)).toBe(
      '请\u001b[1m注意：\u001b[22m这个 \u001b[1mx\u001b[22m\n2*3*4',
    );
    expect(renderForTerminal(String.raw`C:\x\*.txt __init__`, ansiStyle)).toBe(String.raw`C:\x\*.txt __init__`);
  });
});

/** HTML, and what it becomes in Markdown. */
const html: readonly (readonly [string, string])[] = [
  ['| a | b |\n|---|---|\n| x<br>y | z |', '| a | b |\n|---|---|\n| x y | z |'],
  ['a | b\n--|--\nx<br/>y | <b>z</b>', 'a | b\n--|--\nx y | **z**'],
  ['one<br>two<br />three', 'one\ntwo\nthree'],
  ['one<br>\ntwo', 'one\ntwo'],
  ['- one<br>two\n- three', '- one\ntwo\n- three'],
  ['H<sub>2</sub>O, x<sup>2</sup>, 10<sup>−3</sup>', 'H₂O, x², 10⁻³'],
  ['<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>と', '漢(かん)字(じ)と'],
  ['<ruby>拼<rp>(</rp><rt>pīn</rt><rp>)</rp></ruby>音', '拼(pīn)音'],
  ['x<sup>（注）</sup>', 'x^（注）'],
  ['4<sup>th</sup> of x<sub>max</sub>, 2<sup>k</sup>, e<sup>a+b</sup>', '4th of xmax, 2^k, e^(a+b)'],
  ['<ins>in</ins>, <mark>m</mark>, <small>s</small>', '<u>in</u>, m, s'],
  ['<kbd>Ctrl</kbd>+<kbd>C</kbd>', '`Ctrl`+`C`'],
  ['<code>a*b &lt;T&gt;</code>', '`a*b <T>`'],
  ['<code>a `b` c</code>', '``a `b` c``'],
  ['<a href="https://a.com/x">see</a>', '[see](https://a.com/x)'],
  ["<a href='https://a.com/(x)'>see</a>", '[see](https://a.com/%28x%29)'],
  ['<a name="x">see</a>', 'see'],
  ['<img src="https://a.com/i.png" alt="a [pic]">', '![a pic](https://a.com/i.png)'],
  ['a <!-- not shown --> b', 'a  b'],
  ['<p align="center">middle</p>', 'middle'],
  ['<center>x</center>', 'x'],
  ['<h2>Head</h2>', '## Head'],
  ['<blockquote>q</blockquote>', '> q'],
  ['a\n<hr>\nb', 'a\n\n\n---\n\n\nb'],
  ['<ul>\n<li>one</li>\n<li>two</li>\n</ul>', '- one\n- two'],
  ['<details><summary>More</summary>text</details>', '> [!details]- More\n> text'],
  ['<details open>\n<summary><b>More</b></summary>\n\n- a\n</details>', '> [!details]- More\n>\n> - a'],
  ['a\n<details><summary>M</summary>\n\nb\n</details>\nc', 'a\n\n> [!details]- M\n> b\n\nc'],
  ['<details><summary>M</summary>text', '**M**\n\ntext'],
  ['<details>text</details>', 'text'],
  ['- x\n  <details><summary>M</summary>y</details>', '- x\n  M\n  y'],
  [
    '<details><summary>M</summary>\n\n<details><summary>N</summary>\n\nx\n</details>\n\ny\n</details>',
    '> [!details]- M\n>\n> N\n>\n> x\n>\n> y',
  ],
  ['<b></b>x<i> </i>y', 'x y'],
];

/** HTML that is spoken of, or of an unknown kind. */
const typed: readonly string[] = [
  'the <p> tag and the <li> tag',
  'an <img> without a source, a <b> without an end',
  '<your-name> and <T extends K>',
  '`<br>` and ``<b>x</b>``',
  '```html\n<b>x</b><br>\n2*3*4\n```',
  '    <b>x</b><br>',
  '~~~\n<!-- x -->\n~~~',
  '<script>x</script>',
  String.raw`\<b>x</b>`,
  '<https://a.com/b>',
];

describe('HTML of models', () => {
  test.each(html)('%j is read as %j', (markdown, expected) => {
    const [read, wanted] = [parse(markdown), parse(expected)];
    expect(read).toEqual(wanted);
  });

  test.each(typed)('%j stays as it is', (markdown) => {
    const shown = renderForTelegram(markdown, parse).text;
    for (const tag of markdown.match(/<[^>]*>/g) ?? []) if (!tag.includes(':')) expect(shown).toContain(tag);
  });
});

/** Texts, and the addresses in them. */
const addresses: readonly (readonly [string, ...string[]])[] = [
  ['请看https://example.com/a。然后', 'https://example.com/a'],
  ['请看https://example.com/a这个页面', 'https://example.com/a'],
  ['见https://example.com，或https://example.org/b；', 'https://example.com', 'https://example.org/b'],
  ['打开https://example.com/查看', 'https://example.com/'],
  ['打开https://example.com即可', 'https://example.com'],
  ['（见https://example.com/a）和「https://example.com/b」', 'https://example.com/a', 'https://example.com/b'],
  ['官网：http://127.0.0.1:8080/admin、备用', 'http://127.0.0.1:8080/admin'],
  ['详见https://zh.wikipedia.org/wiki/中国。', 'https://zh.wikipedia.org/wiki/中国'],
  ['搜索https://example.com/?q=中国经济&lang=zh，谢谢', 'https://example.com/?q=中国经济&lang=zh'],
  ['https://例子.测试/a 可以', 'https://例子.测试/a'],
  ['https://www.例子.cn/首页 可以', 'https://www.例子.cn/'],
  ['これはhttps://example.com/aです。', 'https://example.com/a'],
  ['「https://example.com/docs/index.html」を見て', 'https://example.com/docs/index.html'],
  ['자세한 내용은 https://example.com/a에서', 'https://example.com/a'],
  ['https://ko.wikipedia.org/wiki/서울 입니다', 'https://ko.wikipedia.org/wiki/서울'],
  ['链接“https://example.com/x_y_z”里', 'https://example.com/x_y_z'],
  ['**重要：**https://example.com/a！**注意**', 'https://example.com/a'],
  ['- https://example.com/a：第一\n- https://example.com/b：第二', 'https://example.com/a', 'https://example.com/b'],
  ['https://example.com/a#部分，下', 'https://example.com/a#部分'],
  ['https://example.com/a…… 以及https://example.com/b——等', 'https://example.com/a', 'https://example.com/b'],
  ['看https://example.com/a?x=1&y=2的结果', 'https://example.com/a?x=1&y=2'],
  ['https://example.com/a０１２', 'https://example.com/a'],
  ['plain https://example.com/a, and (https://example.com/b).', 'https://example.com/a', 'https://example.com/b'],
  ['<https://example.com/这个>也', 'https://example.com/这个'],
];

describe.each(addresses)('the addresses in %j', (markdown, ...wanted) => {
  /** As a client finds them in a text: up to white space or a sign that ends a sentence. */
  const found = (text: string): readonly string[] =>
    Array.from(text.matchAll(/https?:\/\/[^\s<>]+[^\s<>.,:;"')\]]/g), ([address]) => address);

  test('end there on Discord, Slack, Telegram and in a terminal', () => {
    const shown = [
      renderForDiscord(markdown, parse).replaceAll('\\', ''),
      renderForSlack(markdown),
      renderForTelegram(markdown, parse).text,
      renderForTerminal(markdown, ansiStyle),
    ];
    for (const text of shown) expect(found(text)).toEqual(wanted);
  });
});
