import { type MarkdownLine, readLines } from '../split/markdown-lines.ts';

/**
 * Makes markdown that is still being written fit to be shown: closes what is open (emphasis, code, fences, links), and
 * holds back the head of a table until its second line says that it is one. A text that is whole stays as it is, but for
 * white space at its end. Loads what it needs when it is first used.
 */
export async function healMarkdown(markdown: string): Promise<string> {
  // A blank line leaves neither a fence nor the list around it, and so tells what is open at the end.
  const lines = readLines(`${markdown}\n\n`);
  const fence = lines.at(-1)?.fence;
  if (fence !== undefined) return `${markdown}${markdown.endsWith('\n') ? '' : '\n'}${fence.prefix}${fence.marker}`;

  const { default: remend } = await import('remend');
  const begin = lastBlockAt(lines, markdown.trimEnd().length);
  // Code first: what closes the rest does not belong into it.
  const withCode = remend(certainPart(markdown.slice(begin)), codeOnly);
  const block = remend(withCode, completions);
  return (markdown.slice(0, begin) + block).trimEnd();
}

/** What would change a text that is whole is left out. */
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

/** Where the block begins that is still being written: nothing that is open in one block goes on in the next one. */
function lastBlockAt(lines: readonly MarkdownLine[], textEnd: number): number {
  const before = lines.findLast(
    ({ start, role, fence }) =>
      start < textEnd && (role === 'closes-fence' || (role === 'blank' && fence === undefined)),
  );
  return before?.end ?? 0;
}

/** Without what may turn out to be something else. */
function certainPart(block: string): string {
  return withoutTableHead(block).replace(unfinishedImage, '').trimEnd();
}

/** Without the lines at the end that are a table only if what follows says so. */
function withoutTableHead(block: string): string {
  const lines = block.split('\n');
  // An empty one says that the line before it has ended.
  const written = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  const rows = written.length - 1 - written.findLastIndex((line) => !line.trimStart().startsWith('|'));
  const head = written.slice(written.length - rows);
  if (rows === 0 || rows > 2 || (rows === 2 && lines.length > written.length)) return block;
  if (rows === 2 && !/^[ \t|:-]*$/.test(head[1] ?? '')) return block;
  return written.slice(0, written.length - rows).join('\n');
}
