import { folded, foldPieces } from '../lib/folds.ts';
import { withClosedFence } from '../lib/split/heal-markdown.ts';
import { splitMarkdown } from '../lib/split/split.ts';

interface Room {
  readonly maxLength: number;
  readonly measure: (markdown: string) => number;
  /** The last line of what is cut. */
  readonly note: string;
}

/**
 * The text with its folded blocks cut, the longest first, until it fits in one message; nothing else is cut. Undefined if
 * that is not enough, or if nothing is folded.
 */
export function foldsCut(markdown: string, room: Room): string | undefined {
  const pieces: readonly Piece[] = foldPieces(markdown);
  const longestFirst = [...pieces.keys()]
    .filter((at) => pieces[at]?.title !== undefined)
    .toSorted((one, other) => (pieces[other]?.text.length ?? 0) - (pieces[one]?.text.length ?? 0));
  return cutInTurn(pieces, longestFirst, room);
}

interface Piece {
  readonly title: string | undefined;
  readonly text: string;
}

function cutInTurn(pieces: readonly Piece[], [at, ...others]: readonly number[], room: Room): string | undefined {
  if (at === undefined) return undefined;
  const { maxLength, measure, note } = room;
  const withText = (text: string): readonly Piece[] =>
    pieces.map((piece, index) => (index === at ? { ...piece, text } : piece));
  const bare = withText(note);
  if (measure(written(bare)) > maxLength - leastShown) {
    const isEnough = measure(written(bare)) <= maxLength;
    return isEnough ? written(bare) : cutInTurn(bare, others, room);
  }
  const noted = (text: string): string => written(withText(`${withClosedFence(text.trimEnd())}\n\n${note}`));
  // Not more is parsed than could fit.
  const beginning = (pieces[at]?.text ?? '')
    .trimStart()
    .slice(0, maxLength * 2)
    .toWellFormed();
  const [shown = ''] = splitMarkdown(beginning, { maxLength, measure: (text) => measure(noted(text)) });
  return noted(shown);
}

/** A beginning that is shorter tells nothing. */
const leastShown = 40;

function written(pieces: readonly Piece[]): string {
  return pieces.map(({ title, text }) => (title === undefined ? text.trim() : folded(title, text))).join('\n\n');
}
