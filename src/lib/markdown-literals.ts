import type { InlinePart } from './markdown-inline.ts';

/**
 * Escapes stars, underscores and backslashes that belong to what is said: products (`2*3*4`), names of programs
 * (`__init__`), patterns of files (`src/*.ts`) and paths of Windows (`C:\x\*.txt`).
 */
export function escapeLiterals(parts: readonly InlinePart[]): readonly InlinePart[] {
  /** The lengths of the runs of stars that are open, the innermost last. */
  const open: number[] = [];
  return parts.map((part) => {
    if (part.type !== 'prose') return part;
    return { ...part, text: part.text.replace(/\S+/g, (word) => escapeWord(word, open)) };
  });
}

function escapeWord(word: string, open: number[]): string {
  if (!/[*\\]|__/.test(word)) return word;
  const { before, inner, after } = unwrapped(word);
  if (isPath(inner)) return before + escaped(inner, pathMarks) + after;
  const named = inner.replace(dunderName, (name) => escaped(name, /_/g));
  if (isGlob(inner)) return before + escaped(named, /\*/g) + after;
  return before === '' ? escapeProducts(named, open) : before + named + after;
}

/** The word within the emphasis around all of it, if it is, with the punctuation of the sentence. */
function unwrapped(word: string): { readonly before: string; readonly inner: string; readonly after: string } {
  const [, before = '', mark = ''] = /^(["'(]*(\*{1,3}|~~|__?))/.exec(word) ?? [];
  const [after = ''] = /(?:\*{1,3}|~~|__?)[)"'.,:;!?]*$/.exec(word) ?? [];
  const inner = word.slice(before.length, word.length - after.length);
  const isAround = mark !== '' && after.startsWith(mark) && before.length + after.length < word.length;
  const isEmphasis =
    isAround && /[\p{L}\p{N}]/u.test(inner) && !inner.includes(mark.charAt(0)) && !mark.startsWith('_');
  return isEmphasis ? { before, inner, after } : { before: '', inner: word, after: '' };
}

/** Names of Python and JavaScript; others are meant to be bold, if no `_`, bracket or ending shows a name. */
const names =
  'all annotations call class cached code contains debug del delattr dict dir dirname doc enter eq exit file filename ' +
  'func future getattr getattribute getitem hash import init iter len main missing module mro name new next path proto ' +
  'pycache qualname repr set setattr setitem slots spec str super traceback typename version wrapped';
const dunderName = new RegExp(
  String.raw`(?<![\w\\])__(?:(?:${names.replaceAll(' ', '|')})__|[a-z][a-z0-9]*(?:_[a-z0-9]+)+__|[a-z][a-z0-9]*__(?=\(|\.[a-z]))(?![A-Za-z0-9_])`,
  'g',
);

/** In a path, all that CommonMark would take away; a bar separates the cells of a table. */
const pathMarks = /\\(?=[!-/:-@[-`{}~])|[*_~]/g;

/** A path of Windows, or a regular expression: there, backslashes stand before letters as well. */
function isPath(word: string): boolean {
  if (!word.includes('\\')) return false;
  if (/^["'(]*(?:[a-z]:\\|\\\\[\w.])/i.test(word) || /\w\\\*\.\w/.test(word)) return true;
  const first = word.search(/(?<!\\)\\[A-Za-z0-9]/);
  return first >= 0 && /\\[!-/:-@[-`{}~]/.test(word.slice(first + 1));
}

/** A pattern of file names. */
function isGlob(word: string): boolean {
  if (!/^[\w.\-/{}[\]*?,;:()'"]+$/.test(word) || /^["'(]*\*+[A-Za-z0-9]/.test(word)) return false;
  return /\*\.|\/\*|^["'(]*\*+\//.test(word);
}

/** A star between letters or digits opens no emphasis, and ends only one that is open. */
function escapeProducts(word: string, open: number[]): string {
  return word.replace(/(?<!\\)\*+/g, (run, at: number) => {
    const [last, next] = [word.charAt(at - 1), word.charAt(at + run.length)];
    const isWithin = /[A-Za-z0-9)\]]/.test(last) && /[A-Za-z0-9]/.test(next);
    const isOpening = open.at(-1) === run.length || isEnded(word.slice(at + run.length), run);
    if (isWithin && run.length < 3 && !isOpening) return escaped(run, /\*/g);
    const rest = last === '' ? run.length : unclosed(run.length, open);
    if (rest > 0 && next !== '') open.push(rest);
    return run;
  });
}

/** Whether the same stars end it behind a Chinese, Japanese or Korean character, as in `API**token：**`. */
function isEnded(rest: string, run: string): boolean {
  const end = rest.indexOf('*');
  return (
    rest.startsWith(run, end) && /[\u2e80-\uffef]/.test(rest.charAt(end - 1)) && rest.charAt(end + run.length) !== '*'
  );
}

/** Closes what so many stars can close; returns how many are left. */
function unclosed(length: number, open: number[]): number {
  let rest = length;
  for (let last = open.at(-1); last !== undefined && last <= rest; last = open.at(-1)) {
    open.pop();
    rest -= last;
  }
  return rest;
}

function escaped(text: string, marks: RegExp): string {
  return text.replace(marks, (mark) => mark.replace(/./g, String.raw`\$&`));
}
