import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { carries, dryRun } from '../../../src/features/rules/history.ts';
import { createRuleStore, rulesTables } from '../../../src/features/rules/tables.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { newFolder } from '../../support/new-folder.ts';
import { databaseWith, planOf } from '../../support/query-plans.ts';

const of = { conversationId: 'test:ada', requester: 'test:ada', toolName: 'write_file' };
const owners = [{ name: 'rules', tables: rulesTables }];
const scope = { of: 'folder', folder: 'notes', ending: '.md', isDeep: false } as const;

describe('a record of 10,000 decided calls', () => {
  const recorded = async (): Promise<string> => {
    const file = join(await newFolder(), 'keyturn.db');
    await openDatabase(file, owners).close();
    const sqlite = new Sqlite(file);
    const add =
      sqlite.prepare(`INSERT INTO approvals (id, conversation_id, requester, requester_name, tool_name, description, hash,
        grantable, asked, state, places, created_at, expires_at, decided_at, ruled)
      VALUES (@id, 'test:ada', 'test:ada', 'Ada', 'write_file', '', 'h', 1, @asked, @state, '[]', 0, 0, @at, @ruled)`);
    const asked = JSON.stringify({ arguments: { content: 'x'.repeat(2000) } });
    sqlite.transaction(() => {
      for (let index = 1; index <= 10_000; index += 1) {
        const ruled = JSON.stringify({ tool: 't1', target: { of: 'file', path: `notes/${index % 7}.md` } });
        add.run({ id: `a${index}`, asked, state: 'approved', at: index, ruled });
      }
    })();
    sqlite.close();
    return file;
  };

  test('is read by an index that holds all that is read, and the newest 1,000 of it', async () => {
    const database = openDatabase(await recorded(), owners);
    const history = await createRuleStore(database).history(of);
    expect(history).toHaveLength(1000);
    expect(history[0]?.at).toBe(10_000);
    const found = dryRun(scope, 't1', history);
    expect(found).toMatchObject({ saved: 1000, denied: 0, since: 9001 });
    expect(found.targets).toHaveLength(7);
    await database.close();
  });

  test('counts what was allowed from the last revoked rule on, and every denial', async () => {
    const file = await recorded();
    const sqlite = new Sqlite(file);
    sqlite
      .prepare(`INSERT INTO grants (id, kind, conversation_id, requester, tool_name, description, granted_by, created_at, revoked_at, rule)
        VALUES ('r1', 'always', 'test:ada', 'test:ada', 'write_file', '', 'test:ada', 9000, 9995, '{}')`)
      .run();
    const denies = sqlite.prepare(`UPDATE approvals SET state = 'denied', tool_name = ? WHERE id = ?`);
    denies.run('write_file', 'a5');
    denies.run('edit_file', 'a6');
    sqlite.close();
    const database = openDatabase(file, owners);
    const store = createRuleStore(database);
    const history = await store.history(of);
    expect(history.filter(({ wasAllowed }) => wasAllowed)).toHaveLength(5);
    expect(history.find(({ wasAllowed }) => !wasAllowed)?.at).toBe(5);
    expect(carries(dryRun(scope, 't1', history), scope)).toBe(false);
    expect(dryRun(scope, 't1', history).denied).toBe(1);
    expect(await store.history({ ...of, toolName: 'edit_file' })).toMatchObject([{ at: 6, wasAllowed: false }]);
    expect(await store.isStanding('r1')).toBe(false);
    await database.close();
  });
});

test('the index covers what is read of a past call: its card, which may be large, is not', () => {
  const sqlite = databaseWith(rulesTables.steps);
  const plan = planOf(
    sqlite,
    `SELECT state, decided_at, grantable, ruled FROM approvals INDEXED BY rules_history
     WHERE conversation_id = ? AND requester = ? AND tool_name = ? AND state = ? AND decided_at > ? AND ruled IS NOT NULL
     ORDER BY decided_at DESC LIMIT 1000`,
  );
  expect(plan).toEqual([expect.stringContaining('USING COVERING INDEX rules_history')]);
});
