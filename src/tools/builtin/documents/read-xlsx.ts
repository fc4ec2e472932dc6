import readWorkbook from 'read-excel-file/universal';
import type { DocumentText } from './document.ts';
import { markdownTable } from './markdown-table.ts';
import { unzip, type ZipLimits, zipStored } from './zip-archive.ts';

/** All sheets of an Excel workbook as tables. Formulas are shown by their last results. Throws `DocumentError`. */
export async function readXlsx(bytes: Buffer, limits: ZipLimits): Promise<DocumentText> {
  const files = unzip(bytes, limits, (name) => /\.(?:xml|rels)$/i.test(name));
  const sheets = await readWorkbook(new Blob([new Uint8Array(zipStored(files))]));
  const texts = sheets.map(({ sheet, data }) => {
    const table = markdownTable(data.map((row) => row.map(cellText)));
    return `## ${sheet.replace(/\s+/g, ' ')}\n\n${table === '' ? '(empty)' : table}`;
  });
  return { kind: 'Excel workbook', text: texts.join('\n\n') };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(value.getTime())) return '';
  return value.toISOString().replace('T00:00:00.000Z', '').replace('T', ' ').replace('.000Z', '');
}
