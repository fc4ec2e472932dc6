import { afterAddress } from '../../lib/address-end.ts';
import { lazyParser } from '../../lib/markdown-parser.ts';
import { type MarkdownBlock, type MarkdownInline, namesItself } from '../../lib/markdown-tree.ts';
import { speechWords } from './words.ts';

/** What is said in place of what cannot be spoken, by the script of the text. */
interface Words {
  readonly code: string;
  readonly table: string;
  readonly link: string;
  readonly rest: string;
}

/** The first script that is in a text decides. Without one of these, it is spoken of in English. */
const others: readonly (readonly [script: RegExp, words: Words])[] = [
  [
    /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    {
      code: 'コードは本文にあります。',
      table: '表は本文にあります。',
      link: 'リンク',
      rest: '続きは本文をご覧ください。',
    },
  ],
  [
    /\p{Script=Hangul}/u,
    {
      code: '코드는 본문에 있습니다.',
      table: '표는 본문에 있습니다.',
      link: '링크',
      rest: '나머지는 본문에 있습니다.',
    },
  ],
  [/\p{Script=Han}/u, speechWords.zh.spoken],
];

/**
 * A markdown text as it is spoken, in at most `most` characters: without marks, code blocks and tables, which are named;
 * links by their words. Empty if there is nothing to say.
 */
export function spokenText(markdown: string, most: number): string {
  const words = others.find(([script]) => script.test(markdown))?.[1] ?? speechWords.en.spoken;
  const parts = lazyParser()(markdown.toWellFormed()).map((block) => blockText(block, words));
  // Emoji have names that are read out, and nobody says them.
  const text = parts
    .join('\n')
    .replaceAll(afterAddress, '')
    .replace(/\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{fe0f}|\u{200d}|\p{Extended_Pictographic})*/gu, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
  return /[\p{L}\p{N}]/u.test(text) ? shortened(text, most, words) : '';
}

function blockText(block: MarkdownBlock, words: Words): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return inlineText(block.children, words).replace(/^———$/, '');
    case 'blockquote':
    case 'footnote':
      return block.children.map((child) => blockText(child, words)).join('\n');
    case 'details':
      return [inlineText(block.title, words), ...block.children.map((child) => blockText(child, words))].join('\n');
    case 'list':
      return block.items
        .map(({ number, children }) => {
          const text = children.map((child) => blockText(child, words)).join('\n');
          return number === undefined ? text : `${number}. ${text}`;
        })
        .join('\n');
    case 'code':
      return words.code;
    case 'table':
      return words.table;
    case 'html':
      return withoutAddresses(block.value.replace(/<[^<>]{1,200}>/g, ' '), words);
  }
}

function inlineText(nodes: readonly MarkdownInline[], words: Words): string {
  return nodes.map((node) => wordsOf(node, words)).join('');
}

function wordsOf(node: MarkdownInline, words: Words): string {
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return withoutAddresses(node.value, words);
    case 'link': {
      const text = inlineText(node.children, words);
      return namesItself(text, node.url) ? words.link : text;
    }
    case 'strong':
    case 'emphasis':
    case 'delete':
    case 'underline':
    case 'spoiler':
    case 'time':
      return inlineText(node.children, words);
  }
}

function withoutAddresses(text: string, words: Words): string {
  return text.replace(/\bhttps?:\/\/[^\s<>)\]，。、]+/gi, words.link);
}

/** Ends with a sentence, if one ends in the last half; else with a word. */
function shortened(text: string, most: number, { rest }: Words): string {
  if (text.length <= most) return text;
  const room = text.slice(0, Math.max(1, most - rest.length - 1));
  const ends = [...room.matchAll(/[.!?](?=\s)|[。！？\n]/g)].map(({ index }) => index + 1);
  const end = ends.findLast((index) => index > room.length / 2) ?? room.lastIndexOf(' ');
  return `${room
    .slice(0, end > room.length / 2 ? end : room.length)
    .toWellFormed()
    .trim()} ${rest}`;
}
