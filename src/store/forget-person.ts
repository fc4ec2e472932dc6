/*
 * Removes what is stored of a person, while no daemon runs: what they said and were answered, with the calls and approvals of
 * that; their direct chats as a whole; what they planned, had remembered, allowed and paired; and their rights. In a group,
 * what others said stays, and the model begins anew there: a summary may tell of the person. The audit stays: it has ids.
 */

import { join } from 'node:path';
import * as audit from './audit.ts';
import { lockData } from './examine.ts';
import type { TableOwner } from './migrate.ts';
import { openDatabase } from './open.ts';
import { allAccounts, tablesOfPeople } from './personal.ts';
import { readBeside } from './read-beside.ts';
import type { Sql } from './sql.ts';

export interface ForgetOrder {
  readonly dataFolder: string;
  /** Accounts of one person. */
  readonly accounts: readonly string[];
  readonly features: readonly TableOwner[];
  /** In ms since 1970. */
  readonly at: number;
}

export interface Forgotten {
  /** With those that are linked. */
  readonly accounts: readonly string[];
  /** How many rows are gone. */
  readonly rows: number;
}

/**
 * All of it in one transaction, which also overwrites what it removes: killed behind it, the command has nothing left to do.
 * Then the file is written anew, so that nothing from before is left in unused pages either. Rejects with `DataLockedError`
 * while a daemon works with the folder.
 */
export async function forgetPerson({ dataFolder, accounts: named, features, at }: ForgetOrder): Promise<Forgotten> {
  const unlock = lockData(dataFolder);
  try {
    const accounts = await readBeside(dataFolder, (sqlite) => allAccounts(sqlite, named, features));
    const tables = (await readBeside(dataFolder, tablesOfPeople)).filter(({ table }) => !ofRuns.includes(table));
    const database = openDatabase(join(dataFolder, 'keyturn.db'), features);
    try {
      const { sql } = database;
      const values = { accounts: JSON.stringify(accounts) };
      const steps = [
        ...marking,
        ...features.flatMap(({ tables: own }) => own?.ofPeople?.forgets ?? []),
        ...removing,
        ...tables.map(({ table, column }) => `DELETE FROM "${table}" WHERE "${column}" ${isTheirs}`),
      ];
      await sql.get('PRAGMA secure_delete = ON');
      const rows = await database.write(async (sql) => {
        let count = 0;
        for (const step of steps) count += await runStep(sql, step, values);
        if (count > 0) await noteForgotten(sql, accounts, at);
        return count;
      });
      await sql.run('VACUUM');
      return { accounts, rows };
    } finally {
      await database.close();
    }
  } finally {
    unlock();
  }
}

/** Only removed rows count. */
async function runStep(sql: Sql, step: string, values: { readonly accounts: string }): Promise<number> {
  const changed = step.includes('@accounts') ? await sql.run(step, values) : await sql.run(step);
  return step.startsWith('DELETE') ? changed : 0;
}

async function noteForgotten(sql: Sql, accounts: readonly string[], at: number): Promise<void> {
  await audit.add(sql, { at, kind: 'person-forgotten', conversationId: '', actor: 'keyturn', detail: { accounts } });
}

/** What refers to each other, and is removed in an order of its own. */
const ofRuns = ['inbox', 'turns', 'calls', 'approvals', 'participants'];

const isTheirs = 'IN (SELECT value FROM json_each(@accounts))';

/** Finds what goes. The direct chats in which nobody else ever talked, with their sub-runs; groups; calls; messages. */
const marking = [
  'CREATE TEMP TABLE gone_chats (id TEXT PRIMARY KEY)',
  `INSERT INTO gone_chats SELECT id FROM conversations WHERE kind = 'direct' AND root_id IS NULL
     AND id IN (SELECT conversation_id FROM participants WHERE principal ${isTheirs})
     AND id NOT IN (SELECT conversation_id FROM participants WHERE principal NOT ${isTheirs})`,
  'INSERT INTO gone_chats SELECT id FROM conversations WHERE root_id IN (SELECT id FROM gone_chats)',
  'CREATE TEMP TABLE gone_calls (id TEXT PRIMARY KEY)',
  `INSERT INTO gone_calls SELECT id FROM calls WHERE principal ${isTheirs} OR conversation_id IN (SELECT id FROM gone_chats)
     OR turn_id IN (SELECT id FROM turns WHERE principal ${isTheirs})`,
  `INSERT OR IGNORE INTO gone_chats SELECT id FROM conversations WHERE sub_run ->> '$.callId' IN (SELECT id FROM gone_calls)`,
  'CREATE TEMP TABLE gone_approvals (id TEXT PRIMARY KEY)',
  `INSERT INTO gone_approvals SELECT id FROM approvals WHERE requester ${isTheirs} OR call_id IN (SELECT id FROM gone_calls)
     OR conversation_id IN (SELECT id FROM gone_chats)`,
  // In other conversations, the model begins anew behind what it has answered.
  `UPDATE conversations SET summary_id = NULL,
       since_turn = (SELECT max(id) FROM turns WHERE conversation_id = conversations.id),
       since_seq = max(since_seq, (SELECT max(seen_seq) FROM turns WHERE conversation_id = conversations.id))
     WHERE id IN (SELECT conversation_id FROM turns WHERE principal ${isTheirs}
         UNION SELECT conversation_id FROM inbox WHERE principal ${isTheirs})
       AND EXISTS (SELECT 1 FROM turns WHERE conversation_id = conversations.id)`,
];

const inGoneChat = 'conversation_id IN (SELECT id FROM gone_chats)';

const removing = [
  `DELETE FROM outbox WHERE ${inGoneChat} OR call_id IN (SELECT id FROM gone_calls)
     OR approval_id IN (SELECT id FROM gone_approvals)
     OR private_to IN (SELECT substr(value, instr(value, ':') + 1) FROM json_each(@accounts))
     OR EXISTS (SELECT 1 FROM inbox WHERE inbox.conversation_id = outbox.conversation_id
          AND message_id = reply_to AND principal ${isTheirs})`,
  'DELETE FROM approvals WHERE id IN (SELECT id FROM gone_approvals)',
  'DELETE FROM calls WHERE id IN (SELECT id FROM gone_calls)',
  `DELETE FROM turns WHERE principal ${isTheirs} OR ${inGoneChat}`,
  `DELETE FROM summaries WHERE ${inGoneChat} OR id NOT IN (SELECT summary_id FROM conversations WHERE summary_id IS NOT NULL)`,
  `DELETE FROM attachments WHERE inbox_key IN (SELECT key FROM inbox WHERE principal ${isTheirs} OR ${inGoneChat})`,
  // The newest row stays, since a start compares its number; nothing of what it said does.
  `UPDATE inbox SET kind = 'withdrawn', principal = '', name = '', text = '', edited_text = NULL, quote = NULL, shared = NULL,
       edited_shared = NULL, pictures = NULL, attachments = 0, wants_answer = 0
     WHERE seq = (SELECT max(seq) FROM inbox) AND (principal ${isTheirs} OR ${inGoneChat})`,
  `DELETE FROM inbox WHERE (principal ${isTheirs} OR ${inGoneChat}) AND seq < (SELECT max(seq) FROM inbox)`,
  `DELETE FROM participants WHERE principal ${isTheirs} OR ${inGoneChat}`,
  `DELETE FROM attempts WHERE key IN (SELECT id FROM gone_chats)`,
  'DELETE FROM conversations WHERE id IN (SELECT id FROM gone_chats)',
  `UPDATE group_choices SET chosen_by_name = NULL WHERE chosen_by ${isTheirs}`,
  'DROP TABLE gone_chats',
  'DROP TABLE gone_calls',
  'DROP TABLE gone_approvals',
];
