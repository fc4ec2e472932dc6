/** What is remembered for people. */
export const remembering = `
  CREATE TABLE memories (
    seq             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    principal       TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    scope           TEXT NOT NULL CHECK (scope IN ('everywhere', 'here')),
    -- Of the text, by which the same one is found again.
    digest          TEXT NOT NULL,
    tags            TEXT NOT NULL,
    stored_at       INTEGER NOT NULL,
    text            TEXT NOT NULL
  ) STRICT;
  CREATE INDEX memories_by_person ON memories (principal);
  CREATE INDEX memories_by_text ON memories (principal, digest);

  -- The words of texts and tags, by seq. It is written together with the memories, and holds nothing else.
  CREATE VIRTUAL TABLE memory_words USING fts5(
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
`;
