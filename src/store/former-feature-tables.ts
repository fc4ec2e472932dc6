/*
 * What the core's steps did to the tables of features, while these belonged to the core: until its step 15. A database
 * from then has taken them, or takes them on its way to step 16; a new one gets these tables from the features that are
 * there, in their last shape. Never change them.
 */

/** Step 1. */
export const firstFeatureTables = `
  -- External code and texts: the exact state that owners trust, and the one that they are asked about or have refused.
  -- trusted_by is NULL if the config vouches for it.
  CREATE TABLE trusted (
    kind TEXT NOT NULL, name TEXT NOT NULL, trusted_id TEXT UNIQUE, trusted_fingerprint TEXT, trusted_what TEXT,
    trusted_by TEXT, trusted_at INTEGER, asked_id TEXT UNIQUE, asked_fingerprint TEXT, asked_what TEXT,
    asked_at INTEGER, is_told INTEGER NOT NULL DEFAULT 0, is_refused INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;

  -- Tools made in chats, with patterns of the tools that each may use.
  CREATE TABLE composed_tools (
    name TEXT PRIMARY KEY, description TEXT NOT NULL, action TEXT NOT NULL, parameters TEXT NOT NULL,
    tools TEXT NOT NULL, author TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE memories (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, principal TEXT NOT NULL, conversation_id TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('everywhere', 'here')),
    -- Of the text: finds the same text again.
    digest TEXT NOT NULL,
    tags TEXT NOT NULL, stored_at INTEGER NOT NULL, text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX memories_by_person ON memories (principal);
  CREATE INDEX memories_by_text ON memories (principal, digest);

  -- The words of texts and tags, by seq. Written together with the memories.
  CREATE VIRTUAL TABLE memory_words USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );

  -- Each row is due at next_at. Firing compares that instant, and deletes what has ended.
  CREATE TABLE schedules (
    id TEXT PRIMARY KEY, type TEXT NOT NULL CHECK (type IN ('task', 'reminder')), conversation_id TEXT NOT NULL,
    principal TEXT NOT NULL, person TEXT NOT NULL, label TEXT, text TEXT NOT NULL,
    -- NULL if it is due once.
    cron TEXT,
    time_zone TEXT NOT NULL, next_at INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at, id);
  CREATE INDEX schedules_of_person ON schedules (principal, next_at);

  CREATE TABLE devices (
    id TEXT PRIMARY KEY, name TEXT NOT NULL,
    -- The account that it was paired under, and that person's name.
    principal TEXT NOT NULL,
    person_name TEXT NOT NULL,
    -- SHA-256 of its token, in hex.
    token_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL, last_seen_at INTEGER, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;

  -- Codes shown to people, to be typed on a device: at most one per person.
  CREATE TABLE device_codes (
    principal TEXT PRIMARY KEY, person_name TEXT NOT NULL,
    -- SHA-256 of the code, in hex.
    digest TEXT NOT NULL UNIQUE,
    device_name TEXT, conversation_id TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The chats of devices, and the account that talked in each first.
  CREATE TABLE device_sessions (
    id TEXT PRIMARY KEY, principal TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_sessions_by_principal ON device_sessions (principal);

  -- Files shown in them. Copies are kept beside this database for a while.
  CREATE TABLE device_files (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
    size INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_files_by_session ON device_files (session_id, created_at);
`;

/** Step 5: what devices show of their sessions. Other channels keep that themselves, so their rows are left out. */
export const findingSessions = `
  CREATE INDEX inbox_of_sessions ON inbox (conversation_id, seq)
    WHERE kind = 'message' AND conversation_id >= 'device:' AND conversation_id < 'device;';
  CREATE INDEX outbox_of_sessions ON outbox (conversation_id, seq, state)
    WHERE kind IN ('reply', 'for_user') AND conversation_id >= 'device:' AND conversation_id < 'device;';
`;

/** Step 7. */
export const labellingMemories = `
  ALTER TABLE memories ADD COLUMN taint_sources TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE schedules ADD COLUMN taint_sources TEXT NOT NULL DEFAULT '[]';
`;

/** Step 10. */
export const findingEdits = `
  CREATE INDEX config_changes ON audit (kind) WHERE kind = 'config-changed';
`;

/** Step 11. */
export const makingTools = `
  ALTER TABLE composed_tools ADD COLUMN taint_sources TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE schedules ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
`;

/** Step 16: from here on each feature numbers its own steps, and these tables are those of its step 1. */
export const handingOver = `
  INSERT INTO feature_steps (feature, step)
    VALUES ('composed', 1), ('devices', 1), ('edits', 1), ('extensions', 1), ('memory', 1), ('planning', 1);
`;

/** Step 17: what owners trust belongs to a feature of its own from here on. */
export const namingTrust = `
  UPDATE feature_steps SET feature = 'trust' WHERE feature = 'extensions';
`;
