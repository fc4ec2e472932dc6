import { readText } from '../../../lib/charset/text-charset.ts';

export interface DocumentText {
  /** For people: `PDF`, `Excel workbook`. */
  readonly kind: string;
  readonly title?: string;
  /** Markdown if the document has a structure. */
  readonly text: string;
  /** For the reader: what is left out. */
  readonly note?: string;
  /** Of a web page: where a browser goes on to by itself. */
  readonly leadsTo?: string | undefined;
}

export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/** The limit of a document's text, in characters. */
export const mostDocumentText = 2_000_000;

/** The limit of a title, in characters. */
export const mostTitle = 500;

/**
 * Characters that a model reads and people do not see: controls, bidi controls, zero-width characters, soft hyphens,
 * tags, variation selectors (but for the one that makes an emoji coloured). Joiners stay between letters or pictographs
 * that need them.
 */
const invisible =
  /[[\p{Cc}\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]--[\n\t\r\u200c\u200d\ufe0f]]|(?<=\p{ASCII})[\u200c\u200d\ufe0f]+|[\u200c\u200d]+(?=[\p{ASCII}\u200c\u200d]|$)|^[\u200c\u200d\ufe0f]+|\ufe0f{2,}/gv;

/** The text without invisible characters, with `\n` as line ends and at most one empty line in a row. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(invisible, '')
    .toWellFormed()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

/** For HTML: the text with its special characters as references. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The rows as a markdown table, the first as its head, without empty rows and without empty columns at the end. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows
    .map((row) => row.map((cell) => cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')))
    .filter((row) => row.some((cell) => cell !== ''));
  const width = cells.reduce((widest, row) => Math.max(widest, row.findLastIndex((cell) => cell !== '') + 1), 0);
  const line = (cellAt: (column: number) => string): string =>
    `| ${Array.from({ length: width }, (_, column) => cellAt(column)).join(' | ')} |`;
  const [head, ...body] = cells.map((row) => line((column) => row[column] ?? ''));
  return head === undefined ? '' : [head, line(() => '---'), ...body].join('\n');
}

/**
 * The text of these bytes, whose charset is found by them: see `readText`. `declared`: what a header or the page itself
 * says of it. What is no text comes out as it would in a browser.
 */
export function decodeText(bytes: Uint8Array, declared: readonly string[] = []): string {
  const buffer = asBuffer(bytes);
  return withoutMark((readText(buffer, declared) ?? { text: buffer.toString('utf8') }).text);
}

/** The media type and the charset of a `content-type` header, in lower case and without odd characters. */
export function contentType(header = '') {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(header)?.[1];
  const type = (header.split(/[;,]/, 1)[0] ?? '').trim().toLowerCase();
  return { type: type.slice(0, 100).replace(/[^\w/+.-]/g, ''), charset };
}

export function isTextType(type: string): boolean {
  return /^text\/|\+(?:xml|json|yaml)$|^application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|jsonl|sql|graphql|x-sh|x-www-form-urlencoded)$/.test(
    type,
  );
}

/** Whether it is text in some charset. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return readText(asBuffer(bytes)) !== undefined;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
