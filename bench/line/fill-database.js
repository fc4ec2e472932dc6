// @ts-check
// Fills a database of Keyturn with conversations like the one in it, with texts of this many bytes:
//   node fill-database.js FILE CONVERSATIONS BYTES
// It copies the rows of that conversation as they are, but for what has to differ: so it knows little of the schema.
import Sqlite from 'better-sqlite3';

const [, , file = '', conversations = '', bytes = ''] = process.argv;
const tables = ['conversations', 'participants', 'inbox', 'turns', 'outbox', 'languages'];
/** How many rows of a table one conversation may have. */
const step = 1000;

const sqlite = new Sqlite(file);
sqlite.pragma('foreign_keys = OFF');
const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @conversations)';
sqlite.transaction(() => {
  for (const table of tables) {
    const columns = sqlite.prepare(`SELECT name, type, pk FROM pragma_table_info('${table}')`).all();
    const values = columns.map((column) => cellOf(table, /** @type {any} */ (column)));
    const names = columns.map((column) => /** @type {any} */ (column).name);
    sqlite
      .prepare(
        `${numbers} INSERT OR IGNORE INTO ${table} (${names.join()}) SELECT ${values.join()} FROM ${table}, numbers`,
      )
      .run({ conversations: Number(conversations) });
  }
})();
sqlite.pragma('wal_checkpoint(TRUNCATE)');
sqlite.close();

/**
 * What stands in a column of a copy.
 * @param {string} table
 * @param {{ readonly name: string; readonly type: string; readonly pk: number }} column
 */
function cellOf(table, { name, type, pk }) {
  if (/seq$|_turn$/.test(name) || (pk > 0 && type === 'INTEGER'))
    return `CASE WHEN ${name} > 0 THEN ${name} + n * ${step} ELSE ${name} END`;
  if (name === 'chat_id') return `'' || (1000000 + n)`;
  if (name === 'text') return `substr(hex(zeroblob(${bytes})), 1, ${bytes}) || ${name}`;
  if (name === 'key' || name === 'run_id' || (table === 'outbox' && name === 'id')) return `${name} || '-' || n`;
  if (/^(?:id|lane|conversation_id|principal)$/.test(name))
    return `replace(${name}, 'telegram:100', 'telegram:' || (1000000 + n))`;
  return name;
}
