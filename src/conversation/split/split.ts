import { graphemeFloor } from './grapheme.ts';
import { afterCut, cutsWithin } from './split-cut.ts';
import { type Frame, framesAt, hasContent, renderPart, type Source, sourceOf } from './split-part.ts';

/** The limit of a message, and how its length is told. */
export interface SplitOptions {
  /** The longest part, in the unit of `measure`. At least 1. */
  readonly maxLength: number;
  /** How long a markdown text is when it is shown. Grows with the text, if not with every character. */
  readonly measure: (markdown: string) => number;
}

/**
 * Cuts markdown into parts that each stand alone and measure at most `maxLength`. A code fence that is cut is closed,
 * and opened again in the next part. Nothing but white space is lost. A text that fits stays as it is; a blank one has
 * no parts. Only where one character alone measures more than the limit is a part longer.
 */
export function splitMarkdown(markdown: string, options: SplitOptions): readonly string[] {
  if (!(options.maxLength >= 1)) throw new RangeError('maxLength must be at least 1.');
  if (markdown.trim() === '') return [];
  if (options.measure(markdown) <= options.maxLength) return [markdown];

  const source = sourceOf(markdown);
  const parts: string[] = [];
  for (let from = afterCut(source, 0); from < markdown.length; ) {
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

  // An earlier end may measure more: a fence has to be closed there, or bold text has lost its end and shows its stars.
  for (let limit = reach; ; limit = (from + limit) >>> 1) {
    for (const cut of cutsWithin(source, from, limit)) {
      const part = { cut, text: renderPart(source, from, cut, frame) };
      if (limit <= from + 1 || options.measure(part.text) <= options.maxLength) return part;
    }
  }
}

/** The best frame that leaves room for at least one grapheme, and how far the part can reach with it. */
function widest(source: Source, from: number, options: SplitOptions): { frame: Frame; reach: number } {
  let widest = { frame: { opening: '', plain: true, indent: 0 }, reach: from };
  for (const frame of framesAt(source, from, options.maxLength)) {
    widest = { frame, reach: furthest(source, from, frame, options) };
    if (graphemeFloor(source.text, from, widest.reach) > from) break;
  }
  return widest;
}

/**
 * How far a part can reach. Measuring may mean parsing, so the reach is guessed from how much the text has shrunk so far;
 * a part that is nearly full is full enough.
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
    guess = reach > near && reach < far ? reach : (near + far) >>> 1;
  }
  return near;
}

/** The share of the limit that a part is filled to, and the share that the guesses aim at. */
const fullEnough = 0.95;
/** Below this limit, every character counts. */
const large = 500;
const aimed = 0.98;
