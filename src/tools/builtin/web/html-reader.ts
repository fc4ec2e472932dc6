import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import { type DocumentText, mostDocumentText } from '../documents/document.ts';
import { visibleText } from '../documents/visible-text.ts';
import { plainHtml } from './plain-html.ts';
import type { HtmlInput, readHtml } from './read-html.ts';

/** Reads a page as markdown. Never rejects. */
export type HtmlReader = (page: HtmlInput, signal: AbortSignal) => Promise<DocumentText>;

/** In milliseconds. A page of a megabyte takes less than one second of it. */
const longest = 3000;
/** Of a page that cannot be taken apart in time this much of the source is read, in the thread that serves all. */
const plainSource = 500_000;

/** A reader that takes pages apart in a worker, for at most 3 s each; of those that take longer it reads the bare text. */
export function htmlReader({ runInWorker }: { readonly runInWorker: RunInWorker }): HtmlReader {
  const work = workerFunction<typeof readHtml>(import.meta.url, './read-html', 'readHtml');
  return async (page, signal) => {
    const ending = await runInWorker(work, page, { timeout: longest, memory: 384 * 2 ** 20, signal });
    switch (ending.type) {
      case 'done':
        return { kind: 'web page', ...ending.value, text: ending.value.text.slice(0, mostDocumentText).toWellFormed() };
      case 'timed-out':
      case 'out-of-memory':
      case 'failed':
      case 'stopped':
        return bareText(page.html);
    }
  };
}

function bareText(html: string): DocumentText {
  const { title, text } = plainHtml(html.slice(0, plainSource));
  const part = html.length > plainSource ? 'the bare text of its beginning' : 'its bare text';
  const note = `The page could not be taken apart: this is ${part}, without links and structure.`;
  return { kind: 'web page', title: visibleText(title), text: visibleText(text), note };
}
