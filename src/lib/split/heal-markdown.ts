import { type MarkdownLine, readLines } from './markdown-lines.ts';

/**
 * Makes unfinished markdown fit to be shown: closes what is open (emphasis, code, fences, links), and holds back the
 * head of a table until its second line confirms it. A complete text only loses white space at its end. Loads its
 * library on first use.
 */
export async function healMarkdown(markdown: string): Promise<string> {
  const closed = withClosedFence(markdown);
  if (closed !== markdown) return closed;

  const { default: remend } = await import('remend');
  const begin = lastBlockAt(readLines(`${markdown}\n\n`), markdown.trimEnd().length);
  // Code first: the marks that close the rest must stay outside it.
  const withCode = remend(withoutTableHead(markdown.slice(begin)).replace(unfinishedImage, '').trimEnd(), codeOnly);
  const block = remend(withCode, completions);
  return (markdown.slice(0, begin) + block).trimEnd();
}

/** Closes the block of code at its end, if one is open there. */
export function withClosedFence(markdown: string): string {
  // A blank line closes neither a fence nor the list around it, so it tells what is open at the end.
  const fence = readLines(`${markdown}\n\n`).at(-1)?.fence;
  return fence === undefined
    ? markdown
    : `${markdown}${markdown.endsWith('\n') ? '' : '\n'}${fence.prefix}${fence.marker}`;
}

/** Excludes what would change a complete text. */
const completions = {
  linkMode: 'text-only',
  images: false,
  katex: false,
  comparisonOperators: false,
  singleTilde: false,
} as const;

const codeOnly = {
  ...completions,
  bold: false,
  boldItalic: false,
  italic: false,
  strikethrough: false,
  links: false,
  htmlTags: false,
  setextHeadings: false,
} as const;

/** An image without its address shows nothing. */
const unfinishedImage = /!\[[^\]\n]*(?:\]\([^)\n]*)?$/;

/** Where the unfinished block begins: nothing open in one block continues in the next. */
function lastBlockAt(lines: readonly MarkdownLine[], textEnd: number): number {
  const before = lines.findLast(
    ({ start, kind, fence }) =>
      start < textEnd && (kind === 'closes-fence' || (kind === 'blank' && fence === undefined)),
  );
  return before?.end ?? 0;
}

/** Removes lines at the end that are a table only if what follows confirms it. */
function withoutTableHead(block: string): string {
  const lines = block.split('\n');
  // An empty last line means that the line before it is complete.
  const written = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  const rows = written.length - 1 - written.findLastIndex((line) => !line.trimStart().startsWith('|'));
  const head = written.slice(written.length - rows);
  if (rows === 0 || rows > 2 || (rows === 2 && lines.length > written.length)) return block;
  if (rows === 2 && !/^[ \t|:-]*$/.test(head[1] ?? '')) return block;
  return written.slice(0, written.length - rows).join('\n');
}
