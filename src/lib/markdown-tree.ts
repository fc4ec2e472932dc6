import type { Token } from 'markdown-it';
import { instantOf, tagsPaired } from './kept-tags.ts';
import { textWidth } from './text-width.ts';

/** A block of a markdown text. Its depth is limited, so recursion cannot overflow the stack. */
export type MarkdownBlock =
  | { readonly type: 'paragraph'; readonly children: readonly MarkdownInline[] }
  | { readonly type: 'heading'; readonly depth: number; readonly children: readonly MarkdownInline[] }
  | { readonly type: 'blockquote'; readonly children: readonly MarkdownBlock[] }
  /** Shown closed, under its title. Only at the top of a text. */
  | {
      readonly type: 'details';
      readonly title: readonly MarkdownInline[];
      readonly children: readonly MarkdownBlock[];
    }
  | { readonly type: 'footnote'; readonly label: string; readonly children: readonly MarkdownBlock[] }
  /** `isSpread`: blank lines separate the items. */
  | { readonly type: 'list'; readonly isSpread: boolean; readonly items: readonly MarkdownItem[] }
  /** Without leading blank lines and trailing white space. The language is a name that platforms accept. */
  | { readonly type: 'code'; readonly value: string; readonly language: string | undefined }
  /** Shown as typed: HTML, what is nested too deep, and what is not parsed. */
  | { readonly type: 'html'; readonly value: string }
  | MarkdownTable;

export type MarkdownInline =
  | { readonly type: 'text' | 'inlineCode'; readonly value: string }
  | {
      readonly type: 'strong' | 'emphasis' | 'delete' | 'underline' | 'spoiler';
      readonly children: readonly MarkdownInline[];
    }
  /** An instant, in ms since 1970, and the words for readers without such an element. */
  | { readonly type: 'time'; readonly at: number; readonly children: readonly MarkdownInline[] }
  | { readonly type: 'link'; readonly url: string; readonly children: readonly MarkdownInline[] };

export type MarkdownNode = MarkdownBlock | MarkdownInline;

export interface MarkdownItem {
  /** Undefined in a bullet list. */
  readonly number: number | undefined;
  /** The check box; empty if it has none. */
  readonly box: '☑ ' | '☐ ' | '';
  /** Blank lines separate the blocks of the item. */
  readonly isSpread: boolean;
  readonly children: readonly MarkdownBlock[];
}

export interface MarkdownTable {
  readonly type: 'table';
  readonly align: readonly Align[];
  /** The first row is the head. */
  readonly rows: readonly (readonly (readonly MarkdownInline[])[])[];
}

export type Align = 'left' | 'right' | 'center' | undefined;

/** A token with those up to its closing one. */
interface Nested {
  readonly token: Token;
  readonly inner: readonly Nested[];
}

/** Builds a tree from the parser's tokens. `source` is the text that they were made from. */
export function treeOf(tokens: readonly Token[], source: string): readonly MarkdownBlock[] {
  return blocksOf(nested(tokens), source.split(/\r\n?|\n/));
}

/** `lines`: those of the source. */
function blocksOf(inner: readonly Nested[], lines: readonly string[]): readonly MarkdownBlock[] {
  return inner.map((one) => blockOf(one, lines));
}

function blockOf({ token, inner }: Nested, lines: readonly string[]): MarkdownBlock {
  switch (token.type) {
    case 'paragraph_open':
      return { type: 'paragraph', children: inlineIn(inner) };
    case 'heading_open':
      return { type: 'heading', depth: Number(token.tag.slice(1)), children: inlineIn(inner) };
    case 'blockquote_open':
      return { type: 'blockquote', children: blocksOf(inner, lines) };
    case 'details_open': {
      const [title, ...blocks] = inner;
      return { type: 'details', title: title ? inlineIn([title]) : [], children: blocksOf(blocks, lines) };
    }
    case 'footnote_open':
      return { type: 'footnote', label: token.info, children: blocksOf(inner, lines) };
    case 'bullet_list_open':
    case 'ordered_list_open': {
      const start = token.type === 'bullet_list_open' ? Number.NaN : Number(token.attrGet('start') ?? 1);
      const items = inner.map((item, at) => itemOf(item, start + at, lines));
      return { type: 'list', isSpread: areSpread(inner, lines), items };
    }
    case 'table_open':
      return tableOf(inner);
    case 'fence':
    case 'code_block':
      return { type: 'code', value: trimCode(token.content), language: languageOf(token) };
    case 'hr':
      return { type: 'paragraph', children: [text('———')] };
    default:
      return { type: 'html', value: token.content.trimEnd() };
  }
}

function itemOf({ inner }: Nested, place: number, lines: readonly string[]): MarkdownItem {
  const number = Number.isNaN(place) ? undefined : place;
  const isSpread = areSpread(inner, lines);
  const children = blocksOf(inner, lines);
  const [first, ...others] = children;
  const [words, ...more] = first?.type === 'paragraph' ? first.children : [];
  const [, check] = /^\[([ \txX])\]\s/.exec(inner[0]?.inner[0]?.token.content ?? '') ?? [];
  // It may be a link instead.
  if (check === undefined || words?.type !== 'text') return { number, box: '', isSpread, children };
  const paragraph = [text(words.value.slice('[ ]'.length).trimStart()), ...more];
  const box = check.trim() === '' ? '☐ ' : '☑ ';
  return { number, box, isSpread, children: [{ type: 'paragraph', children: paragraph }, ...others] };
}

/** Whether blank lines separate them. */
function areSpread(blocks: readonly Nested[], lines: readonly string[]): boolean {
  return blocks.slice(1).some(({ token: { map } }) => map !== null && /^[\s>]*$/.test(lines[map[0] - 1] ?? '-'));
}

function nested(tokens: readonly Token[]): readonly Nested[] {
  const root: Nested[] = [];
  const open = [root];
  for (const token of tokens) {
    const inner: Nested[] = [];
    if (token.nesting !== -1) open.at(-1)?.push({ token, inner });
    if (token.nesting === 1) open.push(inner);
    if (token.nesting === -1) open.pop();
  }
  return root;
}

function inlineIn(inner: readonly Nested[]): readonly MarkdownInline[] {
  return inner.flatMap(({ token }) => inlineTree(nested(tagsPaired(token.children ?? []))));
}

/** The first word, if platforms accept it as a language's name. */
function languageOf({ info }: Token): string | undefined {
  return /^\s*([\w+.#-]{1,32})(?!\S)/.exec(info)?.[1];
}

/** Without leading blank lines and trailing white space. */
export function trimCode(code: string): string {
  return code.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

function tableOf(parts: readonly Nested[]): MarkdownTable {
  const rows = parts.flatMap(({ inner }) => inner);
  const align = (rows[0]?.inner ?? []).map(({ token }) => alignOf(token));
  return { type: 'table', align, rows: rows.map((row) => row.inner.map((cell) => inlineIn(cell.inner))) };
}

function alignOf(cell: Token): Align {
  const [, align] = /^text-align:(\w+)$/.exec(String(cell.attrGet('style') ?? '')) ?? [];
  return align === 'left' || align === 'right' || align === 'center' ? align : undefined;
}

/** No person nests deeper; the rest is shown as typed. */
const deepestStyles = 24;

function inlineTree(nodes: readonly Nested[], depth = 0, tree: MarkdownInline[] = []): readonly MarkdownInline[] {
  for (const { token, inner } of nodes) {
    if (token.nesting === 0) tree.push(...leaf(token));
    else if (depth < deepestStyles) tree.push(styled(token, inlineTree(inner, depth + 1)));
    else {
      const isLink = token.type === 'link_open';
      tree.push(text(isLink ? '[' : token.markup));
      inlineTree(inner, depth, tree);
      tree.push(text(isLink ? `](${urlOf(token, 'href')})` : token.markup));
    }
  }
  return tree;
}

function text(value: string): MarkdownInline {
  return { type: 'text', value };
}

function styled(token: Token, children: readonly MarkdownInline[]): MarkdownInline {
  if (token.type === 'link_open') return { type: 'link', url: urlOf(token, 'href'), children };
  const at = instantOf(token);
  if (at !== undefined) return { type: 'time', at, children };
  return { type: styles[token.type] ?? 'delete', children };
}

const styles: Readonly<Record<string, 'strong' | 'emphasis' | 'spoiler' | 'underline'>> = {
  strong_open: 'strong',
  em_open: 'emphasis',
  spoiler_open: 'spoiler',
  html_inline: 'underline',
};

function leaf(token: Token): readonly MarkdownInline[] {
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return [text('\n')];
    case 'code_inline':
      return [{ type: 'inlineCode', value: token.content }];
    case 'image':
      return [{ type: 'link', url: urlOf(token, 'src'), children: [text(altOf(token))] }];
    default:
      return token.content === '' ? [] : [text(token.content)];
  }
}

function urlOf(token: Token, attribute: 'href' | 'src'): string {
  return String(token.attrGet(attribute) ?? '');
}

/** A picture is shown as a link. */
function altOf({ children }: Token): string {
  const words = plainWords(inlineTree(nested(children ?? [])));
  return words.trim() === '' ? 'image' : words;
}

/** The plain text, without marks and escapes. */
export function plainWords(nodes: readonly MarkdownInline[]): string {
  return nodes.map((node) => ('value' in node ? node.value : plainWords(node.children))).join('');
}

/** Whether the text of a link is its address. */
export function namesItself(words: string, address: string): boolean {
  return [words, `http://${words}`, `mailto:${words}`].includes(address);
}

/** The address worth showing: empty for a place on the same page or embedded data. */
export function readableAddress(address: string): string {
  if (address.startsWith('#') || /^data:/i.test(address)) return '';
  return address.replace(/^mailto:/i, '');
}

/** Columns are padded to at most this, so that one long cell does not widen every row. */
const widestPadding = 32;
const gap = ' | ';

/** The rows as lines of aligned columns, to be shown as code. The first row is the head. */
export function tableText(rows: readonly (readonly string[])[], align: readonly Align[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(widestPadding, Math.max(1, ...rows.map((row) => textWidth(row[column] ?? '')))),
  );
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, align[column]))
      .join(gap)
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return trimCode([...lines.slice(0, 1), rule, ...lines.slice(1)].join('\n'));
}

function pad(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - textWidth(text));
  if (align === 'right') return ' '.repeat(missing) + text;
  if (align === 'center') return ' '.repeat(Math.floor(missing / 2)) + text + ' '.repeat(Math.ceil(missing / 2));
  return text + ' '.repeat(missing);
}
