import type Sqlite from 'better-sqlite3';

/*
 * The numbers of messages, turns and outgoing messages: each is higher than that of any row before, also of rows that are
 * gone, because conversations, summaries and programs remember up to which number they have read. SQLite could see to that
 * itself, and would write a row of a further table for each row that is added. Instead, the highest number is kept where its
 * row is removed, which is seldom.
 */

/** The tables whose rows are numbered so, by the columns of their numbers. */
const numbered = { inbox: 'seq', turns: 'id', outbox: 'seq' } as const;

type Numbered = keyof typeof numbered;

/** The number of the next row of each, and its column: an expression for statements. */
export const nextNumber = { inbox: nextIn('inbox'), turns: nextIn('turns'), outbox: nextIn('outbox') } as const;

/** A column and the SQL of its value. */
export interface NumberedColumn {
  readonly column: string;
  readonly next: string;
}

function nextIn(table: Numbered): NumberedColumn {
  const column = numbered[table];
  const next = `(SELECT max(coalesce((SELECT max(${column}) FROM ${table}), 0),
    coalesce((SELECT number FROM gone_numbers WHERE name = '${table}'), 0)) + 1)`;
  return { column, next };
}

/**
 * SQLite itself no longer numbers these tables. It has no statement for that but to make each table again; their rows stay as they
 * are, so the word is taken out of their definitions, as https://www.sqlite.org/lang_altertable.html describes for
 * changes that concern no row.
 */
export function numberNoMore(sqlite: Sqlite.Database): void {
  sqlite.unsafeMode(true);
  sqlite.pragma('writable_schema = ON');
  sqlite
    .prepare(
      `UPDATE sqlite_schema SET sql = replace(sql, ' PRIMARY KEY AUTOINCREMENT', ' PRIMARY KEY')
       WHERE type = 'table' AND name IN ('inbox', 'turns', 'outbox')`,
    )
    .run();
  sqlite.pragma('writable_schema = RESET');
  sqlite.unsafeMode(false);
}
