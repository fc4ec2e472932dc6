import { isHidden } from './hidden-element.ts';
import { htmlTokens } from './html-tokens.ts';

export interface PlainHtml {
  readonly title: string;
  readonly text: string;
}

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
const unread: ReadonlySet<string> = new Set('svg math object select button head'.split(' '));

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

function isUnread(name: string, attributes: string): boolean {
  return unread.has(name) || isHidden((attribute) => attributeOf(attributes, attribute));
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|[\\s/"'])${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]*))|(?=[\\s/]|$))`, 'i');
  const found = value.exec(attributes);
  return found === null ? undefined : unescapeHtml(found[1] ?? found[2] ?? found[3] ?? '');
}

function tidy(text: string): string {
  return text
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
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
