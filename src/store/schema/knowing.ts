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
`;
