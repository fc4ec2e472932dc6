import { deviceChannel } from '../../conversation/access/access.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import type { Sql } from '../../store/sql.ts';
import { beginning } from './beginning.ts';

/** Finds what the page lists of the core's tables: what was said to people in a conversation, what they typed, and what was decided. */
export const pageTables: FeatureTables = {
  steps: [
    `
  CREATE INDEX page_decided ON approvals (decided_at) WHERE decided_at IS NOT NULL;
  CREATE INDEX page_decided_of_person ON approvals (requester, decided_at) WHERE decided_at IS NOT NULL;
  CREATE INDEX page_grants ON grants (created_at) WHERE revoked_at IS NULL;
  CREATE INDEX page_grants_of_person ON grants (requester, created_at) WHERE revoked_at IS NULL;
  CREATE INDEX page_shown ON outbox (conversation_id, seq) WHERE kind IN ('reply', 'for_user', 'card', 'notice');
  CREATE INDEX page_commands ON inbox (conversation_id, seq) WHERE kind = 'command';
`,
    // 1: what may be told to browsers while no tab is open.
    `
  -- One row for each browser, by its account: where its messages go, and for whom they are encrypted.
  CREATE TABLE page_push (
    principal TEXT PRIMARY KEY, endpoint TEXT NOT NULL UNIQUE, p256dh TEXT NOT NULL, auth TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The one key that this Keyturn signs them with, as PKCS #8.
  CREATE TABLE page_push_key (id INTEGER PRIMARY KEY CHECK (id = 1), private_key TEXT NOT NULL) STRICT;
`,
  ],
};

/** In which of the conversations somebody with one of these accounts has talked. */
export async function partsTaken(
  sql: Sql,
  conversationIds: readonly string[],
  accounts: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(await sql.texts(takesPart, JSON.stringify(conversationIds), JSON.stringify(accounts)));
}

/** What somebody with this account was called where they have talked. */
export async function nameOf(sql: Sql, principal: string): Promise<string | undefined> {
  return (await sql.texts(knownName, principal))[0];
}

/** What a conversation is known by. */
export interface TitledConversation {
  readonly id: string;
  readonly channel: string;
  readonly title: string | undefined;
}

/** For what stores give out. As people know a conversation: its title; of a session of the page or another device, else how it began. */
export async function titleIn(sql: Sql, { id, channel, title }: TitledConversation): Promise<string | undefined> {
  if (title !== undefined && title !== '') return title;
  if (channel !== deviceChannel) return undefined;
  return beginning((await sql.texts(firstText, id))[0]?.trim().split('\n')[0], longestTitle);
}

/** In characters. */
export const longestTitle = 80;

const firstText = `SELECT text FROM inbox WHERE conversation_id = ? AND kind IN ('message', 'event') AND kind = 'message' ORDER BY seq LIMIT 1`;

const knownName = `SELECT name FROM participants WHERE principal = ? AND name <> '' LIMIT 1`;

const takesPart = `SELECT DISTINCT conversation_id FROM participants
  WHERE conversation_id IN (SELECT value FROM json_each(?)) AND principal IN (SELECT value FROM json_each(?))`;
