import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { direct } from '../support/deed.ts';
import { newStore, originOf, rowsOf } from '../support/store-setting.ts';

const query = 'SELECT at, kind, conversation_id, actor, detail FROM audit';

test.each([
  `UPDATE audit SET actor = 'somebody else'`,
  'UPDATE audit SET at = 0 WHERE seq = 1',
  'DELETE FROM audit',
  `INSERT OR REPLACE INTO audit (seq, at, kind, conversation_id, actor, detail) VALUES (1, 0, '', '', '', '')`,
])('the database itself refuses to change the trail: %s', async (sql) => {
  const { store, file } = await newStore();
  const effect = store.effects.claim;
  const answer = () => undefined;
  await store.inbox.obey({ origin: originOf('ada', direct('test')), name: 'claim', effect, answer, at: 5 });
  const before = rowsOf(file, query);
  expect(before.map(({ kind, actor }) => [kind, actor])).toEqual([
    ['owner-claimed', 'test:ada'],
    ['command', 'test:ada'],
  ]);
  const sqlite = new Sqlite(file);
  expect(() => sqlite.exec(sql)).toThrow('the audit is only ever added to');
  sqlite.close();
  expect(rowsOf(file, query)).toEqual(before);
});
