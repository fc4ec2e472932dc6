import type { Button, OutboundMessage } from '../../../src/contract.ts';
import { neutral } from './neutral.ts';
import { notificationText } from './notification-text.ts';
import { fitTables } from './tables.ts';

/** What a `markdown` block holds, in characters. All blocks of a message together hold 1,200 more. */
export const longestMarkdown = 12_000;

const mostButtonsInRow = 25;
const longestLabel = 75;

/** A block as Slack takes it. */
export type Block = Readonly<Record<string, unknown>>;

/** What a message shows, as methods take it. */
export interface Content {
  /** For notifications. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The markdown as it is shown: it calls nobody, and its tables are such as Slack takes. */
export function shownMarkdown(markdown: string): string {
  return neutral(fitTables(markdown.toWellFormed()));
}

/** How much of a block the markdown takes, in characters. */
export function measureMarkdown(markdown: string): number {
  return shownMarkdown(markdown).length;
}

/** The text and the buttons of a message. */
export function contentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = shownMarkdown(markdown);
  const text = shown.trim() === '' ? '…' : shown;
  return { text: notificationText(text), blocks: [{ type: 'markdown', text }, ...rowsOf(buttons)] };
}

/** The same without any formatting, for what Slack does not take as markdown. */
export function plainContentOf({ markdown, buttons = [] }: OutboundMessage): Content {
  const shown = neutral(markdown.toWellFormed());
  const sections = piecesOf(shown.trim() === '' ? '…' : shown).map((text) => ({
    type: 'section',
    text: { type: 'plain_text', text, emoji: false },
  }));
  return { text: notificationText(shown), blocks: [...sections, ...rowsOf(buttons)] };
}

/** At line ends, where there are any. Whole characters, of which some count twice. */
function piecesOf(text: string): readonly string[] {
  const pieces = text.match(/.{1,1400}(?:\n|$)|.{1,1400}/gsu) ?? [];
  return pieces.filter((piece) => piece.trim() !== '');
}

function rowsOf(rows: readonly (readonly Button[])[]): readonly Block[] {
  let order = 0;
  return rows.flatMap((row) => {
    const elements = row.map((button) => elementOf(button, order++));
    return chunksOf(elements).map((chunk) => ({ type: 'actions', elements: chunk }));
  });
}

function chunksOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / mostButtonsInRow);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * mostButtonsInRow, (index + 1) * mostButtonsInRow),
  );
}

/** What a press means stands in the value; the id only tells the buttons of one message apart, and what a press opens. */
function elementOf({ actionId, label, style, asks }: Button, order: number): Block {
  return {
    type: 'button',
    action_id: `${asks === undefined ? 'press' : 'ask'}:${order}`,
    text: { type: 'plain_text', text: shortened(label.toWellFormed()) },
    value: asks === undefined ? actionId : JSON.stringify({ id: actionId, asks }),
    ...(style !== 'plain' && { style }),
  };
}

function shortened(label: string): string {
  if (label.length <= longestLabel) return label;
  return `${label.slice(0, longestLabel - 1).toWellFormed()}…`;
}
