import { parse } from 'csv-parse/sync';
import type { DocumentText } from './document.ts';
import { markdownTable } from './markdown-table.ts';

const delimiters = [',', ';', '\t', '|'] as const;
/** How many lines tell what separates the columns. */
const sample = 20;

/** The text as a table, if the same character separates columns in its first lines; else undefined. */
export function readDelimited(text: string): DocumentText | undefined {
  const delimiter = delimiterOf(text);
  if (delimiter === undefined) return undefined;
  return {
    kind: delimiter === '\t' ? 'table of tab-separated values' : `table of values separated by "${delimiter}"`,
    text: markdownTable(parseRows(text, delimiter)),
  };
}

/** The one by which the first lines fall into the same number of columns, the more the better. */
function delimiterOf(text: string): string | undefined {
  const lines = text.split(/\r?\n/, sample * 2).filter((line) => line.trim() !== '');
  const head = lines.slice(0, sample).join('\n');
  const candidates = delimiters.map((delimiter) => ({ delimiter, columns: commonColumns(head, delimiter) }));
  const best = candidates.reduce((so, candidate) => (candidate.columns > so.columns ? candidate : so));
  return best.columns > 1 ? best.delimiter : undefined;
}

/** How many columns most rows have; 0 if there is no such number. */
function commonColumns(head: string, delimiter: string): number {
  const counts = parseRows(head, delimiter).map((row) => row.length);
  const first = counts[0] ?? 0;
  const alike = counts.filter((count) => count === first).length;
  return counts.length > 1 && alike >= counts.length * 0.8 ? first : 0;
}

function parseRows(text: string, delimiter: string): string[][] {
  return parse(text, {
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
}
