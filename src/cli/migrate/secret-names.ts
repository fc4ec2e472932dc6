import { isWritable } from '../env-text.ts';
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
  if (!isWritable(value)) return { type: 'unquotable' };
  const names = [variable, `${variable}_${former.toUpperCase()}`];
  const name = names.find((one) => !set[one] || set[one] === value);
  return name === undefined ? { type: 'held' } : { type: 'named', variable: name };
}
