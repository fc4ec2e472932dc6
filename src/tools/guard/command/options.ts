import type { ShellWord } from './shell-word.ts';

/** The words of a command, taken apart as most programs do it. */
export interface Options {
  /** Letters that stand after a single dash, alone or together. */
  hasLetter(letters: string): boolean;
  /** `--name`, `--name=value`, or a beginning of it that is long enough to mean no other. */
  hasName(...names: readonly string[]): boolean;
  /** What follows the letter or the name. */
  valuesOf(letter: string, ...names: readonly string[]): readonly string[];
  /** The words that are no options. Values of options are among them, where they stand apart. */
  readonly operands: readonly ShellWord[];
}

export function readOptions(words: readonly ShellWord[]): Options {
  const end = words.findIndex(({ text }) => text === '--');
  const before = end === -1 ? words : words.slice(0, end);
  const after = end === -1 ? [] : words.slice(end + 1);
  const dashed = before.filter(({ text }) => text.startsWith('-') && text !== '-');
  const short = dashed.filter(({ text }) => !text.startsWith('--')).map(({ text }) => text.slice(1));
  const long = dashed.filter(({ text }) => text.startsWith('--')).map(({ text }) => text.split('=', 1)[0] ?? '');
  return {
    hasLetter: (letters) => short.some((cluster) => Array.from(letters).some((letter) => cluster.includes(letter))),
    hasName: (...names) => names.some((name) => long.some((given) => isBeginning(given, name))),
    valuesOf: (letter, ...names) => before.flatMap((_, index) => valueAt(before, index, letter, names)),
    operands: [...before.filter((word) => !dashed.includes(word)), ...after],
  };
}

function isBeginning(given: string, name: string): boolean {
  return given.length >= 3 && `--${name}`.startsWith(given);
}

function valueAt(
  words: readonly ShellWord[],
  index: number,
  letter: string,
  names: readonly string[],
): readonly string[] {
  const text = words[index]?.text ?? '';
  const next = words[index + 1];
  const following = next === undefined ? [] : [next.text];
  if (text.startsWith('--')) {
    const [given = '', ...value] = text.split('=');
    if (!names.some((name) => isBeginning(given, name))) return [];
    return text.includes('=') ? [value.join('=')] : following;
  }
  if (letter === '' || !text.startsWith('-')) return [];
  const at = text.indexOf(letter, 1);
  if (at === -1) return [];
  return at === text.length - 1 ? following : [text.slice(at + 1)];
}
