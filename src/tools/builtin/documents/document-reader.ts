import type { Clock } from '../../../lib/clock.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { Perishable } from '../../../lib/remembered.ts';
import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { wholeEnd } from '../../text.ts';
import { unfinishedWords } from '../file-answers.ts';
import type { DocumentText } from './document.ts';
import type { DocumentReading, readDocumentBytes } from './read-document-bytes.ts';

/** So many times its limit may a document take by the clock, on a machine that has much to do. */
const longestWait = 4;

/** Reads a document by its content. Never rejects. */
export type ReadDocument = (bytes: Uint8Array, signal: AbortSignal) => Promise<DocumentReading>;

/** Reads documents with a limit on processor time (in s) and memory. */
export function documentReader(runInWorker: RunInWorker, seconds: number): ReadDocument {
  const work = workerFunction<typeof readDocumentBytes>(import.meta.url, './read-document-bytes', 'readDocumentBytes');
  return async (bytes, signal) => {
    const ending = await runInWorker(work, bytes, {
      timeout: seconds * 1000 * longestWait,
      processorTime: seconds * 1000,
      memory: 384 * 2 ** 20,
      signal,
      isKept: true,
    });
    if (ending.type === 'done') return ending.value;
    return { type: 'refused', message: unfinishedWords('Reading the document', ending, seconds) };
  };
}

/** In ms. */
const lifetime = 15 * 60_000;
/** In characters: about 10 MB. */
const mostText = 5 * 2 ** 20;

/** Caches documents for their next pages: at most 20, and about 10 MB, for 15 minutes. */
export interface RecentDocuments<Document> {
  get(key: string): Document | undefined;
  set(key: string, document: Document): void;
}

export function recentDocuments<Document extends { readonly text: string }>(clock: Clock): RecentDocuments<Document> {
  const weigh = ({ text }: Document): number => Math.max(text.length, mostText / 20);
  const known = new Perishable<string, Document>({ clock, most: mostText, weigh });
  return {
    get: (key) => known.get(key),
    set: (key, document) => known.set(key, document, lifetime),
  };
}

interface PageWanted {
  /** The name and the origin of the document, for the first line. */
  readonly source: readonly string[];
  readonly page: number;
  readonly pageChars: number;
}

/** One page of a document. Its first line says what it is, and how to continue. */
export function shownPage({ title, text, note }: DocumentText, { source, page, pageChars }: PageWanted): ToolOutput {
  const pages = pagesOf(text, pageChars);
  const total = pages.length;
  const shown = pages[page - 1];
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

/**
 * Splits a text into pages of at most `pageChars`. Each ends at a paragraph, else at a line, else at a word, if there
 * is one in its second half. An empty text has one page.
 */
export function pagesOf(text: string, pageChars: number): readonly string[] {
  const pages: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPage(text, start, pageChars);
    pages.push(text.slice(start, end).trimEnd().replace(/^\n+/, ''));
    start = end;
  }
  return pages.length === 0 ? [''] : pages;
}

function endOfPage(text: string, start: number, pageChars: number): number {
  if (text.length - start <= pageChars) return text.length;
  const limit = start + pageChars;
  const least = start + Math.floor(pageChars / 2);
  for (const mark of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(mark, limit - mark.length);
    if (found >= least) return found + mark.length;
  }
  return wholeEnd(text, limit);
}
