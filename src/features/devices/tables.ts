import type { FeatureTables } from '../../store/migrate.ts';

/** Paired devices and their sessions. */
export const deviceTables: FeatureTables = {
  steps: [
    `
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

  -- What is shown of sessions. Other channels keep that themselves, so their rows are left out.
  CREATE INDEX inbox_of_sessions ON inbox (conversation_id, seq)
    WHERE kind = 'message' AND conversation_id >= 'device:' AND conversation_id < 'device;';
  CREATE INDEX outbox_of_sessions ON outbox (conversation_id, seq, state)
    WHERE kind IN ('reply', 'for_user') AND conversation_id >= 'device:' AND conversation_id < 'device;';
`,
  ],
};
