import type { Button, OutboundMessage } from '../../src/contract.ts';
import { spaceEmphasis } from '../../src/lib/cjk-emphasis.ts';
import { fitTables } from '../../src/lib/fit-tables.ts';
import { toCommonMark } from '../../src/lib/model-markdown.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { onRefusal } from '../kit/request-failure.ts';

/** Slack's limit for a `markdown` block, in characters. All blocks of a message together hold 1,200 more. */
export const longestMarkdown = 12_000;

/** Slack refuses larger tables. */
const largestTable = { rows: 100, columns: 20, characters: 10_000 } as const;
const mostButtonsInRow = 25;
const longestLabel = 75;

export type Block = Readonly<Record<string, unknown>>;

export interface Content {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The markdown as it is sent, in CommonMark: mentions are neutralised, and tables fit Slack's limits. */
export function shownMarkdown(markdown: string): string {
  return neutral(fitTables(spaceEmphasis(toCommonMark(markdown.toWellFormed())), largestTable));
}

export function measureMarkdown(markdown: string): number {
  return shownMarkdown(markdown).length;
}

export function contentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = shownMarkdown(markdown);
  const text = shown.trim() === '' ? '…' : shown;
  return { text: notificationText(text), blocks: [{ type: 'markdown', text }, ...rowsOf(buttons)] };
}

/** The content without formatting, for markdown that Slack refuses. */
function plainContentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = neutral(markdown.toWellFormed());
  const sections = piecesOf(shown.trim() === '' ? '…' : shown).map((text) => ({
    type: 'section',
    text: { type: 'plain_text', text, emoji: false },
  }));
  return { text: notificationText(shown), blocks: [...sections, ...rowsOf(buttons)] };
}

/** Requests with the message's content, and again without formatting if Slack refuses it. */
export function orPlain<Result>(
  message: OutboundMessage,
  request: (content: Content) => Promise<Result>,
): Promise<Result> {
  const plainly = () => request(plainContentOf(message));
  return request(contentOf(message)).catch(onRefusal(/^invalid_blocks/, plainly));
}

/** Split at line ends where possible. Never within a character; some count twice. */
function piecesOf(text: string): readonly string[] {
  const pieces = text.match(/.{1,1400}(?:\n|$)|.{1,1400}/gsu) ?? [];
  return pieces.filter((piece) => piece.trim() !== '');
}

function rowsOf(rows: readonly (readonly Button[])[]): readonly Block[] {
  const blocks: Block[] = [];
  let order = 0;
  for (const row of rows) {
    const elements = row.map((button) => elementOf(button, order++));
    for (let begin = 0; begin < elements.length; begin += mostButtonsInRow)
      blocks.push({ type: 'actions', elements: elements.slice(begin, begin + mostButtonsInRow) });
  }
  return blocks;
}

/** The value holds the action; the id only distinguishes the buttons of one message, and those that open a form. */
function elementOf({ actionId, label, style, asks }: Button, order: number): Block {
  return {
    type: 'button',
    action_id: `${asks === undefined ? 'press' : 'ask'}:${order}`,
    text: { type: 'plain_text', text: shortened(label, longestLabel) },
    value: asks === undefined ? actionId : JSON.stringify({ id: actionId, asks }),
    style: style === 'plain' ? undefined : style,
  };
}

/** Escapes a text for mrkdwn, without mentions or links. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Limit of `chat.update` with a margin, in bytes. */
const mostBytes = 3_000;

/** The text for notifications and screen readers, without formatting. At most 3,000 bytes. */
function notificationText(markdown: string): string {
  const plain = markdown
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^ {0,3}(?:#{1,6}|>)[ \t]+/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const escaped = escapeText(plain === '' ? '…' : plain);
  if (Buffer.byteLength(escaped) <= mostBytes) return escaped;
  // An escaped or non-ASCII character takes up to five bytes.
  return escapeText(shortened(plain, mostBytes / 5));
}

/** Word joiner: invisible, and prevents a line break. */
const joiner = '\u2060';

/** A `<` in any of markdown's spellings. */
const opening = '(?:<|&lt;?|&#0*60;?|&#x0*3c;?)';
/** The character after `<` in a mention, in any spelling. */
const sign = '(?:[!@#]|&(?:excl|commat|num);|&#0*(?:33|64|35);?|&#x0*(?:21|40|23);?)';
const suspect = new RegExp(String.raw`(${opening})(\\*)(?=${sign})`, 'gi');

/** What Slack reads as a mention of people or channels, or a date. */
const mention = /^(?:!(?:channel|here|everyone|group|subteam\^|date\^)|@[UWB][A-Z0-9]{2}|#[CGD][A-Z0-9]{2})/i;
/** Enough characters to recognise a mention in its longest spelling. */
const longestHead = 120;

/** A URL, or a call such as `@here` outside an e-mail address. */
const addressOrCall = /https?:\/\/[^\s<>]+|(?<![\w@/.+-])@(?=(?:channel|here|everyone)(?![\w-]|\.\w))/gi;

/**
 * Neutralises mentions: `<!channel>`, `<@U0123ABCD>`, `@here` and the like look the same, with an invisible character
 * inside. Idempotent.
 */
export function neutral(text: string): string {
  // Most texts need none of this.
  const isSuspect = /[<&]/.test(text);
  const marked = isSuspect ? text.replace(suspect, neutralMark) : text;
  if (!marked.includes('@')) return marked;
  return marked.replace(addressOrCall, (found) => (found === '@' ? found + joiner : found));
}

function neutralMark(whole: string, bracket: string, slashes: string, at: number, text: string): string {
  const head = text.slice(at + whole.length, at + whole.length + longestHead);
  return mention.test(plainSpelling(head)) ? `${bracket}${joiner}${slashes}` : whole;
}

const named: Readonly<Record<string, string>> = {
  excl: '!',
  commat: '@',
  num: '#',
  hat: '^',
  lt: '<',
  zwnj: '',
};

function plainSpelling(text: string): string {
  return text
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, digits: string) => characterOf(Number.parseInt(digits, 16)))
    .replace(/&#(\d{1,7});?/g, (_, digits: string) => characterOf(Number(digits)))
    .replace(/&(\w+);/g, (whole, name: string) => named[name] ?? whole)
    .replaceAll('\\', '');
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
