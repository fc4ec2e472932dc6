import type Sqlite from 'better-sqlite3';
import { chaining, chainRows } from './audit.ts';
import { knowing, showing, talking, working } from './first-step.ts';
import {
  findingEdits,
  findingSessions,
  firstFeatureTables,
  handingOver,
  labellingMemories,
  makingTools,
  namingTrust,
} from './former-feature-tables.ts';
import { numberNoMore } from './row-numbers.ts';

/** Failed and parked messages, duplicates on the platform, and when an approval's time began. */
const sending = `
  -- Consecutive failed tries of the newest revision, and when the first of them failed.
  ALTER TABLE outbox ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outbox ADD COLUMN failing_since INTEGER;
  -- Set if a failed message waits for a person to retry or drop it.
  ALTER TABLE outbox ADD COLUMN parked_at INTEGER;
  -- The message that this one replaces in the chat.
  ALTER TABLE outbox ADD COLUMN stub_of TEXT;
  -- Duplicates of a card on the platform: the answer to sending it was lost, and it was sent again.
  ALTER TABLE outbox ADD COLUMN twins TEXT NOT NULL DEFAULT '[]';
  CREATE INDEX outbox_stubs ON outbox (stub_of) WHERE stub_of IS NOT NULL;
  CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;

  -- When the first card of an approval was shown: its time begins there.
  ALTER TABLE approvals ADD COLUMN shown_at INTEGER;
  UPDATE approvals SET shown_at = created_at;
`;

const sendingAlike = `
  -- How many of the newest failures had the same reason.
  ALTER TABLE outbox ADD COLUMN failures_alike INTEGER NOT NULL DEFAULT 0;
`;

/** Shared content in messages. */
const sharing = `
  -- Other people's words that came with a message, as a JSON array.
  ALTER TABLE inbox ADD COLUMN shared TEXT;
  -- The same after the sender has edited a message that the model had read.
  ALTER TABLE inbox ADD COLUMN edited_shared TEXT;
  -- Whether it belongs to other people's words.
  ALTER TABLE attachments ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1));
`;

/** Work in progress. */
const attempting = `
  -- A row is written before the work begins, and deleted when it ends: a process was killed in what the next one finds
  -- here. Calls of tools are in the journal, in the state 'begun'.
  CREATE TABLE attempts (
    -- run: a conversation is worked on · ask: a model is asked there · wait: a run waits for a model to be reachable again.
    kind TEXT NOT NULL CHECK (kind IN ('run', 'ask', 'wait')),
    -- The conversation.
    key TEXT NOT NULL,
    -- The number of the try.
    number INTEGER NOT NULL,
    -- NULL: a process was killed in it, and it has not begun again.
    begun_at INTEGER,
    -- Who the model is asked for, and an estimate of what it uses. The cost is in millionths.
    run_id TEXT,
    principal TEXT, model TEXT, day TEXT, tokens INTEGER, cost INTEGER,
    -- The turn after which the run waits, when the model is tried next, and when the run gives up.
    after_turn INTEGER,
    retry_at INTEGER, until INTEGER,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
`;

/** The database's identity, and indexes that avoid scans of growing tables. */
const finding = `
  -- Identifies this database. Copies share it.
  CREATE TABLE identity (
    id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL
  ) STRICT;
  INSERT INTO identity (id, value) VALUES (1, lower(hex(randomblob(12))));

  CREATE INDEX conversations_by_channel ON conversations (channel, seen_at) WHERE seen_at > 0;
`;

/** Stored items record the untrusted sources that were read before. */
const labelling = `
  -- Whom or what the permitted calls may reach. NULL: the tool does not say.
  ALTER TABLE grants ADD COLUMN targets TEXT;
  -- The newest approval of the call. Times do not tell, because clocks go back.
  ALTER TABLE calls ADD COLUMN approval_id TEXT;
  UPDATE calls SET approval_id = (SELECT id FROM approvals WHERE call_id = calls.id ORDER BY created_at DESC, id LIMIT 1)
    WHERE id IN (SELECT call_id FROM approvals);
  DROP INDEX approvals_by_call;
`;

/** Results without third-party content vouch for a person's own addresses and ids. */
const trusting = `
  ALTER TABLE calls ADD COLUMN trusted INTEGER NOT NULL DEFAULT 0;
`;

/** Files written after untrusted content was read are untrusted themselves. */
const watching = `
  CREATE TABLE file_labels (
    workspace TEXT NOT NULL,
    -- Relative to the workspace; empty for all of it.
    path TEXT NOT NULL,
    inode TEXT NOT NULL,
    -- As shown to people.
    source TEXT NOT NULL,
    -- The conversation that wrote it.
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (workspace, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX file_labels_by_conversation ON file_labels (conversation_id);
  CREATE INDEX file_labels_by_source ON file_labels (source);
  -- Calls that may write, and have not ended.
  CREATE TABLE file_watches (
    call_id TEXT PRIMARY KEY, workspace TEXT NOT NULL, conversation_id TEXT NOT NULL, sources TEXT NOT NULL,
    newest TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Counts reads, so that repeated reads of one source are noticed. */
const counting = `
  ALTER TABLE conversations ADD COLUMN taint_reads INTEGER NOT NULL DEFAULT 0;
`;

/** Counts the processes that died while sending a message. */
const suspecting = `
  -- How many processes in a row may have died of sending it.
  ALTER TABLE outbox ADD COLUMN kills INTEGER NOT NULL DEFAULT 0;
`;

/** Where people are, which card a reply answers, and which words outlive a summary. */
const placing = `
  CREATE TABLE time_zones (
    principal TEXT NOT NULL,
    -- set: the person has said it · platform: the platform tells it.
    source TEXT NOT NULL CHECK (source IN ('set', 'platform')),
    time_zone TEXT NOT NULL, noted_at INTEGER NOT NULL,
    PRIMARY KEY (principal, source)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX outbox_cards ON outbox (lane, seq) WHERE approval_id IS NOT NULL;

  -- The messages that a summary leaves as they are, by seq.
  ALTER TABLE summaries ADD COLUMN kept TEXT NOT NULL DEFAULT '[]';
`;

/** The languages that people read. */
const speaking = `
  CREATE TABLE languages (
    principal TEXT NOT NULL,
    -- set: the person has said it · platform: the platform tells it · written: they write in it.
    source TEXT NOT NULL CHECK (source IN ('set', 'platform', 'written')),
    language TEXT NOT NULL, noted_at INTEGER NOT NULL,
    PRIMARY KEY (principal, source)
  ) STRICT, WITHOUT ROWID;

  -- The description in other languages, as JSON, where it differs.
  ALTER TABLE approvals ADD COLUMN otherwise TEXT;
  -- Of a card: the language that it is written in. NULL: English.
  ALTER TABLE outbox ADD COLUMN language TEXT;
`;

/** Features keep their tables themselves. */
const numberingFeatures = `
  -- The steps that each feature has taken with its own tables, and the Keyturn that took them; NULL: they come from
  -- before features had numbers. They stay when the feature is left out, as its tables do.
  CREATE TABLE feature_steps (
    feature TEXT NOT NULL, step INTEGER NOT NULL, version TEXT, PRIMARY KEY (feature, step)
  ) STRICT, WITHOUT ROWID;
`;

/** Not everything rings. */
const silencing = `
  -- Set: no device rings for it. What is shown while it is written does not, whatever it becomes.
  ALTER TABLE outbox ADD COLUMN is_silent INTEGER;
  UPDATE outbox SET is_silent = 1 WHERE state = 'streaming';
`;

/** What the owners are asked outside of runs: whom to let in, and what to do in a group. */
const askingOwners = `
  -- Of a card that asks the owners: the request. All its cards end together.
  ALTER TABLE outbox ADD COLUMN request_id TEXT;
  CREATE INDEX outbox_requests ON outbox (request_id) WHERE request_id IS NOT NULL;
  -- The request by which an owner can let them in without the code. NULL: there is none.
  ALTER TABLE pairing_codes ADD COLUMN request_id TEXT;

  -- People whom an owner did not want to let in: until then, nobody is asked again.
  CREATE TABLE refused_people (
    principal TEXT PRIMARY KEY, name TEXT NOT NULL, conversation_id TEXT NOT NULL,
    refused_by TEXT NOT NULL, refused_at INTEGER NOT NULL, until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Groups of which an owner was asked, by the conversation without threads, and what was chosen.
  CREATE TABLE group_choices (
    conversation_id TEXT PRIMARY KEY, channel TEXT NOT NULL, tenant TEXT, chat_id TEXT NOT NULL, title TEXT,
    -- The newest request about it.
    request_id TEXT NOT NULL UNIQUE, asked_at INTEGER NOT NULL,
    -- Who added the bot, if that was a person.
    added_by TEXT,
    choice TEXT CHECK (choice IN ('mentioned', 'everything', 'leave')),
    -- Everybody there is heard, not only those whom the owner knows.
    is_open INTEGER NOT NULL DEFAULT 0,
    chosen_by TEXT, chosen_by_name TEXT, chosen_at INTEGER
  ) STRICT, WITHOUT ROWID;
`;

/** Rules that people are offered after many equal approvals. */
const ruling = `
  -- What a lasting rule about such calls would name, as JSON. NULL: there can be none, or the row is older.
  ALTER TABLE approvals ADD COLUMN ruled TEXT;
  -- Of a grant that is a rule: its tool and scope, as JSON. Its kind is 'always', and it has no hash.
  ALTER TABLE grants ADD COLUMN rule TEXT;
  -- How many calls it has let run.
  ALTER TABLE grants ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
`;

/** Less is written for each message. */
const lightening = `
  -- What is shown while it is written is among what is to be delivered: it stays in the index when it becomes that.
  DROP INDEX outbox_streaming;
  DROP INDEX outbox_to_deliver;
  CREATE INDEX outbox_to_deliver ON outbox (lane, seq) WHERE state IN ('streaming', 'queued');

  -- The highest numbers of rows that are gone, by table: none is given again.
  CREATE TABLE gone_numbers (
    name TEXT PRIMARY KEY, number INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO gone_numbers (name, number)
    SELECT name, max(seq) FROM sqlite_sequence WHERE name IN ('inbox', 'turns', 'outbox') GROUP BY name;
  CREATE TRIGGER inbox_number_is_kept BEFORE DELETE ON inbox WHEN OLD.seq = (SELECT max(seq) FROM inbox) BEGIN
    INSERT INTO gone_numbers (name, number) VALUES ('inbox', OLD.seq) ON CONFLICT (name) DO UPDATE SET number = max(number, excluded.number);
  END;
  CREATE TRIGGER turns_number_is_kept BEFORE DELETE ON turns WHEN OLD.id = (SELECT max(id) FROM turns) BEGIN
    INSERT INTO gone_numbers (name, number) VALUES ('turns', OLD.id) ON CONFLICT (name) DO UPDATE SET number = max(number, excluded.number);
  END;
  CREATE TRIGGER outbox_number_is_kept BEFORE DELETE ON outbox WHEN OLD.seq = (SELECT max(seq) FROM outbox) BEGIN
    INSERT INTO gone_numbers (name, number) VALUES ('outbox', OLD.seq) ON CONFLICT (name) DO UPDATE SET number = max(number, excluded.number);
  END;
`;

/** A step of the core's schema. */
export interface SchemaStep {
  readonly core: string;
  /** For databases that had the tables of features before they took the step. */
  readonly features?: string;
  /** What SQL cannot do to the rows, in the same transaction. */
  readonly rows?: (sqlite: Sqlite.Database) => void;
}

/**
 * The core's schema as numbered steps. Never change an existing step: append a new one, and add a database of the previous
 * number to `test/store/databases/`. Instants are ms since 1970.
 */
export const migrations: readonly SchemaStep[] = [
  { core: [talking, working, showing, knowing].join(''), features: firstFeatureTables },
  { core: sending },
  { core: sharing },
  { core: attempting },
  { core: finding, features: findingSessions },
  { core: sendingAlike },
  { core: labelling, features: labellingMemories },
  { core: trusting },
  { core: watching },
  { core: '', features: findingEdits },
  { core: '', features: makingTools },
  { core: counting },
  { core: suspecting },
  { core: placing },
  { core: speaking },
  { core: numberingFeatures, features: handingOver },
  { core: '', features: namingTrust },
  { core: silencing },
  { core: askingOwners },
  { core: chaining, rows: chainRows },
  { core: ruling },
  { core: lightening, rows: numberNoMore },
];
