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

type LineKind = 'text' | 'blank' | 'heading' | 'table-head' | 'opens-fence' | 'closes-fence';

/** A line of markdown, parsed just enough to know where the text may be cut. */
export interface MarkdownLine {
  readonly start: number;
  /** After its line break. */
  readonly end: number;
  readonly kind: LineKind;
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
interface Reading {
  readonly containers: readonly Container[];
  readonly fence: Fence | undefined;
  readonly last: LineKind;
  /** The last line that was not blank was a heading. */
  readonly underHeading: boolean;
}

export const beginningOfText: Reading = { containers: [], fence: undefined, last: 'blank', underHeading: false };

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

/** Reads one line, including its line break, in the state left by the lines before. */
export function readLine(
  text: string,
  before: Reading,
): { readonly line: Omit<MarkdownLine, 'start' | 'end'>; readonly next: Reading } {
  const isBlank = text.trim() === '';
  const { depth, offset } = enter(text, before.containers, isBlank);
  const { fence } = before;
  // A line that leaves the list or quote of a fence also ends the fence.
  if (fence !== undefined && depth >= fence.depth) {
    const isEnd = closesFence(text.slice(offset), fence);
    const kind = isEnd ? 'closes-fence' : isBlank ? 'blank' : 'text';
    const cutBefore = isEnd || before.last === 'opens-fence' ? 'poor' : 'fair';
    const { containers } = before;
    return {
      line: { kind, fence, cutBefore, depth: containers.length, containers },
      next: { containers, fence: isEnd ? undefined : fence, last: kind, underHeading: false },
    };
  }
  const outer = before.containers.slice(0, depth);
  const { containers, content } = isBlank ? { containers: outer, content: '' } : open(text, outer, offset);
  const opened = opensFence(content, containers);
  const kind = isBlank ? 'blank' : opened === undefined ? kindOf(content) : 'opens-fence';
  return {
    line: { kind, fence: undefined, cutBefore: cutBeforeProse(kind, before), depth, containers },
    next: { containers, fence: opened, last: kind, underHeading: isBlank ? before.underHeading : kind === 'heading' },
  };
}

function cutBeforeProse(kind: LineKind, before: Reading): MarkdownLine['cutBefore'] {
  if (before.underHeading || before.last === 'table-head' || kind === 'table-head') return 'poor';
  const startsBlock = kind === 'opens-fence' || kind === 'heading' || kind === 'blank';
  return startsBlock || before.last === 'blank' || before.last === 'closes-fence' ? 'good' : 'fair';
}

function kindOf(content: string): LineKind {
  if (/^ {0,3}#{1,6}\s|^\[!details\]- /.test(content)) return 'heading';
  // The row of dashes under a table's head.
  return content.includes('|') && content.includes('-') && /^[\s|:-]+$/.test(content) ? 'table-head' : 'text';
}

/** The number of containers that continue in the line, and where their content begins. */
function enter(text: string, containers: readonly Container[], isBlank: boolean) {
  let offset = 0;
  for (const [depth, container] of containers.entries()) {
    const next =
      container === 'quote' ? afterQuote(text, offset) : isBlank ? offset : afterIndent(text, offset, container);
    if (next === undefined) return { depth, offset };
    offset = next;
  }
  return { depth: containers.length, offset };
}

/** Opens the lists and quotes that begin in this line. */
function open(text: string, outer: readonly Container[], from: number) {
  const containers = [...outer];
  let offset = from;
  while (containers.length < deepest) {
    const quoted = afterQuote(text, offset);
    const [marker] = listMarker.exec(text.slice(offset, offset + 24)) ?? [];
    if (quoted === undefined && marker === undefined) break;
    containers.push(quoted === undefined ? (marker?.length ?? 0) : 'quote');
    offset = quoted ?? offset + (marker?.length ?? 0);
  }
  return { containers, content: text.slice(offset) };
}

/** Lists and quotes nested deeper are read as text. */
const deepest = 16;
const listMarker = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)|[ \t]|(?=\r?\n?$))/;

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
  const [, indent = '', backticks, backticksInfo, tildes, tildesInfo] =
    /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$/s.exec(content.trimEnd()) ?? [];
  const marker = backticks ?? tildes;
  if (marker === undefined) return undefined;
  const info = backticksInfo ?? tildesInfo ?? '';
  return { prefix: prefixOf(containers) + indent, marker, info, depth: containers.length };
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

/** The line without up to this many columns of indentation. */
export function unindent(line: string, columns: number): string {
  let start = 0;
  while (start < columns && (line[start] === ' ' || line[start] === '\t')) start += 1;
  return line.slice(start);
}
