/*
 * Braces as bash expands them, in the text of a word and before all else: `a{b,c}` becomes two words, `{1..3}` three,
 * `{a..a}` one. Braces in quotes, and those of `${x}`, `$(…)` and backticks, are text.
 */

/** The most words that braces may make of one. */
const mostVariants = 64;

/**
 * The words that bash makes of a written one, each as written. Undefined if they are too many to tell, or if a brace among
 * them is escaped: there bash takes unclosed ones for something else.
 */
export function braceWords(text: string): readonly string[] | undefined {
  if (!text.includes('{')) return [text];
  for (let at = 0; at < text.length; at = skip(text, at)) {
    if (text[at] !== '{') continue;
    const group = groupAt(text, at);
    if (group === undefined) continue;
    if (/\\[{}]/.test(text)) return undefined;
    const rest = braceWords(text.slice(group.end));
    const options = optionsOf(group.pieces);
    if (rest === undefined || options === undefined) return undefined;
    if (rest.length * options.length > mostVariants) return undefined;
    const before = text.slice(0, at);
    return options.flatMap((option) => rest.map((after) => before + option + after));
  }
  return [text];
}

/** Behind the sign at a place: behind all of it if it is quoted, or begins an expansion. */
function skip(text: string, at: number): number {
  const sign = text[at];
  if (sign === '\\') return at + 2;
  if (sign === "'") return endOf(text, at + 1, "'");
  if (sign === '"') return endOf(text, at + 1, '"');
  if (sign === '`') return endOf(text, at + 1, '`');
  if (sign !== '$') return at + 1;
  if (text[at + 1] === "'") return endOf(text, at + 2, "'", true);
  if (text[at + 1] === '{') return endOf(text, at + 2, '}');
  return text[at + 1] === '(' ? endOf(text, at + 2, ')') : at + 1;
}

/** Behind the sign that closes what began before a place; the end of the text if none does. */
function endOf(text: string, from: number, close: string, isAnsi = false): number {
  let at = from;
  while (at < text.length && text[at] !== close) {
    if (close === "'") at += isAnsi && text[at] === '\\' ? 2 : 1;
    else if (close === '"' && text[at] === "'") at += 1;
    else if (close === ')' && text[at] === '(') at = endOf(text, at + 1, ')');
    else at = skip(text, at);
  }
  return Math.min(at + 1, text.length);
}

/** A list or a range in braces that begins at a place. Undefined if the brace there is text. */
function groupAt(
  text: string,
  begin: number,
): { readonly pieces: readonly string[]; readonly end: number } | undefined {
  const pieces: string[] = [];
  let depth = 0;
  let from = begin + 1;
  for (let at = begin + 1; at < text.length; at = skip(text, at)) {
    const sign = text[at];
    if (sign === '{') depth += 1;
    else if (sign === '}' && depth > 0) depth -= 1;
    else if (sign === ',' && depth === 0) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    } else if (sign === '}') {
      pieces.push(text.slice(from, at));
      const isGroup = pieces.length > 1 || range.test(pieces[0] ?? '');
      return isGroup ? { pieces, end: at + 1 } : undefined;
    }
  }
  return undefined;
}

function optionsOf(pieces: readonly string[]): readonly string[] | undefined {
  const [only = ''] = pieces;
  if (pieces.length === 1) return rangeOf(only);
  const all = pieces.map(braceWords);
  return all.some((words) => words === undefined) ? undefined : all.flatMap((words) => words ?? []);
}

const range = /^(-?\d+|[a-zA-Z])\.\.(-?\d+|[a-zA-Z])(?:\.\.(-?\d+))?$/;

/** Of a long one only the first and the last: numbers say little. Undefined if it has signs between letters. */
function rangeOf(text: string): readonly string[] | undefined {
  const [, first = '', last = '', written = '1'] = range.exec(text) ?? [];
  const areNumbers = !/[a-zA-Z]/.test(first + last);
  const areLetters = /^(?:[a-z]{2}|[A-Z]{2})$/.test(first + last);
  if (!areNumbers && !areLetters) return undefined;
  const codeOf = (end: string): number => (areNumbers ? Number(end) : end.charCodeAt(0));
  const [begin, end] = [codeOf(first), codeOf(last)];
  const step = Math.abs(Number(written)) || 1;
  const count = Math.floor(Math.abs(end - begin) / step) + 1;
  if (!Number.isSafeInteger(count)) return undefined;
  const isPadded = [first, last].some((each) => /^-?0\d/.test(each));
  const width = isPadded ? Math.max(first.length, last.length) : 0;
  const indexes = Array.from({ length: Math.min(count, mostVariants) }, (_, index) => index);
  return [...(count > mostVariants ? [0, 1, count - 1] : indexes)].map((index) => {
    const code = begin + (end < begin ? -1 : 1) * index * step;
    if (!areNumbers) return String.fromCharCode(code);
    const digits = String(Math.abs(code)).padStart(code < 0 ? width - 1 : width, '0');
    return code < 0 ? `-${digits}` : digits;
  });
}
