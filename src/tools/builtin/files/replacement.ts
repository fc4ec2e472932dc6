/** Replacing text in a text, and saying why it cannot be done. Pure. */
import { formatSize } from '../../text.ts';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Where the old text stands in a content, and what comes there. */
export interface Places {
  /** As offsets, ascending: all, or the first `mostPlaces`. */
  readonly places: readonly number[];
  readonly hasMore: boolean;
  /** What is looked for and put in, with the line ends of the content. */
  readonly oldText: string;
  readonly newText: string;
}

export type Found =
  | ({ readonly type: 'found' } & Places)
  /** The reason tells the model what to do. */
  | { readonly type: 'impossible'; readonly reason: string };

/** Beyond that, places are not told apart. */
const mostPlaces = 1000;
const mostLinesNamed = 10;

/** In longer files nobody looks for what is similar: it takes a step for each character. */
const longestSearched = 1_000_000;

/**
 * Finds the one place of the old text, or all. Takes `\n` for the line ends of a file that has only `\r\n`. Impossible
 * is also what would make the content larger than `mostBytes` in UTF-8. Builds nothing.
 */
export function find(content: string, replacement: Replacement, mostBytes: number): Found {
  const { replaceAll } = replacement;
  const adapt = usesWindowsLineEnds(content) ? toWindowsLineEnds : (text: string): string => text;
  const oldText = adapt(replacement.oldText);
  const newText = adapt(replacement.newText);
  if (oldText === newText) return impossible('old_text and new_text are the same, so there is nothing to change.');
  const found = placesOf(content, oldText);
  if (found.places.length === 0) return impossible(notFound(content, oldText));
  if (found.places.length > 1 && !replaceAll) return impossible(ambiguous(content, found));
  const all = { ...found, oldText, newText };
  return outgrows(content, all, mostBytes) ? impossible(tooLarge(mostBytes)) : { type: 'found', ...all };
}

/** The content with the new text at every place. */
export function exchange(content: string, { oldText, newText }: Places): string {
  return content.split(oldText).join(newText);
}

/** `3`, or `more than 1000`. */
export function numberOfPlaces({ places, hasMore }: Pick<Places, 'places' | 'hasMore'>): string {
  return hasMore ? `more than ${places.length}` : `${places.length}`;
}

function impossible(reason: string): Found {
  return { type: 'impossible', reason };
}

function usesWindowsLineEnds(content: string): boolean {
  return content.includes('\r\n') && !/(?<!\r)\n/.test(content);
}

function toWindowsLineEnds(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}

/** The same places that `split` finds: those that overlap count once. */
function placesOf(content: string, text: string): Pick<Places, 'places' | 'hasMore'> {
  const places: number[] = [];
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + text.length)) {
    if (places.length === mostPlaces) return { places, hasMore: true };
    places.push(at);
  }
  return { places, hasMore: false };
}

/** Counts the places only as far as it takes to know. */
function outgrows(content: string, { oldText, newText }: Places, mostBytes: number): boolean {
  const growth = Buffer.byteLength(newText) - Buffer.byteLength(oldText);
  let size = Buffer.byteLength(content);
  if (growth <= 0 && size <= mostBytes) return false;
  for (let at = content.indexOf(oldText); at !== -1; at = content.indexOf(oldText, at + oldText.length)) {
    size += growth;
    if (growth >= 0 && size > mostBytes) return true;
  }
  return size > mostBytes;
}

function tooLarge(mostBytes: number): string {
  return `The file would become larger than ${formatSize(mostBytes)}, the most that can be written. Put in less, or split the file.`;
}

/** The line, counted from 1, of each offset; the offsets ascend. */
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

function ambiguous(content: string, found: Pick<Places, 'places' | 'hasMore'>): string {
  const lines = [...new Set(lineNumbers(content, found.places))];
  const named = `${lines.slice(0, mostLinesNamed).join(', ')}${lines.length > mostLinesNamed ? ', …' : ''}`;
  return `old_text stands ${numberOfPlaces(found)} times in the file, on ${lines.length === 1 ? 'line' : 'lines'} ${named}. Give more of the text around it, so that it is found once, or set replace_all to true.`;
}

function notFound(content: string, oldText: string): string {
  const similar = similarLines(content, oldText);
  if (similar === undefined) return 'old_text is not in the file. Read the file again and copy the text exactly.';
  return `old_text is not in the file as written, but the same text with other spaces or line ends begins on line ${similar.first}. Copy it exactly:\n${similar.text}`;
}

/** The lines that hold the old text if all white space is left out of both. */
function similarLines(content: string, oldText: string): { readonly first: number; readonly text: string } | undefined {
  if (content.length > longestSearched) return undefined;
  const wanted = oldText.replaceAll(/\s/g, '');
  const at = wanted === '' ? -1 : content.replaceAll(/\s/g, '').indexOf(wanted);
  if (at === -1) return undefined;
  let seen = -1;
  const start = findIndex(content, (character) => /\S/.test(character) && ++seen === at);
  const end = findIndex(
    content,
    (character, index) => index >= start && /\S/.test(character) && seen++ === at + wanted.length - 1,
  );
  const [first = 1] = lineNumbers(content, [start]);
  const from = content.lastIndexOf('\n', start - 1) + 1;
  const to = content.indexOf('\n', end);
  return { first, text: content.slice(from, to === -1 ? undefined : to) };
}

function findIndex(content: string, test: (character: string, index: number) => boolean): number {
  for (let index = 0; index < content.length; index++) if (test(content[index] ?? '', index)) return index;
  return content.length;
}
