import { decodeText, mostDocumentText, mostTitle, visibleText } from '../documents/document.ts';

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

/** What a browser skips within a style, and another spelling of any character. */
const comments = /\/\*[\s\S]*?(?:\*\/|$)/g;
const spelled = /\\([\da-f]{1,6})\s?/gi;

const zero = '(?:0+(?:\\.0*)?|\\.0+)(?![\\d.])';
const hiddenStyle = new RegExp(
  [
    'display\\s*:\\s*none',
    '(?:^|[^-]|content-)visibility\\s*:\\s*(?:hidden|collapse)',
    // A twentieth is not seen either.
    `opacity\\s*[:(]\\s*(?:${zero}|0*\\.0[0-4])`,
    `font-size\\s*:\\s*(?:${zero}|[01]?(?:\\.\\d+)?p[xt]\\s*(?:;|!|$))`,
    `(?:^|[^-])color\\s*:\\s*(?:transparent|(?:rgb|hsl)a?\\((?:(?:[^),]{1,20},){3}|[^)/]{1,60}/)\\s*${zero})`,
    '(?:left|top|right|bottom|text-indent)\\s*:\\s*(?:-\\d{3,}|-\\d\\d(?:r?em|v[wh])|[3-9]\\d{3}|\\d{5,})',
    'translate[xy3d]*\\([^)]{0,40}\\d{4,}',
    `scale[xy3d]*\\(\\s*${zero}`,
    'clip\\s*:\\s*rect\\(\\s*(?:0|1px)',
    'clip-path\\s*:\\s*(?:inset\\(\\s*(?:[5-9]\\d|100)%|circle\\(\\s*0)',
    '(?:^|[^-]|max-)(?:height|width)\\s*:\\s*[01](?:px)?\\s*(?:;|!|$)',
  ].join('|'),
  'i',
);

/** Whether such an element's own attributes keep it from being seen. What a style sheet hides is not known. */
export function isHidden(attribute: (name: string) => string | null | undefined): boolean {
  if (typeof attribute('hidden') === 'string' || typeof attribute('popover') === 'string') return true;
  if (attribute('aria-hidden')?.trim().toLowerCase() === 'true') return true;
  const style = attribute('style') ?? '';
  return style !== '' && hiddenStyle.test(plainStyle(style));
}

function plainStyle(style: string): string {
  return style
    .replace(comments, '')
    .replace(spelled, (_, code) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)));
}

/** A piece of an HTML source. Comments, declarations and what is no content (scripts, styles) are not among them. */
export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'open'; readonly name: string; readonly attributes: string; readonly isVoid: boolean }
  | { readonly type: 'close'; readonly name: string };

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
/** Their content is no markup, and nothing to read either. */
const rawElements: ReadonlySet<string> = new Set(
  'script style noscript template iframe textarea noembed xmp'.split(' '),
);

/** The pieces of the source in their order. Takes time in proportion to its length, whatever it holds. */
export function* htmlTokens(html: string): Generator<HtmlToken, void> {
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    if (start === -1) return yield { type: 'text', text: html.slice(at) };
    if (start > at) yield { type: 'text', text: html.slice(at, start) };
    const next = html.charAt(start + 1);
    if (next === '!' || next === '?') {
      at = endOfDeclaration(html, start);
      continue;
    }
    if (!/[a-z/]/i.test(next)) {
      yield { type: 'text', text: '<' };
      at = start + 1;
      continue;
    }
    const end = endOfTag(html, start + 1);
    const token = tagToken(html.slice(start + 1, end - 1));
    yield token;
    at = token.type === 'open' && rawElements.has(token.name) ? endOfRaw(html, end, token.name) : end;
  }
}

/** An end of the source before the end of a comment or tag: all that follows belongs to it. */
function endOfDeclaration(html: string, start: number): number {
  const mark = html.startsWith('<!--', start) ? '-->' : '>';
  // `<!-->` is a whole comment.
  const found = html.indexOf(mark, start + 2);
  return found === -1 ? html.length : found + mark.length;
}

/** Behind the `>`; one within a quoted value does not count. */
function endOfTag(html: string, start: number): number {
  const marks = /[>=]/g;
  for (let at = start; ; ) {
    marks.lastIndex = at;
    const found = marks.exec(html);
    if (found === null) return html.length + 1;
    if (found[0] === '>') return found.index + 1;
    at = found.index + 1;
    while (/\s/.test(html.charAt(at))) at += 1;
    const quote = html.charAt(at);
    if (quote !== '"' && quote !== "'") continue;
    const closing = html.indexOf(quote, at + 1);
    if (closing === -1) return html.length + 1;
    at = closing + 1;
  }
}

function tagToken(tag: string): HtmlToken {
  const name = (/^\/?([^\s/>]*)/.exec(tag)?.[1] ?? '').toLowerCase();
  if (tag.startsWith('/')) return { type: 'close', name };
  return { type: 'open', name, attributes: tag.slice(name.length), isVoid: voidElements.has(name) };
}

function endOfRaw(html: string, start: number, name: string): number {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = start;
  return close.exec(html)?.index ?? html.length;
}
