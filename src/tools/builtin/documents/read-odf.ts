import { DocumentError, type DocumentText, escapedHtml } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { type Attributes, type OfficeArchive, walk } from './office-archive.ts';
import { readOds } from './read-ods.ts';

/**
 * An OpenDocument text, presentation or spreadsheet as markdown, without hidden and deleted text, comments and indexes.
 * Names are those of OpenDocument 1.3. Throws `DocumentError`.
 */
export function readOdf({ part }: OfficeArchive): DocumentText {
  if (part('META-INF/manifest.xml').includes('encryption-data'))
    throw new DocumentError('The document is encrypted: it cannot be read without its password.');
  const title = elementText(part('meta.xml'), 'title');
  return readOdfXml(part('content.xml'), { title, styles: part('styles.xml') });
}

/** The same of a document that is one XML file (.fodt, .fods, .fodp), or of its content. */
export function readOdfXml(
  xml: string,
  {
    title = elementText(xml, 'title', 'meta'),
    styles = '',
  }: { readonly title?: string; readonly styles?: string } = {},
): DocumentText {
  switch (bodyOf(xml)) {
    case 'spreadsheet':
      return { kind: 'OpenDocument spreadsheet', title, text: readOds(xml) };
    case 'text':
      return { kind: 'OpenDocument text', title, text: htmlToMarkdown(bodyAsHtml(xml, styles)) };
    case 'presentation':
    case 'drawing':
      return { kind: 'OpenDocument presentation', title, text: htmlToMarkdown(bodyAsHtml(xml, styles)) };
    default:
      throw new DocumentError('The document is broken: it has no content that can be read.');
  }
}

/** Which element stands in the body. */
function bodyOf(xml: string): string {
  let found = '';
  walk(xml, {
    open(name, _attributes, isIn) {
      if (found === '' && name !== 'body' && isIn('body')) found = name;
    },
  });
  return found;
}

function elementText(xml: string, element: string, inside?: string): string | undefined {
  let text = '';
  walk(xml, {
    text(words, isIn) {
      if (isIn(element) && (inside === undefined || isIn(inside))) text += words;
    },
  });
  return text.trim() === '' ? undefined : text.trim();
}

/** How styles look: the tags of their texts; hidden ones; numbered levels of lists. */
interface Styles {
  readonly tags: ReadonlyMap<string, readonly string[]>;
  readonly hidden: ReadonlySet<string>;
  readonly numbered: ReadonlySet<string>;
}

function stylesIn(xml: string): Styles {
  const tags = new Map<string, readonly string[]>();
  const hidden = new Set<string>();
  const numbered = new Set<string>();
  let style = '';
  walk(xml, {
    open(element, attributes) {
      const { name = '', display, level = '' } = attributes;
      if (element === 'style' || element === 'list-style') style = name;
      if (element === 'list-level-style-number') numbered.add(`${style}/${level}`);
      if (element !== 'text-properties') return;
      const found = looksOf(attributes);
      if (found.length > 0) tags.set(style, found);
      if (display === 'none') hidden.add(style);
    },
  });
  return { tags, hidden, numbered };
}

function looksOf(attributes: Attributes): readonly string[] {
  const line = attributes['text-line-through-style'] ?? 'none';
  return [
    ...(attributes['font-weight'] === 'bold' ? ['strong'] : []),
    ...(attributes['font-style'] === 'italic' ? ['em'] : []),
    ...(line === 'none' ? [] : ['del']),
  ];
}

/** Elements that are not read: deletions, comments, indexes, what is repeated on each page, and what is hidden. */
const unread = [
  'tracked-changes',
  'annotation',
  'table-of-content-source',
  'index-title-template',
  'hidden-text',
  'hidden-paragraph',
  'note-citation',
  'ruby-text',
  'forms',
  'variable-decls',
  'sequence-decls',
  'page-thumbnail',
  'settings',
];

/** The HTML as far as it is written, and what is open. */
interface Writing {
  readonly styles: readonly Styles[];
  readonly parts: string[];
  /** The styles of the open lists. */
  readonly lists: string[];
  /** How many rows each open table has so far. */
  readonly rows: number[];
  slides: number;
}

/** Converts the body to HTML, in one pass and without recursion. */
function bodyAsHtml(xml: string, moreStyles: string): string {
  const writing: Writing = { styles: [stylesIn(moreStyles), stylesIn(xml)], parts: [], lists: [], rows: [], slides: 0 };
  const { parts, lists, rows } = writing;
  /** What closes each open element; `skip`: it and all in it are not read. */
  const open: { readonly close: string; readonly skip: boolean }[] = [];
  let skipped = 0;
  let description = '';
  walk(xml, {
    open(name, attributes, isIn) {
      const skip = isUnread(name, attributes, writing);
      skipped += skip ? 1 : 0;
      if (name === 'frame') description = '';
      open.push({ close: skipped > 0 || !isIn('body') ? '' : begin(name, attributes, isIn, writing), skip });
    },
    close(name, isIn) {
      const { close = '', skip = false } = open.pop() ?? {};
      if (skipped === 0) parts.push(close);
      if (name === 'list' && skipped === 0 && isIn('body')) lists.pop();
      if (name === 'table' && skipped === 0) rows.pop();
      if (name === 'frame' && skipped === 0 && description.trim() !== '')
        parts.push(`<img alt="${escapedHtml(description)}">`);
      if (name === 'frame') description = '';
      skipped -= skip ? 1 : 0;
    },
    text(text, isIn) {
      if (skipped > 0 || !isIn('body')) return;
      if (isIn('frame') && (isIn('title') || isIn('desc'))) description += `${text} `;
      else if (isIn('p') || isIn('h')) parts.push(escapedHtml(text));
    },
  });
  return parts.join('');
}

/** What masters bring to each slide, and the picture of a slide above its notes. */
const repeated = ['page-number', 'date-time', 'footer', 'header', 'page'];

function isUnread(name: string, attributes: Attributes, { styles }: Pick<Writing, 'styles'>): boolean {
  if (unread.includes(name)) return true;
  if (name === 'section' && attributes.display === 'none') return true;
  if (name === 'frame' && repeated.includes(attributes.class ?? '')) return true;
  return styles.some(({ hidden }) => hidden.has(attributes['style-name'] ?? ''));
}

/** Writes the beginning of an element, and returns its end. */
function begin(name: string, attributes: Attributes, isIn: (element: string) => boolean, writing: Writing): string {
  const { styles, parts, lists, rows } = writing;
  const style = attributes['style-name'] ?? '';
  const enclosed = (...tags: readonly string[]): string => {
    parts.push(...tags.map((tag) => `<${tag}>`));
    return tags
      .toReversed()
      .map((tag) => `</${tag}>`)
      .join('');
  };
  const alone = (html: string): string => {
    parts.push(html);
    return '';
  };
  switch (name) {
    case 'h':
      return enclosed(`h${Math.min(Math.max(Number(attributes['outline-level'] ?? 1) || 1, 1), 6)}`);
    case 'p':
      return paragraph(parts, isIn);
    case 'span':
      return enclosed(...styles.flatMap((one) => one.tags.get(style) ?? []));
    case 'a':
      parts.push(`<a href="${escapedHtml(attributes.href ?? '')}">`);
      return '</a>';
    case 'list':
      // A list in a list has the style of the outer one, if it names none.
      lists.push(style === '' ? (lists.at(-1) ?? '') : style);
      return enclosed(styles.some(({ numbered }) => numbered.has(`${lists.at(-1)}/${lists.length}`)) ? 'ol' : 'ul');
    case 'list-item':
    case 'list-header':
      return enclosed('li');
    case 'table':
      rows.push(0);
      return enclosed('table');
    case 'table-row':
      rows.push((rows.pop() ?? 0) + 1);
      return enclosed('tr');
    case 'table-cell':
    case 'covered-table-cell':
      return enclosed(rows.at(-1) === 1 ? 'th' : 'td');
    case 'note':
      parts.push(' (note: ');
      return ')';
    case 's':
      return alone(' '.repeat(Math.min(Number(attributes.c ?? 1) || 1, 100)));
    case 'tab':
      return alone(' ');
    case 'line-break':
      return alone('<br>');
    case 'page':
      writing.slides += 1;
      return alone(`<h2>Slide ${writing.slides}</h2>`);
    case 'notes':
      return alone('<p>Notes:</p>');
    default:
      return '';
  }
}

/** In lists, cells and notes, paragraphs are lines: as paragraphs of their own, they would tear these apart. */
function paragraph(parts: string[], isIn: (element: string) => boolean): string {
  if (isIn('list-item') || isIn('list-header') || isIn('table-cell') || isIn('note')) {
    const before = parts.at(-1) ?? '';
    if (!/^(?:<(?:li|t[hd])>| \(note: )$/.test(before)) parts.push('<br>');
    return '';
  }
  parts.push('<p>');
  return '</p>';
}
