import { isTimeOfDay } from '../../src/lib/folds.ts';
import { type Parse, placeholder, readMarkdown, showsSomething } from '../../src/lib/markdown-parser.ts';
import {
  type MarkdownBlock,
  type MarkdownInline,
  type MarkdownItem,
  type MarkdownNode,
  type MarkdownTable,
  namesItself,
  plainWords,
  readableAddress,
  tableText,
} from '../../src/lib/markdown-tree.ts';
import { numberedTable } from '../../src/lib/table-links.ts';

/**
 * The text, in UTF-16 units as Telegram counts, and its formatting entities. The text is never empty. `showsInstants`:
 * instants are shown by the reader's own clock. Only for Keyturn's own words: a model could let an instant say another
 * time than its words.
 */
export function renderMarkdown(markdown: string, parse: Parse, { showsInstants = false } = {}): Rich {
  const nodes = readMarkdown(markdown, parse);
  const linked = trimmed(setBlocks(nodes, { addresses: 'hidden', showsInstants }));
  const pieces = hasTooManyLinks(linked) ? trimmed(setBlocks(nodes, { addresses: 'written', showsInstants })) : linked;
  const text = textOf(pieces);
  return showsSomething(text) ? { text, entities: entitiesOf(pieces) } : { text: placeholder, entities: [] };
}

export type Style =
  | { readonly type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'spoiler' | 'code' }
  | { readonly type: 'blockquote' | 'expandable_blockquote' }
  | { readonly type: 'date_time'; readonly unix_time: number; readonly date_time_format: 't' | 'Dt' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string };

/** A style and its range, in UTF-16 units. */
export type Entity = Style & { readonly offset: number; readonly length: number };

export interface Rich {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Text with its styles, the outermost first. Each use of a style is its own object. */
interface Piece {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** Telegram accepts about 9,500 bytes of formatting; URLs take most of it. */
const mostAddressUnits = 6000;
const mostLinks = 60;

/** If so, the URLs are written out instead, so that they count and a long text is split. */
function hasTooManyLinks(pieces: readonly Piece[]): boolean {
  const styles = new Set(pieces.flatMap((piece) => piece.styles));
  const addresses = [...styles].flatMap((style) => (style.type === 'text_link' ? [style.url] : []));
  return addresses.length > mostLinks || addresses.join('').length > mostAddressUnits;
}

/** Telegram ignores further entities, so we choose which ones to drop. */
const mostEntities = 100;

/** The most important first: without its entity, a spoiler would be told. */
const importance: readonly Style['type'][] = [
  ...(['spoiler', 'expandable_blockquote', 'text_link', 'pre', 'code', 'blockquote', 'date_time'] as const),
  ...(['bold', 'italic', 'underline', 'strikethrough'] as const),
];

/** For equal ranges, the outermost first. */
const nesting: readonly Style['type'][] = [
  ...(['expandable_blockquote', 'blockquote', 'spoiler', 'text_link'] as const),
  ...(['bold', 'italic', 'underline', 'strikethrough', 'date_time', 'pre', 'code'] as const),
];

/** Sorted, nested as Telegram allows, without outer white space; at most 100, without the least important. */
function entitiesOf(pieces: readonly Piece[]): readonly Entity[] {
  const text = textOf(pieces);
  const stretches: Stretch[] = [];
  const last = new Map<Style, Stretch>();
  let offset = 0;
  for (const { text: words, styles } of pieces) {
    for (const style of allowed(styles)) {
      const before = last.get(style);
      if (before !== undefined && before.offset + before.length === offset) {
        before.length += words.length;
        continue;
      }
      const stretch = { style, offset, length: words.length };
      last.set(style, stretch);
      stretches.push(stretch);
    }
    offset += words.length;
  }
  const entities = stretches.flatMap((stretch) => tightened(stretch, text));
  if (entities.length > mostEntities)
    entities.sort((a, b) => importance.indexOf(a.type) - importance.indexOf(b.type) || byPlace(a, b));
  return entities.slice(0, mostEntities).sort(byPlace);
}

interface Stretch {
  readonly style: Style;
  readonly offset: number;
  length: number;
}

/**
 * Drops what Telegram does not nest: styles in themselves, quotations in each other, code in links and spoilers, instants
 * in links, and emphasis in code.
 */
function allowed(styles: readonly Style[]): readonly Style[] {
  const isHidden = styles.some(({ type }) => type === 'spoiler');
  const isPlain = isHidden || !styles.some(({ type }) => type === 'code' || type === 'pre');
  return styles.filter(({ type }, index) => {
    const around = styles.slice(0, index).map((outer) => outer.type);
    if (around.includes(type)) return false;
    if (isQuotation(type)) return !around.some(isQuotation);
    if (type === 'code') return !isHidden && !around.includes('text_link');
    if (type === 'date_time') return !around.includes('text_link');
    return isPlain || type === 'pre' || type === 'text_link';
  });
}

function isQuotation(type: Style['type']): boolean {
  return type === 'blockquote' || type === 'expandable_blockquote';
}

function tightened({ style, offset, length }: Stretch, text: string): readonly Entity[] {
  const stretch = text.slice(offset, offset + length);
  const words = stretch.trim();
  if (words === '') return [];
  if (style.type === 'pre') return [{ ...style, offset, length }];
  return [{ ...style, offset: offset + stretch.indexOf(words), length: words.length }];
}

function byPlace(a: Entity, b: Entity): number {
  return a.offset - b.offset || b.length - a.length || nesting.indexOf(a.type) - nesting.indexOf(b.type);
}

interface Setting {
  /** Whether URLs are linked, or written out after the words. */
  readonly addresses: 'hidden' | 'written';
  readonly showsInstants: boolean;
}

function setBlocks(nodes: readonly MarkdownBlock[], setting: Setting, separator = '\n\n'): readonly Piece[] {
  const blocks = nodes.map((node) => setNode(node, setting)).filter((block) => textOf(block) !== '');
  return join(blocks, separator);
}

function setInline(nodes: readonly MarkdownNode[], setting: Setting): readonly Piece[] {
  return nodes.flatMap((node) => setNode(node, setting));
}

function setNode(node: MarkdownNode, setting: Setting): readonly Piece[] {
  switch (node.type) {
    case 'text':
    case 'html':
      return plain(node.value);
    case 'paragraph':
      return trimmed(setInline(node.children, setting));
    case 'heading':
      return styled(trimmed(setInline(node.children, setting)), { type: 'bold' });
    case 'strong':
      return styled(setInline(node.children, setting), { type: 'bold' });
    case 'emphasis':
      return styled(setInline(node.children, setting), { type: 'italic' });
    case 'delete':
      return styled(setInline(node.children, setting), { type: 'strikethrough' });
    case 'underline':
      return styled(setInline(node.children, setting), { type: 'underline' });
    case 'spoiler':
      return styled(setInline(node.children, setting), { type: 'spoiler' });
    case 'time':
      return setInstant(node.children, node.at, setting);
    case 'inlineCode':
      return styled(plain(node.value), { type: 'code' });
    case 'code':
      return styled(plain(node.value), { type: 'pre', language: node.language });
    case 'blockquote':
      return styled(trimmed(setBlocks(node.children, setting)), { type: 'blockquote' });
    case 'details': {
      const title = styled(trimmed(setInline(node.title, setting)), { type: 'bold' });
      const block = join(
        [title, trimmed(setBlocks(node.children, setting))].filter((part) => textOf(part) !== ''),
        '\n',
      );
      return styled(block, { type: 'expandable_blockquote' });
    }
    case 'list':
      return join(
        node.items.map((item) => setItem(item, setting)),
        node.isSpread ? '\n\n' : '\n',
      );
    case 'table':
      return setTable(node, setting);
    case 'link':
      return setLink(setInline(node.children, setting), node.url, setting);
    case 'footnote':
      return prefixed(trimmed(setBlocks(node.children, setting)), `[${node.label}] `, '');
  }
}

function setItem({ number, box, isSpread, children }: MarkdownItem, setting: Setting): readonly Piece[] {
  const content = trimmed(setBlocks(children, setting, isSpread ? '\n\n' : '\n'));
  const marker = number === undefined ? '• ' : `${number}. `;
  const sign = number === undefined && box !== '' ? box : marker + box;
  return trimmed(prefixed(content, sign, ' '.repeat(marker.length)));
}

/** Code, where links do not work: they are numbered, and stand below. */
function setTable(table: MarkdownTable, setting: Setting): readonly Piece[] {
  const { rows, links } = numberedTable(table);
  const code = styled(plain(tableText(rows, table.align)), { type: 'pre' });
  const list = links.map(({ number, link }) => [...plain(`${number} `), ...setInline([link], setting)]);
  return join([code, ...list], '\n');
}

function setInstant(words: readonly MarkdownInline[], at: number, setting: Setting): readonly Piece[] {
  const shown = plain(plainWords(words));
  if (!setting.showsInstants) return shown;
  const date_time_format = isTimeOfDay(plainWords(words)) ? 't' : 'Dt';
  return styled(shown, { type: 'date_time', unix_time: Math.floor(at / 1000), date_time_format });
}

function setLink(words: readonly Piece[], address: string, setting: Setting): readonly Piece[] {
  const readable = readableAddress(address);
  const shown = textOf(words);
  if (namesItself(shown, address) || readable === shown) return words;

  const target = linkTarget(address);
  if (shown.trim() === '') return plain(readable);
  if (target !== undefined && setting.addresses === 'hidden') return styled(words, { type: 'text_link', url: target });
  return readable === '' ? words : [...words, ...plain(` (${readable})`)];
}

const longestUrl = 2048;
const hostShape = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/i;
const telegramHostShape = /^[a-z0-9_-]+$/i;

/**
 * The URL as Telegram can link it, or undefined. One unusable URL makes Telegram refuse the whole message: hosts
 * without a dot, such as `localhost`, and `mailto:`.
 */
function linkTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.href.length > longestUrl || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    return hostShape.test(url.hostname) && url.port !== '0' ? url.href : undefined;
  }
  // tg://user would mention and notify a person.
  if (url.protocol === 'tg:' && telegramHostShape.test(url.host) && url.host !== 'user') return url.href;
  return undefined;
}

function plain(text: string): readonly Piece[] {
  return text === '' ? [] : [{ text, styles: [] }];
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function join(parts: readonly (readonly Piece[])[], separator: string): readonly Piece[] {
  return parts.flatMap((part, index) => (index === 0 ? part : [...plain(separator), ...part]));
}

function styled(pieces: readonly Piece[], style: Style): readonly Piece[] {
  return pieces.map(({ text, styles }) => ({ text, styles: [style, ...styles] }));
}

/** Trims white space, but keeps the start of a code block. */
function trimmed(pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces.findIndex((piece) => isBlock(piece) || piece.text.trim() !== '');
  const last = pieces.findLastIndex(({ text }) => text.trim() !== '');
  return pieces.slice(Math.max(0, first), last + 1).map((piece, index, kept) => {
    const begun = index > 0 || isBlock(piece) ? piece.text : piece.text.trimStart();
    return { ...piece, text: index < kept.length - 1 ? begun : begun.trimEnd() };
  });
}

/** Prefixes the first line with `first` and the others with `rest`, except code and empty lines. */
function prefixed(pieces: readonly Piece[], first: string, rest: string): readonly Piece[] {
  const others = pieces.map((piece, index) => {
    const next = pieces[index + 1];
    if (isBlock(piece)) return piece;
    const follows = next === undefined || isBlock(next) ? '' : next.text;
    const isBroken = piece.text.endsWith('\n') && follows !== '' && !follows.startsWith('\n');
    return { ...piece, text: piece.text.replace(/\n(?=[^\n])/g, `\n${rest}`) + (isBroken ? rest : '') };
  });
  return [...plain(first), ...others];
}

function isBlock({ styles }: Piece): boolean {
  return styles.some(({ type }) => type === 'pre');
}
