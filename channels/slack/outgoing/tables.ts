import { fenceAfter, type OpenFence } from './fences.ts';

/** What a table of Slack holds. What is larger is shown as code, as it was written. */
const most = { rows: 100, columns: 20, characters: 10_000 } as const;

const delimiterRow = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

/** The markdown with tables that Slack takes: empty cells hold a space, and what is too large a table is code. */
export function fitTables(markdown: string): string {
  // A line of a table has a bar, and the one below its head has dashes.
  if (!markdown.includes('|') || !markdown.includes('-')) return markdown;
  const lines = markdown.split('\n');
  const fitted: string[] = [];
  let fence: OpenFence | undefined;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    fence = fenceAfter(fence, line);
    const end = fence === undefined ? tableEnd(lines, index) : index;
    if (end === index) {
      fitted.push(line);
      continue;
    }
    fitted.push(...fitTable(lines.slice(index, end)));
    index = end - 1;
  }
  return fitted.join('\n');
}

/** Where the table ends that begins with this line; the line itself if none does. */
function tableEnd(lines: readonly string[], begin: number): number {
  const [head = '', delimiters = ''] = lines.slice(begin, begin + 2);
  if (!head.includes('|') || !delimiterRow.test(delimiters.trim())) return begin;
  if (cellsIn(head).length !== cellsIn(delimiters).length) return begin;
  let end = begin + 2;
  while ((lines[end] ?? '').includes('|')) end += 1;
  return end;
}

function fitTable(rows: readonly string[]): readonly string[] {
  const characters = rows.reduce((sum, row) => sum + row.length, 0);
  const columns = Math.max(...rows.map((row) => cellsIn(row).length));
  if (rows.length - 1 > most.rows || columns > most.columns || characters > most.characters)
    return ['```', ...rows, '```'];
  return rows.map((row, index) => (index === 1 ? row : filled(row, cellsIn(rows[0] ?? '').length)));
}

/** What stands between bars that are not escaped. */
function cellsIn(row: string): readonly string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  return cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined);
}

/** A row may have fewer cells than the head. */
function filled(row: string, columns: number): string {
  const missing = columns - cellsIn(row).length;
  const closed = missing <= 0 || row.trimEnd().endsWith('|') ? row : `${row} |`;
  return (closed + '|'.repeat(Math.max(0, missing))).replace(/(?<!\\)\|[ \t]*(?=\|)/g, '| ');
}
