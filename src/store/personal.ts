/*
 * What is stored of one person, for themselves. A row is theirs if it names one of their accounts as its principal, in
 * whatever table of the core or of a feature: so what a feature adds is found without being told of. What others have written
 * is left out where it stands in such a row: quotes, forwarded messages, and the results of calls, which are pages and files.
 */

import type Sqlite from 'better-sqlite3';
import type { Conversation } from '../contract.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { placeOf } from './conversations.ts';
import type { TableOwner } from './migrate.ts';
import { type Row, text } from './sql.ts';

/** One row of a person, with the name of its table. */
export type PersonalRow = JsonObject;

/** A file that the person has sent. */
export interface PersonalFile {
  readonly name: string;
  /** Relative to the workspace of the conversation. */
  readonly path: string;
  readonly conversation: Conversation;
  readonly principal: string;
}

/** Tables of what is under way, and of codes: nothing that a person has said. */
const passing = ['attempts', 'pairing_codes', 'link_codes', 'device_codes'];

/** Columns that hold secrets, or what others have written. */
const leftOut = [
  'quote',
  'shared',
  'edited_shared',
  'result',
  'pictures',
  'parts',
  'token_hash',
  'auth',
  'digest',
  'handle',
  'asked',
];

/** All accounts of the person who has these: with those that they have linked, and those that features know of, as devices. */
export function allAccounts(
  sqlite: Sqlite.Database,
  accounts: readonly string[],
  features: readonly TableOwner[],
): readonly string[] {
  const more = features.flatMap(({ tables }) => tables?.ofPeople?.accounts ?? []);
  const known = new Set(accounts);
  for (const statement of [linked, ...more]) {
    const found = sqlite.prepare<unknown[], string>(statement).pluck();
    for (const account of found.all({ accounts: JSON.stringify([...known]) })) known.add(account);
  }
  return [...known];
}

const linked = `SELECT principal FROM links WHERE person IN (
  SELECT person FROM links WHERE principal IN (SELECT value FROM json_each(@accounts)))`;

/** All rows of these accounts, table by table. Reads one at a time. */
export function* personalRows(sqlite: Sqlite.Database, accounts: readonly string[]): Generator<PersonalRow, void> {
  for (const { table, column } of tablesOfPeople(sqlite)) {
    if (passing.includes(table)) continue;
    const rows = sqlite.prepare<unknown[], Row>(
      `SELECT * FROM "${table}" WHERE "${column}" IN (SELECT value FROM json_each(@accounts))`,
    );
    // Events are what tools and programs report.
    for (const row of rows.iterate({ accounts: JSON.stringify(accounts) }))
      if (!(table === 'inbox' && row.kind === 'event')) yield shownRow(table, row);
  }
  const files = sqlite.prepare<unknown[], Row>(attachments);
  for (const row of files.iterate({ accounts: JSON.stringify(accounts) })) yield shownRow('attachments', row);
}

const attachments = `SELECT attachments.* FROM attachments JOIN inbox ON inbox.key = inbox_key
  WHERE is_shared = 0 AND principal IN (SELECT value FROM json_each(@accounts)) ORDER BY seq, position`;

/** The tables whose rows belong to people, and the column that says to whom. */
export function tablesOfPeople(
  sqlite: Sqlite.Database,
): readonly { readonly table: string; readonly column: string }[] {
  return sqlite
    .prepare<[], { table: string; column: string }>(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND (c.name = 'principal' OR c.name = 'requester') ORDER BY 1`,
    )
    .all();
}

function shownRow(table: string, row: Row): PersonalRow {
  const kept = Object.entries(row).filter(([name, value]) => value !== null && !leftOut.includes(name));
  const shown = Object.fromEntries(kept.map(([name, value]) => [name, shownValue(value)]));
  return typeof row.parts === 'string' ? { table, ...shown, text: textsOf(row.parts) } : { table, ...shown };
}

function shownValue(value: unknown): JsonValue {
  return typeof value === 'number' || typeof value === 'string' ? value : String(value);
}

/** What the model said in a turn, without what it thought. */
function textsOf(parts: string): string {
  const read: unknown = JSON.parse(parts);
  if (!Array.isArray(read)) return '';
  return read
    .flatMap((part: { readonly type?: unknown; readonly text?: unknown }) =>
      part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
    )
    .join('');
}

/** The files that these accounts have sent, and that were saved. */
export function personalFiles(sqlite: Sqlite.Database, accounts: readonly string[]): readonly PersonalFile[] {
  return sqlite
    .prepare<unknown[], Row>(savedFiles)
    .all({ accounts: JSON.stringify(accounts) })
    .map((row) => ({
      name: String(row.name ?? ''),
      path: text(row, 'path'),
      conversation: placeOf(row),
      principal: text(row, 'principal'),
    }));
}

const savedFiles = `SELECT attachments.name AS name, path, principal, channel, tenant, chat_id, thread_id, conversations.kind AS kind, title
  FROM attachments JOIN inbox ON inbox.key = inbox_key JOIN conversations ON conversations.id = conversation_id
  WHERE is_shared = 0 AND state = 'saved' AND path IS NOT NULL AND principal IN (SELECT value FROM json_each(@accounts))
  ORDER BY seq, position`;
