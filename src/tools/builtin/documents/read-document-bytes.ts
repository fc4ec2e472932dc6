import { decodeText } from './decode-text.ts';
import { DocumentError, type DocumentText, mostDocumentText, mostTitle } from './document.ts';
import { visibleText } from './visible-text.ts';
import { type ZipLimits, zipNames } from './zip-archive.ts';

/** A failure that was to be expected is a value: an error would lose its class between threads. */
export type DocumentReading =
  | { readonly type: 'read'; readonly document: DocumentText }
  | { readonly type: 'refused'; readonly message: string };

const zipLimits: ZipLimits = { files: 10_000, bytes: 150 * 2 ** 20 };

/** Reads a document by what it is, whatever its name says. For a worker: a hostile one takes time and memory. */
export async function readDocumentBytes(bytes: Uint8Array): Promise<DocumentReading> {
  try {
    const document = await read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return { type: 'read', document: bounded(document) };
  } catch (cause) {
    if (cause instanceof DocumentError) return { type: 'refused', message: cause.message };
    throw cause;
  }
}

async function read(bytes: Buffer): Promise<DocumentText> {
  if (bytes.subarray(0, 1024).includes('%PDF-')) return (await import('./read-pdf.ts')).readPdf(bytes);
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04') return readArchive(bytes);
  if (bytes.toString('hex', 0, 8) === 'd0cf11e0a1b11ae1') throw new DocumentError(explainOldOffice(bytes));
  return readText(bytes);
}

async function readArchive(bytes: Buffer): Promise<DocumentText> {
  const names = zipNames(bytes, zipLimits);
  const holds = (folder: string): boolean => names.some((name) => name.startsWith(folder));
  if (holds('word/')) return (await import('./read-docx.ts')).readDocx(bytes, zipLimits);
  if (holds('xl/')) return (await import('./read-xlsx.ts')).readXlsx(bytes, zipLimits);
  const kind = holds('ppt/') ? 'a PowerPoint presentation' : 'a zip archive, and no Word or Excel document';
  throw new DocumentError(`It is ${kind}, which cannot be read as a document.`);
}

function explainOldOffice(bytes: Buffer): string {
  if (bytes.includes('EncryptedPackage', 0, 'utf16le'))
    return 'The document is encrypted: it cannot be read without its password.';
  return 'It is a document of an old Office (.doc, .xls, .ppt), which cannot be read. Ask for it as .docx, .xlsx or PDF.';
}

async function readText(bytes: Buffer): Promise<DocumentText> {
  const hasMark = bytes[0] === 0xff || bytes[0] === 0xfe;
  if (!hasMark && bytes.includes(0))
    throw new DocumentError('It is neither a PDF, a Word or Excel document, nor text, so it cannot be read.');
  const text = decodeText(bytes);
  return (await import('./read-delimited.ts')).readDelimited(text) ?? { kind: 'text', text };
}

function bounded({ title, ...rest }: DocumentText): DocumentText {
  const document = { ...rest, ...(title === undefined ? {} : { title: title.slice(0, mostTitle) }) };
  const text = visibleText(rest.text);
  if (text.length <= mostDocumentText) return { ...document, text };
  const note = `Only the first ${mostDocumentText} of ${text.length} characters are shown.`;
  return { ...document, text: text.slice(0, mostDocumentText).toWellFormed(), note };
}
