import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import './table.css';
import { say } from '../lib/language.ts';
import { Icon } from './icon.tsx';
import { componentWords } from './words.ts';

export interface Column<Row> {
  readonly name: string;
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** By what rows are sorted. Omitted: they cannot be sorted by this column. */
  readonly sortBy?: (row: Row) => string | number;
  /** Numbers stand at the end of their cell. */
  readonly isNumber?: boolean;
}

interface TableProps<Row> {
  /** What it lists, for readers of the screen. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

interface Sorting {
  readonly by: string;
  readonly isDescending: boolean;
}

/** Rows and columns. On a phone each row is a card. A press on a heading sorts. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  const [sorting, sort] = useState<Sorting>();
  return (
    <table class="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.name}
              scope="col"
              class={column.isNumber === true ? 'table-number' : undefined}
              aria-sort={orderOf(column, sorting)}
            >
              {column.sortBy === undefined ? (
                column.head
              ) : (
                <button
                  type="button"
                  class="table-sort"
                  title={say(componentWords).sortBy({ column: column.head })}
                  onClick={() =>
                    sort({ by: column.name, isDescending: sorting?.by === column.name && !sorting.isDescending })
                  }
                >
                  {column.head}
                  {sorting?.by === column.name && <Icon name={sorting.isDescending ? 'down' : 'up'} />}
                </button>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted(rows, columns, sorting).map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td
                key={column.name}
                data-label={column.head}
                class={column.isNumber === true ? 'table-number' : undefined}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function orderOf<Row>(column: Column<Row>, sorting: Sorting | undefined): 'ascending' | 'descending' | undefined {
  if (sorting?.by !== column.name) return undefined;
  return sorting.isDescending ? 'descending' : 'ascending';
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const sortBy = columns.find(({ name }) => name === sorting?.by)?.sortBy;
  if (sortBy === undefined || sorting === undefined) return rows;
  const ascending = rows.toSorted((a, b) => compared(sortBy(a), sortBy(b)));
  return sorting.isDescending ? ascending.toReversed() : ascending;
}

function compared(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
