import type { Sql } from './sql.ts';

/** The number of the schema: how many steps it has taken. */
export async function schemaNumberOf(sql: Sql): Promise<number> {
  return await sql.number('PRAGMA user_version');
}

export interface TableCount {
  readonly table: string;
  readonly rows: number;
}

/** How many rows each table has: no content. Tables of SQLite's own are left out. */
export async function tableCounts(sql: Sql): Promise<readonly TableCount[]> {
  const tables = await sql.texts(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
  );
  const counts: TableCount[] = [];
  // The names are those of our own schema.
  for (const table of tables)
    counts.push({ table, rows: await sql.number(`SELECT count(*) FROM "${table.replaceAll('"', '""')}"`) });
  return counts;
}
