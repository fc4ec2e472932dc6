import { Tokenizer } from 'htmlparser2';
import { decodeText, mostDocumentText, mostTitle, visibleText } from '../documents/document.ts';

export interface HtmlBytes {
  readonly body: Uint8Array;
  /** The declared charsets, as `decodeText` takes them. */
  readonly charsets?: readonly string[];
}

export interface PlainHtml {
  readonly title: string;
  readonly text: string;
  /** For the reader: why there is little text. */
  readonly note?: string | undefined;
  /** Where a browser goes on to within some seconds, by itself: an absolute http or https URL. */
  readonly leadsTo?: string | undefined;
}

const blocks = namesIn(
  `address article aside blockquote br center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul`,
);
const unread = namesIn(
  `svg math object select datalist button head audio video noframes dialog meter progress rp
  script style noscript template iframe textarea noembed xmp`,
);
export const voidElements = namesIn('area base br col embed hr img input link meta param source track wbr');

export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/**
 * The text of a page without markup, links and lists, in linear time for any input. Leaves out scripts, styles,
 * comments and elements that hide themselves.
 */
export function plainHtml(html: string): PlainHtml {
  const parts: string[] = [];
  const title: string[] = [];
  /** The outermost element that is skipped, and how many elements with its name are open since. */
  let skipping: { readonly name: string; depth: number } | undefined;
  let inTitle = false;
  const meet = (name: string, step: 1 | -1, attributes?: Attributes): void => {
    if (name === 'title') inTitle = step === 1 && title.length === 0;
    if (name === skipping?.name) skipping.depth += step;
    if (skipping?.depth === 0 || (skipping?.name === 'head' && name === 'body')) skipping = undefined;
    if (skipping !== undefined) return;
    if (attributes !== undefined && !voidElements.has(name)) {
      const isUnread = unread.has(name) || isHidden((attribute) => attributes.get(attribute));
      if (isUnread) skipping = { name, depth: 1 };
    }
    if (blocks.has(name)) parts.push('\n');
  };
  walkHtml(html, {
    text: (text) => {
      if (inTitle) title.push(text);
      else if (skipping === undefined) parts.push(text.replace(/\s+/g, ' '));
    },
    open: (name, attributes) => meet(name, 1, attributes),
    close: (name) => meet(name, -1),
  });
  // ` ?`, not ` *`: that would take quadratic time on a long run of spaces.
  const lines = parts
    .join('')
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n');
  return { title: title.join(''), text: lines.replace(/\n{3,}/g, '\n\n').trim() };
}

type Attributes = ReadonlyMap<string, string>;

/** The events of an HTML source, in order; names are in lower case. Text comes in pieces. */
interface HtmlWalker {
  text?(text: string): void;
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
}

/** Linear in the length of the source, whatever it holds: builds no tree. */
export function walkHtml(html: string, walker: HtmlWalker): void {
  let [name, attribute, value] = ['', '', ''];
  let attributes = new Map<string, string>();
  const nothing = (): void => {};
  const open = (): void => walker.open(name, attributes);
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => walker.text?.(html.slice(start, end)),
      ontextentity: (code) => walker.text?.(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname: (start, end) => {
        [attribute, value] = [html.slice(start, end).toLowerCase(), ''];
      },
      onattribdata: (start, end) => {
        value += html.slice(start, end);
      },
      onattribentity: (code) => {
        value += String.fromCodePoint(code);
      },
      onattribend: () => {
        // Of duplicates, browsers take the first.
        if (!attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag: (start, end) => walker.close(html.slice(start, end).toLowerCase()),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

/** `plainHtml` for a worker: without invisible characters, and no longer than a document may be. */
export function readPlainHtml({ body, charsets }: HtmlBytes): PlainHtml {
  return boundedPage(plainHtml(decodeText(body, charsets)));
}

/** A page as it is shown. It is cut in the worker, so that no more is passed between threads. */
export function boundedPage({ title, text, note, leadsTo }: PlainHtml): PlainHtml {
  return {
    note,
    leadsTo,
    title: visibleText(title.slice(0, mostTitle)),
    text: visibleText(text).slice(0, mostDocumentText).toWellFormed(),
  };
}

/** CSS comments and CSS escapes. */
const comments = /\/\*[\s\S]*?(?:\*\/|$)/g;
const spelled = /\\([\da-f]{1,6})\s?/gi;

const zero = '(?:0+(?:\\.0*)?|\\.0+)(?![\\d.])';
const hiddenStyle = new RegExp(
  [
    'display\\s*:\\s*none',
    '(?:^|[^-]|content-)visibility\\s*:\\s*(?:hidden|collapse)',
    // Less than 0.05 is not visible either.
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

/** Whether an element's own attributes hide it. Style sheets are unknown. */
export function isHidden(attribute: (name: string) => string | null | undefined): boolean {
  if (typeof attribute('hidden') === 'string' || typeof attribute('popover') === 'string') return true;
  if (attribute('aria-hidden')?.trim().toLowerCase() === 'true') return true;
  const style = attribute('style') ?? '';
  const plain = style
    .replace(comments, '')
    .replace(spelled, (_, code) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)));
  return hiddenStyle.test(plain);
}
