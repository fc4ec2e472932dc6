import type { Parse } from '../../src/lib/markdown-parser.ts';
import {
  type MarkdownItem,
  type MarkdownList,
  type MarkdownNode,
  type MarkdownTable,
  namesItself,
  readableAddress,
  tableText,
} from '../../src/lib/markdown-tree.ts';
import { languageName, placeholder, readMarkdown, showsSomething, trimCode } from '../kit/markdown.ts';

/** Converts markdown to Discord's dialect, which lacks parts of CommonMark and has marks of its own. Never empty. */
export function renderMarkdown(markdown: string, parse: Parse): string {
  const read = readMarkdown(markdown, parse);
  const text = read.type === 'parsed' ? setBlocks(read.nodes, atTheTop) : read.text;
  const shown = read.type === 'typed' ? setTyped(text) : text.trim();
  return showsSomething(shown) ? shown : placeholder;
}

/** Length of the rendered text in UTF-16 units. Discord counts characters, which are never more. */
export function measureMarkdown(markdown: string, parse: Parse): number {
  return renderMarkdown(markdown, parse).length;
}

/** Shows a text literally. */
function setTyped(source: string): string {
  return escapeBeginnings(escapeInline(source)).trim();
}

function setBlocks(nodes: readonly MarkdownNode[], context: Context, gap = '\n\n'): string {
  let text = '';
  let wasHeading = false;
  for (const node of nodes) {
    const block = setBlock(node, context);
    if (block === '') continue;
    // Discord puts space below a heading.
    text += text === '' ? block : (wasHeading ? '\n' : gap) + block;
    wasHeading = node.type === 'heading' && node.depth <= 3;
  }
  return text;
}

function setBlock(node: MarkdownNode, context: Context): string {
  switch (node.type) {
    case 'paragraph':
      return escapeBeginnings(setInline(node.children, context));
    case 'heading':
      return setHeading(node.children, node.depth, context);
    case 'code':
      return codeBlock(node.value, node.language);
    case 'blockquote': {
      const text = setBlocks(node.children, { ...context, isQuoted: true });
      // Discord has no nested quotes.
      return context.isQuoted || text === '' ? text : prefixed(text, '> ', '> ');
    }
    case 'list':
      return setList(node, context);
    case 'table':
      return setTable(node, context);
    case 'html':
      return setTyped(node.value);
    case 'footnote':
      return prefixed(setBlocks(node.children, context), `[${node.label}] `, '');
    default:
      return escapeBeginnings(setInline([node], context));
  }
}

/** Discord has three sizes, and drops number signs at the end of a heading. */
function setHeading(nodes: readonly MarkdownNode[], depth: number, context: Context): string {
  if (depth <= 3) {
    const line = oneLine(setInline(nodes, context)).replace(/#(?=#*$)/g, String.raw`\#`);
    return line === '' ? '' : `${'#'.repeat(depth)} ${line}`;
  }
  const bold = oneLine(setInline(nodes, { ...context, styles: ['**'] }));
  return bold === '' ? '' : `**${bold}**`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function setList({ items, start }: MarkdownList, context: Context): string {
  return items
    .map((item, index) => setItem(item, start === undefined ? '- ' : `${start + index}. `, context))
    .join('\n');
}

function setItem({ children, isChecked }: MarkdownItem, marker: string, context: Context): string {
  const content = setBlocks(children, context, '\n');
  const box = isChecked === undefined ? '' : isChecked ? '☑ ' : '☐ ';
  return prefixed(box + content, marker, ' '.repeat(marker.length)).trimEnd();
}

/** Indents lines, but not code, so that it can be copied; a quote marks every line. */
function prefixed(text: string, first: string, rest: string): string {
  let isCode = false;
  const lines = text.split('\n').map((line, index) => {
    const isFence = line.startsWith('```');
    const isKept = rest.trim() === '' && (isCode || isFence);
    if (isFence) isCode = !isCode;
    if (index === 0) return isKept ? `${first.trimEnd()}\n${line}` : first + line;
    return isKept || (line === '' && rest.trim() === '') ? line : rest + line;
  });
  return lines.join('\n');
}

/** Tables wider than people's windows are shown as lists. */
const widestTable = 88;

function setTable(table: MarkdownTable, context: Context): string {
  const rows = table.rows.map((row) => row.map((cell) => plainWords(cell).replace(/\s+/g, ' ').trim()));
  const text = tableText(rows, table.align);
  const width = Math.max(...text.split('\n').map((line) => line.length));
  return width <= widestTable ? codeBlock(text) : setWideTable(table, context);
}

function setWideTable({ rows: [head = [], ...rows] }: MarkdownTable, context: Context): string {
  const names = head.map((cell) => setInline(cell, { ...context, styles: ['**'] }));
  if (rows.length === 0) return names.join(' · ');
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const words = oneLine(setInline(cell, context));
        const name = oneLine(names[column] ?? '');
        return name === '' || words === '' ? words || name : `**${name}:** ${words}`;
      });
      const [first = '', ...others] = cells.filter((cell) => cell !== '');
      return [`- ${first}`, ...others.map((cell) => `  ${cell}`)].join('\n');
    })
    .join('\n');
}

interface Context {
  readonly isQuoted: boolean;
  /** Marks already open around the text: they are not nested in themselves. */
  readonly styles: readonly Mark[];
}

const atTheTop: Context = { isQuoted: false, styles: [] };

const styleMarks = { strong: '**', emphasis: '*', delete: '~~' } as const;

type Mark = (typeof styleMarks)[keyof typeof styleMarks];

/** Renders inline content. May return several lines, without blank ones at the ends. */
function setInline(nodes: readonly MarkdownNode[], context: Context): string {
  return setEach(nodes, context).trim();
}

function setEach(nodes: readonly MarkdownNode[], context: Context): string {
  let line = '';
  let wasMarked = false;
  for (const node of nodes) {
    const text = setNode(node, context);
    if (text === '') continue;
    const isMarked = node.type === 'inlineCode' || node.type in styleMarks;
    // Adjacent marks would merge into a longer one, and brackets into a link.
    if (isMarked && wasMarked && line.at(-1) === text.at(0)) line += '\u200b';
    if (line.endsWith(']') && text.startsWith('(')) line += '\\';
    line += text;
    wasMarked = isMarked;
  }
  return line;
}

function setNode(node: MarkdownNode, context: Context): string {
  switch (node.type) {
    case 'text':
      return escapeInline(node.value);
    case 'strong':
    case 'emphasis':
    case 'delete':
      return setStyled(node.children, styleMarks[node.type], context);
    case 'inlineCode':
      return codeSpan(node.value);
    case 'link':
      return setLink(node.children, node.url, context);
    default:
      return escapeInline(plainWordsOf(node));
  }
}

function setStyled(nodes: readonly MarkdownNode[], mark: Mark, context: Context): string {
  const { styles } = context;
  if (styles.includes(mark)) return setEach(nodes, context);
  const text = setEach(nodes, { ...context, styles: [...styles, mark] });
  // Discord ignores a mark next to white space.
  return text.replace(/\S(?:.*\S)?/s, (words) => mark + words + mark);
}

function setLink(nodes: readonly MarkdownNode[], address: string, context: Context): string {
  const words = plainWords(nodes).trim();
  const target = linkTarget(address);
  const readable = readableAddress(address);
  if (target !== undefined && (words === '' || namesItself(words, address))) return `<${target}>`;
  if (words === '') return escapeInline(readable);
  const shown = setInline(nodes, context);
  if (namesItself(words, address) || readable === '' || readable === words) return shown;
  if (target === undefined) return `${shown} (${escapeInline(readable)})`;
  // Discord shows no link whose label looks like an address.
  if (/\w:\/\/|^\s*www\.|discord\.gg\//i.test(words)) return `${shown} (<${target}>)`;
  return `[${shown.replaceAll(/(?<!\\)[[\]]/g, String.raw`\$&`)}](${target})`;
}

/** The plain text, without marks and escapes. */
function plainWords(nodes: readonly MarkdownNode[]): string {
  return nodes.map(plainWordsOf).join('');
}

function plainWordsOf(node: MarkdownNode): string {
  if (node.type === 'list') return node.items.map(({ children }) => plainWords(children)).join('');
  if (node.type === 'table') return node.rows.flat().map(plainWords).join('');
  if ('value' in node) return node.value;
  return 'children' in node ? plainWords(node.children) : '';
}

const marks = /\\|`|\*|_|\](?=\()|~{2,}|\|{2,}/g;
/** Starts a mention, an emoji, a timestamp, a link or a tag. */
const opening = /<(?=[@#:/!?A-Za-z])/g;
/** Markers at the start of a line, in Discord's dialect or CommonMark. */
const lineBeginning =
  /^([ \t]*)(?:(#{1,6}(?=\s|$)|-#(?=\s)|>|[-+*](?=\s|$)|-+[ \t]*$|=+[ \t]*$)|(\d+)([.)](?=\s|$)))/gm;

/** Escapes a text, or a part of a line, so that Discord shows it literally. */
function escapeInline(text: string): string {
  return text.replace(marks, escapeMark).replace(opening, String.raw`\<`);
}

/** Escapes line starts; call it after `escapeInline`. */
function escapeBeginnings(lines: string): string {
  return lines.replace(lineBeginning, (_, space: string, marker?: string, number = '', dot = '') =>
    marker === undefined ? `${space}${number}\\${dot}` : `${space}\\${marker}`,
  );
}

function escapeMark(mark: string, at: number, text: string): string {
  const around = text.slice(Math.max(0, at - 1), at + 2);
  // A star between spaces and an underscore within a word have no effect.
  if (/^(?:\s\*\s|[A-Za-z0-9]_[A-Za-z0-9])$/.test(around)) return mark;
  return mark.replace(/./g, String.raw`\$&`);
}

/** Inline code. Discord reads three backticks as a block anywhere. */
function codeSpan(code: string): string {
  const apart = separated(code, 2);
  const hasSingle = /(?<!`)`(?!`)/.test(apart);
  const hasDouble = /(?<!`)``(?!`)/.test(apart);
  const content = hasSingle && hasDouble ? separated(apart, 1) : apart;
  const fence = /(?<!`)`(?!`)/.test(content) ? '``' : '`';
  const padding = content.startsWith('`') || content.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${content}${padding}${fence}`;
}

/** A code block. Three backticks inside would end it; a language of several words would show as a line of code. */
function codeBlock(code: string, language = ''): string {
  const text = separated(trimCode(code), 2);
  if (text === '') return '';
  return `\`\`\`${languageName(language) ?? ''}\n${text}\n\`\`\``;
}

/** Separates longer runs of backticks with zero-width spaces. */
function separated(text: string, most: number): string {
  return text.replace(/`+/g, (run) => (run.length <= most ? run : [...run].join('\u200b')));
}

/** A URL that Discord can link; undefined for others, which are written out. */
function linkTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.href.length > longestUrl) return undefined;
  return address.replace(/[\s<>()\\|*`]/g, percentEncoded);
}

const longestUrl = 1_500;

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
