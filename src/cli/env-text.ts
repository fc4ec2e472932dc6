/*
 * Edits the text of a `.env`: sets variables, and leaves every other line as it is. What it writes is what the program's own
 * reader finds in it; what that could not read back is refused.
 */

import { type Environment, type EnvVariables, variablesIn } from '../config/environment.ts';
import { exitCodes } from './commands/command.ts';
import { UnansweredError } from './unanswered-error.ts';
import { cliWords } from './words.ts';

export type EnvEdit =
  | { readonly type: 'edited'; readonly text: string }
  /** In no quotation marks would this value be read as it is. */
  | { readonly type: 'unwritable'; readonly name: string }
  /** A quotation mark of this line is never closed: what is written below would be read as its end. */
  | { readonly type: 'open'; readonly line: number }
  | { readonly type: 'not-utf8' };

/** The text with these variables set: in the place of their lines, else at the end. */
export function envEdit(text: string, variables: ReadonlyMap<string, string>): EnvEdit {
  const found = readBack(text);
  if (found === undefined) return { type: 'not-utf8' };
  const wanted = [...variables].filter(([name, value]) => valueIn(name, found.variables) !== value);
  const open = found.malformed.find(({ isOpen }) => isOpen);
  if (wanted.length > 0 && open !== undefined) return { type: 'open', line: open.line };
  let edited = text;
  for (const [name, value] of wanted) {
    const next = candidates(edited, name, value).find((one) => isMeant(edited, one, { name, value }));
    if (next === undefined) return { type: 'unwritable', name };
    edited = next;
  }
  return { type: 'edited', text: edited };
}

/** Whether a `.env` can hold this value. */
export function isWritable(value: string): boolean {
  return envEdit('', new Map([['A', value]])).type === 'edited';
}

/** The same text, with words for a person. Throws `UnansweredError`: `file` is what they name. */
export function editedEnv(text: string, variables: ReadonlyMap<string, string>, file: string): string {
  const edit = envEdit(text, variables);
  switch (edit.type) {
    case 'edited':
      return edit.text;
    case 'unwritable':
      throw refused((say) => say.unwritableVariable({ file, name: edit.name }));
    case 'open':
      throw refused((say) => say.openQuote({ file, line: edit.line }));
    case 'not-utf8':
      throw refused((say) => say.envNotUtf8({ file }));
  }
}

function refused(words: (say: (typeof cliWords)['en']) => string): UnansweredError {
  return new UnansweredError(exitCodes.failed, (language) => words(cliWords[language]));
}

/** Throws `UnansweredError` if it is no text that could be written back as it is. */
export function envTextOf(bytes: Uint8Array, file: string): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (Buffer.from(text).equals(bytes) && readBack(text) !== undefined) return text;
  throw refused((say) => say.envNotUtf8({ file }));
}

/** As a start reads it from the disk. */
function readBack(text: string): EnvVariables | undefined {
  return variablesIn(Buffer.from(text));
}

function valueIn(name: string, variables: Environment): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Texts that may set it, the best first. */
function candidates(text: string, name: string, value: string): readonly string[] {
  const forms = formsOf(value);
  const lines = linesOf(name, text);
  const replaced = forms.map((form) => text.replaceAll(lines, (_line, start: string) => `${start}${name}=${form}`));
  const eol = /\r\n/.test(text) ? '\r\n' : '\n';
  // A mark of the encoding is no line.
  const before = /^\u{feff}?$/u.test(text) || text.endsWith('\n') ? text : `${text}${eol}`;
  return [...replaced, ...forms.map((form) => `${before}${name}=${form}${eol}`)];
}

/** The lines that set it. A value of several lines ends at its quote. */
function linesOf(name: string, text: string): RegExp {
  const isLong = valueIn(name, readBack(text)?.variables ?? {})?.includes('\n') === true;
  const value = isLong ? '(["\'`])[\\s\\S]*?\\2[^\\r\\n]*' : '[^\\r\\n]*';
  return new RegExp(`^(\\u{feff}?[^\\S\\n]*(?:export[^\\S\\n]+)?)${name}[^\\S\\n]*=${value}`, 'gmu');
}

function formsOf(value: string): readonly string[] {
  const plain = /^[\w.:/+=@-]+$/.test(value) ? [value] : [];
  const marks = ["'", '"', '`'].filter((mark) => !value.includes(mark));
  return [...plain, ...marks.map((mark) => `${mark}${value}${mark}`)];
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** Whether this variable is set now, and every other one as before: a line may have been within another value. */
function isMeant(text: string, edited: string, { name, value }: Variable): boolean {
  const [before, after] = [readBack(text), readBack(edited)];
  if (before === undefined || after === undefined || after.malformed.length > before.malformed.length) return false;
  const names = new Set([...Object.keys(before.variables), ...Object.keys(after.variables)]);
  const { [name]: set } = after.variables;
  return (
    set === value && [...names].every((other) => other === name || before.variables[other] === after.variables[other])
  );
}
