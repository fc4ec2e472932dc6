import { parseEnv } from 'node:util';
import type { Secret } from './findings.ts';

export type NamedSecret =
  | { readonly type: 'named'; readonly variable: string }
  /** The variable has another value, and so has the one that is named after the program. */
  | { readonly type: 'held' }
  /** It cannot stand in a `.env`. */
  | { readonly type: 'unquotable' };

/** The variable for a secret, given what is set: its own, or one named after the program if that has another value. */
export function nameFor(
  { variable, value }: Secret,
  set: Readonly<Record<string, string | undefined>>,
  former: string,
): NamedSecret {
  if (quoted(value) === undefined) return { type: 'unquotable' };
  const names = [variable, `${variable}_${former.toUpperCase()}`];
  const name = names.find((one) => !set[one] || set[one] === value);
  return name === undefined ? { type: 'held' } : { type: 'named', variable: name };
}

/** The text of a `.env` with these variables added at its end. */
export function withVariables(text: string, secrets: readonly Secret[]): string {
  const begun = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return begun + secrets.map(({ variable, value }) => `${variable}=${quoted(value) ?? ''}\n`).join('');
}

/** As Node reads it back, whatever comes after it; undefined if it cannot be written. */
function quoted(value: string): string | undefined {
  const plain = /^[^\s"'`#\\]+$/.test(value) ? [value] : [];
  const marks = ["'", '"', '`'].filter((mark) => !value.includes(mark));
  return [...plain, ...marks.map((mark) => `${mark}${value}${mark}`)].find((form) => readsBack(form, value));
}

function readsBack(form: string, value: string): boolean {
  const [last, among] = [parseEnv(`A=${form}\n`), parseEnv(`A=${form}\nB="1" '\n`)];
  return last.A === value && Object.keys(last).length === 1 && among.A === value && among.B === '1';
}
