import { decodeText } from '../documents/decode-text.ts';
import { mostDocumentText, mostTitle } from '../documents/document.ts';
import { visibleText } from '../documents/visible-text.ts';
import { isHidden } from './hidden-element.ts';
import { htmlTokens } from './html-tokens.ts';

/** A page as it came. */
export interface HtmlBytes {
  readonly body: Uint8Array;
  /** What it is said to be in, as `decodeText` takes it. */
  readonly charset?: string;
}

export interface PlainHtml {
  readonly title: string;
  readonly text: string;
}

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
const unread: ReadonlySet<string> = new Set(
  'svg math object select datalist button head audio video noframes dialog meter progress rp'.split(' '),
);

/**
 * The text of a page without its markup: no links, no lists, but the same in a time in proportion to its length, whatever it
 * holds. Without scripts, styles, comments and elements that hide themselves.
 */
export function plainHtml(html: string): PlainHtml {
  const parts: string[] = [];
  const title: string[] = [];
  /** The elements that are open since the outermost one that is not read, and how often each name is among them. */
  let skipping: { readonly name: string; depth: number } | undefined;
  let inTitle = false;
  for (const token of htmlTokens(html)) {
    if (token.type === 'text') {
      if (inTitle) title.push(token.text);
      else if (skipping === undefined) parts.push(token.text.replace(/\s+/g, ' '));
      continue;
    }
    if (token.name === 'title') inTitle = token.type === 'open' && title.length === 0;
    if (token.name === skipping?.name) skipping.depth += token.type === 'open' ? 1 : -1;
    if (skipping?.depth === 0 || (skipping?.name === 'head' && token.name === 'body')) skipping = undefined;
    if (skipping !== undefined) continue;
    if (token.type === 'open' && !token.isVoid && isUnread(token.name, token.attributes)) {
      skipping = { name: token.name, depth: 1 };
    }
    if (blocks.has(token.name)) parts.push('\n');
  }
  return { title: unescapeHtml(title.join('')), text: unescapeHtml(tidy(parts.join(''))) };
}

/** The same without what nobody sees, and no longer than a document may be. For a worker. */
export function readPlainHtml({ body, charset }: HtmlBytes): PlainHtml {
  return boundedPage(plainHtml(decodeText(body, charset)));
}

/** What is shown of a page. It is cut where it was made: more would have to be carried from thread to thread. */
export function boundedPage({ title, text }: PlainHtml): PlainHtml {
  return {
    title: visibleText(title.slice(0, mostTitle)),
    text: visibleText(text).slice(0, mostDocumentText).toWellFormed(),
  };
}

function isUnread(name: string, attributes: string): boolean {
  return unread.has(name) || isHidden((attribute) => attributeOf(attributes, attribute));
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|[\\s/"'])${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]*))|(?=[\\s/]|$))`, 'i');
  const found = value.exec(attributes);
  return found === null ? undefined : unescapeHtml(found[1] ?? found[2] ?? found[3] ?? '');
}

function tidy(text: string): string {
  return (
    text
      // One space alone: of many that no line end follows, each would be tried as their beginning.
      .replace(/ {2,}/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  );
}

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
  copy: '©',
  euro: '€',
};

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return names[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
