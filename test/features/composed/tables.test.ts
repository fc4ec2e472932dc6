import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composed } from '../../../src/features/composed/index.ts';
import { createComposedToolStore, sourcesOf } from '../../../src/store/composed-tools.ts';
import { addLabels } from '../../../src/store/conversations.ts';
import { storeOf } from '../../../src/store/index.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { direct } from '../../support/deed.ts';
import { newFolder } from '../../support/new-folder.ts';
import { originOf, said } from '../../support/store-setting.ts';

const tool = {
  name: 'digest',
  description: 'd',
  action: 'a',
  parameters: {},
  tools: [],
  author: 'test:ada',
  createdAt: 0,
};

test('a composed tool keeps what was read where it was made; one that there is not has read nothing', async () => {
  const folder = await newFolder();
  const database = openDatabase(join(folder, 'keyturn.db'), [composed]);
  onTestFinished(() => database.close());
  const { sql } = database;
  await storeOf(database, folder).inbox.accept(said(originOf('ada', direct('test')), 'hello'));
  const added = await database.write(() => {
    addLabels(sql, 'test:ada', { sources: ['evil.example'], isPrivate: false });
    return createComposedToolStore(database).add(tool, 9, 'test:ada');
  });
  expect(added).toBe('added');
  expect(sourcesOf(sql, 'digest')).toEqual(['evil.example']);
  expect(sourcesOf(sql, 'no such tool')).toEqual([]);
});
