import { type Figures, median } from './measuring.ts';
import type { Row } from './row.ts';

/** What was measured of a subject in each round of a row. */
export interface Measured {
  readonly row: Row;
  /** By the name of the subject, in the order of the columns. The others are compared with the first. */
  readonly rounds: ReadonlyMap<string, readonly Figures[]>;
}

/** A row's part of the table: medians of all rounds, and how the first subject compares with the others. */
export function tableOf({ row, rounds }: Measured): string {
  const names = [...rounds.keys()];
  const [first = '', ...others] = names;
  const figures = [...new Set([...rounds.values()].flat().flatMap((round) => Object.keys(round)))];
  const head = ['figure', ...names, ...others.map((other) => `${first}/${other}`)];
  const lines = figures.map((figure) => {
    const [own, ...theirs] = names.map((name) => medianOf(rounds.get(name) ?? [], figure));
    return [figure, ...[own, ...theirs].map(shown), ...theirs.map((their) => ratio(own, their))];
  });
  const runs = Math.max(...[...rounds.values()].map(({ length }) => length));
  return `\n**${row.name}**: ${row.about} (${runs} ${runs === 1 ? 'round' : 'rounds'})\n\n${markdown([head, ...lines])}\n`;
}

export function medianOf(rounds: readonly Figures[], figure: string): number | undefined {
  const values = rounds.flatMap((round) => round[figure] ?? []);
  return values.length === 0 ? undefined : median(values);
}

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function ratio(own: number | undefined, their: number | undefined): string {
  // What the other does not do at all is beyond comparison.
  return own === undefined || their === undefined || their < 0.5 ? '' : (own / their).toFixed(2);
}

function markdown([head = [], ...lines]: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [row(head), `| ${rule.join(' | ')} |`, ...lines.map(row)].join('\n');
}
