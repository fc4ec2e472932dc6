/*
 * Two things that Keyturn's own messages have, and Markdown has not. A folded block is a quotation that begins with
 * `[!details]-` and a title, as some editors write it. An instant is a `<time>` of HTML, whose words stand wherever the
 * platform has no such element.
 */

import { type MarkdownLine, readLines } from './split/markdown-lines.ts';

/** The first line of a folded block, without the marks of the quotation. Its group is the title. */
export const foldMark = /^\[!details\]- ?(.*)$/;

/** A block that is shown closed, under this title: a line of markdown. Stands alone, between blank lines. */
export function folded(title: string, markdown: string): string {
  return [`[!details]- ${title.replace(/\s*\n\s*/g, ' ')}`, ...markdown.split('\n')]
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** A text with its folded blocks apart. Only blocks at the top of the text count, and none within code. */
export interface Unfolded {
  /** Without them. */
  readonly shown: string;
  /** Their contents, with their titles in bold; undefined if there are none. */
  readonly details: string | undefined;
}

export function unfold(markdown: string): Unfolded {
  const pieces = foldPieces(markdown);
  const details = pieces.flatMap(({ title, text }) => (title === undefined ? [] : [`**${title}**\n\n${text}`]));
  if (details.length === 0) return { shown: markdown, details: undefined };
  const shown = pieces.flatMap(({ title, text }) => (title === undefined ? [withoutGaps(text)] : []));
  return { shown: shown.filter((text) => text !== '').join('\n\n'), details: details.join('\n\n').trim() };
}

/** A stretch of lines: with a title, the contents of a folded block without the marks of the quotation. */
export interface FoldPiece {
  readonly title: string | undefined;
  readonly text: string;
  /** The offset in the text, and that of its end. */
  readonly start: number;
  readonly end: number;
}

/** The text in order: what is shown, and what is folded. */
export function foldPieces(markdown: string): readonly FoldPiece[] {
  if (!markdown.includes('> [!details]-'))
    return [{ title: undefined, text: markdown, start: 0, end: markdown.length }];
  const pieces: { title: string | undefined; lines: string[]; start: number; end: number }[] = [];
  let isAfterGap = true;
  for (const line of readLines(markdown)) {
    const { start, end } = line;
    const words = markdown.slice(start, end).replace(/\r?\n$/, '');
    // Within a quotation of somebody else's words, the mark is theirs.
    const title = isAfterGap ? titleIn(line, words) : undefined;
    isAfterGap = line.kind === 'blank';
    const last = pieces.at(-1);
    const isInside = last?.title !== undefined && words.startsWith('>');
    if (title !== undefined) pieces.push({ title, lines: [], start, end });
    else if (last === undefined || (last.title !== undefined && !isInside))
      pieces.push({ title: undefined, lines: [words], start, end });
    else {
      last.lines.push(isInside ? words.replace(/^> ?/, '') : words);
      last.end = end;
    }
  }
  return pieces.map(({ lines, ...piece }) => ({ ...piece, text: lines.join('\n') }));
}

function titleIn({ fence }: MarkdownLine, words: string): string | undefined {
  return fence === undefined && words.startsWith('> ') ? foldMark.exec(words.slice(2))?.[1]?.trim() : undefined;
}

/**
 * The text with each folded block between blank lines, and another below its title: readers of Markdown then take no line
 * beside it for a part of it, and its title for no part of what it contains.
 */
export function foldsApart(markdown: string): string {
  const pieces = foldPieces(markdown);
  if (!pieces.some(({ title }) => title !== undefined)) return markdown;
  return pieces
    .map(({ title, text }) => (title === undefined ? withoutGaps(text) : folded(title, `\n${withoutGaps(text)}`)))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Without blank lines at its beginning and end. */
function withoutGaps(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** An instant (ms since 1970) that each reader sees in their own zone. `words`: the same for readers without it. */
export function timeElement(at: number, words: string): string {
  return `<time datetime="${new Date(at).toISOString()}">${words}</time>`;
}

/** Whether the words of an instant name only a time of day: `21:16`, `21:16 GMT+8`. Others name a day, too. */
export function isTimeOfDay(words: string): boolean {
  return /^\d{1,2}:\d{2}(?: [\w+:/-]+)?$/.test(words.trim());
}
