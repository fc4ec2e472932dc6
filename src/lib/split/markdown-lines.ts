/** A code fence, with what is needed to close it early and reopen it elsewhere. */
export interface Fence {
  /** The text before the marker: indentation of lists, `> ` of quotes. */
  readonly prefix: string;
  /** The run of backticks or tildes. */
  readonly marker: string;
  readonly info: string;
  /** The number of lists and quotes around it. */
  readonly depth: number;
}

/** A line of markdown, parsed just enough to know where the text may be cut. */
export interface MarkdownLine {
  readonly start: number;
  /** After its line break. */
  readonly end: number;
  readonly role: 'text' | 'blank' | 'opens-fence' | 'closes-fence';
  /** The open fence at the start of the line. */
  readonly fence: Fence | undefined;
  /** `good`: between blocks · `poor`: separates what belongs together, such as a heading and its text. */
  readonly cutBefore: 'good' | 'fair' | 'poor';
  /** The number of lists and quotes that continue in this line. */
  readonly depth: number;
  /** The continuing containers, then those that open in this line; outermost first. */
  readonly containers: readonly Container[];
}

/** A list item, as the indentation of its content in columns, or a quote. */
type Container = number | 'quote';

/** The state of the reader at the start of a line. */
export interface Reading {
  readonly containers: readonly Container[];
  readonly fence: Fence | undefined;
  readonly last: 'text' | 'blank' | 'heading' | 'table-head' | 'opens-fence' | 'closes-fence';
  /** The last line that was not blank was a heading. */
  readonly underHeading: boolean;
}

export function readLines(markdown: string): readonly MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  let reading = beginningOfText;
  for (let start = 0; start < markdown.length; ) {
    const lineBreak = markdown.indexOf('\n', start);
    const end = lineBreak === -1 ? markdown.length : lineBreak + 1;
    const { line, next } = readLine(markdown.slice(start, end), reading);
    lines.push({ start, end, ...line });
    reading = next;
    start = end;
  }
  return lines;
}

export const beginningOfText: Reading = { containers: [], fence: undefined, last: 'blank', underHeading: false };

interface LineRead {
  readonly line: Omit<MarkdownLine, 'start' | 'end'>;
  readonly next: Reading;
}

/** Reads one line, including its line break, in the state left by the lines before. */
export function readLine(text: string, before: Reading): LineRead {
  const blank = text.trim() === '';
  const inside = enter(text, before.containers, blank);
  // A line that leaves the list or quote of a fence also ends the fence.
  if (before.fence !== undefined && inside.depth >= before.fence.depth) {
    return readCode(text.slice(inside.offset), blank, before, before.fence);
  }
  return readProse(text, blank, before, inside);
}

function readCode(content: string, blank: boolean, before: Reading, fence: Fence): LineRead {
  const closes = closesFence(content, fence);
  const role = closes ? 'closes-fence' : blank ? 'blank' : 'text';
  const cutBefore = closes || before.last === 'opens-fence' ? 'poor' : 'fair';
  const { containers } = before;
  return {
    line: { role, fence, cutBefore, depth: containers.length, containers },
    next: { ...before, fence: closes ? undefined : fence, last: role, underHeading: false },
  };
}

function readProse(text: string, blank: boolean, before: Reading, inside: Inside): LineRead {
  const outer = before.containers.slice(0, inside.depth);
  const { containers, offset } = blank
    ? { containers: outer, offset: inside.offset }
    : open(text, outer, inside.offset);
  const content = text.slice(offset);
  const fence = blank ? undefined : opensFence(content, containers);
  const last = fence !== undefined ? 'opens-fence' : blank ? 'blank' : kindOf(content);
  const line: LineRead['line'] = {
    role: fence !== undefined ? 'opens-fence' : blank ? 'blank' : 'text',
    fence: undefined,
    cutBefore: cutBeforeProse(last, before),
    depth: inside.depth,
    containers,
  };
  return { line, next: { containers, fence, last, underHeading: blank ? before.underHeading : last === 'heading' } };
}

function cutBeforeProse(kind: Reading['last'], before: Reading): MarkdownLine['cutBefore'] {
  if (before.underHeading || before.last === 'table-head' || kind === 'table-head') return 'poor';
  const startsBlock = kind === 'opens-fence' || kind === 'heading' || kind === 'blank';
  return startsBlock || before.last === 'blank' || before.last === 'closes-fence' ? 'good' : 'fair';
}

function kindOf(content: string): 'heading' | 'table-head' | 'text' {
  if (/^ {0,3}#{1,6}\s/.test(content)) return 'heading';
  // The row of dashes under a table's head.
  return content.includes('|') && content.includes('-') && /^[\s|:-]+$/.test(content) ? 'table-head' : 'text';
}

interface Inside {
  /** The number of containers that continue in this line. */
  readonly depth: number;
  /** Where their content begins. */
  readonly offset: number;
}

function enter(text: string, containers: readonly Container[], blank: boolean): Inside {
  let offset = 0;
  for (const [depth, container] of containers.entries()) {
    const next =
      container === 'quote' ? afterQuote(text, offset) : blank ? offset : afterIndent(text, offset, container);
    if (next === undefined) return { depth, offset };
    offset = next;
  }
  return { depth: containers.length, offset };
}

/** Opens the lists and quotes that begin in this line. */
function open(text: string, outer: readonly Container[], from: number): { containers: Container[]; offset: number } {
  const containers = [...outer];
  let offset = from;
  while (containers.length < deepest) {
    const quoted = afterQuote(text, offset);
    const marker = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)|[ \t]|(?=\r?\n?$))/.exec(
      text.slice(offset, offset + 24),
    )?.[0];
    if (quoted === undefined && marker === undefined) return { containers, offset };
    containers.push(quoted === undefined ? (marker?.length ?? 0) : 'quote');
    offset = quoted ?? offset + (marker?.length ?? 0);
  }
  return { containers, offset };
}

/** Lists and quotes nested deeper are read as text. */
const deepest = 16;

function afterQuote(text: string, from: number): number | undefined {
  const sign = /^ {0,3}> ?/.exec(text.slice(from, from + 5))?.[0];
  return sign === undefined ? undefined : from + sign.length;
}

/** A tab counts as four columns wherever it is. */
function afterIndent(text: string, from: number, columns: number): number | undefined {
  let offset = from;
  for (let column = 0; column < columns; offset += 1) {
    if (text[offset] === ' ') column += 1;
    else if (text[offset] === '\t') column += 4;
    else return undefined;
  }
  return offset;
}

function opensFence(content: string, containers: readonly Container[]): Fence | undefined {
  const match = /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$/s.exec(content.trimEnd());
  if (match === null) return undefined;
  const [, indent = '', backticks, backticksInfo, tildes, tildesInfo] = match;
  return {
    prefix: prefixOf(containers) + indent,
    marker: backticks ?? tildes ?? '',
    info: backticksInfo ?? tildesInfo ?? '',
    depth: containers.length,
  };
}

function closesFence(content: string, { marker }: Fence): boolean {
  const run = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(content)?.[1];
  return run?.startsWith(marker) ?? false;
}

/** The prefix of a line that continues these lists and quotes. */
export function prefixOf(containers: readonly Container[]): string {
  return containers.map((container) => (container === 'quote' ? '> ' : ' '.repeat(container))).join('');
}

/** The columns of indentation that come from the lists around the line. */
export function indentOf({ containers, depth }: MarkdownLine): number {
  return listIndent(containers.slice(0, depth));
}

/** The indentation from the lists. Stops at a quote, since the indentation in it is its own. */
export function listIndent(containers: readonly Container[]): number {
  let indent = 0;
  for (const container of containers) {
    if (container === 'quote') return indent;
    indent += container;
  }
  return indent;
}

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
  const added: number[] = [];
  let numbered = '';
  let isAfterText = false;
  for (const line of readLines(text)) {
    const content = text.slice(line.start, line.end);
    if (line.role === 'blank') numbered += content;
    else {
      counts.length = Math.min(counts.length, line.depth + (goesOn(line, content, isAfterText) ? 1 : 0));
      added.length = Math.min(added.length, line.depth);
      numbered +=
        ' '.repeat(added.reduce((sum, columns) => sum + (columns ?? 0), 0)) + renumber(line, content, counts, added);
    }
    isAfterText = line.role === 'text' && line.fence === undefined;
  }
  return numbered;
}

/** Whether a numbered list at the position of the line may continue after it. */
function goesOn(line: MarkdownLine, content: string, isAfterText: boolean): boolean {
  if (itemNumber(line, content) !== undefined) return true;
  // A paragraph may continue without the indentation of its item.
  const isText = line.role === 'text' && line.containers.length === line.depth && !/^\s*(?:#|[-*_]{3})/.test(content);
  return isText && isAfterText;
}

function renumber(line: MarkdownLine, content: string, counts: Count[], added: number[]): string {
  const item = itemNumber(line, content);
  if (item === undefined) return content;
  const { indent, digits, delimiter } = item;
  const known = counts[line.depth];
  if (known?.delimiter !== delimiter) {
    counts[line.depth] = { first: Number(digits), delimiter, number: Number(digits) };
    return content;
  }
  known.number = Number(digits) === known.first ? known.number + 1 : Number(digits);
  const shown = String(known.number);
  added[line.depth] = Math.max(0, shown.length - digits.length);
  return Number(digits) === known.number ? content : indent + shown + content.slice(indent.length + digits.length);
}

function itemNumber({ fence, depth, containers }: MarkdownLine, content: string) {
  if (fence !== undefined || containers.length === depth || containers.slice(0, depth + 1).includes('quote'))
    return undefined;
  const [, indent = '', digits, delimiter = ''] = /^(\s*)(\d{1,9})([.)])/.exec(content) ?? [];
  return digits === undefined ? undefined : { indent, digits, delimiter };
}

/** For each nested item, by its offset: the line that begins the item around it. */
export function parentsOf(lines: readonly MarkdownLine[]): ReadonlyMap<number, MarkdownLine> {
  const parents = new Map<number, MarkdownLine>();
  const openers: MarkdownLine[] = [];
  for (const line of lines) {
    if (line.role === 'blank') continue;
    openers.length = Math.min(openers.length, line.depth);
    const parent = openers.at(-1);
    const begins = typeof line.containers[line.depth] === 'number';
    if (begins && parent?.containers.length === line.depth && isItem(parent)) parents.set(line.start, parent);
    while (openers.length < line.containers.length) openers.push(line);
  }
  return parents;
}

/** Whether the line begins exactly one item. */
function isItem({ role, depth, containers }: MarkdownLine): boolean {
  const begun = containers.slice(depth).filter((container) => container !== 'quote');
  return role === 'text' && begun.length === 1 && containers.at(-1) === begun[0];
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
  if (text.endsWith('\\') || !/^[\s>]*(?:[-*+]|\d+[.)])\s+\S/.test(text)) return false;
  const words = text.replace(/^[\s>]*(?:[-*+]|\d+[.)])/, '');
  const count = (sign: string): number => words.split(sign).length - 1;
  return (
    ['**', '*', '__', '_', '`', '~~'].every((sign) => count(sign) % 2 === 0) &&
    count('[') === count(']') &&
    count('(') === count(')')
  );
}

/** The line without up to this many columns of indentation. */
export function unindent(line: string, columns: number): string {
  let start = 0;
  while (start < columns && (line[start] === ' ' || line[start] === '\t')) start += 1;
  return line.slice(start);
}
