import { DocumentError, type DocumentText, mostDocumentText } from './document.ts';
import { predefinedCMap, unread } from './predefined-cmaps.ts';

/** The text of a PDF, page by page. Throws `DocumentError`, also if there is none. */
export async function readPdf(bytes: Buffer): Promise<DocumentText> {
  // The library takes ownership of the buffer, and does not accept a `Buffer`.
  const pdf = await open(new Uint8Array(bytes));
  const parts: string[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages && length < mostDocumentText; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .toWellFormed()
      .replace(unreadRun, unread);
    page.cleanup();
    length += text.length;
    parts.push(text.trim());
  }
  const isUnread = parts.some((text) => text.includes(unread));
  if (parts.every((text) => /^[\s\ufffd]*$/.test(text))) {
    const reason = isUnread
      ? 'no text that can be read: its fonts do not say which characters their glyphs are. Ask for it in another form, such as .docx.'
      : 'no text: it probably was scanned, so that its pages are pictures.';
    throw new DocumentError(`The PDF has ${pdf.numPages === 1 ? 'one page' : `${pdf.numPages} pages`} and ${reason}`);
  }
  const title = await titleOf(pdf);
  const notes = [
    ...(parts.length < pdf.numPages ? [`Only the first ${parts.length} pages of the PDF are shown.`] : []),
    ...(isUnread
      ? [`Where ${unread} stands, text is missing: its font does not say which characters its glyphs are.`]
      : []),
  ];
  return {
    kind: 'PDF',
    title,
    text: parts.map((text, index) => `[PDF page ${index + 1} of ${pdf.numPages}]\n${text}`).join('\n\n'),
    note: notes.length === 0 ? undefined : notes.join(' '),
  };
}

const unreadRun = /\ufffd+/g;

type Pdf = Awaited<ReturnType<typeof import('unpdf').getDocumentProxy>>;

/** Gives the library the maps that it has without a file. Fonts are not needed for the text. */
class CMapFactory {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl') throw new Error(`No ${kind} is needed for text.`);
    return new TextEncoder().encode(predefinedCMap(filename));
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    return await getDocumentProxy(bytes, {
      verbosity: 0,
      useWorkerFetch: false,
      cMapPacked: false,
      BinaryDataFactory: CMapFactory,
    });
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'PasswordException')
      throw new DocumentError('The PDF is encrypted: it cannot be read without its password.', { cause });
    if (name === 'InvalidPDFException') throw new DocumentError('The PDF is broken.', { cause });
    throw cause;
  }
}

async function titleOf(pdf: Pdf): Promise<string | undefined> {
  const { info } = await pdf.getMetadata();
  const title: unknown = 'Title' in info ? info.Title : undefined;
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}
