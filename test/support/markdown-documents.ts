import fc from 'fast-check';
import { anyText } from './any-text.ts';

const word = fc.constantFrom(
  'the',
  'key',
  'turns',
  'a',
  'daemon',
  'answers',
  '**bold**',
  '`code`',
  'e.g.',
  'über',
  'x'.repeat(30),
);
const emoji = fc.constantFrom('👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '🎉', 'e\u0301\u0302', '한', '❤️');
const chinese = fc.constantFrom('天地玄黄，', '宇宙洪荒。', '日月盈昃');

const sentence = fc.array(word, { minLength: 1, maxLength: 15 }).map((words) => `${words.join(' ')}.`);
const paragraph = fc.oneof(
  fc.array(sentence, { minLength: 1, maxLength: 6 }).map((sentences) => sentences.join(' ')),
  fc.array(sentence, { minLength: 2, maxLength: 4 }).map((sentences) => sentences.join('\n')),
  fc.array(emoji, { minLength: 1, maxLength: 30 }).map((parts) => parts.join('')),
  fc.array(chinese, { minLength: 1, maxLength: 30 }).map((parts) => parts.join('')),
  fc.integer({ min: 100, max: 400 }).map((length) => 'w'.repeat(length)),
);

const codeLine = fc.oneof(
  fc.constantFrom(
    '',
    'const a = 1;',
    '  indented();',
    '# no heading',
    '- no item',
    '| no | table |',
    '``',
    'a ``` b ~~~ c',
  ),
  fc.integer({ min: 30, max: 200 }).map((length) => 'c'.repeat(length)),
  fc.array(word, { minLength: 5, maxLength: 30 }).map((words) => words.join(' ')),
);
const fence = fc
  .record({
    marker: fc.constantFrom('```', '~~~', '````', '~~~~~'),
    info: fc.constantFrom('', 'js', 'sh'),
    lines: fc.array(codeLine, { maxLength: 15 }),
    nested: fc.boolean(),
  })
  .map(({ marker, info, lines, nested }) => {
    // A fence in a longer one is text.
    const inner = nested && marker.length > 3 ? ['```', 'inner', '```'] : [];
    return [marker + info, 'first', ...lines, ...inner, 'last', marker].join('\n');
  });

const rows = fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 12 });
const narrowTable = rows.map((cells) => tableOf(['a', 'b'], cells));
/** Its head takes more of a part than the parts have room for. */
const wideTable = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 6 }), word, rows)
  .map(([words, name, cells]) => tableOf([words.join(' '), name], cells));
const table = fc.oneof(narrowTable, wideTable);

const heading = fc.constantFrom('# Title', '## Part', '### Detail');
const simple = fc.oneof(paragraph, fence, table, heading);
const list = fc
  .array(fc.tuple(sentence, fc.option(simple)), { minLength: 1, maxLength: 5 })
  .map((items) => items.map(([text, more]) => item('- ', more === null ? text : `${text}\n\n${more}`)).join('\n'));
const nestedList = fc.tuple(sentence, list).map(([text, inner]) => item('1. ', `${text}\n${inner}`));
const quote = simple.map((text) => text.replace(/^/gm, '> '));
const document = fc
  .array(fc.oneof(simple, simple, list, nestedList, quote), { minLength: 1, maxLength: 8 })
  .map((blocks) => blocks.join('\n\n'));

/** Well-formed markdown as models write it: every fence is closed, in its own list or quote. */
export const markdownDocuments: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: document },
  { weight: 1, arbitrary: document.map((text) => text.replaceAll('\n', '\r\n')) },
);

/** Text that looks like markdown in places and keeps no rule of it. */
export const markdownSoup: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      word,
      emoji,
      chinese,
      fc.constantFrom('\n', '\n\n', '\r\n', ' ', '\t', '```', '~~~~', '- ', '> ', '    ', '|', '#', '1. ', '`'),
    ),
    { maxLength: 200 },
  )
  .map((pieces) => pieces.join(''));

function tableOf(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const marks = head.map((name) => '-'.repeat(name.length + 1));
  return [head, marks, ...rows].map(([a, b]) => `| ${a} | ${b} |`).join('\n');
}

function item(marker: string, text: string): string {
  return marker + text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
}

const signs = fc.constantFrom(
  ...['**', '*', '_', '__', '~~', '`', '```', '||', '[', '](https://a.com)', '](x)', '> ', '>>> ', '\n', '\n\n', '- '],
  ...[
    '1. ',
    '# ',
    '-# ',
    '| ',
    '|-|',
    '<b>',
    '<@1>',
    '&amp;',
    '  ',
    '😀',
    '\u00a0',
    '\ud83d',
    'word',
    ' ',
    '![',
    '[^1]',
  ],
  ...['[^1]: ', '\\', '||hidden||', '<u>', '</u>', '</time>', '<details><summary>more</summary>', '</details>'],
  ...[
    '<time datetime="2026-11-29T21:16:00Z">',
    '> [!details]- ',
    '\n\n> [!details]- T\n> ',
    '| a | b |\n|---|---|\n| ',
  ],
);

/** Signs of markdown and of platforms, in any order. */
export const markdownNoise = fc
  .array(fc.oneof(signs, anyText({ maxLength: 4 })), { maxLength: 60 })
  .map((parts) => parts.join(''));

/** Whether all characters of the part stand in the whole, in their order. */
export function isSubsequence(part: string, whole: string): boolean {
  let found = 0;
  for (const unit of whole.split('')) if (unit === part[found]) found += 1;
  return found === part.length;
}
