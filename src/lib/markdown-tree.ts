import type { Token } from 'markdown-it';

/** The tree of a markdown text. Its depth is limited, so recursion cannot overflow the stack. */
export type MarkdownNode =
  | { readonly type: 'paragraph' | 'blockquote' | Styled; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'heading'; readonly depth: number; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'link'; readonly url: string; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'footnote'; readonly label: string; readonly children: readonly MarkdownNode[] }
  | { readonly type: 'text' | 'inlineCode'; readonly value: string }
  /** Shown as typed: HTML, and what is nested too deep. */
  | { readonly type: 'html'; readonly value: string }
  | { readonly type: 'code'; readonly value: string; readonly language: string }
  | MarkdownList
  | MarkdownTable;

type Styled = 'strong' | 'emphasis' | 'delete';

export interface MarkdownList {
  readonly type: 'list';
  /** The number of the first item; undefined in a bullet list. */
  readonly start: number | undefined;
  /** Blank lines separate the items. */
  readonly isSpread: boolean;
  readonly items: readonly MarkdownItem[];
}

export interface MarkdownItem {
  /** Undefined without a check box. */
  readonly isChecked: boolean | undefined;
  /** Blank lines separate the blocks of the item. */
  readonly isSpread: boolean;
  readonly children: readonly MarkdownNode[];
}

export interface MarkdownTable {
  readonly type: 'table';
  readonly align: readonly Align[];
  /** The first row is the head. */
  readonly rows: readonly (readonly Cell[])[];
}

type Cell = readonly MarkdownNode[];
export type Align = 'left' | 'right' | 'center' | undefined;

/** A token with those up to its closing one. */
interface Nested {
  readonly token: Token;
  readonly inner: readonly Nested[];
}

/** Builds a tree from the parser's tokens. `source` is the text that they were made from. */
export function treeOf(tokens: readonly Token[], source: string): readonly MarkdownNode[] {
  const lines = source.split(/\r\n?|\n/);
  return nested(tokens).flatMap(nodesOf);

  function nodesOf({ token, inner }: Nested): readonly MarkdownNode[] {
    const children = (): readonly MarkdownNode[] => inner.flatMap(nodesOf);
    switch (token.type) {
      case 'inline':
        return inlineTree(token.children ?? []);
      case 'paragraph_open':
        return [{ type: 'paragraph', children: children() }];
      case 'heading_open':
        return [{ type: 'heading', depth: Number(token.tag.slice(1)), children: children() }];
      case 'blockquote_open':
        return [{ type: 'blockquote', children: children() }];
      case 'footnote_open':
        return [{ type: 'footnote', label: token.info, children: children() }];
      case 'bullet_list_open':
        return [listOf(undefined, inner)];
      case 'ordered_list_open':
        return [listOf(Number(token.attrGet('start') ?? 1), inner)];
      case 'table_open':
        return [tableOf(inner)];
      case 'fence':
      case 'code_block':
        return [{ type: 'code', value: token.content.replace(/\n$/, ''), language: languageOf(token) }];
      case 'hr':
        return [{ type: 'paragraph', children: [text('———')] }];
      default:
        return [{ type: 'html', value: token.content.trimEnd() }];
    }
  }

  function listOf(start: number | undefined, items: readonly Nested[]): MarkdownList {
    return { type: 'list', start, isSpread: areSpread(items), items: items.map(itemOf) };
  }

  function itemOf({ inner }: Nested): MarkdownItem {
    const box = boxIn(inner[0]);
    const isSpread = areSpread(inner);
    const children = inner.flatMap(nodesOf);
    const [first, ...others] = children;
    if (box === undefined || first?.type !== 'paragraph') return { isChecked: undefined, isSpread, children };
    return { isChecked: box !== '', isSpread, children: [withoutBox(first.children), ...others] };
  }

  function tableOf(parts: readonly Nested[]): MarkdownTable {
    const rows = parts.flatMap(({ inner }) => inner);
    const align = (rows[0]?.inner ?? []).map(({ token }) => alignOf(token));
    return { type: 'table', align, rows: rows.map((row) => row.inner.map((cell) => cell.inner.flatMap(nodesOf))) };
  }

  /** Whether blank lines separate them. */
  function areSpread(blocks: readonly Nested[]): boolean {
    return blocks.slice(1).some(({ token: { map } }) => map !== null && /^[\s>]*$/.test(lines[map[0] - 1] ?? '-'));
  }
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

function languageOf({ info }: Token): string {
  return info.trim().split(/\s/)[0] ?? '';
}

/** The content of the check box at the start of an item. */
function boxIn(block: Nested | undefined): string | undefined {
  const inline = block?.inner[0]?.token;
  if (block?.token.type !== 'paragraph_open' || !/^\[[ \txX]\]\s/.test(inline?.content ?? '')) return undefined;
  // It may be a link instead.
  const [first] = inlineTree(inline?.children ?? []);
  return first?.type === 'text' ? /^\[([ \txX])\]/.exec(first.value)?.[1]?.trim() : undefined;
}

function withoutBox([first, ...others]: readonly MarkdownNode[]): MarkdownNode {
  const value = first?.type === 'text' ? first.value.slice('[ ]'.length).trimStart() : '';
  return { type: 'paragraph', children: [text(value), ...others] };
}

function alignOf(cell: Token): Align {
  const [, align] = /^text-align:(\w+)$/.exec(String(cell.attrGet('style') ?? '')) ?? [];
  return align === 'left' || align === 'right' || align === 'center' ? align : undefined;
}

/** No person nests deeper; the rest is shown as typed. */
const deepestStyles = 24;

function inlineTree(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const opened: { readonly token: Token; readonly children: MarkdownNode[] }[] = [];
  for (const token of tokens) {
    const here = opened.at(-1)?.children ?? root;
    if (token.nesting === 1) {
      const isDeep = opened.length >= deepestStyles;
      if (isDeep) here.push(text(token.type === 'link_open' ? '[' : token.markup));
      opened.push({ token, children: isDeep ? here : [] });
    } else if (token.nesting === 0) here.push(...leaf(token));
    else {
      const closed = opened.pop();
      const around = opened.at(-1)?.children ?? root;
      if (closed === undefined) continue;
      if (closed.children !== around) around.push(styled(closed.token, closed.children));
      else around.push(text(token.type === 'link_close' ? `](${urlOf(closed.token, 'href')})` : token.markup));
    }
  }
  return root;
}

function text(value: string): MarkdownNode {
  return { type: 'text', value };
}

function styled(token: Token, children: readonly MarkdownNode[]): MarkdownNode {
  if (token.type === 'link_open') return { type: 'link', url: urlOf(token, 'href'), children };
  if (token.type === 'strong_open') return { type: 'strong', children };
  return { type: token.type === 'em_open' ? 'emphasis' : 'delete', children };
}

function leaf(token: Token): readonly MarkdownNode[] {
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
  const words = wordsOf(children ?? []);
  return words.trim() === '' ? 'image' : words;
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === 'softbreak' || type === 'hardbreak') return '\n';
      return type === 'image' ? wordsOf(children ?? []) : content;
    })
    .join('');
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

/** The rows as lines of aligned columns. The first row is the head. */
export function tableText(rows: readonly (readonly string[])[], align: readonly Align[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => columnWidth(rows, column));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, align[column]))
      .join(gap)
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].join('\n');
}

function columnWidth(rows: readonly (readonly string[])[], column: number): number {
  const widest = Math.max(1, ...rows.map((row) => displayWidth(row[column] ?? '')));
  return Math.min(widest, widestPadding);
}

function pad(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - displayWidth(text));
  if (align === 'right') return ' '.repeat(missing) + text;
  if (align === 'center') return ' '.repeat(Math.floor(missing / 2)) + text + ' '.repeat(Math.ceil(missing / 2));
  return text + ' '.repeat(missing);
}

/** East Asian characters and pictographs take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function displayWidth(text: string): number {
  return [...text].length + (text.match(wide)?.length ?? 0);
}
