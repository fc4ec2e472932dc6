/** The rows as a table of markdown, the first as its head. Empty rows, and columns that are empty in every row, are left out at the end. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(cellText)).filter((row) => row.some((cell) => cell !== ''));
  const width = cells.reduce((widest, row) => Math.max(widest, row.findLastIndex((cell) => cell !== '') + 1), 0);
  const [head, ...body] = cells.map((row) => line(Array.from({ length: width }, (_, column) => row[column] ?? '')));
  if (head === undefined) return '';
  return [head, line(Array.from({ length: width }, () => '---')), ...body].join('\n');
}

function cellText(cell: string): string {
  return cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
