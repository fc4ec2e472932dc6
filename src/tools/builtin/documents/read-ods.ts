import { markdownTable, mostDocumentText } from './document.ts';
import { type Attributes, walk } from './office-archive.ts';
import { evened } from './read-xlsx.ts';

/** Cells and rows that are repeated so often are shown once: programs fill sheets to their end that way. */
const mostRepeated = 200;

/** The limit of LibreOffice. */
const mostColumns = 16_384;

/**
 * All sheets of an OpenDocument spreadsheet as tables, in order, hidden ones too. Numbers and days are what is stored,
 * all else is what is shown.
 */
export function readOds(xml: string): string {
  const sheets: string[] = [];
  let rows: string[][] = [];
  let row: string[] = [];
  let [column, rowRepeats, room] = [0, 1, mostDocumentText];
  let cell: { readonly attributes: Attributes; text: string; readonly isMain: boolean } | undefined;
  let name = '';
  let depth = 0;
  let style = '';
  const hiddenStyles = new Set<string>();

  const endCell = (): void => {
    if (cell === undefined) return;
    const count = Math.max(1, Number(cell.attributes['number-columns-repeated'] ?? 1) || 1);
    const text = cell.isMain ? cellText(cell.attributes, cell.text.trim()) : '';
    if (text !== '')
      for (let index = 0; index < (count > mostRepeated ? 1 : count); index += 1) {
        if (column + index >= mostColumns || room <= 0) break;
        row[column + index] = text;
        room -= text.length;
      }
    column += count;
    cell = undefined;
  };

  walk(xml, {
    open(element, attributes, isIn) {
      if (element === 'style') style = attributes.name ?? '';
      if (element === 'table-properties' && attributes.display === 'false') hiddenStyles.add(style);
      if (!isIn('spreadsheet') || isIn('tracked-changes')) return;
      if (element === 'table') depth += 1;
      if (depth !== 1) return;
      if (element === 'table') {
        const hidden = hiddenStyles.has(attributes['style-name'] ?? '') ? ' (hidden)' : '';
        [name, rows] = [`${attributes.name ?? ''}${hidden}`, []];
      }
      if (element === 'table-row') {
        [row, column] = [[], 0];
        rowRepeats = Number(attributes['number-rows-repeated'] ?? 1) || 1;
      }
      if (element === 'table-cell' || element === 'covered-table-cell')
        cell = { attributes, text: '', isMain: element === 'table-cell' };
      if (element === 'p' && cell !== undefined && cell.text !== '' && !isIn('annotation')) cell.text += ' ';
      if (element === 's' && cell !== undefined) cell.text += ' ';
    },
    close(element, isIn) {
      if (!isIn('spreadsheet') && element !== 'spreadsheet') return;
      if (element === 'table') {
        if (depth === 1) sheets.push(`## ${name.replace(/\s+/g, ' ')}\n\n${markdownTable(evened(rows)) || '(empty)'}`);
        depth -= 1;
      }
      if (depth !== 1) return;
      if (element === 'table-cell' || element === 'covered-table-cell') endCell();
      if (element !== 'table-row' || row.length === 0) return;
      for (let index = 0; index < (rowRepeats > mostRepeated ? 1 : rowRepeats) && room > 0; index += 1) {
        if (index > 0) room -= row.join('').length;
        rows.push(row);
      }
    },
    text(text, isIn) {
      if (cell !== undefined && isIn('p') && !isIn('annotation') && !isIn('tracked-changes')) cell.text += text;
    },
  });
  return sheets.join('\n\n');
}

function cellText(attributes: Attributes, shown: string): string {
  switch (attributes['value-type']) {
    case 'float':
      return attributes.value ?? shown;
    case 'date':
      return (attributes['date-value'] ?? shown).replace(/(?:T00:00:00)?(?:\.0+)?Z?$/, '').replace('T', ' ');
    case undefined:
      // A formula that nothing has reckoned yet: `of:=[.B2]*2`.
      return shown || (attributes.formula ?? '').replace(/^\w+:(?==)/, '').slice(0, 500);
    default:
      return shown;
  }
}
