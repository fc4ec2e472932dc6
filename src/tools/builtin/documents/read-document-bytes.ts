import { readText } from '../../../lib/charset/text-charset.ts';
import { charsetWords } from '../file-answers.ts';
import {
  DocumentError,
  type DocumentText,
  markdownTable,
  mostDocumentText,
  mostTitle,
  visibleText,
} from './document.ts';
import { isMail } from './mime.ts';
import { openArchive } from './office-archive.ts';

/** An expected failure is a value: an error would lose its class between threads. */
export type DocumentReading =
  | { readonly type: 'read'; readonly document: DocumentText }
  | { readonly type: 'refused'; readonly message: string };

/** Reads a document by its content, not its name. Run it in a worker: a hostile document takes time and memory. */
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
  if (bytes.toString('hex', 0, 8) === 'd0cf11e0a1b11ae1')
    throw await refusal(({ oldOfficeWords }) => oldOfficeWords(bytes));
  if (/^\s*\{\\rtf/.test(bytes.toString('latin1', 0, 20)))
    return (await import('./read-rtf.ts')).readRtf(bytes.toString('latin1'));
  if (isMail(bytes)) return (await import('./read-mail.ts')).readMail(bytes);
  return readTextFile(bytes);
}

async function readArchive(bytes: Buffer): Promise<DocumentText> {
  const archive = openArchive(bytes);
  const { names } = archive;
  const holds = (folder: string): boolean => names.some((name) => name.startsWith(folder));
  if (names.includes('meta-inf/container.xml')) return (await import('./read-epub.ts')).readEpub(archive);
  if (holds('word/')) return (await import('./read-docx.ts')).readDocx(archive);
  if (names.includes('xl/workbook.bin'))
    throw new DocumentError('It is a binary Excel workbook (.xlsb), which cannot be read. Ask for it as .xlsx or CSV.');
  if (holds('xl/')) return (await import('./read-xlsx.ts')).readXlsx(archive);
  if (holds('ppt/')) return (await import('./read-pptx.ts')).readPptx(archive);
  if (names.includes('content.xml')) return (await import('./read-odf.ts')).readOdf(archive);
  throw await refusal(({ archiveWords }) => archiveWords(archive));
}

async function refusal(words: (from: typeof import('./unread-formats.ts')) => string): Promise<DocumentError> {
  return new DocumentError(words(await import('./unread-formats.ts')));
}

async function readTextFile(bytes: Buffer): Promise<DocumentText> {
  const read = readText(bytes, declaredIn(bytes));
  if (read === undefined) throw await refusal(({ foreignWords }) => foreignWords(bytes));
  const text = read.text.replace(/^\ufeff/, '');
  const document = (await readMarked(text)) ?? (await readDelimited(text)) ?? { kind: 'text', text };
  const charset = charsetWords(read);
  return charset === '' ? document : { ...document, kind: `${document.kind} in ${charset}` };
}

/** How HTML begins, perhaps as XML. A page names its charset in a meta element. */
const htmlStart =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body|meta|table|style|div)\b/i;

function declaredIn(bytes: Buffer): readonly string[] {
  const head = bytes.toString('latin1', 0, 2000).replace(/^\xef\xbb\xbf/, '');
  const charset = htmlStart.test(head) ? /<meta\s[^>]*charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] : undefined;
  return charset === undefined ? [] : [charset];
}

/** HTML as a person sees it: many programs name it .xls or .doc, so that Office opens it. */
async function readHtmlFile(text: string): Promise<DocumentText | undefined> {
  const shown = (await import('../web/read-html.ts')).wholeHtml(text);
  return shown.trim() === '' ? undefined : { kind: 'HTML page', text: shown };
}

/** HTML, a notebook, or an OpenDocument in one file. Undefined if it is none. */
async function readMarked(text: string): Promise<DocumentText | undefined> {
  const start = text.trimStart()[0];
  if (start === '{') return (await import('./read-notebook.ts')).readNotebook(text);
  if (htmlStart.test(text.slice(0, 4000))) return readHtmlFile(text);
  if (start !== '<' || !text.slice(0, 2000).includes('<office:document')) return undefined;
  return (await import('./read-odf.ts')).readOdfXml(text);
}

function bounded({ title, ...rest }: DocumentText): DocumentText {
  const document = { ...rest, title: title?.slice(0, mostTitle) };
  const text = visibleText(rest.text);
  if (text.length <= mostDocumentText) return { ...document, text };
  const note = `Only the first ${mostDocumentText} characters are shown.`;
  return { ...document, text: text.slice(0, mostDocumentText).toWellFormed(), note };
}

const delimiters = [',', ';', '\t', '|'] as const;
/** From how many lines the delimiter is guessed. */
const sample = 20;

const lenient = {
  bom: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
};

/** The text as a table, if one delimiter separates columns in its first lines; else undefined. */
async function readDelimited(text: string): Promise<DocumentText | undefined> {
  const { parse } = await import('csv-parse/sync');
  const rowsOf = (part: string, delimiter: string): string[][] => parse(part, { ...lenient, delimiter });
  const lines = text.split(/\r?\n/, sample * 2).filter((line) => line.trim() !== '');
  const head = lines.slice(0, sample).join('\n');
  // The delimiter that splits the first lines into the same number of columns, the more the better.
  const candidates = delimiters.map((delimiter) => ({ delimiter, columns: commonColumns(rowsOf(head, delimiter)) }));
  const { delimiter, columns } = candidates.reduce((so, next) => (next.columns > so.columns ? next : so));
  if (columns <= 1) return undefined;
  return {
    kind: delimiter === '\t' ? 'table of tab-separated values' : `table of values separated by "${delimiter}"`,
    text: markdownTable(rowsOf(text, delimiter)),
  };
}

function commonColumns(rows: readonly string[][]): number {
  const first = rows[0]?.length ?? 0;
  const alike = rows.filter((row) => row.length === first).length;
  return rows.length > 1 && alike >= rows.length * 0.8 ? first : 0;
}
