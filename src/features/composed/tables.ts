import type { FeatureTables } from '../../store/migrate.ts';

/** Tools made in chats. */
export const composedTables: FeatureTables = {
  steps: [
    `
  -- Tools made in chats, with patterns of the tools that each may use.
  CREATE TABLE composed_tools (
    name TEXT PRIMARY KEY, description TEXT NOT NULL, action TEXT NOT NULL, parameters TEXT NOT NULL,
    tools TEXT NOT NULL, author TEXT NOT NULL, created_at INTEGER NOT NULL,
    -- The untrusted sources that had been read where it was made.
    taint_sources TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;
`,
  ],
};
