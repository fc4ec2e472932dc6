import { expect, test } from 'vitest';
import { createComposedToolStore } from '../../../src/features/composed/tables.ts';
import { addLabels } from '../../../src/store/conversations.ts';
import { direct } from '../../support/deed.ts';
import { newStore, originOf, said } from '../../support/store-setting.ts';

const tool = {
  name: 'digest',
  description: 'd',
  action: 'a',
  parameters: {},
  tools: [],
  author: 'test:ada',
  createdAt: 0,
};

test('a composed tool keeps what was read where it was made', async () => {
  const { store, database } = await newStore();
  const tools = createComposedToolStore(database);
  await store.inbox.accept(said(originOf('ada', direct('test')), 'hello'));
  const made = { ...tool, untrusted: ['evil.example'] };
  const added = await database.write(async (sql) => {
    await addLabels(sql, 'test:ada', { sources: ['evil.example'], isPrivate: false });
    return tools.add(tool, 9, { transaction: sql, conversationId: 'test:ada' });
  });
  expect(added).toEqual(made);
  expect(await tools.all()).toEqual([made]);
});

test('a name is given once, and the limit holds', async () => {
  const { store, database } = await newStore();
  const tools = createComposedToolStore(database);
  await store.inbox.accept(said(originOf('ada', direct('test')), 'hello'));
  const add = (name: string, most: number) =>
    database.write((sql) => tools.add({ ...tool, name }, most, { transaction: sql, conversationId: 'test:ada' }));
  await add('digest', 2);
  expect(await add('digest', 2)).toBe('taken');
  expect(await add('other', 1)).toBe('full');
  expect((await tools.all()).map(({ name }) => name)).toEqual(['digest']);
});
