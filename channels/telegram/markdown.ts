import { namesItself, readableAddress } from '../../src/lib/address-words.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import type { MarkdownItem, MarkdownList, MarkdownNode, MarkdownTable } from '../../src/lib/markdown-tree.ts';
import { tableText } from '../../src/lib/text-table.ts';
import { languageName, placeholder, readMarkdown, showsSomething, trimCode } from '../kit/markdown.ts';

/** The text as it is shown, and its formatting. The text is never empty. */
export function renderMarkdown(markdown: string, parse: Parse): { readonly text: string; readonly entities: Entity[] } {
  const rich = setMarkdown(markdown, parse);
  return { text: rich.text, entities: settleEntities(rich) };
}

/** The length of the text that `renderMarkdown` makes of it, in UTF-16 units: what Telegram counts. */
export function measureMarkdown(markdown: string, parse: Parse): number {
  return setMarkdown(markdown, parse).text.length;
}

function setMarkdown(markdown: string, parse: Parse): Rich {
  const read = readMarkdown(markdown, parse);
  const rich = read.type === 'parsed' ? setParsed(read.nodes) : trimmed(plain(read.text));
  return showsSomething(rich.text) ? rich : plain(placeholder);
}

/** Telegram takes some 9 500 bytes of formatting; the addresses are what grows. */
const mostAddressUnits = 6000;
const mostLinks = 60;

/** Where too many addresses are hidden, all are written out, so that they count, and a long text is split. */
function setParsed(nodes: readonly MarkdownNode[]): Rich {
  const rich = setText(nodes, 'hidden');
  const addresses = rich.entities.flatMap((entity) => (entity.type === 'text_link' ? [entity.url] : []));
  const isTooMuch = addresses.length > mostLinks || addresses.join('').length > mostAddressUnits;
  return isTooMuch ? setText(nodes, 'written') : rich;
}

/** Telegram ignores what is beyond, so we choose what goes. */
const mostEntities = 100;

/** What is dropped last stands first. */
const importance = ['text_link', 'pre', 'code', 'blockquote', 'bold', 'italic', 'strikethrough'] as const;

/** Of two on the same stretch, the one that stands first is outside. */
const nesting = ['blockquote', 'text_link', 'bold', 'italic', 'strikethrough', 'pre', 'code'] as const;

/**
 * The entities as Telegram takes them: sorted, nested as it allows, none on mere white space, at most 100. Beyond that
 * the least important go: links stay first.
 */
function settleEntities({ text, entities }: Rich): Entity[] {
  const blocks = entities.filter(({ type }) => type === 'code' || type === 'pre').sort(byPlace);
  const settled = withoutShadowed(entities)
    .flatMap((entity) => (isWhole(entity) ? [entity] : withoutBlocks(entity, blocks)))
    .flatMap((entity) => tightened(entity, text));
  return keepImportant(settled).sort(byPlace);
}

/** A style within the same style says nothing; code within a link gives way to the link. */
function withoutShadowed(entities: readonly Entity[]): Entity[] {
  // What is outside stands before what is inside, and nothing crosses.
  const around: Entity[] = [];
  return entities.filter((entity) => {
    for (let last = around.at(-1); last !== undefined && !contains(last, entity); last = around.at(-1)) around.pop();
    const gives = around.some(({ type }) => type === entity.type || (type === 'text_link' && entity.type === 'code'));
    around.push(entity);
    return !gives;
  });
}

function contains(outer: Entity, inner: Entity): boolean {
  return outer.offset <= inner.offset && inner.offset + inner.length <= outer.offset + outer.length;
}

function isWhole({ type }: Entity): boolean {
  return type === 'code' || type === 'pre' || type === 'blockquote' || type === 'text_link';
}

/** Code cannot be bold: the style is laid on what stands before, between and after. */
function withoutBlocks(entity: Entity, blocks: readonly Entity[]): Entity[] {
  const pieces: Entity[] = [];
  const end = entity.offset + entity.length;
  let offset = entity.offset;
  for (const block of blocks) {
    if (block.offset >= end) break;
    if (block.offset + block.length <= offset) continue;
    pieces.push({ ...entity, offset, length: block.offset - offset });
    offset = block.offset + block.length;
  }
  return [...pieces, { ...entity, offset, length: end - offset }];
}

function tightened(entity: Entity, text: string): Entity[] {
  const stretch = text.slice(entity.offset, entity.offset + entity.length);
  const length = stretch.trim().length;
  if (entity.length <= 0 || length === 0) return [];
  if (entity.type === 'pre') return [entity];
  return [{ ...entity, offset: entity.offset + stretch.length - stretch.trimStart().length, length }];
}

function keepImportant(entities: readonly Entity[]): Entity[] {
  if (entities.length <= mostEntities) return [...entities];
  return [...entities]
    .sort((a, b) => importance.indexOf(a.type) - importance.indexOf(b.type) || byPlace(a, b))
    .slice(0, mostEntities);
}

function byPlace(a: Entity, b: Entity): number {
  return a.offset - b.offset || b.length - a.length || nesting.indexOf(a.type) - nesting.indexOf(b.type);
}

/** Whether addresses are hidden behind their words, or written out after them. */
type Addresses = 'hidden' | 'written';

/** Sets a parsed text for Telegram. */
function setText(nodes: readonly MarkdownNode[], addresses: Addresses): Rich {
  return trimmed(setBlocks(nodes, addresses));
}

function setBlocks(nodes: readonly MarkdownNode[], addresses: Addresses, separator = '\n\n'): Rich {
  return join(
    nodes.map((node) => setNode(node, addresses)).filter(({ text }) => text !== ''),
    separator,
  );
}

function setInline(nodes: readonly MarkdownNode[], addresses: Addresses): Rich {
  return join(nodes.map((node) => setNode(node, addresses)));
}

function setNode(node: MarkdownNode, addresses: Addresses): Rich {
  switch (node.type) {
    case 'text':
      return plain(node.value);
    case 'html':
      return plain(node.value);
    case 'break':
      return plain('\n');
    case 'thematicBreak':
      return plain('———');
    case 'paragraph':
      return trimmed(setInline(node.children, addresses));
    case 'heading':
      return styled(trimmed(setInline(node.children, addresses)), { type: 'bold' });
    case 'strong':
      return styled(setInline(node.children, addresses), { type: 'bold' });
    case 'emphasis':
      return styled(setInline(node.children, addresses), { type: 'italic' });
    case 'delete':
      return styled(setInline(node.children, addresses), { type: 'strikethrough' });
    case 'inlineCode':
      return styled(plain(node.value), { type: 'code' });
    case 'code':
      return setCode(node.value, node.language);
    case 'blockquote':
      return styled(trimmed(setBlocks(node.children, addresses)), { type: 'blockquote' });
    case 'list':
      return setList(node, addresses);
    case 'table':
      return setCode(setTable(node), '');
    case 'link':
      return setLink(setInline(node.children, addresses), node.url, addresses);
    case 'image':
      return setLink(plain(node.alt || 'image'), node.url, addresses);
    case 'footnote':
      return prefixed(trimmed(setBlocks(node.children, addresses)), `[${node.label}] `, '');
  }
}

function setCode(code: string, language: string): Rich {
  const name = languageName(language);
  return styled(plain(trimCode(code)), { type: 'pre', ...(name !== undefined && { language: name }) });
}

function setList({ items, start, isSpread }: MarkdownList, addresses: Addresses): Rich {
  const set = items.map((item, index) => setItem(item, start === undefined ? '• ' : `${start + index}. `, addresses));
  return join(set, isSpread ? '\n\n' : '\n');
}

function setItem(item: MarkdownItem, marker: string, addresses: Addresses): Rich {
  const content = trimmed(setBlocks(item.children, addresses, item.isSpread ? '\n\n' : '\n'));
  return trimmed(prefixed(content, withBox(marker, item.isChecked), ' '.repeat(marker.length)));
}

function withBox(marker: string, isChecked: boolean | undefined): string {
  if (isChecked === undefined) return marker;
  const box = isChecked ? '☑ ' : '☐ ';
  return marker === '• ' ? box : marker + box;
}

function setTable({ rows, align }: MarkdownTable): string {
  // In a column of code nothing can be a link.
  const texts = rows.map((row) => row.map((cell) => setInline(cell, 'written').text.replace(/\s+/g, ' ')));
  return tableText(texts, align);
}

function setLink(words: Rich, address: string, addresses: Addresses): Rich {
  const readable = readableAddress(address);
  if (namesItself(words.text, address) || readable === words.text) return words;

  const target = linkTarget(address);
  if (words.text.trim() === '') return plain(readable);
  if (target !== undefined && addresses === 'hidden') return styled(words, { type: 'text_link', url: target });
  return readable === '' ? words : join([words, plain(` (${readable})`)]);
}

const longestUrl = 2048;
const hostShape = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/i;
const telegramHostShape = /^[a-z0-9_-]+$/i;

/**
 * The address as Telegram takes it for a link, or nothing. Telegram refuses a whole message for one address that it
 * cannot use, and hosts without a dot, `localhost` among them, are such; so is `mailto:`.
 */
function linkTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.href.length > longestUrl || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    return hostShape.test(url.hostname) && url.port !== '0' ? url.href : undefined;
  }
  // tg://user would mention a person, who would be notified.
  if (url.protocol === 'tg:' && telegramHostShape.test(url.host) && url.host !== 'user') return url.href;
  return undefined;
}

/** How a stretch of text looks. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string };

/** A style at its place, in UTF-16 units. */
export type Entity = Style & { readonly offset: number; readonly length: number };

/** A text and how its stretches look. Entities nest or stand apart; they never cross. */
export interface Rich {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const nothing: Rich = { text: '', entities: [] };

export function plain(text: string): Rich {
  return { text, entities: [] };
}

/** The parts one after the other, with the separator between them. */
function join(parts: readonly Rich[], separator = ''): Rich {
  const texts: string[] = [];
  const entities: Entity[] = [];
  let offset = 0;
  for (const part of parts) {
    texts.push(part.text);
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + offset });
    offset += part.text.length + separator.length;
  }
  return { text: texts.join(separator), entities };
}

/** Lays a style over all of it. */
function styled({ text, entities }: Rich, style: Style): Rich {
  if (text === '') return nothing;
  return { text, entities: [{ ...style, offset: 0, length: text.length }, ...entities] };
}

/** Without white space at its ends. What a code block begins with is kept. */
function trimmed({ text, entities }: Rich): Rich {
  const firstCode = Math.min(...entities.filter(isBlock).map(({ offset }) => offset), text.length);
  const start = Math.min(text.length - text.trimStart().length, firstCode);
  const kept = text.slice(start).trimEnd();
  return { text: kept, entities: entities.flatMap((entity) => clip(entity, start, start + kept.length)) };
}

/** Puts `first` before its first line and `rest` before every other. Lines of code and empty lines stay as they are. */
function prefixed({ text, entities }: Rich, first: string, rest: string): Rich {
  const breaks = lineBreaks(text, entities.filter(isBlock));
  const shiftOf = (count: number): number => first.length + count * rest.length;
  const lines = [0, ...breaks].map((start, index) => (index === 0 ? first : rest) + text.slice(start, breaks[index]));
  return {
    text: lines.join(''),
    entities: entities.map((entity) => {
      const end = entity.offset + entity.length;
      const before = breaks.filter((position) => position <= entity.offset).length;
      const within = breaks.filter((position) => position > entity.offset && position < end).length;
      return { ...entity, offset: entity.offset + shiftOf(before), length: entity.length + within * rest.length };
    }),
  };
}

/** Where lines begin that take a prefix. */
function lineBreaks(text: string, blocks: readonly Entity[]): number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const start = at + 1;
    const inCode = blocks.some(({ offset, length }) => start >= offset && start < offset + length);
    if (!inCode && start < text.length && text[start] !== '\n') breaks.push(start);
  }
  return breaks;
}

function isBlock({ type }: Entity): boolean {
  return type === 'pre';
}

function clip(entity: Entity, start: number, end: number): Entity[] {
  const from = Math.max(entity.offset, start);
  const to = Math.min(entity.offset + entity.length, end);
  return to > from ? [{ ...entity, offset: from - start, length: to - from }] : [];
}
