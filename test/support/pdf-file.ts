import { deflateSync } from 'node:zlib';

export interface PdfFileOptions {
  readonly title?: string;
  /** Says that a password is needed. */
  readonly encrypted?: boolean;
}

/** A PDF with a page for each of the texts; an empty one makes a page without text. */
export function pdfFile(pages: readonly string[], { title = '', encrypted = false }: PdfFileOptions = {}): Buffer {
  return pdfOfStreams(
    pages.map((text) => Buffer.from(text === '' ? '' : contentOf(text))),
    { title, encrypted },
  );
}

/** A PDF of one page whose few kilobytes unpack to so many bytes. */
export function pdfBomb(bytes: number): Buffer {
  return pdfOfStreams([Buffer.alloc(bytes, ' ')], {});
}

/** Text in a font that is not in the PDF: its codes are read by a CMap that every reader is expected to have. */
export interface CodedText {
  readonly cmap: string;
  /** The character collection: `GB1`. */
  readonly collection: string;
  readonly codes: Buffer;
}

/** A PDF of one page with the texts, each in a line and a font of its own. */
export function pdfOfCodes(texts: readonly CodedText[]): Buffer {
  const fonts = texts.map(
    ({ cmap, collection }, index) =>
      `/C${index} << /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${cmap} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (${collection}) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Song /Flags 4 >> >>] >>`,
  );
  const lines = texts.map(({ codes }, index) => `/C${index} 12 Tf <${codes.toString('hex')}> Tj T*`);
  return pdfOfStreams([Buffer.from(`BT 72 720 Td 14 TL ${lines.join(' ')} ET`)], { fonts: fonts.join(' ') });
}

function contentOf(text: string): string {
  const lines = text.split('\n').map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`);
  return `BT /F1 12 Tf 72 720 Td 14 TL ${lines.join(' ')} ET`;
}

function pdfOfStreams(
  streams: readonly Buffer[],
  { title = '', encrypted = false, fonts = '' }: PdfFileOptions & { readonly fonts?: string },
): Buffer {
  const kids = streams.map((_, index) => `${5 + index * 2} 0 R`).join(' ');
  const objects: Buffer[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${title}) >>`,
  ].map((text) => Buffer.from(text));
  for (const [index, stream] of streams.entries()) {
    const packed = deflateSync(stream, { level: 1 });
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R ${fonts} >> >> /Contents ${6 + index * 2} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  return assemble(objects, encrypted ? encryption : '');
}

const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'00'.repeat(32)}> /U <${'00'.repeat(32)}> /P -4 >> /ID [<00> <00>]`;

function assemble(objects: readonly Buffer[], trailer: string): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, content] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), content, Buffer.from('\nendobj\n')]);
    offsets.push(length);
    length += part.length;
    parts.push(part);
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  const end = `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}
