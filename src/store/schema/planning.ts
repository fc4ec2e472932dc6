/** What is to be done or said later. */
export const planning = `
  -- Each row is due at next_at, which is what firing compares; whatever has ended is gone.
  CREATE TABLE schedules (
    id              TEXT PRIMARY KEY,
    type            TEXT NOT NULL CHECK (type IN ('task', 'reminder')),
    conversation_id TEXT NOT NULL,
    principal       TEXT NOT NULL,
    person          TEXT NOT NULL,
    label           TEXT,
    text            TEXT NOT NULL,
    -- Missing where it is due once.
    cron            TEXT,
    time_zone       TEXT NOT NULL,
    next_at         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at, id);
  CREATE INDEX schedules_of_person ON schedules (principal, next_at);
`;
