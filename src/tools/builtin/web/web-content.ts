import type { WebResponse } from '../../guard/network/web-client.ts';
import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import { formatSize } from '../../text.ts';
import {
  contentType,
  type DocumentText,
  decodeText,
  isTextType,
  looksLikeText,
  mostDocumentText,
  visibleText,
} from '../documents/document.ts';
import { documentReader } from '../documents/document-reader.ts';
import type { DocumentReading } from '../documents/read-document-bytes.ts';
import type { readPlainHtml } from './plain-html.ts';
import type { HtmlInput, readHtml } from './read-html.ts';

/** Reads a response as text. The content determines the type where it can be recognised, else the server's header. */
export type ReadWebContent = (response: WebResponse, signal: AbortSignal) => Promise<DocumentReading>;

export function webContentReader(runInWorker: RunInWorker, documentSeconds: number): ReadWebContent {
  const readDocument = documentReader(runInWorker, documentSeconds);
  return async (response, signal) => {
    const { body, url, truncated, isCut: isBroken = false } = response;
    const { type, charset } = contentType(response.headers['content-type']);
    const charsets = [charset, charsetWithin(body)].filter((label) => label !== undefined);
    const size = formatSize(body.length);
    if (isDocument(body) || documentTypes.test(type)) {
      if (!truncated) return readDocument(body, signal);
      const reason = isBroken
        ? `The connection ended after ${size}, before the document was complete. Fetch it again.`
        : `It is a document of more than ${size}, which is too large to be read.`;
      return { type: 'refused', message: reason };
    }
    if (isHtml(type, body))
      return read(await readPage({ body, url, charsets }, runInWorker, signal), truncated, isBroken);
    if (!isText(type, body)) {
      const what = `It is ${type === '' ? 'something' : type} of ${size}${truncated ? ' or more' : ''}`;
      return { type: 'refused', message: `${what}, which is nothing to read as text.` };
    }
    // No charset has more characters than bytes, and some are slow to decode.
    const text = decodeText(body.subarray(0, mostDocumentText), charsets);
    const isCut = truncated || body.length > mostDocumentText;
    const kind = /[/+]json$/.test(type) ? 'JSON' : type || 'text';
    return read({ kind, text: visibleText(text) }, isCut, isBroken);
  };
}

function read(document: DocumentText, truncated: boolean, isBroken: boolean): DocumentReading {
  if (!truncated) return { type: 'read', document };
  const cut = isBroken
    ? 'The connection ended before the answer was complete: the end is missing. Fetch it again for all of it.'
    : 'It was too long to be read whole: the end is missing.';
  const note = [document.note, cut];
  return { type: 'read', document: { ...document, note: note.filter((part) => part !== undefined).join(' ') } };
}

/** The charset that a page or an XML text declares in its first 4 KB. */
function charsetWithin(body: Buffer): string | undefined {
  const start = body.toString('latin1', 0, 4096);
  return (/<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(start) ??
    /^<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)/i.exec(start))?.[1];
}

/** Text that is better read as a document. */
const documentTypes =
  /^(?:text\/(?:csv|tab-separated-values|rtf)|message\/rfc822|application\/(?:rtf|mbox|x-ipynb\+json)|multipart\/related)$/;

/** A PDF, a zip (as office documents and books are), or an old Office file. */
function isDocument(body: Buffer): boolean {
  const start = body.toString('latin1', 0, 4);
  return start === '%PDF' || start === 'PK\x03\x04' || start === '\xd0\xcf\x11\xe0';
}

function isHtml(type: string, body: Buffer): boolean {
  if (type === 'text/html' || type === 'application/xhtml+xml') return true;
  return isUnsaid(type) && /^[\s\ufeff]*(?:<!doctype html|<html)/i.test(body.toString('utf8', 0, 1024));
}

function isText(type: string, body: Buffer): boolean {
  return isUnsaid(type) ? looksLikeText(body.subarray(0, 8192)) : isTextType(type);
}

function isUnsaid(type: string): boolean {
  return type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream';
}

/** Of the processor, in ms. A page of a megabyte takes less than 1 s. */
const longest = 3000;
/** The limit for the bare text, of the processor, in ms. */
const longestPlain = 1500;
/** The limit by the clock for each of them, in ms: on a machine with much to do, 50 ms of work take seconds. */
const longestWait = 60_000;
/** How much of a page that takes too long is read as bare text, in bytes. */
const plainSource = 500_000;
const memory = 384 * 2 ** 20;

/** Reads a page as markdown in a worker, for at most 3 s of its processor; after that, its bare text. Never rejects. */
async function readPage(page: HtmlInput, runInWorker: RunInWorker, signal: AbortSignal): Promise<DocumentText> {
  const kind = 'web page';
  const bounds = { timeout: longestWait, memory, signal, isKept: true };
  const wholly = workerFunction<typeof readHtml>(import.meta.url, './read-html', 'readHtml');
  const ending = await runInWorker(wholly, page, { ...bounds, processorTime: longest });
  if (ending.type === 'done') return { kind, ...ending.value };
  const plainly = workerFunction<typeof readPlainHtml>(import.meta.url, './plain-html', 'readPlainHtml');
  const source = { ...page, body: new Uint8Array(page.body.subarray(0, plainSource)) };
  const bare = await runInWorker(plainly, source, { ...bounds, processorTime: longestPlain });
  if (bare.type !== 'done') return readHere(page, kind);
  const part = page.body.length > plainSource ? 'the bare text of its beginning' : 'its bare text';
  const note = `The page could not be taken apart: this is ${part}, without links and structure.`;
  return { kind, ...bare.value, note };
}

/** How much of a page is read without a worker, in bytes: its time is linear, and it takes some ms. */
const harmless = 65_536;

/** The last resort, where the machine has no time or memory for a worker. */
async function readHere(page: HtmlInput, kind: string): Promise<DocumentText> {
  const { readPlainHtml } = await import('./plain-html.ts');
  const read = readPlainHtml({ ...page, body: page.body.subarray(0, harmless) });
  const part = page.body.length > harmless ? 'the bare text of its beginning' : 'its bare text';
  const note = `This machine had no time to take the page apart: this is ${part}. Fetch it again for the rest.`;
  return { kind, ...read, note };
}
