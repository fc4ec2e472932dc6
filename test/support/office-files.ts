import { type ZipFileOptions, zipFile } from './zip-file.ts';

const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`;

function relations(targets: readonly (readonly [kind: string, target: string])[]): string {
  const rows = targets.map(
    ([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${kind}" Target="${target}"/>`,
  );
  return `<?xml version="1.0"?><Relationships xmlns="${relationships}">${rows.join('')}</Relationships>`;
}

/** A Word document with this WordprocessingML as its body, and with these further parts. */
export function docxFile(
  body: string,
  options: ZipFileOptions = {},
  parts: Readonly<Record<string, string>> = {},
): Buffer {
  const name = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return zipFile(
    {
      '[Content_Types].xml': types,
      '_rels/.rels': relations([['officeDocument', 'word/document.xml']]),
      'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="${name}"><w:body>${body}</w:body></w:document>`,
      ...parts,
    },
    options,
  );
}

/** A paragraph of a Word document. */
export function paragraph(text: string, run = '', style = ''): string {
  const head = style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${head}<w:r><w:rPr>${run}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
}

/** An Excel workbook with sheets of these rows. */
export function xlsxFile(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const names = Object.keys(sheets);
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return zipFile({
    '[Content_Types].xml': types,
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
    ),
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<?xml version="1.0"?><worksheet xmlns="${main}"><sheetData>${rows.map(row).join('')}</sheetData></worksheet>`,
      ]),
    ),
  });
}

function row(cells: readonly (string | number)[], index: number): string {
  const written = cells.map((cell, column) => {
    const place = `${String.fromCharCode(65 + column)}${index + 1}`;
    return typeof cell === 'number'
      ? `<c r="${place}"><v>${cell}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${index + 1}">${written.join('')}</row>`;
}
