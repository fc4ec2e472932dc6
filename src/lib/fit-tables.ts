import { beginningOfText, readLine } from './split/markdown-lines.ts';

/** The largest table that is shown as one. */
export interface TableLimits {
  /** With the head. */
  readonly rows: number;
  readonly columns: number;
  readonly characters: number;
}

/** Adapts tables to readers that want every cell: missing and empty cells get a space, and oversized tables become code. */
export function fitTables(markdown: string, most: TableLimits): string {
  // Every table has bars, and dashes below its head.
  if (!markdown.includes('|') || !markdown.includes('-')) return markdown;
  const lines = markdown.split('\n');
  const fitted: string[] = [];
  let reading = beginningOfText;
  for (let begin = 0, end = 0; begin < lines.length; begin = Math.max(end, begin + 1)) {
    const line = lines[begin] ?? '';
    reading = readLine(`${line}\n`, reading).next;
    end = reading.fence === undefined ? tableEnd(lines, begin) : begin;
    fitted.push(...(end === begin ? [line] : fitTable(lines.slice(begin, end), most)));
  }
  return fitted.join('\n');
}

const delimiterRow = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

/** The index after the table that starts at this line; `begin` if none does. */
function tableEnd(lines: readonly string[], begin: number): number {
  const [head = '', delimiters = ''] = lines.slice(begin, begin + 2);
  if (!head.includes('|') || !delimiterRow.test(delimiters.trim())) return begin;
  if (cellsIn(head).length !== cellsIn(delimiters).length) return begin;
  let end = begin + 2;
  while ((lines[end] ?? '').includes('|')) end += 1;
  return end;
}

function fitTable(rows: readonly string[], most: TableLimits): readonly string[] {
  const characters = rows.reduce((sum, row) => sum + row.length, 0);
  const columns = Math.max(...rows.map((row) => cellsIn(row).length));
  if (rows.length - 1 > most.rows || columns > most.columns || characters > most.characters)
    return ['```', ...rows, '```'];
  return rows.map((row, index) => (index === 1 ? row : filled(row, cellsIn(rows[0] ?? '').length)));
}

function cellsIn(row: string): readonly string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  return cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined);
}

/** Adds missing cells, and fills empty ones with a space. */
function filled(row: string, columns: number): string {
  const missing = columns - cellsIn(row).length;
  const closed = missing <= 0 || row.trimEnd().endsWith('|') ? row : `${row} |`;
  return (closed + '|'.repeat(Math.max(0, missing))).replace(/(?<!\\)\|[ \t]*(?=\|)/g, '| ');
}
