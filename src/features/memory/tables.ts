import type { FeatureTables } from '../../store/migrate.ts';

/** Memories and the index of their words. */
export const memoryTables: FeatureTables = {
  steps: [
    `
  CREATE TABLE memories (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, principal TEXT NOT NULL, conversation_id TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('everywhere', 'here')),
    -- Of the text: finds the same text again.
    digest TEXT NOT NULL,
    tags TEXT NOT NULL, stored_at INTEGER NOT NULL, text TEXT NOT NULL,
    -- The untrusted sources that had been read where it was stored.
    taint_sources TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX memories_by_person ON memories (principal);
  CREATE INDEX memories_by_text ON memories (principal, digest);

  -- The words of texts and tags, by seq. Written together with the memories.
  CREATE VIRTUAL TABLE memory_words USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
`,
  ],
};
