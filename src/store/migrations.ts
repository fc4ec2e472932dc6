import { knowing, showing, talking, working } from './first-step.ts';

/** Memories. */
const remembering = `
  CREATE TABLE memories (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, principal TEXT NOT NULL, conversation_id TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('everywhere', 'here')),
    -- Of the text, by which the same one is found again.
    digest TEXT NOT NULL,
    tags TEXT NOT NULL, stored_at INTEGER NOT NULL, text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX memories_by_person ON memories (principal);
  CREATE INDEX memories_by_text ON memories (principal, digest);

  -- The words of texts and tags, by seq. It is written together with the memories, and holds nothing else.
  CREATE VIRTUAL TABLE memory_words USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
`;

/** Tasks and reminders. */
const planning = `
  -- Each row is due at next_at, which is what firing compares; whatever has ended is gone.
  CREATE TABLE schedules (
    id TEXT PRIMARY KEY, type TEXT NOT NULL CHECK (type IN ('task', 'reminder')), conversation_id TEXT NOT NULL,
    principal TEXT NOT NULL, person TEXT NOT NULL, label TEXT, text TEXT NOT NULL,
    -- Missing where it is due once.
    cron TEXT,
    time_zone TEXT NOT NULL, next_at INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at, id);
  CREATE INDEX schedules_of_person ON schedules (principal, next_at);
`;

/** Paired devices and their sessions. */
const connecting = `
  CREATE TABLE devices (
    id TEXT PRIMARY KEY, name TEXT NOT NULL,
    -- The account that it was paired under, and what people call them.
    principal TEXT NOT NULL,
    person_name TEXT NOT NULL,
    -- SHA-256 of its token, in hex.
    token_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL, last_seen_at INTEGER, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;

  -- The codes that people were shown, to be typed on a device: one for each at most.
  CREATE TABLE device_codes (
    principal TEXT PRIMARY KEY, person_name TEXT NOT NULL,
    -- SHA-256 of the code, in hex.
    digest TEXT NOT NULL UNIQUE,
    device_name TEXT, conversation_id TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The chats of devices, and the account that has first talked in each.
  CREATE TABLE device_sessions (
    id TEXT PRIMARY KEY, principal TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_sessions_by_principal ON device_sessions (principal);

  -- The files that were shown in them, of which copies stand beside this database for a while.
  CREATE TABLE device_files (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
    size INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_files_by_session ON device_files (session_id, created_at);
`;

/** Failed and parked messages, duplicates on the platform, and when an approval's time began. */
const sending = `
  -- Tries of the newest revision that failed in a row, and when the first of them did.
  ALTER TABLE outbox ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outbox ADD COLUMN failing_since INTEGER;
  -- Set on a row in the state 'failed' that waits for a person to say: try again, or drop it.
  ALTER TABLE outbox ADD COLUMN parked_at INTEGER;
  -- The row that this one stands in for in the chat.
  ALTER TABLE outbox ADD COLUMN stub_of TEXT;
  -- Messages of a card on the platform beside those of \`refs\`: its answer was lost, and it was sent again.
  ALTER TABLE outbox ADD COLUMN twins TEXT NOT NULL DEFAULT '[]';
  CREATE INDEX outbox_stubs ON outbox (stub_of) WHERE stub_of IS NOT NULL;
  CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;

  -- When the first card of an approval was shown: its time begins there.
  ALTER TABLE approvals ADD COLUMN shown_at INTEGER;
  UPDATE approvals SET shown_at = created_at;
`;

const sendingAlike = `
  -- How many of the failures, up to the last one, were in the same words as that.
  ALTER TABLE outbox ADD COLUMN failures_alike INTEGER NOT NULL DEFAULT 0;
`;

/** Shared content in messages. */
const sharing = `
  -- Words of others that came with a message, as a JSON array.
  ALTER TABLE inbox ADD COLUMN shared TEXT;
  -- The same after its sender has changed a message that the model had read.
  ALTER TABLE inbox ADD COLUMN edited_shared TEXT;
  -- Whether it belongs to the words of others.
  ALTER TABLE attachments ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1));
`;

/** Work in progress. */
const attempting = `
  -- A row is written before the work begins, and goes when it ends: what a process finds here at its start, the one before
  -- it was killed in. Calls of tools have theirs in the journal: those in the state 'begun'.
  CREATE TABLE attempts (
    -- run: a conversation is worked on · ask: a model is asked there · wait: a run waits for a model to be reachable again.
    kind TEXT NOT NULL CHECK (kind IN ('run', 'ask', 'wait')),
    -- The conversation.
    key TEXT NOT NULL,
    -- Which try it is.
    number INTEGER NOT NULL,
    -- NULL: a process was killed in it, and none has begun it again.
    begun_at INTEGER,
    -- What the model is asked for, and what that takes, about. The cost is in millionths.
    run_id TEXT,
    principal TEXT, model TEXT, day TEXT, tokens INTEGER, cost INTEGER,
    -- The turn that the run waits behind, when the model is tried next, and when the run gives up.
    after_turn INTEGER,
    retry_at INTEGER, until INTEGER,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
`;

/** The database's identity, and indexes that avoid scans of growing tables. */
const finding = `
  -- Tells this database from every other one. Copies of it have the same.
  CREATE TABLE identity (
    id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL
  ) STRICT;
  INSERT INTO identity (id, value) VALUES (1, lower(hex(randomblob(12))));

  CREATE INDEX conversations_by_channel ON conversations (channel, seen_at) WHERE seen_at > 0;
  -- What devices show of their sessions. Other channels keep that themselves, so that their rows are not in here.
  CREATE INDEX inbox_of_sessions ON inbox (conversation_id, seq)
    WHERE kind = 'message' AND conversation_id >= 'device:' AND conversation_id < 'device;';
  CREATE INDEX outbox_of_sessions ON outbox (conversation_id, seq, state)
    WHERE kind IN ('reply', 'for_user') AND conversation_id >= 'device:' AND conversation_id < 'device;';
`;

/** Stored items record the untrusted sources that were read before. */
const labelling = `
  ALTER TABLE memories ADD COLUMN taint_sources TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE schedules ADD COLUMN taint_sources TEXT NOT NULL DEFAULT '[]';
  -- Whom or what the calls may reach that a standing permission is for. NULL: the tool has no word for that.
  ALTER TABLE grants ADD COLUMN targets TEXT;
  -- What was asked last about the call. Its time does not tell: clocks go back.
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
    -- From the workspace on; empty: all of it.
    path TEXT NOT NULL,
    inode TEXT NOT NULL,
    -- As people read it.
    source TEXT NOT NULL,
    -- That has written it.
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

/** Finds config edits without a scan of the audit. */
const editing = `
  CREATE INDEX config_changes ON audit (kind) WHERE kind = 'config-changed';
`;

/** The taint of the conversation that made a tool or a schedule applies where it is used. */
const making = `
  ALTER TABLE composed_tools ADD COLUMN taint_sources TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE schedules ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
`;

/** Counts reads, so that repeated reads of one source are noticed. */
const counting = `
  ALTER TABLE conversations ADD COLUMN taint_reads INTEGER NOT NULL DEFAULT 0;
`;

/** Counts the processes that died while sending a message. */
const suspecting = `
  -- How many processes in a row may have been killed by sending it.
  ALTER TABLE outbox ADD COLUMN kills INTEGER NOT NULL DEFAULT 0;
`;

/**
 * The schema as numbered steps. Never change an existing step: append a new one, and add a database of the previous
 * number to `test/store/databases/`. Instants are ms since 1970.
 */
export const migrations: readonly string[] = [
  [talking, working, showing, knowing, remembering, planning, connecting].join(''),
  sending,
  sharing,
  attempting,
  finding,
  sendingAlike,
  labelling,
  trusting,
  watching,
  editing,
  making,
  counting,
  suspecting,
];
