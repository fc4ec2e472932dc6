import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { seeWords } from './words.ts';

/** The number that an option was given, from 1 to `most`. Throws `UnansweredError` if it is none. */
export function countOption(
  name: string,
  { usual, most }: { readonly usual: number; readonly most: number },
  { option }: Pick<CommandContext, 'option'>,
): number {
  const written = option(name);
  if (written === undefined) return usual;
  const count = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  if (count > 0) return Math.min(count, most);
  throw new UnansweredError(exitCodes.misused, (language) => seeWords[language].wrongNumber({ option: name, written }));
}
