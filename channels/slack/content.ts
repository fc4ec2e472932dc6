import type { Button, OutboundMessage } from '../../src/contract.ts';
import { spaceEmphasis } from '../../src/lib/cjk-emphasis.ts';
import { fitTables } from '../../src/lib/fit-tables.ts';
import { foldPieces, unfold } from '../../src/lib/folds.ts';
import { toCommonMark } from '../../src/lib/model-markdown.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { onRefusal } from '../kit/request-failure.ts';
import { neutral } from './neutral.ts';

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

/**
 * The markdown as it is sent, in CommonMark: mentions are neutralised, tables fit Slack's limits, and folded blocks are
 * quotations below their title.
 */
export function shownMarkdown(markdown: string): string {
  const written = foldsQuoted(toCommonMark(markdown.toWellFormed()));
  return neutral(fitTables(spaceEmphasis(written), largestTable));
}

function foldsQuoted(markdown: string): string {
  if (!markdown.includes('[!details]-')) return markdown;
  const pieces = foldPieces(markdown).map(({ title, text }) =>
    title === undefined ? text : [`> **${title.replaceAll('**', '')}**`, ...text.split('\n').map(quoted)].join('\n'),
  );
  return pieces.join('\n');
}

function quoted(line: string): string {
  return line === '' ? '>' : `> ${line}`;
}

export function measureMarkdown(markdown: string): number {
  return shownMarkdown(markdown).length;
}

export function contentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = shownMarkdown(markdown);
  const text = shown.trim() === '' ? '…' : shown;
  return { text: notificationOf(markdown), blocks: [{ type: 'markdown', text }, ...rowsOf(buttons)] };
}

/** What a locked phone shows: what is asked, without what is folded. */
export function notificationOf(markdown: string): string {
  const { shown, details } = unfold(markdown);
  return notificationText(shownMarkdown(shown.trim() === '' ? (details ?? '') : shown));
}

/** The content without formatting, for markdown that Slack refuses. */
export function plainContentOf({ markdown, buttons = [] }: OutboundMessage): Content {
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

export function rowsOf(rows: readonly (readonly Button[])[]): readonly Block[] {
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
