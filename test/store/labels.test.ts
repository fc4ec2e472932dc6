import { expect, test } from 'vitest';
import { addLabels, clearTaint, copyLabels } from '../../src/store/conversations.ts';
import type { Step } from '../../src/store/database.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, said } from '../support/store-setting.ts';

async function labelled() {
  const { store, database } = await newStore();
  for (const person of ['ada', 'bob']) {
    const conversation = { ...direct('test'), chatId: person };
    await store.inbox.accept(said(originOf(person, conversation), 'hello'));
  }
  return { labelsOf: store.inbox.labelsOf, write: (step: Step<unknown>) => database.write(step) };
}

test('a conversation is private once something private was read in it, and stays so', async () => {
  const { labelsOf, write } = await labelled();
  await write((sql) => addLabels(sql, 'test:ada', { sources: ['a page'], isPrivate: false }));
  expect(await labelsOf('test:ada')).toMatchObject({ tainted: true, private: false, sources: ['a page'] });
  await write((sql) => addLabels(sql, 'test:ada', { sources: [], isPrivate: true }));
  await write((sql) => addLabels(sql, 'test:ada', { sources: ['a page', 'a mail'], isPrivate: false }));
  expect(await labelsOf('test:ada')).toMatchObject({ tainted: true, private: true, sources: ['a page', 'a mail'] });
  await write((sql) => clearTaint(sql, 'test:ada'));
  expect(await labelsOf('test:ada')).toMatchObject({ tainted: false, private: true, sources: [] });
});

test('labels that are copied leave those of other conversations alone', async () => {
  const { labelsOf, write } = await labelled();
  await write((sql) => addLabels(sql, 'test:ada', { sources: ['a page'], isPrivate: true }));
  expect(await labelsOf('test:bob')).toMatchObject({ tainted: false, private: false, sources: [] });
  await write((sql) => copyLabels(sql, 'test:ada', 'test:bob'));
  expect(await labelsOf('test:bob')).toMatchObject({ tainted: true, private: true, sources: ['a page'] });
});
