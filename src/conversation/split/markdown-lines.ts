/** A code fence, with what it takes to close it early and to open it again elsewhere. */
export interface Fence {
  /** What stands before the marker: the indentation of lists, `> ` of quotes. */
  readonly prefix: string;
  /** The run of backticks or tildes. */
  readonly marker: string;
  readonly info: string;
  /** How many of the open lists and quotes it stands in. */
  readonly depth: number;
}

/** A line of markdown, read just far enough to know where a text may be cut. */
export interface MarkdownLine {
  readonly start: number;
  /** Behind its line break. */
  readonly end: number;
  readonly role: 'text' | 'blank' | 'opens-fence' | 'closes-fence';
  /** The fence that is open where the line begins. */
  readonly fence: Fence | undefined;
  /** `good`: between blocks · `poor`: parts what belongs together, such as a heading and its text. */
  readonly cutBefore: 'good' | 'fair' | 'poor';
  /** The columns of indentation that it owes to the lists that it stands in. */
  readonly indent: number;
  /** The same for a text that goes on after the line's own list markers. */
  readonly textIndent: number;
  /** What a line begins with that goes on in the same lists and quotes. */
  readonly textPrefix: string;
}

/** A list item, as the columns that its content is indented by, or a quote. */
type Container = number | 'quote';

interface Reading {
  readonly containers: readonly Container[];
  readonly fence: Fence | undefined;
  readonly last: 'text' | 'blank' | 'heading' | 'table-head' | 'opens-fence' | 'closes-fence';
  /** The last line that was not blank was a heading. */
  readonly underHeading: boolean;
}

/** Reads the whole text, once, line by line. */
export function readLines(markdown: string): readonly MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  let reading: Reading = { containers: [], fence: undefined, last: 'blank', underHeading: false };
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

interface LineRead {
  readonly line: Omit<MarkdownLine, 'start' | 'end'>;
  readonly next: Reading;
}

function readLine(text: string, before: Reading): LineRead {
  const blank = text.trim() === '';
  const inside = enter(text, before.containers, blank);
  // A line that leaves the list or quote of a fence ends the fence, too.
  if (before.fence !== undefined && inside.depth >= before.fence.depth) {
    return readCode(text.slice(inside.offset), blank, before, before.fence);
  }
  return readProse(text, blank, before, inside);
}

function readCode(content: string, blank: boolean, before: Reading, fence: Fence): LineRead {
  const closes = closesFence(content, fence);
  const role = closes ? 'closes-fence' : blank ? 'blank' : 'text';
  const indent = listIndent(before.containers);
  const cutBefore = closes || before.last === 'opens-fence' ? 'poor' : 'fair';
  return {
    line: { role, fence, cutBefore, indent, textIndent: indent, textPrefix: prefixOf(before.containers) },
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
    indent: listIndent(outer),
    textIndent: listIndent(containers),
    textPrefix: prefixOf(containers),
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
  /** How many of the containers go on in this line. */
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

/** Lists and quotes that stand deeper are read as text. */
const deepest = 16;

function afterQuote(text: string, from: number): number | undefined {
  const sign = /^ {0,3}> ?/.exec(text.slice(from, from + 5))?.[0];
  return sign === undefined ? undefined : from + sign.length;
}

/** A tab counts as four columns, wherever it stands. */
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

function prefixOf(containers: readonly Container[]): string {
  return containers.map((container) => (container === 'quote' ? '> ' : ' '.repeat(container))).join('');
}

/** The indentation that a line shares with the lists around it. What stands inside a quote is the quote's own. */
function listIndent(containers: readonly Container[]): number {
  let indent = 0;
  for (const container of containers) {
    if (container === 'quote') return indent;
    indent += container;
  }
  return indent;
}
