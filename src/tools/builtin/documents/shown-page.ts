import { oneLine } from '../../../lib/plain-text.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import type { DocumentText } from './document.ts';
import { pageOf } from './pages.ts';

export interface PageWanted {
  /** What the document is called, and where it is from, for the first line. */
  readonly source: readonly string[];
  /** Counted from 1. */
  readonly page: number;
  /** How long a page may be, in characters. */
  readonly pageChars: number;
}

/** One page of a document. Its first line says what it is, and how to go on. */
export function shownPage({ title, text, note }: DocumentText, { source, page, pageChars }: PageWanted): ToolOutput {
  const { text: shown, total } = pageOf(text, page, pageChars);
  if (shown === undefined)
    return error(`There is no page ${page}: it has ${total === 1 ? 'one page' : `${total} pages`}.`);
  const parts = [
    ...(title === undefined || title.trim() === '' ? [] : [`"${oneLine(title.replace(/\s+/g, ' '), 200)}"`]),
    ...source,
    `page ${page} of ${total}${page < total ? `; to go on, use page ${page + 1}` : ''}`,
  ];
  const notes = note === undefined ? [] : [`[${note}]`];
  return llmOnly([`[${parts.join(', ')}]`, ...notes, shown === '' ? '[no text]' : shown].join('\n'));
}
