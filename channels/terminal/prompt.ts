import type { Typing } from './line-keys.ts';
import { promptFor, type Question } from './question.ts';
import { sign } from './render.ts';
import type { TerminalWords } from './words.ts';

/** More would not be seen on a small screen, and not be found again when it is drawn again. */
const mostEarlier = 12;
const moreSign = '…';

interface PromptPlace {
  /** It stands directly below the card that it asks. */
  readonly isBelow: boolean;
  readonly columns: number;
  readonly words: TerminalWords;
}

/** What stands before the line that is typed: what is asked, or searched, and the finished lines of the message. */
export function promptText(
  { search, earlier }: Typing,
  question: Question | undefined,
  { isBelow, columns, words }: PromptPlace,
): string {
  if (search !== undefined) return `${words.searching(search)} ${sign} `;
  const asked = question === undefined ? '' : `${promptFor(question, isBelow, { columns, words })} `;
  const lines = earlier.slice(-mostEarlier).map((line, index) => `${index === 0 ? sign : moreSign} ${line}\n`);
  return `${asked}${lines.join('')}${lines.length === 0 ? sign : moreSign} `;
}
