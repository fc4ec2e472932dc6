/*
 * Defangs links. A model that obeys a malicious page could write private data into the address of a link or picture; a
 * click, or a preview by the platform, would send it there. So addresses of hosts that nobody has named are written as
 * `hxxps://evil[.]example/x`, even in code, since some platforms link there too.
 */

import { isUnfit, lazyParser } from '../lib/markdown-parser.ts';
import type { MarkdownNode } from '../lib/markdown-tree.ts';
import { fenced } from '../lib/plain-text.ts';
import type { Language } from '../lib/words.ts';
import { messageWords } from './words.ts';

/**
 * The markdown with each address of an unnamed host as text that no platform links or loads. `isNamed` gets the host in
 * lower case, without `www.`, and the address as it is written. Unchanged if there is none. `note` is added if anything
 * changed: by default, one in the language.
 */
export function plainLinks(
  markdown: string,
  isNamed: (host: string, address: string) => boolean,
  language: Language,
  note = `\n\n${messageWords[language].plainLinks}`,
): string {
  const isStrange = (address: string): boolean => {
    const host = hostOf(address);
    return host === undefined || !isNamed(host, address);
  };
  const plain = withoutLinks(markdown, isStrange);
  const isSure = !isUnfit(plain) && !linksSomewhere(parse(plain), isStrange);
  const shown = isSure ? plain : fenced(withoutLinks(literal(markdown), isStrange));
  return shown === markdown ? markdown : `${shown}${note}`;
}

const parse = lazyParser();

/** What may follow a host or a scheme. */
const rest = '[^\\s<>"\'`|]';
/** Labels may be of any script or emoji, with marks that browsers ignore; an IPv4 address is a host too. */
const label = '\\p{L}\\p{M}\\p{N}\\p{Cf}\\p{Extended_Pictographic}_\\-';
const host = `(?:(?:[${label}]+[.。．｡])+\\p{L}[${label}]{1,62}|(?:\\d{1,3}\\.){3}\\d{1,3})(?::\\d+)?`;

/**
 * With a scheme, or as platforms link bare names. A name with one dot and no path can carry no data. A colon before
 * `\n` is the end of a line in JSON.
 */
const address = new RegExp(
  [
    `(?:[a-z][a-z\\d+.-]{1,20}:(?:/|\\\\(?![nrt]))|\\b(?:https?|mailto|sms|tel|tg|data|javascript):)${rest}+`,
    // After a login, or after an `@` if a path shows that it is not a mail address.
    `[^\\s<>"'\`|()[\\]@/:]{1,64}:[^\\s<>"'\`|()[\\]@/]{0,64}@${host}(?:[/?#]${rest}*)?`,
    `@${host}[/?#]${rest}*`,
    // Other signs may be a label too, which only the dot behind them shows.
    `(?:(?<![${label}@/.]|[${label}][。．｡])|(?<=[^\\0-¿${label}])[.。．｡])${host}(?![${label}]*:[/\\\\])(?:[/?#]${rest}*)?`,
  ].join('|'),
  'giu',
);

/** Extensions of file names that are not domains. */
const fileName =
  /\.(?:[cm]?[jt]sx?|jsonl?|txt|csv|html?|css|xml|ya?ml|toml|log|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|wav|gz|tar|lock|bak|db|sql|env|ini|conf|cfg)$/i;

function addressesIn(text: string): readonly string[] {
  return (text.match(address) ?? []).filter((found) => couldBeLinked(found));
}

function couldBeLinked(found: string): boolean {
  if (scheme.test(found)) return !inert.test(found);
  const [host = '', ...path] = found.split(/(?=[/?#:])/);
  return path.length > 0 ? !fileName.test(host) : host.split(dots).length > 2 && !fileName.test(host);
}

const dots = /[.。．｡]/u;
/** A port follows a host, not a scheme. */
const scheme = /^[a-z][a-z\d+.-]*:(?!\d)/i;
const inert = /^hxxps?:/i;

function withoutLinks(text: string, isStrange: (address: string) => boolean): string {
  const plain = text.replace(address, (found) => (couldBeLinked(found) && isStrange(found) ? defanged(found) : found));
  // The markup of links and pictures stays readable: the words, then the address.
  return plain
    .replace(/<(hxxps?:[^\s<>]*)>/gi, '$1')
    .replace(/\](\(\s*<?hxxps?:)/gi, '] $1')
    .replace(/\]:(\s*<?hxxps?:)/gi, '] :$1');
}

function defanged(found: string): string {
  const plain = found.replace(new RegExp(`${dots.source}(?=[^.])`, 'gu'), '[.]');
  return /^https?:/i.test(found)
    ? plain.replace(/^http/i, 'hxxp')
    : plain.replace(scheme, (it) => `${it.slice(0, -1)}[:]`);
}

/** Without backslash escapes: in code, characters are literal. */
function literal(markdown: string): string {
  return markdown.replace(/\\(?=[!-/:-@[-`{-~])/g, '');
}

/** The host that a click would reach; undefined if it is not a web host. */
function hostOf(found: string): string | undefined {
  const spelled = found.replace(/[.,;:!?)\]*_~]+$/, '');
  const url = URL.parse(scheme.test(spelled) ? spelled : `http://${spelled}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') return undefined;
  return url.hostname.replace(/^www\./, '');
}

/** Whether a channel could show a link or picture to a strange address. */
function linksSomewhere(nodes: readonly MarkdownNode[], isStrange: (address: string) => boolean): boolean {
  return nodes.some((node) => {
    switch (node.type) {
      case 'link':
        return isLink(node.url, isStrange) || linksSomewhere(node.children, isStrange);
      case 'list':
        return node.items.some(({ children }) => linksSomewhere(children, isStrange));
      case 'table':
        return node.rows.flat().some((cell) => hasAddress(cell, isStrange) || linksSomewhere(cell, isStrange));
      case 'details':
        return [node.title, node.children].some(
          (part) => hasAddress(part, isStrange) || linksSomewhere(part, isStrange),
        );
      case 'paragraph':
      case 'heading':
        return hasAddress(node.children, isStrange) || linksSomewhere(node.children, isStrange);
      default:
        return 'children' in node && linksSomewhere(node.children, isStrange);
    }
  });
}

function isLink(url: string, isStrange: (address: string) => boolean): boolean {
  const isOfWeb = scheme.test(url) || /^[/\\]{2}/.test(url) || addressesIn(url).length > 0;
  return isOfWeb && !inert.test(url) && isStrange(url.replace(/^[/\\]{2}/, 'http://'));
}

/** Marks within an address hide it in the source, but not on the platform. */
function hasAddress(nodes: readonly MarkdownNode[], isStrange: (address: string) => boolean): boolean {
  return addressesIn(nodes.map(wordsOf).join('')).some(isStrange);
}

function wordsOf(node: MarkdownNode): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value;
    case 'inlineCode':
      return ' ';
    default:
      return 'children' in node ? node.children.map(wordsOf).join('') : '';
  }
}
