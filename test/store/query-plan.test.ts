import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { SqliteAddressBook } from '../../src/store/address-book.ts';
import { SqliteApprovalStore } from '../../src/store/approval-store.ts';
import { Database } from '../../src/store/database.ts';
import { SqliteInboxStore } from '../../src/store/inbox-store.ts';
import { SqliteLifetimeStore } from '../../src/store/lifetime-store.ts';
import { SqliteMemoryStore } from '../../src/store/memory-store.ts';
import { migrations } from '../../src/store/migrations.ts';
import { SqliteOutboxStore } from '../../src/store/outbox-store.ts';
import { SqliteRunStore } from '../../src/store/run-store.ts';
import { Tables } from '../../src/store/tables/tables.ts';

const exceptions = [
  // Asked when a channel has connected, of as many rows as there are conversations.
  'SELECT * FROM (',
  // A start asks once, of all there is.
  'SELECT DISTINCT conversation_id FROM outbox',
  `UPDATE outbox SET state = 'queued', delivered_revision = 0`,
  // There are few chats that were given another id.
  'SELECT id, conversation_id FROM moves',
  // There is one row at most.
  'SELECT alive_at, away_from, away_until, away_seq FROM lifetime',
  'UPDATE lifetime SET',
  // There are few channels.
  'SELECT channel, heard_at FROM heard',
  // There are few owners.
  'SELECT principal FROM owners',
  // There are few whom an owner has let in, and few codes are open.
  'SELECT * FROM paired',
  'SELECT * FROM pairing_codes',
  'DELETE FROM hints WHERE subject IN (SELECT principal FROM pairing_codes',
  'DELETE FROM pairing_codes WHERE expires_at',
  'INSERT INTO owners',
  // A start asks which accounts belong together, and so does whoever changes it; few codes for that are open.
  'SELECT * FROM links ORDER BY',
  'DELETE FROM link_codes WHERE expires_at',
  // A start asks once which devices there are.
  'SELECT * FROM devices',
  // Few things come from others, and they are listed when an owner asks.
  'SELECT * FROM trusted ORDER BY',
  // An index of words is looked up, which is called a scan; and the few that were found are read in their order.
  'SELECT memories.* FROM (',
  'DELETE FROM memory_words WHERE rowid',
  // An owner writes elsewhere: asked of as many rows as there are conversations.
  'SELECT conversations.id, channel, thread_id, title, person.principal AS person, person.name AS person_name FROM conversations',
  // The newest row of a whole table is found at its end.
  'SELECT max(seq) AS newest_seq FROM inbox',
  'UPDATE conversations SET tainted = 0',
  'UPDATE inbox SET seq = (SELECT max(seq) + 1 FROM inbox)',
];

/** Statements of the store, as its parts prepare them. */
function statements(): { readonly sqlite: Sqlite.Database; readonly prepared: readonly string[] } {
  const sqlite = new Sqlite(':memory:');
  for (const step of migrations) sqlite.exec(step);
  const prepared: string[] = [];
  class ListeningDatabase extends Database {
    override prepare(sql: string) {
      prepared.push(sql);
      return super.prepare(sql);
    }
  }
  const database = new ListeningDatabase(sqlite);
  const tables = new Tables(database);
  for (const Part of [SqliteApprovalStore, SqliteInboxStore, SqliteLifetimeStore, SqliteOutboxStore, SqliteRunStore])
    new Part(database, tables);
  for (const Part of [SqliteAddressBook, SqliteMemoryStore]) new Part(database);
  return { sqlite, prepared };
}

/** Reading an index that holds only what is open reads only what is open. */
const ofWhatIsOpen = /USING (?:COVERING )?INDEX (?:pending_approvals|open_conversations|outbox_streaming)$/;

/** Steps of the plan that read a whole table, or all conversations. A list that is handed in is short. */
function scansOf(sqlite: Sqlite.Database, sql: string): readonly string[] {
  const plan = sqlite.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const named = {
    id: 1,
    at: 1,
    before: 1,
    subject: 's',
    seenSeq: 1,
    seq: 1,
    from: 1,
    until: 1,
    principal: 1,
    refs: 1,
    revision: 1,
    run: 'r',
    tokens: 1,
    cost: 1,
  };
  const details = plan.all(...(sql.includes('@') ? [named] : marksOf(sql))).map(({ detail }) => detail);
  return details.filter(
    (detail) =>
      /^(?:SCAN (?!CONSTANT|json_each VIRTUAL)|SEARCH \w+$)|\((?:turn_id|seq|id)>/.test(detail) &&
      !ofWhatIsOpen.test(detail),
  );
}

function marksOf(sql: string): readonly unknown[] {
  return Array.from(sql.matchAll(/\?/g), () => '1');
}

test('no statement that is used at every message reads a whole table', () => {
  const { sqlite, prepared } = statements();
  expect(prepared.length).toBeGreaterThan(40);
  const scans = prepared
    .filter((sql) => !exceptions.some((beginning) => sql.trimStart().startsWith(beginning)))
    .flatMap((sql) => scansOf(sqlite, sql).map((detail) => `${detail}: ${sql.replaceAll(/\s+/g, ' ')}`));
  expect(scans).toEqual([]);
  sqlite.close();
});

test('calls that are open are found among those that are open, however many there ever were', () => {
  const { sqlite, prepared } = statements();
  const ofOpenCalls = prepared.filter((sql) => /^\s*SELECT [^(]*FROM calls [^(]*WHERE [^(]*state <> 'done'/.test(sql));
  expect(ofOpenCalls.length).toBeGreaterThan(2);
  const others = ofOpenCalls.filter((sql) => {
    const plan = sqlite.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...marksOf(sql));
    return !plan.some(({ detail }) => detail.includes('open_calls'));
  });
  expect(others).toEqual([]);
  sqlite.close();
});
