/*
 * The layout of a card that asks: what everybody reads, then the line that says until when it is open, then one folded
 * block. It is known by the layout alone, whatever others wrote: the line has one `<time>`, and the block is the last thing.
 */

import { timeElement } from './folds.ts';
import { clockTime, type ReadersZone } from './time-words.ts';

/** The card, with its folded block apart. `fold`: with the blank line before it; empty if there is none. */
export interface CardParts {
  readonly shown: string;
  readonly fold: string;
}

export function cardParts(markdown: string): CardParts {
  const at = markdown.lastIndexOf(beginning);
  return at === -1 ? { shown: markdown, fold: '' } : { shown: markdown.slice(0, at), fold: markdown.slice(at) };
}

/** Within the block, no line begins like this: what stands there is a quotation of Keyturn's, or indented. */
const beginning = '\n\n> [!details]- ';

/** An instant as platforms show it to each reader, with the time of those who read it here. */
export function instantFor(at: number, zone: ReadersZone): string {
  return timeElement(at, clockTime(at, zone));
}

/** The card, open until then. Unchanged if its last line tells no instant. */
export function withDeadline(markdown: string, at: number, zone: ReadersZone): string {
  const { shown, fold } = cardParts(markdown);
  const line = shown.slice(shown.lastIndexOf('\n') + 1);
  if (!instant.test(line)) return markdown;
  return `${shown.slice(0, shown.length - line.length)}${line.replace(instant, () => instantFor(at, zone))}${fold}`;
}

const instant = /<time datetime="[^"<>]*">[^<>]*<\/time>/;

/** What a folded block says, without its title; undefined if there is no block. */
export function foldedText(fold: string): string | undefined {
  const lines = fold.trimStart().split('\n').slice(1);
  return lines.length === 0 ? undefined : lines.map((line) => line.replace(/^> ?/, '')).join('\n');
}
