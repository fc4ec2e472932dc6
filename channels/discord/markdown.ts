import { isTimeOfDay } from '../../src/lib/folds.ts';
import { type Parse, placeholder, readMarkdown, showsSomething } from '../../src/lib/markdown-parser.ts';
import {
  type MarkdownBlock,
  type MarkdownInline,
  type MarkdownItem,
  type MarkdownTable,
  namesItself,
  plainWords,
  readableAddress,
  tableText,
} from '../../src/lib/markdown-tree.ts';
import { numberedTable } from '../../src/lib/table-links.ts';

/**
 * How instants are shown: by the reader's own clock, which is for Keyturn's own words, since a model could let an instant
 * say another time than its words; by their words; or by whichever is longer, to measure a text.
 */
type Instants = 'shown' | 'words' | 'longest';

/** Converts markdown to Discord's dialect, which lacks parts of CommonMark and has marks of its own. Never empty. */
export function renderMarkdown(markdown: string, parse: Parse, instants: Instants = 'words'): string {
  const shown = setBlocks(readMarkdown(markdown, parse), { ...atTheTop, instants }).trim();
  return showsSomething(shown) ? shown : placeholder;
}

/** Shows a text literally. */
function setTyped(source: string): string {
  return escapeBeginnings(escapeInline(source)).trim();
}

function setBlocks(nodes: readonly MarkdownBlock[], context: Context, gap = '\n\n'): string {
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

function setBlock(node: MarkdownBlock, context: Context): string {
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
    case 'details': {
      const title = oneLine(setInline([{ type: 'strong', children: node.title }], context));
      const text = setBlocks(node.children, { ...context, isQuoted: true });
      return prefixed([title, text].filter((part) => part !== '').join('\n'), '> ', '> ');
    }
    case 'list':
      return node.items.map((item) => setItem(item, context)).join('\n');
    case 'table':
      return setTable(node, context);
    case 'html':
      return setTyped(node.value);
    case 'footnote':
      return prefixed(setBlocks(node.children, context), `[${node.label}] `, '');
  }
}

/** Discord has three sizes, and drops number signs at the end of a heading. */
function setHeading(nodes: readonly MarkdownInline[], depth: number, context: Context): string {
  if (depth <= 3) {
    const line = oneLine(setInline(nodes, context)).replace(/#(?=#*$)/g, String.raw`\#`);
    return line === '' ? '' : `${'#'.repeat(depth)} ${line}`;
  }
  return oneLine(setInline([{ type: 'strong', children: nodes }], context));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function setItem({ number, box, children }: MarkdownItem, context: Context): string {
  const marker = number === undefined ? '- ' : `${number}. `;
  return prefixed(box + setBlocks(children, context, '\n'), marker, ' '.repeat(marker.length)).trimEnd();
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

/** Code, where links do not work: they are numbered, and stand below. */
function setTable(table: MarkdownTable, context: Context): string {
  const { rows, links } = numberedTable(table);
  const text = tableText(rows, table.align);
  const width = Math.max(...text.split('\n').map((line) => line.length));
  if (width > widestTable) return setWideTable(table, context);
  const list = links.map(({ number, link }) => `${number} ${oneLine(setInline([link], context))}`);
  return [codeBlock(text), ...list].join('\n');
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
      return prefixed(cells.filter((cell) => cell !== '').join('\n'), '- ', '  ');
    })
    .join('\n');
}

interface Context {
  readonly isQuoted: boolean;
  /** Marks already open around the text: they are not nested in themselves. */
  readonly styles: readonly Mark[];
  readonly instants: Instants;
}

const atTheTop = { isQuoted: false, styles: [] } as const;

const styleMarks = { strong: '**', emphasis: '*', delete: '~~', underline: '__', spoiler: '||' } as const;

type Mark = (typeof styleMarks)[keyof typeof styleMarks];

/** Renders inline content. May return several lines, without blank ones at the ends. */
function setInline(nodes: readonly MarkdownInline[], context: Context): string {
  return setEach(nodes, context).trim();
}

function setEach(nodes: readonly MarkdownInline[], context: Context): string {
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

function setNode(node: MarkdownInline, context: Context): string {
  switch (node.type) {
    case 'text':
      return escapeInline(node.value);
    case 'strong':
    case 'emphasis':
    case 'delete':
    case 'underline':
    case 'spoiler':
      return setStyled(node.children, styleMarks[node.type], context);
    case 'time':
      return setInstant(plainWords(node.children), node.at, context);
    case 'inlineCode':
      return codeSpan(node.value);
    case 'link':
      return setLink(node.children, node.url, context);
  }
}

function setInstant(words: string, at: number, { instants }: Context): string {
  const said = escapeInline(words);
  const shown = `<t:${Math.floor(at / 1000)}:${isTimeOfDay(words) ? 't' : 'f'}>`;
  const isShown = instants === 'shown' || (instants === 'longest' && shown.length > said.length);
  return isShown ? shown : said;
}

function setStyled(nodes: readonly MarkdownInline[], mark: Mark, context: Context): string {
  const { styles } = context;
  if (styles.includes(mark)) return setEach(nodes, context);
  const text = setEach(nodes, { ...context, styles: [...styles, mark] });
  // Discord ignores a mark next to white space.
  return text.replace(/\S(?:.*\S)?/s, (words) => mark + words + mark);
}

function setLink(nodes: readonly MarkdownInline[], address: string, context: Context): string {
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
  const hasSingle = /(?<!`)`(?!`)|```/.test(code);
  const content = hasSingle ? separated(code, 1) : code;
  const fence = hasSingle ? '``' : '`';
  const padding = content.startsWith('`') || content.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${content}${padding}${fence}`;
}

/** A code block. Three backticks inside would end it. */
function codeBlock(code: string, language = ''): string {
  return code === '' ? '' : `\`\`\`${language}\n${separated(code, 2)}\n\`\`\``;
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
