import { expect, test } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/features/memory/tables.ts';
import { expectLinear } from '../../support/processor-time.ts';
import { newStore } from '../../support/store-setting.ts';

const ada = { principal: 'test:ada', accounts: ['test:ada'], conversationId: 'test:ada' };
const bob = { principal: 'test:bob', accounts: ['test:bob'], conversationId: 'test:ada' };

test('one of many memories is found in time that grows with their number at most, and so are the newest', async () => {
  const stores = new Map<number, MemoryStore>();
  const storeOf = async (size: number): Promise<MemoryStore> => {
    const known = stores.get(size);
    if (known !== undefined) return known;
    const { database } = await newStore();
    const memories = createMemoryStore(database);
    stores.set(size, memories);
    const texts = Array.from(
      { length: size },
      (_, index) => `note ${index} about the ${index % 7} birds of Lake ${index % 100}`,
    );
    const rest = { scope: 'everywhere', tags: [], maxEntries: 100_000 } as const;
    await database.write(async (transaction) => {
      for (const [at, text] of texts.entries())
        await memories.remember({ of: at % 3 === 0 ? bob : ada, text, at, ...rest }, { transaction });
    });
    return memories;
  };
  const most = 10_000;
  const [found] = await (await storeOf(most)).search({
    of: ada,
    scope: 'everywhere',
    query: 'note 3776',
    limit: 8,
    at: most,
  });
  expect(found?.text).toBe('note 3776 about the 3 birds of Lake 76');
  for (const query of ['note about the birds of the lake', 'note 3776', '', 'nothing of that'])
    await expectLinear(
      async (size) => (await storeOf(size)).search({ of: ada, scope: 'everywhere', query, limit: 8, at: size }),
      most,
    );
});
