/* What a part of a text repeats from the parts before it: the head of its table, the lines of the items around it. */

import { indentOf, type MarkdownLine, readLines, unindent } from './markdown-lines.ts';

/** A numbered list that may continue. */
interface Count {
  readonly first: number;
  readonly delimiter: string;
  number: number;
}

/**
 * The text with each item numbered as it is displayed. A list may be written as `1.`, `1.`, `1.`: without this, an item
 * at the start of a message would be displayed as the first. A longer number indents the content of its item further.
 * Numbers in quotes stay.
 */
export function numberItems(text: string): string {
  if (!/^[ \t]*\d/m.test(text)) return text;
  const counts: Count[] = [];
  /** The columns that the numbers of the items around the line have grown by. */
  const added: number[] = [];
  let numbered = '';
  let isAfterText = false;
  for (const line of readLines(text)) {
    const content = text.slice(line.start, line.end);
    const isText = line.fence === undefined && (line.kind === 'text' || line.kind === 'table-head');
    if (line.kind === 'blank') numbered += content;
    else {
      const item = itemIn(line, content);
      // A paragraph may continue without the indentation of its item.
      const isLazy = isAfterText && isText && line.containers.length === line.depth && !/^\s*[-*_]{3}/.test(content);
      counts.length = Math.min(counts.length, line.depth + (item !== undefined || isLazy ? 1 : 0));
      added.length = Math.min(added.length, line.depth);
      numbered += ' '.repeat(added.reduce((sum, columns) => sum + (columns ?? 0), 0));
      numbered += item === undefined ? content : renumbered(item, line.depth, counts, added) + item.rest;
    }
    isAfterText = isText;
  }
  return numbered;
}

/** The marker of an item with its current number. */
function renumbered({ indent, digits, delimiter }: Item, depth: number, counts: Count[], added: number[]): string {
  const known = counts[depth];
  if (known?.delimiter !== delimiter) {
    counts[depth] = { first: Number(digits), delimiter, number: Number(digits) };
    return indent + digits;
  }
  known.number = Number(digits) === known.first ? known.number + 1 : Number(digits);
  const shown = String(known.number);
  added[depth] = Math.max(0, shown.length - digits.length);
  return indent + (Number(digits) === known.number ? digits : shown);
}

interface Item {
  readonly indent: string;
  readonly digits: string;
  readonly delimiter: string;
  /** The line after the digits. */
  readonly rest: string;
}

/** The numbered item that begins in the line. */
function itemIn({ fence, depth, containers }: MarkdownLine, content: string): Item | undefined {
  if (fence !== undefined || containers.length === depth || containers.slice(0, depth + 1).includes('quote'))
    return undefined;
  const [, indent = '', digits, delimiter = ''] = /^(\s*)(\d{1,9})([.)])/.exec(content) ?? [];
  return digits === undefined
    ? undefined
    : { indent, digits, delimiter, rest: content.slice(indent.length + digits.length) };
}

/** For each nested item, by its offset: the line that begins the item around it. */
export function parentsOf(lines: readonly MarkdownLine[]): ReadonlyMap<number, MarkdownLine> {
  const parents = new Map<number, MarkdownLine>();
  const openers: MarkdownLine[] = [];
  for (const line of lines) {
    if (line.kind === 'blank') continue;
    openers.length = Math.min(openers.length, line.depth);
    const parent = openers.at(-1);
    const begins = typeof line.containers[line.depth] === 'number';
    if (begins && parent?.containers.length === line.depth && isItem(parent)) parents.set(line.start, parent);
    while (openers.length < line.containers.length) openers.push(line);
  }
  return parents;
}

/** Whether the line begins exactly one item. */
function isItem({ kind, depth, containers }: MarkdownLine): boolean {
  const begun = containers.slice(depth).filter((container) => container !== 'quote');
  return kind !== 'opens-fence' && begun.length === 1 && containers.at(-1) === begun[0];
}

/** The line of an item as a heading for its continuation; undefined if not even its beginning is short enough. */
export function itemHead(line: string, longest: number): string | undefined {
  const whole = line.trimEnd();
  const ends = [whole.length, ...Array.from(whole.matchAll(/\s+/g), ({ index }) => index).reverse()];
  const end = ends.find((at) => at + more.length <= longest && isComplete(whole.slice(0, at)));
  return end === undefined ? undefined : whole.slice(0, end) + more;
}

const more = ' …';

/** Whether it has words after its marker, and closes everything bold, code or link. */
function isComplete(text: string): boolean {
  const [marker] = /^[\s>]*(?:[-*+]|\d+[.)])(?=\s+\S)/.exec(text) ?? [];
  if (marker === undefined || text.endsWith('\\')) return false;
  const count = (sign: string): number => text.slice(marker.length).split(sign).length - 1;
  return (
    ['**', '*', '__', '_', '`', '~~'].every((sign) => count(sign) % 2 === 0) &&
    count('[') === count(']') &&
    count('(') === count(')')
  );
}

/** The two lines of a table head, by the offset of each row below. */
export function headsOf(text: string, lines: readonly MarkdownLine[]): ReadonlyMap<number, string> {
  const heads = new Map<number, string>();
  let head: string | undefined;
  let before = '';
  for (const line of lines) {
    const content = unindent(text.slice(line.start, line.end), indentOf(line));
    const isInTable = line.fence === undefined && line.kind !== 'opens-fence' && content.includes('|');
    if (!isInTable) head = undefined;
    else if (head !== undefined) heads.set(line.start, head);
    else if (line.kind === 'table-head' && before !== '') head = before + content;
    before = isInTable ? content : '';
  }
  return heads;
}

/**
 * The head within `longest`: with less padding, and shortened names if necessary. Undefined if even these are too long:
 * then the rows go without it.
 */
export function shortHead(head: string, longest: number): string | undefined {
  if (head.length <= longest) return head;
  const [names = '', dashes = ''] = head.split('\n');
  const [prefix = ''] = /^[\s>]*/.exec(names) ?? [];
  const marks = cellsOf(dashes).map((cell) => cell.replace(/-+/, '---'));
  return widths
    .map((width) => {
      const short = cellsOf(names).map((cell) => beginningOf(cell, width));
      return [short, marks].map((cells) => `${prefix}| ${cells.join(' | ')} |\n`).join('');
    })
    .find(({ length }) => length <= longest);
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
  const words = kept.map(({ segment }) => segment).join('');
  return `${words.trimEnd()}…`;
}
