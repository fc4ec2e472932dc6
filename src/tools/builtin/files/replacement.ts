/** Finds the text that an edit replaces, or says why it can't. Pure. */
import { formatSize } from '../../text.ts';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Where the old text is in a content, and its replacement. */
export interface Matches {
  /** Ascending: all, or the first `mostMatches`. */
  readonly offsets: readonly number[];
  readonly hasMore: boolean;
  /** With the content's line ends. */
  readonly oldText: string;
  readonly newText: string;
}

const mostMatches = 1000;
const mostLinesNamed = 10;

/** Longer files are not searched for similar text, which takes a step per character. */
const longestSearched = 1_000_000;

/**
 * Finds the one match of the old text, or all. If the file has only `\r\n`, `\n` matches that. Also impossible if the
 * content would exceed `mostBytes` in UTF-8. Builds no text.
 */
export function find(content: string, { replaceAll, ...texts }: Replacement, mostBytes: number) {
  const isWindows = content.includes('\r\n') && !/(?<!\r)\n/.test(content);
  const [oldText, newText] = [texts.oldText, texts.newText].map((text) =>
    isWindows ? text.replaceAll(/\r?\n/g, '\r\n') : text,
  );
  if (oldText === undefined || newText === undefined || oldText === newText)
    return impossible('old_text and new_text are the same, so there is nothing to change.');
  const offsets: number[] = [];
  let hasMore = false;
  // As `split` finds them: matches do not overlap.
  for (let at = content.indexOf(oldText); at !== -1 && !hasMore; at = content.indexOf(oldText, at + oldText.length)) {
    hasMore = offsets.length === mostMatches;
    if (!hasMore) offsets.push(at);
  }
  const found = { offsets, hasMore, oldText, newText };
  if (offsets.length === 0) return impossible(notFound(content, oldText));
  if (offsets.length > 1 && !replaceAll) return impossible(ambiguous(content, found));
  if (outgrows(content, found, mostBytes))
    return impossible(
      `The file would become larger than ${formatSize(mostBytes)}, the most that can be written. Put in less, or split the file.`,
    );
  return { type: 'found', ...found } as const;
}

export function exchange(content: string, { oldText, newText }: Matches): string {
  return content.split(oldText).join(newText);
}

/** `3`, or `more than 1000`. */
export function numberOfPlaces({ offsets, hasMore }: Matches): string {
  return hasMore ? `more than ${offsets.length}` : `${offsets.length}`;
}

function impossible(reason: string) {
  return { type: 'impossible', reason } as const;
}

/** Counts matches only until the result is known. */
function outgrows(content: string, { oldText, newText }: Matches, mostBytes: number): boolean {
  const growth = Buffer.byteLength(newText) - Buffer.byteLength(oldText);
  let size = Buffer.byteLength(content);
  if (growth <= 0 && size <= mostBytes) return false;
  for (let at = content.indexOf(oldText); at !== -1; at = content.indexOf(oldText, at + oldText.length)) {
    size += growth;
    if (growth >= 0 && size > mostBytes) return true;
  }
  return size > mostBytes;
}

/** The line of each offset, from 1; the offsets ascend. */
export function lineNumbers(content: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let end = content.indexOf('\n');
  return offsets.map((offset) => {
    while (end !== -1 && end < offset) {
      line += 1;
      end = content.indexOf('\n', end + 1);
    }
    return line;
  });
}

function ambiguous(content: string, found: Matches): string {
  const lines = [...new Set(lineNumbers(content, found.offsets))];
  const named = `${lines.slice(0, mostLinesNamed).join(', ')}${lines.length > mostLinesNamed ? ', …' : ''}`;
  return `old_text stands ${numberOfPlaces(found)} times in the file, on ${lines.length === 1 ? 'line' : 'lines'} ${named}. Give more of the text around it, so that it is found once, or set replace_all to true.`;
}

/** Names the line where the old text is found if white space is ignored. */
function notFound(content: string, oldText: string): string {
  const wanted = content.length > longestSearched ? '' : oldText.replaceAll(/\s/g, '');
  const at = wanted === '' ? -1 : content.replaceAll(/\s/g, '').indexOf(wanted);
  if (at === -1) return 'old_text is not in the file. Read the file again and copy the text exactly.';
  const offsets = Array.from(content.matchAll(/\S/g), ({ index }) => index);
  const [start = 0, end = 0] = [offsets[at], offsets[at + wanted.length - 1]];
  const [first] = lineNumbers(content, [start]);
  const lineEnd = content.indexOf('\n', end);
  const text = content.slice(content.lastIndexOf('\n', start) + 1, lineEnd === -1 ? undefined : lineEnd);
  return `old_text is not in the file as written, but the same text with other spaces or line ends begins on line ${first}. Copy it exactly:\n${text}`;
}
