import type { FeatureTables } from '../../store/migrate.ts';

/** Tasks and reminders. */
export const planningTables: FeatureTables = {
  steps: [
    `
  -- Each row is due at next_at. Firing compares that instant, and deletes what has ended.
  CREATE TABLE schedules (
    id TEXT PRIMARY KEY, type TEXT NOT NULL CHECK (type IN ('task', 'reminder')), conversation_id TEXT NOT NULL,
    principal TEXT NOT NULL, person TEXT NOT NULL, label TEXT, text TEXT NOT NULL,
    -- NULL if it is due once.
    cron TEXT,
    time_zone TEXT NOT NULL, next_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
    -- What had been read where it was planned: untrusted sources, and whether some of it is private.
    taint_sources TEXT NOT NULL DEFAULT '[]', private INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at, id);
  CREATE INDEX schedules_of_person ON schedules (principal, next_at);
`,
  ],
};
