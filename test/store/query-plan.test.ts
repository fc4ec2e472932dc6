import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFiles } from '../support/architecture/source-file.ts';
import { databaseWith, planOf, scansIn, statementsIn, tablesOf } from '../support/query-plans.ts';

/** Tables that stay small, whatever happens: reading all of one is cheap. */
const small: Readonly<Record<string, string>> = {
  lifetime: 'one row',
  identity: 'one row',
  heard: 'a row a channel',
  moves: 'few chats are given another id',
  owners: 'few people',
  paired: 'few people',
  pairing_codes: 'codes that are open',
  refused_people: 'people whom an owner has refused in the last weeks',
  group_choices: 'groups that somebody has added the bot to',
  links: 'few accounts',
  link_codes: 'codes that are open',
  time_zones: 'at most two for each person who talks here',
  languages: 'at most three for each person who talks here',
  file_watches: 'calls that run',
  feature_steps: 'a row for each step of a feature',
};

/**
 * The files that ask a database for what it is, and not for what stands in its tables; that which adds rows; and those whose
 * statements no daemon waits for, because they run in a process of their own.
 */
const others =
  'open migrate row-numbers examine database-files sql audit-proof personal forget-person overview run-story table-counts foreign-database'
    .split(' ')
    .map((name) => `src/store/${name}.ts`);

/** All statements of the store, from the texts in its files. */
const prepared = readFiles(join(import.meta.dirname, '../..'), ['src/store/*.ts'])
  .filter(({ path }) => !others.includes(path))
  .flatMap(statementsIn);

test('no statement reads a table that grows from one end to the other', () => {
  expect(prepared.length).toBeGreaterThan(120);
  expect(scansIn(databaseWith(), prepared, Object.keys(small))).toEqual([]);
});

test('the tables that are said to stay small are there', () => {
  expect(tablesOf(databaseWith())).toEqual(expect.arrayContaining(Object.keys(small)));
});

test('calls that are open are found among those that are open, however many there ever were', () => {
  const sqlite = databaseWith();
  const ofOpenCalls = prepared.filter((sql) => /^\s*SELECT [^(]*FROM calls [^(]*WHERE [^(]*state <> 'done'/.test(sql));
  expect(ofOpenCalls.length).toBeGreaterThan(2);
  const others = ofOpenCalls.filter((sql) => !planOf(sqlite, sql).some((detail) => detail.includes('open_calls')));
  expect(others).toEqual([]);
});
