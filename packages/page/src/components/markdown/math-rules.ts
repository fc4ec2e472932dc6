import type { StateBlock, StateInline } from 'markdown-it';

/* Formulas in Markdown: `$a$`, `$$a$$`, `\(a\)`, `\[a\]`. A sum of money is none. */

const longestFormula = 5_000;

interface Found {
  readonly formula: string;
  readonly isDisplayed: boolean;
  /** The offset behind it. */
  readonly end: number;
}

/** A formula within a line of text. */
export function mathInLine(state: StateInline, silent: boolean): boolean {
  const found = formulaAt(state.src, state.pos, state.posMax);
  if (found === undefined) return false;
  if (!silent) {
    const token = state.push('math', '', 0);
    token.content = found.formula;
    token.markup = found.isDisplayed ? '$$' : '$';
  }
  state.pos = found.end;
  return true;
}

function formulaAt(text: string, start: number, limit: number): Found | undefined {
  if (text.startsWith('$$', start)) return between(text, start, limit, { open: '$$', close: '$$', isDisplayed: true });
  if (text[start] === '$') return dollars(text, start, limit);
  if (text.startsWith('\\(', start))
    return between(text, start, limit, { open: '\\(', close: '\\)', isDisplayed: false });
  if (text.startsWith('\\[', start))
    return between(text, start, limit, { open: '\\[', close: '\\]', isDisplayed: true });
  return undefined;
}

interface Marks {
  readonly open: string;
  readonly close: string;
  readonly isDisplayed: boolean;
}

function between(text: string, start: number, limit: number, { open, close, isDisplayed }: Marks): Found | undefined {
  const from = start + open.length;
  const last = Math.min(limit, from + longestFormula);
  const end = text.slice(from, last).indexOf(close);
  if (end === -1) return undefined;
  const formula = text.slice(from, from + end).trim();
  return formula === '' ? undefined : { formula, isDisplayed, end: from + end + close.length };
}

/** As Pandoc has it: no space within the signs, and no digit behind them. */
function dollars(text: string, start: number, limit: number): Found | undefined {
  if (/[\s$]|^$/.test(text[start + 1] ?? '')) return undefined;
  const last = Math.min(limit, start + longestFormula);
  for (let end = start + 2; end < last; end += 1) {
    if (text[end] === '\n' && text[end + 1] === '\n') return undefined;
    if (text[end] !== '$' || text[end - 1] === '\\') continue;
    const isEnd = !/\s/.test(text[end - 1] ?? '') && !/[0-9A-Za-z]/.test(text[end + 1] ?? '');
    return isEnd ? { formula: text.slice(start + 1, end), isDisplayed: false, end: end + 1 } : undefined;
  }
  return undefined;
}

const blockMarks = [
  ['$$', '$$'],
  ['\\[', '\\]'],
] as const;

/** A formula with lines of its own, none of them blank. */
export function mathInBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const first = lineOf(state, startLine);
  const [open, close] = blockMarks.find(([mark]) => first.startsWith(mark)) ?? [];
  if (open === undefined || close === undefined) return false;
  const last = lastLine(state, { startLine, endLine, open, close });
  if (last === undefined) return false;
  if (silent) return true;
  const lines = Array.from({ length: last - startLine + 1 }, (_, index) => lineOf(state, startLine + index));
  const token = state.push('math_block', '', 0);
  token.content = lines.join('\n').trim().slice(open.length, -close.length).trim();
  token.markup = '$$';
  token.map = [startLine, last + 1];
  token.block = true;
  state.line = last + 1;
  return true;
}

interface Stretch {
  readonly startLine: number;
  readonly endLine: number;
  readonly open: string;
  readonly close: string;
}

/** The line that closes it: the mark ends it. */
function lastLine(state: StateBlock, { startLine, endLine, open, close }: Stretch): number | undefined {
  for (let line = startLine; line < endLine; line += 1) {
    const text = lineOf(state, line).trimEnd();
    if (text === '' || (line > startLine && (state.sCount[line] ?? 0) < state.blkIndent)) return undefined;
    const from = line === startLine ? open.length : 0;
    if (text.length >= from + close.length && text.endsWith(close)) return line;
    // Something follows it: it stands within a line.
    if (text.slice(from).includes(close)) return undefined;
  }
  return undefined;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}
