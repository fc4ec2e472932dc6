/**
 * Small steps on what a person typed. Each takes time in proportion to the text, whatever it holds; that is why nothing
 * here searches for "spaces before the end" by a regular expression.
 */

/** The text without these characters at its end. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without the end of a sentence: `notes.txt!` is `notes.txt`. A lone `.` or `..` is a folder and stays. */
export function withoutStop(text: string): string {
  const trimmed = text.trim();
  const bare = trimEndOf(trimmed, stops);
  return bare === '' && isDots(trimmed) ? trimmed : bare;
}

function isDots(text: string): boolean {
  return text === '.' || text === '..';
}

const stops = '.!?, \n\t';

/** What stands in quotes or backticks at the beginning, and what follows it. Undefined if nothing is quoted there. */
export function readQuoted(text: string): { readonly inside: string; readonly rest: string } | undefined {
  const fence = /^```\w*\n/.exec(text);
  if (fence !== null) return readUntil(text, fence[0].length, '\n```');
  const close = closing.get(text.charAt(0));
  return close === undefined ? undefined : readUntil(text, 1, close);
}

function readUntil(text: string, from: number, close: string): { inside: string; rest: string } | undefined {
  const end = text.indexOf(close, from);
  return end < 0 ? undefined : { inside: text.slice(from, end), rest: text.slice(end + close.length) };
}

const closing: ReadonlyMap<string, string> = new Map([
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
]);

/** What the quotes hold if all of the text is quoted; else the text. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  const quoted = readQuoted(trimmed);
  return quoted !== undefined && trimEndOf(quoted.rest, stops) === '' ? quoted.inside : trimmed;
}

/** The text with everything between quotes blanked out, at its old length: places found in it hold for the text. */
export function blankQuotes(text: string): string {
  return blankOut(text, /`[^`]*`|"[^"]*"/g);
}

/**
 * The same, where the text may be several messages: only what begins and ends as a quotation does is one, so that a
 * forgotten backtick in one message does not reach into the next.
 */
export function blankParagraphQuotes(text: string): string {
  return blankOut(text, /```[\s\S]*?```|(?<![^\s:(])(?:`[^`]*`|"[^"]*"|“[^“”]*”)(?![^\s.,;:!?)])/g);
}

function blankOut(text: string, quotes: RegExp): string {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(quotes)) {
    pieces.push(text.slice(from, match.index), '\u0000'.repeat(match[0].length));
    from = match.index + match[0].length;
  }
  return pieces.join('') + text.slice(from);
}

/** The sentence without its "please" and "could you". */
export function withoutCourtesy(text: string): string {
  let rest = text.trim();
  for (let rounds = 0; rounds < 6; rounds += 1) {
    const word = courtesies.exec(rest);
    if (word === null || word[0].length === rest.length) break;
    rest = rest.slice(word[0].length).trimStart();
  }
  const thanks = /[, ] *(?:please|thanks|thank you|for me)[.!]?$/i.exec(rest.slice(-longestThanks));
  return thanks === null ? rest : trimEndOf(rest.slice(0, rest.length - thanks[0].length), ', ');
}

const longestThanks = 16;
const courtesies =
  /^(?:please|pls|kindly|(?:could|can|would|will) you|i want you to|i(?:'d| would) like you to|hey|hi|hello|ok|okay|now|just|so|keyturn|also|then|and)\b[,!:]?/i;

/** What follows the beginning that the pattern describes. */
export function after(text: string, beginning: RegExp): string | undefined {
  const match = beginning.exec(text);
  return match === null ? undefined : text.slice(match[0].length).trim();
}
