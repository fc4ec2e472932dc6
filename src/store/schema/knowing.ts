/** Who may do what, and what the daemon knows of itself. */
export const knowing = `
  CREATE TABLE owners (
    principal  TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    claimed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- People whom an owner has let in.
  CREATE TABLE paired (
    principal TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    paired_by TEXT NOT NULL,
    paired_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Codes that strangers were given, to be told to an owner.
  CREATE TABLE pairing_codes (
    principal       TEXT PRIMARY KEY,
    code            TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Accounts that people have linked with codes: those with the same person belong together.
  CREATE TABLE links (
    principal TEXT PRIMARY KEY,
    person    TEXT NOT NULL,
    name      TEXT NOT NULL,
    linked_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_of_person ON links (person);

  -- Codes with which accounts can be linked, each with the one that has asked for it. What stands here is no code.
  CREATE TABLE link_codes (
    principal       TEXT PRIMARY KEY,
    digest          TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    expires_at      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- When the process was last known to be alive, and the time without one that owners are still to be told of: from when
  -- until when, and the newest sequence of the inbox at its end.
  CREATE TABLE lifetime (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    alive_at   INTEGER NOT NULL,
    away_from  INTEGER,
    away_until INTEGER,
    away_seq   INTEGER
  ) STRICT;

  -- Until when all that was said on a channel was heard.
  CREATE TABLE heard (
    channel  TEXT PRIMARY KEY,
    heard_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What is said at most once in a while: to whom or about what.
  CREATE TABLE hints (
    subject TEXT PRIMARY KEY,
    said_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What others have written, and whether owners trust it, exactly as it is: what they trust, and what they are asked for
  -- or have refused. trusted_by is NULL where the config's word was enough.
  CREATE TABLE trusted (
    kind                TEXT NOT NULL,
    name                TEXT NOT NULL,
    trusted_id          TEXT UNIQUE,
    trusted_fingerprint TEXT,
    trusted_what        TEXT,
    trusted_by          TEXT,
    trusted_at          INTEGER,
    asked_id            TEXT UNIQUE,
    asked_fingerprint   TEXT,
    asked_what          TEXT,
    asked_at            INTEGER,
    is_told             INTEGER NOT NULL DEFAULT 0,
    is_refused          INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;

  -- Tools that were made of words in chats. The tools are patterns of those that each may use.
  CREATE TABLE composed_tools (
    name        TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    action      TEXT NOT NULL,
    parameters  TEXT NOT NULL,
    tools       TEXT NOT NULL,
    author      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
