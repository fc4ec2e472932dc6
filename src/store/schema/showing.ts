/** What people are to see. */
export const showing = `
  -- What people are to see. A change of the text is a new revision, and is shown by editing.
  CREATE TABLE outbox (
    seq                INTEGER PRIMARY KEY AUTOINCREMENT,
    id                 TEXT NOT NULL UNIQUE,
    lane               TEXT NOT NULL,
    conversation_id    TEXT NOT NULL,
    kind               TEXT NOT NULL CHECK (kind IN ('reply', 'for_user', 'card', 'notice', 'status')),
    markdown           TEXT NOT NULL,
    buttons            TEXT,
    -- Files that belong to it: name, media type, size, and where they came from. Copies stand in the folder of its id.
    files              TEXT,
    -- Which of its files the platform has refused.
    refused_files      TEXT NOT NULL DEFAULT '[]',
    -- The message of a person that it answers.
    reply_to           TEXT,
    -- Whom alone it is for, as the channel has named him.
    private_to         TEXT,
    call_id            TEXT,
    approval_id        TEXT,
    state              TEXT NOT NULL CHECK (state IN ('streaming', 'queued', 'delivered', 'failed', 'abandoned')),
    revision           INTEGER NOT NULL DEFAULT 1,
    delivered_revision INTEGER NOT NULL DEFAULT 0,
    refs               TEXT NOT NULL DEFAULT '[]',
    -- Where it was shown before its text was known: what the message takes the place of.
    previews           TEXT,
    -- What its first part said of its lateness, while others are still to come.
    late_note          TEXT,
    -- Of what is sent once at most: whether it is being sent, and only who sends it knows the end. NULL: sent until it arrives.
    at_most_once       TEXT CHECK (at_most_once IN ('unsent', 'sending')),
    failure            TEXT,
    created_at         INTEGER NOT NULL,
    delivered_at       INTEGER
  ) STRICT;
  CREATE INDEX outbox_to_deliver ON outbox (lane, seq) WHERE state = 'queued';
  CREATE INDEX outbox_streaming ON outbox (seq) WHERE state = 'streaming';
  CREATE INDEX outbox_failed ON outbox (created_at) WHERE state = 'failed';
  CREATE INDEX outbox_by_approval ON outbox (approval_id) WHERE approval_id IS NOT NULL;
  CREATE INDEX outbox_by_call ON outbox (call_id) WHERE call_id IS NOT NULL;
`;
