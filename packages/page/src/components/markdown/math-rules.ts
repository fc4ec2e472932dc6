import type { StateBlock, StateInline } from 'markdown-it';

/*
 * Formulas in Markdown: `$a$`, `$$a$$`, `\(a\)`, `\[a\]`. A sum of money is none. What is known of a text is kept while it
 * is read, so that marks without an end do not have it searched again and again.
 */

const longestFormula = 5_000;

export interface MathRules {
  /** A formula within a line of text. */
  inLine(state: StateInline, silent: boolean): boolean;
  /** A formula with lines of its own, none of them blank. */
  inBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean;
}

export function createMathRules(): MathRules {
  const places: PlacesOf = new WeakMap();
  const searched: SearchedIn = new WeakMap();
  return {
    inLine: (state, silent) => mathInLine(state, silent, places),
    inBlock: (state, startLine, endLine, silent) => mathInBlock(state, { startLine, endLine }, silent, searched),
  };
}

interface Found {
  readonly formula: string;
  readonly isDisplayed: boolean;
  /** The offset behind it. */
  readonly end: number;
}

/** Where the marks stand in a text. */
type PlacesOf = WeakMap<StateInline, Map<string, readonly number[]>>;

function mathInLine(state: StateInline, silent: boolean, places: PlacesOf): boolean {
  const found = formulaAt(state, places);
  if (found === undefined) return false;
  if (!silent) {
    const token = state.push('math', '', 0);
    token.content = found.formula;
    token.markup = found.isDisplayed ? '$$' : '$';
  }
  state.pos = found.end;
  return true;
}

function formulaAt(state: StateInline, places: PlacesOf): Found | undefined {
  const { src: text, pos: start } = state;
  if (text.startsWith('$$', start)) return between(state, { open: '$$', close: '$$', isDisplayed: true }, places);
  if (text[start] === '$') return dollars(state);
  if (text.startsWith('\\(', start)) return between(state, { open: '\\(', close: '\\)', isDisplayed: false }, places);
  if (text.startsWith('\\[', start)) return between(state, { open: '\\[', close: '\\]', isDisplayed: true }, places);
  return undefined;
}

interface Marks {
  readonly open: string;
  readonly close: string;
  readonly isDisplayed: boolean;
}

function between(state: StateInline, { open, close, isDisplayed }: Marks, places: PlacesOf): Found | undefined {
  const from = state.pos + open.length;
  const last = Math.min(state.posMax, from + longestFormula);
  const at = firstFrom(placesIn(state, close, places), from);
  if (at === undefined || at + close.length > last) return undefined;
  const formula = state.src.slice(from, at).trim();
  return formula === '' ? undefined : { formula, isDisplayed, end: at + close.length };
}

function placesIn(state: StateInline, mark: string, places: PlacesOf): readonly number[] {
  const ofText = places.get(state) ?? new Map<string, readonly number[]>();
  const known = ofText.get(mark);
  if (known !== undefined) return known;
  const found: number[] = [];
  for (let at = state.src.indexOf(mark); at !== -1; at = state.src.indexOf(mark, at + 1)) found.push(at);
  places.set(state, ofText.set(mark, found));
  return found;
}

/** The first number that is no less; they rise. */
function firstFrom(numbers: readonly number[], least: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return numbers[low];
}

/** As Pandoc has it: no space within the signs, and no digit behind them. */
function dollars({ src: text, pos: start, posMax: limit }: StateInline): Found | undefined {
  if (/[\s$]|^$/.test(text[start + 1] ?? '')) return undefined;
  const last = Math.min(limit, start + longestFormula);
  for (let end = start + 1; end < last; end += 1) {
    if (text[end] === '\n' && text[end + 1] === '\n') return undefined;
    if (text[end] === '\\') end += 1;
    else if (text[end] === '$') {
      const isEnd = !/\s/.test(text[end - 1] ?? '') && !/[0-9A-Za-z]/.test(text[end + 1] ?? '');
      return isEnd ? { formula: text.slice(start + 1, end), isDisplayed: false, end: end + 1 } : undefined;
    }
  }
  return undefined;
}

const blockMarks = [
  ['$$', '$$'],
  ['\\[', '\\]'],
] as const;

/** By where one looked and for what: from a line on, up to the line before `to`, no mark stands, nor a blank line. */
type SearchedIn = WeakMap<StateBlock, Map<string, { readonly from: number; readonly to: number }>>;

function mathInBlock(state: StateBlock, lines: Lines, silent: boolean, searched: SearchedIn): boolean {
  const { startLine } = lines;
  const first = lineOf(state, startLine);
  const [open, close] = blockMarks.find(([mark]) => first.startsWith(mark)) ?? [];
  if (open === undefined || close === undefined) return false;
  const last = lastLine(state, { ...lines, open, close }, searched);
  if (last === undefined) return false;
  if (silent) return true;
  const written = Array.from({ length: last - startLine + 1 }, (_, index) => lineOf(state, startLine + index));
  const token = state.push('math_block', '', 0);
  token.content = written.join('\n').trim().slice(open.length, -close.length).trim();
  token.markup = '$$';
  token.map = [startLine, last + 1];
  token.block = true;
  state.line = last + 1;
  return true;
}

interface Lines {
  readonly startLine: number;
  readonly endLine: number;
}

interface Stretch extends Lines {
  readonly open: string;
  readonly close: string;
}

/** The line that closes it: the mark ends it. */
function lastLine(state: StateBlock, stretch: Stretch, searched: SearchedIn): number | undefined {
  const { startLine, endLine, open, close } = stretch;
  const ofText = searched.get(state) ?? new Map<string, { readonly from: number; readonly to: number }>();
  searched.set(state, ofText);
  // Within a list or a quotation, lines are others.
  const where = `${close} ${endLine} ${state.level} ${state.blkIndent}`;
  const known = ofText.get(where);
  const isKnown = known !== undefined && known.from <= startLine && startLine < known.to;
  const from = isKnown ? known.from : startLine;
  const limit = (state.bMarks[startLine] ?? 0) + longestFormula;
  let line = isKnown ? known.to : startLine;
  for (; line < endLine && (state.bMarks[line] ?? 0) < limit; line += 1) {
    const text = lineOf(state, line).trimEnd();
    if (text === '' || (line > startLine && (state.sCount[line] ?? 0) < state.blkIndent)) break;
    const skipped = line === startLine ? open.length : 0;
    if (text.length >= skipped + close.length && text.endsWith(close)) return line;
    // Something follows it: it stands within a line.
    if (text.slice(skipped).includes(close)) break;
  }
  ofText.set(where, { from, to: line });
  return undefined;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}
