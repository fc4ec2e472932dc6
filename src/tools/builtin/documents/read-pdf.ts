import { getDocumentProxy } from 'unpdf';
import { DocumentError, type DocumentText, mostDocumentText } from './document.ts';

/** The text of a PDF, page by page. Throws `DocumentError`. */
export async function readPdf(bytes: Buffer): Promise<DocumentText> {
  // The library takes the buffer over, and wants no `Buffer`.
  const pdf = await open(new Uint8Array(bytes));
  const parts: string[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages && length < mostDocumentText; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    page.cleanup();
    length += text.length;
    parts.push(text.trim());
  }
  if (parts.every((text) => text === '')) {
    throw new DocumentError(
      `The PDF has ${pdf.numPages === 1 ? 'one page' : `${pdf.numPages} pages`} and no text: it probably was scanned, so that its pages are pictures.`,
    );
  }
  const title = await titleOf(pdf);
  return {
    kind: 'PDF',
    ...(title === undefined ? {} : { title }),
    text: parts.map((text, index) => `[PDF page ${index + 1} of ${pdf.numPages}]\n${text}`).join('\n\n'),
    ...(parts.length < pdf.numPages ? { note: `Only the first ${parts.length} pages of the PDF are shown.` } : {}),
  };
}

async function open(bytes: Uint8Array): ReturnType<typeof getDocumentProxy> {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'PasswordException')
      throw new DocumentError('The PDF is encrypted: it cannot be read without its password.', { cause });
    if (name === 'InvalidPDFException') throw new DocumentError('The PDF is broken.', { cause });
    throw cause;
  }
}

async function titleOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<string | undefined> {
  const { info } = await pdf.getMetadata();
  const title: unknown = 'Title' in info ? info.Title : undefined;
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}
