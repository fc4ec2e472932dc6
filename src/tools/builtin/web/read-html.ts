import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { decodeText, visibleText } from '../documents/document.ts';
import { htmlToMarkdown } from '../documents/html-to-markdown.ts';
import { pageState } from './page-state.ts';
import {
  boundedPage,
  type HtmlBytes,
  isHidden,
  namesIn,
  type PlainHtml,
  plainHtml,
  voidElements,
  walkHtml,
} from './plain-html.ts';

export interface HtmlInput extends HtmlBytes {
  /** The address of the page, which its links are relative to. */
  readonly url: string;
}

/** The part of a document that is used. The library's own types are those of a browser. */
export interface PageDocument {
  readonly title: string;
  readonly body: PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

interface PageElement {
  readonly textContent: string | null;
  readonly innerHTML: string;
  querySelector(selector: string): PageElement | null;
  getAttributeNames(): readonly string[];
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

/** Deeper than people write; beyond it, the libraries take quadratic time or fail. */
const deepestNesting = 200;
const neverRead =
  'script, style, noscript, template, iframe, object, embed, canvas, svg, math, select, datalist, button, input, textarea, audio, video, noframes, meter, progress, rp, dialog:not([open])';

/**
 * A page as a person reads it, as markdown: the article if there is one, else all but the frame of the site. May throw,
 * and may take very long on a hostile page: run it in a worker.
 */
export function readHtml({ body, charsets, url }: HtmlInput): PlainHtml {
  const html = decodeText(body, charsets);
  const page = pageOf(html, url);
  const state = pageState(html, page.text, url);
  if (state === undefined) return boundedPage(page);
  const text = [page.text, state.text].filter((part) => part.trim() !== '').join('\n\n');
  return boundedPage({ title: page.title, text, note: state.note, leadsTo: state.leadsTo });
}

function pageOf(html: string, url: string): PlainHtml {
  if (nestingOf(html) > deepestNesting) return plainHtml(html);
  const document = parse(html, url);
  const { title, body } = document;
  if (body === null) return plainHtml(html);
  const whole = lengthOf(body.textContent);
  // Readability takes the document apart: the whole page is parsed again if needed.
  const article = new Readability(document, { keepClasses: true, disableJSONLD: true }).parse();
  // A list of links or a form has no article: only a scrap is found.
  if (lengthOf(article?.textContent) < Math.min(whole / 4, 500)) return { title, text: markdownOfAll(html, url) };
  const head = [byline(article?.byline), byline(article?.publishedTime)].filter((line) => line !== '');
  const text = htmlToMarkdown(article?.content ?? '');
  return { title: article?.title || title, text: head.length === 0 ? text : `${head.join(' · ')}\n\n${text}` };
}

/** All that a person reads of a page, as markdown: a mail, or a chapter of a book. The same bounds as for `readHtml`. */
export function wholeHtml(html: string, url = ''): string {
  return nestingOf(html) > deepestNesting ? plainHtml(html).text : markdownOfAll(html, url);
}

/** How deep the elements are nested that need an end tag. */
function nestingOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  walkHtml(html, {
    open(name) {
      if (closesItself.has(name) || voidElements.has(name)) return;
      depth += 1;
      deepest = Math.max(deepest, depth);
    },
    close(name) {
      if (!closesItself.has(name)) depth = Math.max(0, depth - 1);
    },
  });
  return deepest;
}

const closesItself = namesIn(
  'p li dt dd tr td th thead tbody tfoot option optgroup colgroup html head body path circle rect line use',
);

function parse(html: string, url: string): PageDocument {
  const { document }: { document: PageDocument } = parseHTML(framed(html));
  for (const element of document.querySelectorAll('*')) spellAttributes(element);
  const base = URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', url)?.href ?? url;
  for (const element of [...document.querySelectorAll(neverRead)]) element.remove();
  for (const element of [...document.querySelectorAll('[hidden], [popover], [aria-hidden], [style]')]) {
    if (isHidden((name) => element.getAttribute(name))) element.remove();
  }
  removeFrame(document, 'nav');
  for (const link of document.querySelectorAll('a[href]')) makeAbsolute(link, base);
  return document;
}

/** As in browsers: `STYLE` is `style`, and the first duplicate counts. The library tells them apart. */
function spellAttributes(element: PageElement): void {
  const names = [...element.getAttributeNames()];
  if (names.every((name) => name === name.toLowerCase())) return;
  const values = names.map((name) => [name.toLowerCase(), element.getAttribute(name) ?? ''] as const);
  for (const name of names) element.removeAttribute(name);
  for (const [name, value] of values.reverse()) element.setAttribute(name, value);
}

/** The library adds no html and body elements to a page without them. */
function framed(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
}

/** Removes links within the page: they lead nowhere in a text. */
function makeAbsolute(link: PageElement, base: string): void {
  const address = link.getAttribute('href')?.trim() ?? '';
  const target = address.startsWith('#') ? null : URL.parse(address, base);
  if (target === null) link.removeAttribute('href');
  else link.setAttribute('href', target.href);
}

function markdownOfAll(html: string, url: string): string {
  const document = parse(html, url);
  removeFrame(document, 'body > header, body > footer');
  return htmlToMarkdown(document.body?.innerHTML ?? '');
}

/** Removes what surrounds the content of a site, unless it is half of the page or more. */
function removeFrame(document: PageDocument, selector: string): void {
  for (const frame of [...document.querySelectorAll(selector)]) {
    if (lengthOf(frame.textContent) < lengthOf(document.body?.textContent) / 2) frame.remove();
  }
}

function lengthOf(text: string | null | undefined): number {
  return (text ?? '').replace(/\s+/g, ' ').length;
}

function byline(text: string | null | undefined): string {
  return visibleText(text ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
}
