/* Edits the text of a `.env`: sets variables, and leaves every other line as it is. */

import { parseEnv } from 'node:util';

/** The text with these variables set: in the place of their lines, else at the end. */
export function editedEnv(text: string, variables: ReadonlyMap<string, string>): string {
  return [...variables].reduce((edited, [name, value]) => withVariable(edited, name, value), text);
}

function withVariable(text: string, name: string, value: string): string {
  if (parseEnv(text)[name] === value) return text;
  const replaced = text.replaceAll(linesOf(name, text), (_line, start: string) => `${start}${name}=${quoted(value)}`);
  if (replaced !== text && isAlike(text, replaced, name, value)) return replaced;
  const eol = /\r\n/.test(text) ? '\r\n' : '\n';
  const before = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  return `${before}${name}=${quoted(value)}${eol}`;
}

/** The lines that set it. A value of several lines ends at its quote. */
function linesOf(name: string, text: string): RegExp {
  const isLong = parseEnv(text)[name]?.includes('\n') === true;
  const value = isLong ? '(["\'`])[\\s\\S]*?\\2[^\\r\\n]*' : '[^\\r\\n]*';
  return new RegExp(`^([^\\S\\n]*(?:export[^\\S\\n]+)?)${name}[^\\S\\n]*=${value}`, 'gm');
}

/** Whether this variable is set now, and every other one as before: a line may have been within another value. */
function isAlike(text: string, edited: string, name: string, value: string): boolean {
  const [before, after] = [parseEnv(text), parseEnv(edited)];
  if (after[name] !== value) return false;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((other) => other === name || before[other] === after[other]);
}

function quoted(value: string): string {
  if (/^[\w.:/+=@-]+$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((each) => !value.includes(each)) ?? '"';
  return `${mark}${value}${mark}`;
}
