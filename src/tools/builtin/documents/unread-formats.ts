import type { OfficeArchive } from './office-archive.ts';

/** A format that is not read, and what to do instead. Each is known by its content. */
interface UnreadFormat {
  readonly what: string;
  readonly mend: string;
}

const asPdf = 'Ask for it as PDF.';
const encrypted = 'The document is encrypted: it cannot be read without its password.';

/** The streams that tell what an old Office file (OLE) is, by their names. */
const oldFormats: readonly (readonly [stream: string, format: UnreadFormat])[] = [
  ['WordDocument', { what: 'a document of an old Word (.doc)', mend: 'Ask for it as .docx or PDF.' }],
  ['PowerPoint Document', { what: 'a presentation of an old PowerPoint (.ppt)', mend: 'Ask for it as .pptx or PDF.' }],
  ['Workbook', { what: 'a workbook of an old Excel (.xls)', mend: 'Ask for it as .xlsx or CSV.' }],
  ['Book', { what: 'a workbook of an old Excel (.xls)', mend: 'Ask for it as .xlsx or CSV.' }],
  ['__substg1.0_', { what: 'a mail of Outlook (.msg)', mend: 'Ask for it as .eml, or have it forwarded.' }],
  ['HwpSummaryInformation', { what: 'a document of Hangul (.hwp)', mend: 'Ask for it as .docx, .odt or PDF.' }],
  ['VisioDocument', { what: 'a drawing of Visio (.vsd)', mend: asPdf }],
];

/** Why an old Office file is not read. */
export function oldOfficeWords(bytes: Buffer): string {
  const holds = (name: string): boolean => bytes.includes(name, 0, 'utf16le');
  if (holds('EncryptedPackage')) return encrypted;
  const found = oldFormats.find(([stream]) => holds(stream))?.[1];
  return wordsOf(
    found ?? {
      what: 'a document of an old Office (.doc, .xls, .ppt)',
      mend: 'Ask for it as .docx, .xlsx, .pptx or PDF.',
    },
  );
}

/** Why an archive is not read. */
export function archiveWords({ names }: OfficeArchive): string {
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  if (has(/^index\/.*\.iwa$|^index\.zip$/))
    return wordsOf({
      what: 'a document of Apple Keynote, Pages or Numbers',
      mend: 'Ask for it as PDF, or exported to PowerPoint, Word or Excel.',
    });
  if (has(/^contents\/section\d+\.xml$/))
    return wordsOf({ what: 'a document of Hangul (.hwpx)', mend: 'Ask for it as .docx, .odt or PDF.' });
  if (has(/^visio\//)) return wordsOf({ what: 'a drawing of Visio (.vsdx)', mend: asPdf });
  if (has(/\.fpage$|fixeddocumentsequence/)) return wordsOf({ what: 'an XPS document', mend: asPdf });
  return wordsOf({ what: 'a zip archive, and no document', mend: 'Unpack it with a command, and read what is in it.' });
}

/** The first bytes of other formats, in hexadecimal, and where they stand. */
const signatures: readonly (readonly [place: number, start: string, format: UnreadFormat])[] = [
  [60, '424f4f4b4d4f4249', { what: 'a book for Kindle (.mobi, .azw)', mend: 'Ask for it as .epub or PDF.' }],
  [0, '41542654464f524d', { what: 'a DjVu document', mend: asPdf }],
  [0, '49545346', { what: 'a help file (.chm)', mend: asPdf }],
  [0, 'e4525c7b8cd8a74d', { what: 'a section of OneNote (.one)', mend: asPdf }],
  [0, '526172211a07', { what: 'a RAR archive', mend: 'Unpack it with a command, and read what is in it.' }],
  [0, '377abcaf271c', { what: 'a 7-Zip archive', mend: 'Unpack it with a command, and read what is in it.' }],
  [0, '1f8b', { what: 'packed with gzip', mend: 'Unpack it with a command, and read what is in it.' }],
];

/** Why other bytes are not read. */
export function foreignWords(bytes: Buffer): string {
  const found = signatures.find(([place, start]) =>
    bytes.toString('hex', place, place + start.length / 2).startsWith(start),
  );
  return found === undefined ? 'It is no document that can be read, and no text.' : wordsOf(found[2]);
}

function wordsOf({ what, mend }: UnreadFormat): string {
  return `It is ${what}, which cannot be read as a document. ${mend}`;
}
