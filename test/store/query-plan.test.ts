import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrations } from '../../src/store/migrations.ts';
import { planOnce } from '../../src/store/sql.ts';
import {
  type Node,
  nameOf,
  nodesIn,
  readFiles,
  type SourceFile,
  statementsOf,
  textOf,
} from '../support/architecture/source-file.ts';

/** Tables that stay small, whatever happens: reading all of one is cheap. */
const small: Readonly<Record<string, string>> = {
  lifetime: 'one row',
  heard: 'a row a channel',
  moves: 'few chats are given another id',
  owners: 'few people',
  paired: 'few people',
  pairing_codes: 'codes that are open',
  links: 'few accounts',
  link_codes: 'codes that are open',
  time_zones: 'at most two for each person who talks here',
  languages: 'at most three for each person who talks here',
  devices: 'few for each person',
  device_sessions: 'so many for each person, and no more',
  device_files: 'those of a week',
  trusted: 'few things come from others',
  composed_tools: 'few, and made by hand',
  file_watches: 'calls that run',
};

/** What is looked up in an index of words, and what was found in it. */
const words = ['memory_words', 'found'];

/** Indexes that hold only what is open: reading one reads only that. */
const ofWhatIsOpen =
  /USING (?:COVERING )?INDEX (?:pending_approvals|open_conversations|running_sub_runs|outbox_streaming|outbox_to_deliver|outbox_parked|open_calls)\b/;

/** Statements that read from a row on to the end on purpose, by words of theirs, and why that is little. */
const toTheEnd: Readonly<Record<string, string>> = {
  'AND sent_at < @until AND received_at >= @from': 'what has come in since the last start',
};

/** The files that ask a database for what it is, and not for what stands in its tables; and that which adds rows. */
const others = ['src/store/open.ts', 'src/store/examine.ts', 'src/store/database-files.ts', 'src/store/sql.ts'];
const begins = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/;

/** All statements of the store, from the texts in its files. */
function statements(): { readonly sqlite: Sqlite.Database; readonly prepared: readonly string[] } {
  const sqlite = new Sqlite(':memory:');
  for (const step of migrations) sqlite.exec(step);
  const files = readFiles(join(import.meta.dirname, '../..'), ['src/store/*.ts']);
  return { sqlite, prepared: files.filter(({ path }) => !others.includes(path)).flatMap(statementsIn) };
}

/** Texts that begin as statements do, and are no part of another one, with their holes filled in. */
function statementsIn(file: SourceFile): readonly string[] {
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

function planOf(sqlite: Sqlite.Database, sql: string): readonly string[] {
  const named = Object.fromEntries(Array.from(sql.matchAll(/@(\w+)/g), ([, name]) => [String(name), '1']));
  const marks = sql.includes('@') ? [named] : Array.from(sql.matchAll(/\?/g), () => '1');
  const plan = sqlite.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${planOnce(sql)}`);
  return plan.all(...marks).map(({ detail }) => detail);
}

/** Steps that read a table or an index from one end, or from one row, to the other end. What a step before has found is no table. */
function scansOf(sqlite: Sqlite.Database, sql: string): readonly string[] {
  const tables = new Set(
    sqlite.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all(),
  );
  return planOf(sqlite, sql).filter((detail) => {
    if (/\((?:turn_id|seq|id|rowid)[<>]/.test(detail))
      return !Object.keys(toTheEnd).some((words) => sql.includes(words));
    const name = /^SCAN (\S+)/.exec(detail)?.[1];
    const table = name === undefined ? undefined : (aliased(sql, name) ?? name);
    return (
      table !== undefined &&
      tables.has(table) &&
      !(table in small) &&
      !words.includes(table) &&
      !ofWhatIsOpen.test(detail)
    );
  });
}

/** The table that is called so in the statement. */
function aliased(sql: string, alias: string): string | undefined {
  return new RegExp(`(?:FROM|JOIN)\\s+(\\w+)\\s+(?:AS\\s+)?${alias}\\b`).exec(sql)?.[1];
}

test('no statement reads a table that grows from one end to the other', () => {
  const { sqlite, prepared } = statements();
  expect(prepared.length).toBeGreaterThan(150);
  const scans = prepared.flatMap((sql) =>
    scansOf(sqlite, sql).map((detail) => `${detail}: ${sql.replaceAll(/\s+/g, ' ')}`),
  );
  expect(scans).toEqual([]);
});

test('the tables that are said to stay small are there', () => {
  const { sqlite } = statements();
  const tables = sqlite.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
  expect(tables).toEqual(expect.arrayContaining([...Object.keys(small), 'memory_words']));
});

test('calls that are open are found among those that are open, however many there ever were', () => {
  const { sqlite, prepared } = statements();
  const ofOpenCalls = prepared.filter((sql) => /^\s*SELECT [^(]*FROM calls [^(]*WHERE [^(]*state <> 'done'/.test(sql));
  expect(ofOpenCalls.length).toBeGreaterThan(2);
  const others = ofOpenCalls.filter((sql) => !planOf(sqlite, sql).some((detail) => detail.includes('open_calls')));
  expect(others).toEqual([]);
});
