/*
 * Links that nobody can press. A model that obeys a page could write what is private into the address of a link or a picture;
 * one press, or the preview of a platform, would carry it out. Addresses of hosts that nobody has named are therefore
 * written as security people share them: `hxxps://evil[.]example/x`. That holds in code, too, since some platforms link there.
 */

import { isUnfit, lazyParser } from '../lib/markdown-parser.ts';
import type { MarkdownNode } from '../lib/markdown-tree.ts';
import { fenced } from '../lib/plain-text.ts';

/** Stands below a text in which an address was changed. */
export const plainLinksNote =
  '*(Links are plain text here, but to sites that you have named: what was read from elsewhere could use them to carry out what is private. `hxxp` means `http`, `[.]` a dot.)*';

/**
 * The markdown with every address whose host is not named as text that no platform links or loads. `isNamed` gets a host in
 * lower case, without `www.`. The same text where there is none. `note`: what stands below it then.
 */
export function plainLinks(
  markdown: string,
  isNamed: (host: string) => boolean,
  note = `\n\n${plainLinksNote}`,
): string {
  const isStrange = (address: string): boolean => {
    const host = hostOf(address);
    return host === undefined || !isNamed(host);
  };
  const plain = withoutLinks(markdown, isStrange);
  const isSure = !isUnfit(plain) && !linksSomewhere(parse(plain), isStrange);
  const shown = isSure ? plain : fenced(withoutLinks(literal(markdown), isStrange));
  return shown === markdown ? markdown : `${shown}${note}`;
}

const parse = lazyParser();

/** What stands behind a host, or a scheme. */
const rest = '[^\\s<>"\'`|]';
/** Labels may be of any script, and of pictures; numbers alone are a host as well. */
const host =
  '(?:(?:[\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}_-]{1,63}[.。．｡]){1,10}\\p{L}[\\p{L}\\p{M}\\p{N}-]{1,62}|(?:\\d{1,3}\\.){3}\\d{1,3})(?::\\d+)?';

/**
 * With a scheme, or as platforms link names on their own. A name with one dot and nothing behind it can carry nothing. A colon
 * before `\n` is the end of a line in JSON.
 */
const address = new RegExp(
  [
    `\\b(?:[a-z][a-z\\d+.-]{1,20}:(?:/|\\\\(?![nrt]))|(?:https?|mailto|sms|tel|tg|data|javascript):)${rest}+`,
    // Behind a login, or behind an `@` where a path shows that it is no address of mail.
    `[^\\s<>"'\`|()[\\]@/:]{1,64}:[^\\s<>"'\`|()[\\]@/]{0,64}@${host}(?:[/?#]${rest}*)?`,
    `@${host}[/?#]${rest}*`,
    `(?<![\\p{L}\\p{N}@/.-])${host}(?:[/?#]${rest}*)?`,
  ].join('|'),
  'giu',
);

/** Ends of names of files that are no domains. */
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
/** A port stands behind a host. */
const scheme = /^[a-z][a-z\d+.-]*:(?!\d)/i;
const inert = /^hxxps?:/i;

function withoutLinks(text: string, isStrange: (address: string) => boolean): string {
  const plain = text.replace(address, (found) => (couldBeLinked(found) && isStrange(found) ? defanged(found) : found));
  // What a link or a picture was made of stays readable: its words, and the address behind them.
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

/** Without what spells characters in other ways: as code, nothing means anything else than it is. */
function literal(markdown: string): string {
  return markdown.replace(/\\(?=[!-/:-@[-`{-~])/g, '');
}

/** The host that a press would go to; undefined where that is no host of the web. */
function hostOf(found: string): string | undefined {
  const spelled = found.replace(/[.,;:!?)\]*_~]+$/, '');
  const url = URL.parse(scheme.test(spelled) ? spelled : `http://${spelled}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') return undefined;
  return url.hostname.replace(/^www\./, '');
}

/** Whether a channel could show a link or a picture of these, whatever stands around it. */
function linksSomewhere(nodes: readonly MarkdownNode[], isStrange: (address: string) => boolean): boolean {
  return nodes.some((node) => {
    switch (node.type) {
      case 'link':
        return isLink(node.url, isStrange) || linksSomewhere(node.children, isStrange);
      case 'image':
        return isLink(node.url, isStrange);
      case 'list':
        return node.items.some(({ children }) => linksSomewhere(children, isStrange));
      case 'table':
        return node.rows.flat().some((cell) => hasAddress(cell, isStrange) || linksSomewhere(cell, isStrange));
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

/** Marks within an address hide it from a look at the source, not from a platform. */
function hasAddress(nodes: readonly MarkdownNode[], isStrange: (address: string) => boolean): boolean {
  return addressesIn(nodes.map(wordsOf).join('')).some(isStrange);
}

function wordsOf(node: MarkdownNode): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value;
    case 'inlineCode':
    case 'image':
      return ' ';
    case 'break':
      return '\n';
    default:
      return 'children' in node ? node.children.map(wordsOf).join('') : '';
  }
}
