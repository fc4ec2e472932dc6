import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import type { DocumentText } from '../documents/document.ts';
import type { readPlainHtml } from './plain-html.ts';
import type { HtmlInput, readHtml } from './read-html.ts';

/** Reads a page as markdown. Never rejects. */
export type HtmlReader = (page: HtmlInput, signal: AbortSignal) => Promise<DocumentText>;

/** In milliseconds. A page of a megabyte takes less than one second of it. */
const longest = 3000;
/** How long the bare text may take, in milliseconds. */
const longestPlain = 1500;
/** Of a page that cannot be taken apart in time this much of the source is read, in bytes. */
const plainSource = 500_000;
const memory = 384 * 2 ** 20;

/** A reader that takes pages apart in a worker, for at most 3 s each; of those that take longer it reads the bare text. */
export function htmlReader({ runInWorker }: { readonly runInWorker: RunInWorker }): HtmlReader {
  const work = workerFunction<typeof readHtml>(import.meta.url, './read-html', 'readHtml');
  return async (page, signal) => {
    const ending = await runInWorker(work, page, { timeout: longest, memory, signal });
    switch (ending.type) {
      case 'done':
        return { kind: 'web page', ...ending.value };
      case 'timed-out':
      case 'out-of-memory':
      case 'failed':
      case 'stopped':
        return bareText(page, runInWorker, signal);
    }
  };
}

async function bareText(
  { body, ...page }: HtmlInput,
  runInWorker: RunInWorker,
  signal: AbortSignal,
): Promise<DocumentText> {
  const work = workerFunction<typeof readPlainHtml>(import.meta.url, './plain-html', 'readPlainHtml');
  const bounds = { timeout: longestPlain, memory, signal };
  const ending = await runInWorker(work, { ...page, body: new Uint8Array(body.subarray(0, plainSource)) }, bounds);
  if (ending.type !== 'done') return { kind: 'web page', text: '', note: 'The page could not be taken apart.' };
  const part = body.length > plainSource ? 'the bare text of its beginning' : 'its bare text';
  const note = `The page could not be taken apart: this is ${part}, without links and structure.`;
  return { kind: 'web page', ...ending.value, note };
}
