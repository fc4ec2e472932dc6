import { expect, test } from 'vitest';
import { newestRuns } from '../../src/store/run-story.ts';
import { newStore } from '../support/store-setting.ts';

test('the runs of one conversation are found behind any number of others', async () => {
  const { database } = await newStore();
  const turns = (conversation: string, count: number) =>
    `INSERT INTO turns (conversation_id, run_id, principal, kind, seen_seq, parts, input_tokens, output_tokens, created_at)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT '${conversation}', 'r' || n, 'test:ada', 'turn', 1, '[]', 0, 0, 1 FROM numbers`;
  await database.write(async (sql) => {
    await sql.run(turns('test:old', 3));
    await sql.run(turns('test:busy', 6_000));
  });
  const found = await newestRuns(database.sql, 2, 'test:old');
  expect(found.map(({ id, conversationId }) => [id, conversationId])).toEqual([
    ['r3', 'test:old'],
    ['r2', 'test:old'],
  ]);
  expect((await newestRuns(database.sql, 1)).map(({ conversationId }) => conversationId)).toEqual(['test:busy']);
});
