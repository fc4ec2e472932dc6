import { type FoldPiece, foldPieces } from '../folds.ts';
import { detailsFolded } from '../html-details.ts';
import { shortened } from '../plain-text.ts';
import { headsOf, itemHead, numberItems, parentsOf, shortHead } from './carried-over.ts';
import {
  type Fence,
  indentOf,
  listIndent,
  type MarkdownLine,
  prefixOf,
  readLines,
  unindent,
} from './markdown-lines.ts';

interface SplitOptions {
  /** The maximum of a part, in the unit of `measure`. At least 1. */
  readonly maxLength: number;
  /** The displayed length of a markdown text. Grows with the text, if not with every character. */
  readonly measure: (markdown: string) => number;
}

/**
 * Cuts markdown into parts that each stand alone and measure at most `maxLength`. A cut code fence is closed and
 * reopened in the next part. Each part of a table repeats its head, shortened if it would fill a quarter of the part. A
 * list keeps its numbers, and continues below the line of its parent item. A folded block stays one in each part, with
 * its title. Only white space is lost. A text that fits is unchanged; a blank one has no parts. A part is too long only if a single character exceeds the limit.
 */
export function splitMarkdown(markdown: string, options: SplitOptions): readonly string[] {
  if (!(options.maxLength >= 1)) throw new RangeError('maxLength must be at least 1.');
  if (markdown.trim() === '') return [];
  if (options.measure(markdown) <= options.maxLength) return [markdown];

  const source = sourceOf(markdown);
  const parts: string[] = [];
  for (let from = afterCut(source, 0); from < source.text.length; ) {
    const { cut, text } = nextPart(source, from, options);
    if (hasContent(source, from, cut)) parts.push(text);
    from = afterCut(source, cut);
  }
  return parts;
}

interface Part {
  readonly cut: number;
  readonly text: string;
}

function nextPart(source: Source, from: number, options: SplitOptions): Part {
  const { frame, reach } = widest(source, from, options);
  const end = source.text.length;
  if (reach === end) return { cut: end, text: renderPart(source, from, end, frame) };

  // A shorter text may measure more: its fence must be closed, or its bold lost the closing stars, which then show.
  for (let limit = reach; ; limit = (from + limit) >>> 1) {
    for (const cut of cutsWithin(source, from, limit)) {
      const part = { cut, text: renderPart(source, from, cut, frame) };
      if (limit <= from + 1 || options.measure(part.text) <= options.maxLength) return part;
    }
  }
}

/** The best frame with room for at least one grapheme, and how far the part reaches with it. */
function widest(source: Source, from: number, options: SplitOptions): { frame: Frame; reach: number } {
  let widest = { frame: { opening: '', plain: true, indent: 0 }, reach: from };
  for (const frame of framesAt(source, from, options.maxLength)) {
    widest = { frame, reach: furthest(source, from, frame, options) };
    if (graphemeFloor(source.text, from, widest.reach) > from) break;
  }
  return widest;
}

/**
 * How far a part can reach. Measuring may mean parsing, so it guesses from how much the text has shrunk so far, and
 * stops when the part is nearly full.
 */
function furthest(source: Source, from: number, frame: Frame, { maxLength, measure }: SplitOptions): number {
  const end = source.text.length;
  let near = from;
  let far = end + 1;
  let guess = Math.min(end, from + Math.ceil(maxLength));
  while (far - near > 1) {
    const length = measure(renderPart(source, from, guess, frame));
    if (length <= maxLength) near = guess;
    else far = guess;
    if (near === end || (guess === near && length >= maxLength * fullEnough && maxLength >= large)) return near;
    const reach = Math.min(end, from + Math.floor(((guess - from) * maxLength * aimed) / Math.max(1, length)));
    // While nothing is known to be too far, half of the rest may be a whole document.
    const middle = Math.min((near + far) >>> 1, near + 4 * Math.max(near - from, Math.ceil(maxLength)));
    guess = reach > near && reach < far ? reach : middle;
  }
  return near;
}

/** The share of the limit that is full enough, and the share that the guesses aim at. */
const fullEnough = 0.95;
/** Below this limit, every character counts. */
const large = 500;
const aimed = 0.98;

/** A markdown text to cut, and its lines. Offsets are UTF-16 units. */
interface Source {
  readonly text: string;
  readonly lines: readonly MarkdownLine[];
  /** The head of the table, by the offset of each row. */
  readonly heads: ReadonlyMap<number, string>;
  /** The line of the parent item, by the offset of each nested item. */
  readonly parents: ReadonlyMap<number, MarkdownLine>;
  /** What is folded. */
  readonly folds: readonly FoldPiece[];
}

/** What a part takes over from the text before it. */
interface Frame {
  /** Reopens the fence that is open where the part begins, or repeats the table head or the lines of parent items. */
  readonly opening: string;
  /** The open fence is not reopened, for lack of room: its content is shown as text. */
  readonly plain: boolean;
  /** The columns of indentation to remove, because the list around the lines is in an earlier part. */
  readonly indent: number;
}

function sourceOf(markdown: string): Source {
  const text = numberItems(detailsFolded(markdown));
  const lines = readLines(text);
  const folds = foldPieces(text).filter(({ title }) => title !== undefined);
  return { text, lines, heads: headsOf(text, lines), parents: parentsOf(lines), folds };
}

/** The index of the line at the offset; the number of lines if the offset is after the text. */
function lineIndexAt({ lines }: Source, offset: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fence that is open at the offset. */
function fenceAt(source: Source, offset: number): Fence | undefined {
  return source.lines[lineIndexAt(source, offset)]?.fence;
}

/** The ways to begin a part there, best first. The last leaves the most room. */
function framesAt(source: Source, offset: number, maxLength: number): readonly Frame[] {
  const frames = openFramesAt(source, offset, maxLength);
  const fold = source.folds.find(({ start, end }) => start < offset && offset < end);
  if (fold?.title === undefined) return frames;
  // A quarter of the part is enough for it. A cut title has lost the ends of its marks.
  const room = Math.floor(maxLength / 4) - foldOpening('').length;
  if (room < 1) return frames;
  const title =
    fold.title.length <= room ? fold.title : shortened(fold.title.replaceAll(/[*_~`[\]()<>\\|]/g, ''), room);
  return [...frames.map((frame) => ({ ...frame, opening: foldOpening(title) + frame.opening })), ...frames];
}

function foldOpening(title: string): string {
  return `> [!details]- ${title}\n`;
}

function openFramesAt(source: Source, offset: number, maxLength: number): readonly Frame[] {
  const line = source.lines[lineIndexAt(source, offset)];
  if (line === undefined) return [];
  const isBehindMarkers = offset !== line.start;
  const indent = isBehindMarkers ? listIndent(line.containers) : indentOf(line);
  const rest = isBehindMarkers ? prefixOf(line.containers).slice(indent) : '';
  const nothing = { opening: '', plain: true, indent };
  const head = source.heads.get(offset);
  const short = head && shortHead(head, maxLength / 4);
  if (short !== undefined) return [{ opening: short, plain: false, indent }, nothing];
  const items = itemsAround(source, offset, maxLength / 4);
  if (items !== undefined) return [items, nothing];
  if (line.fence === undefined) return [{ opening: rest, plain: false, indent }, nothing];
  const { prefix, marker, info } = line.fence;
  const bare = { opening: `${(prefix + marker).slice(indent)}\n${rest}`, plain: false, indent };
  const full = { opening: `${(prefix + marker + info).slice(indent)}\n${rest}`, plain: false, indent };
  // Otherwise a long info string would leave no room in any part.
  return full.opening.length * 4 <= maxLength ? [full, bare, nothing] : [bare, nothing];
}

/** Repeats the lines of the parent items: as many of the innermost as fit together. */
function itemsAround({ text, parents }: Source, offset: number, longest: number): Frame | undefined {
  let frame: Frame | undefined;
  for (let parent = parents.get(offset); parent !== undefined; parent = parents.get(parent.start)) {
    const { start, end } = parent;
    const indent = indentOf(parent);
    const below = frame?.opening ?? '';
    const line = itemHead(unindent(text.slice(start, end), indent), longest - below.length);
    if (line === undefined) break;
    const margin = ' '.repeat(Math.max(0, (frame?.indent ?? indent) - indent));
    frame = { opening: `${line}\n${below.replaceAll(/^(?=.)/gm, margin)}`, plain: false, indent };
  }
  return frame;
}

/** The text between two offsets, made to stand alone. */
function renderPart(source: Source, from: number, to: number, frame: Frame): string {
  const { body, indent } = cutBody(source, from, to, frame.indent);
  const fence = to === source.text.length ? undefined : fenceAt(source, to);
  if (fence === undefined) return frame.opening + body.trimEnd();
  if (frame.plain && fence === fenceAt(source, from)) return frame.opening + body.trimEnd();
  const closing = (fence.prefix + fence.marker).slice(indent);
  return `${frame.opening}${body}${body.endsWith('\n') ? '' : '\n'}${closing}`;
}

/** Whether there is more than blank lines and fence markers between the offsets. */
function hasContent(source: Source, from: number, to: number): boolean {
  for (let index = lineIndexAt(source, from); index < source.lines.length; index += 1) {
    const line = source.lines[index];
    if (line === undefined || line.start >= to) return false;
    // An opening marker is repeated later, unless nothing follows it. A list number in front of it is not.
    const text = source.text.slice(Math.max(from, line.start), Math.min(to, line.end));
    const repeated = line.kind === 'opens-fence' && line.end < source.text.length && /^[\s>]*[`~]/.test(text);
    const isMarker = (repeated || line.kind === 'closes-fence') && line.start >= from && line.end <= to;
    if (!isMarker && text.trim() !== '') return true;
  }
  return false;
}

/** Removes the indentation of lists left in earlier parts; less of it after a line that has left some of them. */
function cutBody(source: Source, from: number, to: number, columns: number): { body: string; indent: number } {
  let body = '';
  let indent = columns;
  for (let index = lineIndexAt(source, from); ; index += 1) {
    const line = source.lines[index];
    if (line === undefined || line.start >= to) return { body, indent };
    const text = source.text.slice(Math.max(from, line.start), Math.min(to, line.end));
    if (line.start > from) indent = Math.min(indent, indentOf(line));
    body += line.start < from ? text : unindent(text, indent);
  }
}

/** The least fill of a part that ends between blocks, though more would fit. */
const leastFillOfBlocks = 0.25;

/** The least fill of a part that ends after a line, a sentence or a word. */
const leastFill = 0.5;

/**
 * The places to end a part that begins at `from` and can reach to `reach`, best first: after a block, a line, a
 * sentence, a word, finally between any two graphemes. All are after `from`; only the last may be after `reach`.
 */
function* cutsWithin(source: Source, from: number, reach: number): Generator<number, void> {
  const filled = (share: number): number => from + Math.ceil((reach - from) * share);
  const between = (least: number, ...kinds: readonly MarkdownLine['cutBefore'][]): number[] =>
    lineCut(source, { from, reach, least }, kinds);

  yield* between(filled(leastFillOfBlocks), 'good');
  yield* between(filled(leastFill), 'good', 'fair');
  for (const pattern of patternsAt(source, lineIndexAt(source, reach)))
    yield* inlineCut(source, { from, reach, least: filled(leastFill) }, pattern);
  yield* between(from, 'good', 'fair');
  yield* inlineCut(source, { from, reach, least: from }, wordEnd);
  yield* between(from, 'poor');
  yield hardCut(source, from, reach);
}

/** Where the next part begins after a cut: skips what need not be shown at its start. */
function afterCut(source: Source, cut: number): number {
  const index = lineIndexAt(source, cut);
  const line = source.lines[index];
  if (line === undefined) return source.text.length;
  if (line.fence !== undefined) return cut === line.start ? afterEmptyEnd(source, index) : cut;
  const gap = /\S/g;
  gap.lastIndex = cut;
  const next = gap.exec(source.text)?.index ?? source.text.length;
  // A line keeps its indentation, which may have a meaning.
  return next < line.end && cut > line.start ? next : (source.lines[lineIndexAt(source, next)]?.start ?? next);
}

/** The patterns that end a piece of the line. Code has no sentences, and a table row has no pieces. */
function patternsAt({ lines, text }: Source, index: number): readonly RegExp[] {
  const line = lines[index];
  if (line?.fence !== undefined) return [wordEnd];
  return /^[\s>]*\|/.test(text.slice(line?.start, line?.end).slice(0, 200)) ? [] : [sentenceEnd, wordEnd];
}

const sentenceEnd = /[.!?…]["'”’)\]*_]*\s+|[。！？]/g;
const wordEnd = /\s+/g;

interface Range {
  readonly from: number;
  readonly reach: number;
  /** The first acceptable place. */
  readonly least: number;
}

function lineCut(source: Source, { from, reach, least }: Range, kinds: readonly MarkdownLine['cutBefore'][]): number[] {
  let index = lineIndexAt(source, reach);
  for (let line = source.lines[index]; line && line.start > from && line.start >= least; line = source.lines[--index])
    if (kinds.includes(line.cutBefore)) return hasContent(source, from, line.start) ? [line.start] : [];
  return [];
}

/** The last match in the line at `reach`; `lineCut` handles the lines before it. */
function inlineCut(source: Source, { from, reach, least }: Range, pattern: RegExp): number[] {
  const line = source.lines[lineIndexAt(source, reach)];
  if (line === undefined || line.kind === 'opens-fence' || line.kind === 'closes-fence') return [];
  const start = Math.max(from, line.start);
  const text = source.text.slice(start, reach + 1);
  const cuts = Array.from(text.matchAll(pattern), (match) => Math.min(start + match.index + match[0].length, reach));
  const fits = (cut: number): boolean => cut > start && cut >= least && isSafe(source, line, cut);
  const cut = cuts.findLast(fits);
  return cut === undefined || text.slice(0, cut - start).trim() === '' ? [] : [cut];
}

function hardCut(source: Source, from: number, reach: number): number {
  const { text } = source;
  const line = source.lines[lineIndexAt(source, reach)];
  const last = graphemeFloor(text, from, reach);
  let cut = last;
  while (line !== undefined && cut > Math.max(from, line.start) && last - cut < 64) {
    if (isSafe(source, line, cut)) return cut;
    cut = graphemeFloor(text, from, cut - 1);
  }
  if (last > from) return last;
  // One grapheme is longer than a part.
  const half = reach > from && codePointEnd(text, reach - 1) > reach ? reach - 1 : reach;
  return Math.max(half, codePointEnd(text, from));
}

/** Whether neither side of the cut would look like a fence marker. */
function isSafe({ text }: Source, line: MarkdownLine, cut: number): boolean {
  if (/^(?:```|~~~)/.test(text.slice(cut, cut + 3))) return false;
  if (text[cut] !== undefined && /[`~]/.test(text[cut]) && text[cut] === text[cut - 1]) return false;
  const head = /^[\s>]*(?:`{3,}|~{3,})/.exec(text.slice(line.start, Math.min(cut, line.start + 200)));
  return head === null || text.slice(line.start + head[0].length, cut).trim() !== '';
}

/** Skips blank lines in a fence, and its closing marker if nothing else is left. */
function afterEmptyEnd(source: Source, from: number): number {
  const { lines, text } = source;
  let index = from;
  while (lines[index]?.kind === 'blank' && lines[index]?.fence !== undefined) index += 1;
  const line = lines[index];
  if (line === undefined) return text.length;
  if (line.fence === undefined) return afterCut(source, line.start);
  return line.kind === 'closes-fence' ? afterCut(source, line.end) : line.start;
}

/** How far to look for a boundary that is certain, in UTF-16 units. */
const furthestLook = 4096;
/** Longer than any real grapheme. */
const longestGrapheme = 128;

/**
 * The last grapheme boundary at or before `offset`, so that no composed emoji or accented letter is cut. `from` is a
 * boundary, and an ASCII character begins a grapheme.
 */
function graphemeFloor(text: string, from: number, offset: number): number {
  const first = Math.max(from, offset - furthestLook);
  let start = offset;
  while (start > first && text.charCodeAt(start) >= 0x80) start -= 1;
  if (start === offset || offset >= text.length) return offset;
  const near = text.slice(start, offset + longestGrapheme);
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(near);
  return start + (segments.containing(offset - start)?.index ?? 0);
}

/** The end of the code point at `offset`. */
function codePointEnd(text: string, offset: number): number {
  return offset + ((text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1);
}
