/** The devices that people have paired, and their chats. */
export const connecting = `
  CREATE TABLE devices (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    -- The account that it was paired under, and what people call him.
    principal    TEXT NOT NULL,
    person_name  TEXT NOT NULL,
    -- SHA-256 of its token, in hex.
    token_hash   TEXT NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER,
    revoked_at   INTEGER
  ) STRICT, WITHOUT ROWID;

  -- The codes that people were shown, to be typed on a device: one for each at most.
  CREATE TABLE device_codes (
    principal       TEXT PRIMARY KEY,
    person_name     TEXT NOT NULL,
    -- SHA-256 of the code, in hex.
    digest          TEXT NOT NULL UNIQUE,
    device_name     TEXT,
    conversation_id TEXT NOT NULL,
    expires_at      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The chats of devices, and the account of whoever has first talked in each.
  CREATE TABLE device_sessions (
    id         TEXT PRIMARY KEY,
    principal  TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_sessions_by_principal ON device_sessions (principal);

  -- The files that were shown in them, of which copies stand beside this database for a while.
  CREATE TABLE device_files (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    name       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size       INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_files_by_session ON device_files (session_id, created_at);
`;
