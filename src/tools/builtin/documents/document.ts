/** A document as text. */
export interface DocumentText {
  /** What it is, for people: `PDF`, `Excel workbook`. */
  readonly kind: string;
  readonly title?: string;
  /** Markdown where the document has a structure. */
  readonly text: string;
  /** What the reader has to know beside the text: what is left out. */
  readonly note?: string;
}

/** The document can't be read, in words for the model. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/** More of one document than this is neither shown nor kept. In characters. */
export const mostDocumentText = 2_000_000;

/** More of a title than this says nothing. In characters. */
export const mostTitle = 500;
