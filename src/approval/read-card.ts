import { cardParts } from '../lib/card-parts.ts';
import { passedOnMark } from './cards.ts';

/** What a card says beside its first line, its deadline and what it folds. */
export interface ReadCard {
  /** For whom and why, then what speaks against it: a line of markdown each. */
  readonly notes: readonly string[];
  /** What must be read to decide, as markdown: a command, a message, a change, or a row for each of several calls. */
  readonly body: string;
}

/** Takes a card apart that asks for a call or whether a run may go on, for who draws one of its own. */
export function readCard(markdown: string): ReadCard {
  const { shown } = cardParts(afterMark(markdown));
  const [first = '', ...others] = shown.split('\n\n');
  const last = others.at(-1) ?? '';
  const body = deadline.test(last) && !last.includes('\n') ? others.slice(0, -1) : others;
  const [, ...notes] = first.split('\n');
  return { notes: notes.map((note) => note.replace(/^- /, '')), body: body.join('\n\n') };
}

/** Without the line that tells from where it was passed on. */
function afterMark(markdown: string): string {
  return markdown.startsWith(passedOnMark) ? markdown.slice(markdown.indexOf('\n\n') + 2) : markdown;
}

const deadline = /<time datetime="[^"<>]*">[^<>]*<\/time>/;
