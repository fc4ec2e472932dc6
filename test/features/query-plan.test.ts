import { join } from 'node:path';
import { expect, test } from 'vitest';
import { features } from '../../src/features/index.ts';
import { readFiles } from '../support/architecture/source-file.ts';
import { databaseWith, scansIn, statementsIn } from '../support/query-plans.ts';

/** Tables of features that stay small, whatever happens: reading all of one is cheap. And what an index of words has found. */
const small: Readonly<Record<string, string>> = {
  devices: 'few for each person',
  device_sessions: 'so many for each person, and no more',
  device_codes: 'codes that are open',
  device_files: 'those of a week',
  trusted: 'few things come from others',
  composed_tools: 'few, and made by hand',
  moves: 'few chats are given another id',
  memory_words: 'looked up by words',
  kept_calls: 'those of a week; read as a whole only to forget a person, while nothing runs',
};

/** All statements of features, from the texts in their files. */
const prepared = readFiles(join(import.meta.dirname, '../..'), ['src/features/**/tables.ts']).flatMap(statementsIn);

test('no statement of a feature reads a table that grows from one end to the other', async () => {
  const definitions = await Promise.all(features.map((load) => load()));
  const sqlite = databaseWith(definitions.flatMap(({ tables }) => tables?.steps ?? []));
  expect(prepared.length).toBeGreaterThan(40);
  expect(scansIn(sqlite, prepared, Object.keys(small))).toEqual([]);
});
