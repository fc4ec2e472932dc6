import { indentOf, type MarkdownLine, unindent } from './markdown-lines.ts';

/** The two lines of a table head, by the offset of each row below. */
export function headsOf(text: string, lines: readonly MarkdownLine[]): ReadonlyMap<number, string> {
  const heads = new Map<number, string>();
  const isRow = (line: MarkdownLine | undefined, content: string): boolean =>
    line?.role === 'text' && line.fence === undefined && content.includes('|');
  let head: string | undefined;
  let before = '';
  for (const line of lines) {
    const content = unindent(text.slice(line.start, line.end), indentOf(line));
    if (!isRow(line, content)) head = undefined;
    else if (head !== undefined) heads.set(line.start, head);
    else if (isDashes(content) && before !== '') head = before + content;
    before = isRow(line, content) ? content : '';
  }
  return heads;
}

function isDashes(content: string): boolean {
  return content.includes('-') && /^[\s>]*[|:-][\s|:-]*$/.test(content);
}

/**
 * The head within `longest`: with less padding, and shortened names if necessary. Undefined if even these are too long:
 * then the rows go without it.
 */
export function shortHead(head: string, longest: number): string | undefined {
  if (head.length <= longest) return head;
  const [names = '', dashes = ''] = head.split('\n');
  const marks = cellsOf(dashes).map((cell) => cell.replace(/-+/, '---'));
  for (const width of widths) {
    const short = cellsOf(names).map((cell) => beginningOf(cell, width));
    const [prefix] = /^[\s>]*/.exec(names) ?? [''];
    const shortened = [short, marks].map((cells) => `${prefix}| ${cells.join(' | ')} |\n`).join('');
    if (shortened.length <= longest) return shortened;
  }
  return undefined;
}

/** The lengths to try for each name. */
const widths = [Number.POSITIVE_INFINITY, 24, 16, 12, 8, 5, 3];

function cellsOf(row: string): readonly string[] {
  const inner = row.replace(/^[\s>]*\|?/, '').replace(/\|?\s*$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** A cut name loses its markup: bold, code or a link in it may have lost its end. */
function beginningOf(cell: string, width: number): string {
  if (cell.length <= width) return cell;
  const plain = cell.replaceAll(/[*_~`[\]()<>\\|]/g, '');
  const graphemes = Array.from(new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(plain));
  const kept = graphemes.filter(({ index, segment }) => index + segment.length < width);
  return `${kept
    .map(({ segment }) => segment)
    .join('')
    .trimEnd()}…`;
}
