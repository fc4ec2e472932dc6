import { formatSize } from '../../text.ts';
import type { FilledCommand } from './fill-template.ts';

/** What Linux takes as one argument, less a little, and what it takes at once, less some for the environment; in bytes. */
const longestArgument = 128_000;
const mostArguments = 1_000_000;

/** Why a program can't be given these arguments, in words for the model. Undefined where it can. */
export function argumentFault({ script, args }: FilledCommand): string | undefined {
  if (args.some((value) => value.includes('\0'))) {
    return 'An argument has a NUL character, which no program can be given. Leave it out.';
  }
  const sizes = [script, ...args].map((text) => Buffer.byteLength(text));
  if (sizes.some((size) => size > longestArgument)) {
    return `An argument is too long, or a list has too many entries: a program takes ${formatSize(longestArgument)} at most. Put what is long into a file.`;
  }
  if (sizes.reduce((sum, size) => sum + size, 0) > mostArguments) {
    return `The arguments are too long together: ${formatSize(mostArguments)} at most. Put what is long into a file.`;
  }
  return undefined;
}
