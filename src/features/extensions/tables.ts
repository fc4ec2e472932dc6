import type { FeatureTables } from '../../store/migrate.ts';

/** What owners trust. */
export const trustTables: FeatureTables = {
  steps: [
    `
  -- External code and texts: the exact state that owners trust, and the one that they are asked about or have refused.
  -- trusted_by is NULL if the config vouches for it.
  CREATE TABLE trusted (
    kind TEXT NOT NULL, name TEXT NOT NULL, trusted_id TEXT UNIQUE, trusted_fingerprint TEXT, trusted_what TEXT,
    trusted_by TEXT, trusted_at INTEGER, asked_id TEXT UNIQUE, asked_fingerprint TEXT, asked_what TEXT,
    asked_at INTEGER, is_told INTEGER NOT NULL DEFAULT 0, is_refused INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;
`,
  ],
};
