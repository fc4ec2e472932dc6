import type { Clock } from '../../../lib/clock.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import type { DocumentText } from './document.ts';
import type { DocumentReading, readDocumentBytes } from './read-document-bytes.ts';

/** Reads PDF, Word, Excel and delimited text from bytes. Never rejects. */
export type DocumentReader = (bytes: Uint8Array, signal: AbortSignal) => Promise<DocumentReading>;

/** A reader that gives up after so many milliseconds, or when a document takes more memory than a document should. */
export function documentReader({
  runInWorker,
  timeout,
}: {
  readonly runInWorker: RunInWorker;
  readonly timeout: number;
}): DocumentReader {
  const work = workerFunction<typeof readDocumentBytes>(import.meta.url, './read-document-bytes', 'readDocumentBytes');
  return async (bytes, signal) => {
    const ending = await runInWorker(work, bytes, { timeout, memory: 384 * 2 ** 20, signal });
    switch (ending.type) {
      case 'done':
        return ending.value;
      case 'timed-out':
        return refused(`The document was given up after ${Math.round(timeout / 1000)} s: it takes too long to read.`);
      case 'out-of-memory':
        return refused('The document was given up: it takes too much memory to read.');
      case 'stopped':
        return refused('Reading the document was stopped.');
      case 'failed':
        return refused(`The document is broken, or of a kind that cannot be read (${ending.message.slice(0, 200)}).`);
    }
  };
}

function refused(message: string): DocumentReading {
  return { type: 'refused', message };
}

interface Entry<Document> {
  readonly document: Document;
  readonly size: number;
  readonly until: number;
}

/** In milliseconds. */
const lifetime = 15 * 60_000;
const mostDocuments = 20;
/** In characters: about 10 MB. */
const mostText = 5 * 2 ** 20;

/** Keeps what was read a while ago, so that its next page is no second reading: at most 20 documents and about 10 MB, for 15 minutes. */
export class RecentDocuments<Document extends { readonly text: string }> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<Document>>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  get(key: string): Document | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#clock.now() >= entry.until ? undefined : entry.document;
  }

  /** Forgets what is too old, and then the oldest until the rest fits. */
  set(key: string, document: Document): void {
    const now = this.#clock.now();
    this.#entries.delete(key);
    this.#entries.set(key, { document, size: document.text.length, until: now + lifetime });
    let size = 0;
    for (const entry of this.#entries.values()) size += entry.size;
    for (const [oldest, entry] of this.#entries) {
      if (now < entry.until && size <= mostText && this.#entries.size <= mostDocuments) return;
      this.#entries.delete(oldest);
      size -= entry.size;
    }
  }
}

interface PageWanted {
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

/** Where a page begins and ends in a text, in UTF-16 units. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * One page of the text, counted from 1, and how many there are. A page has at most so many characters, and ends at a
 * paragraph, else at a line, else at a word, if there is one in its last half. `text` is undefined for a page that is not there.
 */
export function pageOf(
  text: string,
  page: number,
  pageChars: number,
): { readonly text: string | undefined; readonly total: number } {
  const stretches = stretchesOf(text, pageChars);
  const stretch = stretches[page - 1];
  return {
    text: stretch === undefined ? undefined : text.slice(stretch.start, stretch.end).trimEnd().replace(/^\n+/, ''),
    total: stretches.length,
  };
}

function stretchesOf(text: string, pageChars: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPage(text, start, pageChars);
    stretches.push({ start, end });
    start = end;
  }
  return stretches.length === 0 ? [{ start: 0, end: 0 }] : stretches;
}

function endOfPage(text: string, start: number, pageChars: number): number {
  if (text.length - start <= pageChars) return text.length;
  const limit = start + pageChars;
  const least = start + Math.floor(pageChars / 2);
  for (const mark of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(mark, limit - mark.length);
    if (found >= least) return found + mark.length;
  }
  const last = text.charCodeAt(limit - 1);
  // Not between the halves of a character.
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
