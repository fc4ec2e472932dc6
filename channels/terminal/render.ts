import { foldPieces } from '../../src/lib/folds.ts';
import { tableText } from '../../src/lib/markdown-tree.ts';
import { toCommonMark } from '../../src/lib/model-markdown.ts';

/** Starts rows by Keyturn itself: cards, their outcome, questions and notices. */
export const bar = '│';
/** Starts rows typed by the person. */
export const sign = '›';

/** The bar and its look-alikes. */
const bars =
  /[\u01c0\u05c0\u2016\u2223\u23aa\u23b8\u23b9\u23d0\u2502\u2503\u2506\u2507\u250a\u250b\u254e\u254f\u2551\u2575\u2577\u2579\u257b\u257d\u257f\u2588-\u2590\u2595\u2758-\u275a\uff5c\uffe8]/gu;
const signs = /[\u203a\u276d\u276f]/gu;

/**
 * Replaces Keyturn's own marks in text by others. Everywhere, since a long line may be broken before any character;
 * character by character, since text may arrive in pieces.
 */
export function withoutOwnMarks(text: string): string {
  return text.replace(bars, '|').replace(signs, '>');
}

/** Styles of a terminal. */
export interface Style {
  /** Whether to render markdown, or show its source. */
  readonly rendersMarkdown: boolean;
  bold(text: string): string;
  dim(text: string): string;
  code(text: string): string;
  italic?(text: string): string;
  underline?(text: string): string;
  /** A line that a change adds, or takes away. */
  added?(text: string): string;
  removed?(text: string): string;
}

/** No styles: for pipes, and if the person wants no colour. */
export const plainStyle: Style = {
  rendersMarkdown: false,
  bold: (text) => text,
  dim: (text) => text,
  code: (text) => text,
};

/** Each resets only what it has set. */
export const ansiStyle: Style = {
  rendersMarkdown: true,
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  code: (text) => `\u001b[36m${text}\u001b[39m`,
  italic: (text) => `\u001b[3m${text}\u001b[23m`,
  underline: (text) => `\u001b[4m${text}\u001b[24m`,
  added: (text) => `\u001b[32m${text}\u001b[39m`,
  removed: (text) => `\u001b[31m${text}\u001b[39m`,
};

const escapeCharacter = '\u001b';
const bell = '\u0007';
/** Control sequences, in 7-bit and 8-bit form. */
const control = `(?:${escapeCharacter}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** String sequences, such as titles. An unterminated one is searched only so far; what stays is harmless. */
const string = `(?:${escapeCharacter}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])\\P{Cc}{0,500}(?:${bell}|${escapeCharacter}\\\\|\u009c)`;
const other = `${escapeCharacter}[ -/]*[0-~]`;
const sequences = new RegExp(`${control}|${string}|${other}`, 'gu');
/** All other control characters except line ends and tabs. */
const controls = /[^\P{Cc}\n\t]/gu;
/** Bidi controls, which reorder text: `exe.txt` for `txt.exe`. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/gu;
/** A complete sequence at the start, except strings, which end with a control character. */
const whole = /^.\[?[ -?]*[@-Z\\^-~]/su;
const longestSequence = 256;

/** Line ends unknown to most terminals, but obeyed by some programs. */
const lineEnds = /[\u2028\u2029]/gu;

/** Removes what could move the cursor, style, clear, retitle or reorder, so that nobody can forge the screen. */
export function stripControls(text: string): string {
  return text.replace(sequences, '').replace(controls, '').replace(reordering, '').replace(lineEnds, '\n');
}

/** The same for streamed text: holds back incomplete sequences and characters. */
export class StreamStripper {
  #held = '';

  /** Returns what can be shown so far. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = endOfWhole(text);
    this.#held = text.slice(end);
    return stripControls(text.slice(0, end));
  }

  /** Returns what was held back. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return stripControls(text);
  }
}

/**
 * Removes escaping backslashes from streamed prose, as `renderMarkdown` does. A word with a backslash is held back until
 * it ends: in `C:\\x\\*.txt` they are meant. Code stays as it is.
 */
export class StreamUnescaper {
  /** The word so far, from its first character; and how much of it is shown. */
  #word = '';
  #shown = 0;
  /** The backticks that opened code, and those just read. */
  #code = 0;
  #ticks = 0;

  /** Returns what can be shown so far. */
  push(piece: string): string {
    let out = '';
    for (const character of piece) {
      if (character !== '`') this.#endTicks(character);
      else this.#ticks += 1;
      if (/\s/.test(character)) out += this.flush() + character;
      else this.#word += character;
    }
    if (this.#word.includes('\\') && this.#code === 0) return out;
    const more = this.#word.slice(this.#shown);
    this.#shown = this.#word.length;
    return out + more;
  }

  /** Returns what was held back. */
  flush(): string {
    const word = this.#word;
    const shown = word.slice(0, this.#shown);
    const plain = withoutEscapes(toCommonMark(word));
    const isProse = this.#code === 0 && this.#ticks === 0 && plain.startsWith(shown);
    [this.#word, this.#shown] = ['', 0];
    return (isProse ? plain : word).slice(shown.length);
  }

  /** Code within a line ends with it at the latest. */
  #endTicks(next: string): void {
    if (this.#ticks > 0) this.#code = this.#code === 0 ? this.#ticks : this.#code === this.#ticks ? 0 : this.#code;
    this.#ticks = 0;
    if (next === '\n' && this.#code < 3) this.#code = 0;
  }
}

function endOfWhole(text: string): number {
  const start = text.lastIndexOf(escapeCharacter);
  const tail = start < 0 ? '' : text.slice(start, start + longestSequence);
  if (start >= 0 && tail.length < longestSequence && !whole.test(tail)) return start;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

/** Longer lines are shown as source: matching marks takes quadratic time. */
const longestLine = 2000;

/**
 * Renders markdown for a terminal: bold, headings, code, fences, lists and tables; the rest stays source. Without styles,
 * marks stay and escaping backslashes are removed. Terminal controls are removed first, so only the style's own
 * sequences remain.
 */
export function renderMarkdown(markdown: string, style: Style): string {
  const text = toCommonMark(stripControls(markdown), { keepsTags: style.rendersMarkdown }).trimEnd();
  return foldPieces(text)
    .map(({ title, text: words }) =>
      title === undefined ? renderBlocks(words, style) : renderFold(title, words, style),
    )
    .join('\n');
}

/** A terminal cannot open a block: it is shown whole, dim and indented below its title. */
function renderFold(title: string, markdown: string, style: Style): string {
  const asIs = (words: string): string => words;
  // The end of bold would end dim as well.
  const inner = { ...style, bold: asIs, dim: asIs };
  const lines = renderBlocks(markdown.replace(/^\n+/, ''), inner).split('\n');
  return [renderLine(`**${title}**`, style), ...lines.map((line) => style.dim(`  ${line}`))].join('\n');
}

function renderBlocks(text: string, style: Style): string {
  const blocks = new BlockLines(style);
  return [...text.split('\n').flatMap((line) => blocks.take(line)), ...blocks.end()].join('\n');
}

/** Renders whole lines, one after the other. The rows of a table come together, at its end. */
export class BlockLines {
  readonly #style: Style;
  #fence: string | undefined;
  #isDiff = false;
  #table: string[] = [];

  constructor(style: Style) {
    this.#style = style;
  }

  /** Within code or a table, whose lines are shown only as a whole. */
  get isWithinBlock(): boolean {
    return this.#fence !== undefined || this.#table.length > 0;
  }

  /** The rows that can be shown now. */
  take(line: string): readonly string[] {
    if (this.#style.rendersMarkdown && this.#fence === undefined && isTableRow(line)) {
      this.#table.push(line);
      return [];
    }
    return [...this.end(), ...this.#takeLine(line)];
  }

  /** The rows that were held back. */
  end(): readonly string[] {
    const lines = this.#table;
    this.#table = [];
    return lines.length === 0 ? [] : tableRows(lines, this.#style);
  }

  #takeLine(line: string): readonly string[] {
    const style = this.#style;
    const mark = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line);
    const begins = this.#fence === undefined && mark?.[1] !== undefined;
    const ends = this.#fence !== undefined && mark?.[1]?.startsWith(this.#fence) === true && mark[2]?.trim() === '';
    if (begins) [this.#fence, this.#isDiff] = [mark?.[1], mark?.[2]?.trim() === 'diff'];
    else if (ends) this.#fence = undefined;
    else if (this.#fence === undefined) return [renderLine(line, style)];
    else return [style.rendersMarkdown ? this.#codeLine(`  ${line}`) : line];
    return style.rendersMarkdown ? [] : [line];
  }

  #codeLine(line: string): string {
    const { dim, added = dim, removed = dim } = this.#style;
    const change = this.#isDiff ? line.charAt(2) : '';
    return change === '+' ? added(line) : change === '-' ? removed(line) : dim(line);
  }
}

function isTableRow(line: string): boolean {
  return line.length <= longestLine && /^\s{0,3}\|.*\|\s*$/.test(line);
}

/** Columns stand below each other. What has no rule below its head is no table. */
function tableRows(lines: readonly string[], style: Style): readonly string[] {
  const [head = '', rule = '', ...rows] = lines;
  if (!/^[\s|:-]*-[\s|:-]*$/.test(rule)) return lines.map((line) => renderLine(line, style));
  const cells = [head, ...rows].map((line) => cellsOf(line).map((cell) => unmark(cell)));
  const align = cellsOf(rule).map((cell) =>
    cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : 'left',
  );
  return tableText(cells, align).split('\n');
}

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** Renders the first line that is not blank. */
export function renderFirstLine(markdown: string, style: Style): string {
  const line = markdown.split('\n').find((candidate) => candidate.trim() !== '');
  return renderMarkdown(line ?? '', style);
}

/** A line of prose, without its end. */
export function renderLine(line: string, style: Style): string {
  if (!style.rendersMarkdown) return withoutEscapes(line);
  if (line.length > longestLine) return line.replace(/<\/?(?:u|time(?: at:\d+)?) >/g, '');
  const heading = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/.exec(line)?.[1];
  if (heading !== undefined) return style.bold(unmark(heading));
  if (/^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(line)) return style.dim('———');
  return renderInline(line.replace(/^(\s*)[-*+] (?=\s*\S)/, '$1• '), style);
}

/** How much of a line that may go on is shown as it will be then: all before a mark that may still find its end. */
export function settledLength(line: string): number {
  if (line.length > longestLine) return line.length;
  if (/^ {0,3}(?:[#|]|`{3}|~{3})/.test(line)) return 0;
  const masked = line.replace(spans, (span) => 'x'.repeat(span.length));
  const open = /(?<!`)`|(?<![\w*])\*{1,2}(?!\s)|(?<![\w_])_{1,2}(?!\s)|<(?=[a-z/!]|$)|https?:|\\|[*_]$/i.exec(masked);
  // A backslash may belong to a path: its word decides.
  const length = open === null ? line.length : masked.slice(0, open.index).search(/\S*$/);
  return isBeginning.test(line.slice(0, length)) ? 0 : length;
}

/** What stands there may be a mark of the line, or of what follows. */
const isBeginning = /^\s*(?:[-*+_>#|`~\s]*|\d{1,9}[.)]?)$/;

/** Code is matched first, so its content is not markup. Escaped marks are no marks. */
const spans =
  /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)|(\*\*|__)(?=\S)((?:(?!\4).)+)(?<=\S)\4|(?<![\w*_])([*_])(?=[^\s*_])((?:(?!\6).)*[^\s*_\\])\6(?![\w*_])|<u >(.+?)<\/u >|(<\/?(?:u|time(?: at:\d+)?) >)/g;

function renderInline(line: string, style: Style): string {
  return line.replace(spans, (_whole, escaped, ticks, code, _stars, strong, _star, emphasized, underlined, tag) => {
    if (emphasized !== undefined) return style.italic?.(unmark(emphasized)) ?? unmark(emphasized);
    if (escaped !== undefined) return escaped;
    if (tag !== undefined) return '';
    if (underlined !== undefined) return style.underline?.(unmark(underlined)) ?? unmark(underlined);
    return ticks === undefined ? style.bold(unmark(strong)) : style.code(trimCode(code));
  });
}

/** Removes backslashes before marks, except in code. */
export function withoutEscapes(line: string): string {
  return line.replace(/(`+)[^`]*\1|\\([!-/:-@[-`{-~])/g, (whole, _ticks, escaped) => escaped ?? whole);
}

/** Removes nested marks: headings and bold text are bold as a whole. */
function unmark(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])|\*\*|`|<\/?(?:u|time(?: at:\d+)?) >/g, (_whole, escaped) => escaped ?? '');
}

/** One space at both ends only separates backticks from the marks. */
function trimCode(code: string): string {
  return /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code;
}
