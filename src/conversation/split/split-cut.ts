import { codePointEnd, graphemeFloor } from './grapheme.ts';
import type { MarkdownLine } from './markdown-lines.ts';
import { hasContent, lineIndexAt, type Source } from './split-part.ts';

/** How full a part is at least when it ends between two blocks, though more would fit. */
const leastFillOfBlocks = 0.25;

/** The same for a part that ends with a line, a sentence or a word. */
const leastFill = 0.5;

/**
 * The places to end a part that begins at `from` and can reach to `reach`, the best first: behind a block, a line, a
 * sentence, a word; at last wherever no grapheme is cut. Each lies behind `from`; only the last may lie behind `reach`.
 */
export function* cutsWithin(source: Source, from: number, reach: number): Generator<number, void> {
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

/** Where the next part begins after a cut: behind what needs not be shown at its head. */
export function afterCut(source: Source, cut: number): number {
  const index = lineIndexAt(source, cut);
  const line = source.lines[index];
  if (line === undefined) return source.text.length;
  if (line.fence !== undefined) return cut === line.start ? afterEmptyEnd(source, index) : cut;
  const gap = /\S/g;
  gap.lastIndex = cut;
  const next = gap.exec(source.text)?.index ?? source.text.length;
  // A line keeps its indentation, which may mean something.
  return next < line.end && cut > line.start ? next : (source.lines[lineIndexAt(source, next)]?.start ?? next);
}

/** What ends a piece of the line there. Code has no sentences, and a table row has no pieces. */
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
  /** The first place that counts. */
  readonly least: number;
}

function lineCut(source: Source, { from, reach, least }: Range, kinds: readonly MarkdownLine['cutBefore'][]): number[] {
  for (let index = lineIndexAt(source, reach); index >= 0; index -= 1) {
    const line = source.lines[index];
    if (line === undefined) continue;
    if (line.start <= from || line.start < least) return [];
    if (kinds.includes(line.cutBefore)) return hasContent(source, from, line.start) ? [line.start] : [];
  }
  return [];
}

/** The last match in the line that is cut; the lines before it are a matter for `lineCut`. */
function inlineCut(source: Source, { from, reach, least }: Range, pattern: RegExp): number[] {
  const line = source.lines[lineIndexAt(source, reach)];
  if (line === undefined || isMarker(line)) return [];
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
  // One grapheme fills more than a part.
  const half = reach > from && codePointEnd(text, reach - 1) > reach ? reach - 1 : reach;
  return Math.max(half, codePointEnd(text, from));
}

/** Whether neither side of the cut would begin to look like a fence marker. */
function isSafe({ text }: Source, line: MarkdownLine, cut: number): boolean {
  if (/^(?:```|~~~)/.test(text.slice(cut, cut + 3))) return false;
  if (text[cut] !== undefined && /[`~]/.test(text[cut]) && text[cut] === text[cut - 1]) return false;
  const head = /^[\s>]*(?:`{3,}|~{3,})/.exec(text.slice(line.start, Math.min(cut, line.start + 200)));
  return head === null || text.slice(line.start + head[0].length, cut).trim() !== '';
}

function isMarker({ role }: MarkdownLine): boolean {
  return role === 'opens-fence' || role === 'closes-fence';
}

/** Blank lines in a fence are skipped, and its end if nothing else is left of it. */
function afterEmptyEnd(source: Source, from: number): number {
  const { lines, text } = source;
  let index = from;
  while (lines[index]?.role === 'blank' && lines[index]?.fence !== undefined) index += 1;
  const line = lines[index];
  if (line === undefined) return text.length;
  if (line.fence === undefined) return afterCut(source, line.start);
  return line.role === 'closes-fence' ? afterCut(source, line.end) : line.start;
}
