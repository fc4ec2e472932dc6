import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
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
