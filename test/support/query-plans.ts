import Sqlite from 'better-sqlite3';
import { migrations } from '../../src/store/migrations.ts';
import { planOnce } from '../../src/store/sqlite-sql.ts';
import { type Node, nameOf, nodesIn, type SourceFile, statementsOf, textOf } from './architecture/source-file.ts';

/** Indexes that hold only what is open: reading one reads only that. */
const ofWhatIsOpen =
  /USING (?:COVERING )?INDEX (?:pending_approvals|open_conversations|running_sub_runs|outbox_to_deliver|outbox_parked|open_calls)\b/;

/** Statements that read from a row on to the end on purpose, by words of theirs, and why that is little. */
const toTheEnd: Readonly<Record<string, string>> = {
  'WHERE turns.id <= (SELECT max(id) FROM turns)': 'the newest, back to a day, and 20,000 at most',
  'WHERE calls.id >= ? AND calls.id < ?': 'those that begin alike, and two at most',
  'WHERE seq > (SELECT max(seq) FROM outbox) - 1000': 'the newest thousand',
  'WHERE below.seq BETWEEN card.seq + 1 AND card.seq + 1000': 'the next thousand',
  'FROM audit WHERE seq > ? ORDER BY seq LIMIT 1000':
    'all of the audit, a thousand at a time, to chain it or to prove it',
  'DESC LIMIT @window': 'the newest before a row, so many and no more',
  'ORDER BY seq LIMIT @window': 'those from a row on, so many and no more',
  'id < @before AND looked.id >= @oldest': 'a window between two rows',
  'created_at AS at FROM outbox WHERE seq >= ? ORDER BY seq LIMIT 1': 'the next one',
  'ORDER BY seq LIMIT 200': 'a step of what is removed because of its age',
  'ORDER BY turns.id LIMIT 200': 'the same',
  'ORDER BY summaries.id LIMIT 200': 'the same',
  'AND sent_at < @until AND received_at >= @from': 'what has come in since the last start',
};

const begins = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/;

/** A database with the core's tables, and those that these steps make. */
export function databaseWith(steps: readonly string[] = []): Sqlite.Database {
  const sqlite = new Sqlite(':memory:');
  for (const { core } of migrations) sqlite.exec(core);
  for (const step of steps) sqlite.exec(step);
  return sqlite;
}

export function tablesOf(sqlite: Sqlite.Database): readonly string[] {
  return sqlite.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
}

/** Texts that begin as statements do, and are no part of another one, with their holes filled in. */
export function statementsIn(file: SourceFile): readonly string[] {
  const constants = new Map<string, { readonly node: Node; readonly text: string }>();
  const parts = new Set<Node>();
  const fill = (node: Node): string => {
    if (node.type === 'Literal') return String(node.value);
    const found = nodesIn(node.expressions).map((hole) => constants.get(nameOf(hole) ?? ''));
    // Put together at each call, a text would have to be read through each time to be found among those that are prepared.
    if (found.includes(undefined)) throw new Error(`${file.path}: a text with holes has to be a constant of its file`);
    for (const one of found) if (one !== undefined) parts.add(one.node);
    return nodesIn(node.quasis)
      .map((piece, index) => textOf({ ...node, quasis: [piece] }) + (found[index]?.text ?? ''))
      .join('');
  };
  const texts = (node: Node): boolean => node.type === 'Literal' || node.type === 'TemplateLiteral';
  const ofConstants = statementsOf(file)
    .flatMap(({ declarations }) => nodesIn(declarations))
    .flatMap(({ id, init }) =>
      nodesIn(init)
        .flatMap((one) => [one, ...nodesIn(one.properties).flatMap(({ value }) => nodesIn(value))])
        .filter(texts)
        .map((node) => {
          const text = fill(node);
          constants.set(nameOf(id) ?? '', { node, text });
          return { node, text };
        }),
    );
  const known = new Set(ofConstants.map(({ node }) => node));
  const others = file.nodes.filter((node) => texts(node) && !known.has(node) && begins.test(textOf(node) ?? ''));
  const whole = ofConstants.filter(({ node }) => !parts.has(node)).map(({ text }) => text);
  return [...whole, ...others.map(fill)].filter((text) => begins.test(text));
}

export function planOf(sqlite: Sqlite.Database, sql: string): readonly string[] {
  const named = Object.fromEntries(Array.from(sql.matchAll(/@(\w+)/g), ([, name]) => [String(name), '1']));
  const marks = sql.includes('@') ? [named] : Array.from(sql.matchAll(/\?/g), () => '1');
  const plan = sqlite.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${planOnce(sql)}`);
  return plan.all(...marks).map(({ detail }) => detail);
}

/**
 * Steps of these statements that read a table or an index from one end, or from one row, to the other end, except the
 * small tables. What a step before has found is no table.
 */
export function scansIn(sqlite: Sqlite.Database, prepared: readonly string[], small: readonly string[]) {
  const tables = new Set(tablesOf(sqlite).filter((name) => !small.includes(name)));
  return prepared.flatMap((sql) =>
    scansOf(sqlite, sql, tables).map((detail) => `${detail}: ${sql.replaceAll(/\s+/g, ' ')}`),
  );
}

function scansOf(sqlite: Sqlite.Database, sql: string, tables: ReadonlySet<string>): readonly string[] {
  return planOf(sqlite, sql).filter((detail) => {
    if (/\((?:turn_id|seq|id|rowid)[<>]/.test(detail))
      return !Object.keys(toTheEnd).some((words) => sql.includes(words));
    const name = /^SCAN (\S+)/.exec(detail)?.[1];
    const table = name === undefined ? undefined : (aliased(sql, name) ?? name);
    return table !== undefined && tables.has(table) && !ofWhatIsOpen.test(detail);
  });
}

/** The table that is called so in the statement. */
function aliased(sql: string, alias: string): string | undefined {
  return new RegExp(`(?:FROM|JOIN)\\s+(\\w+)\\s+(?:AS\\s+)?${alias}\\b`).exec(sql)?.[1];
}
