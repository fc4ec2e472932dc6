/** Where people talk, who they are there, and what they said. */
export const talking = `
  CREATE TABLE conversations (
    id            TEXT PRIMARY KEY,
    channel       TEXT NOT NULL,
    tenant        TEXT,
    chat_id       TEXT NOT NULL,
    thread_id     TEXT,
    kind          TEXT NOT NULL CHECK (kind IN ('direct', 'group')),
    title         TEXT,
    -- What is older belongs to a conversation that /new has ended.
    since_seq     INTEGER NOT NULL DEFAULT 0,
    since_turn    INTEGER NOT NULL DEFAULT 0,
    -- When somebody was last heard there; 0 where nobody was yet.
    seen_at       INTEGER NOT NULL,
    -- Something is left to do: looked for at start.
    is_open       INTEGER NOT NULL DEFAULT 0,
    tainted       INTEGER NOT NULL DEFAULT 0,
    private       INTEGER NOT NULL DEFAULT 0,
    taint_sources TEXT NOT NULL DEFAULT '[]',
    -- The model that somebody has chosen there; NULL for the default.
    model         TEXT,
    -- Facts that people want kept in mind there, the oldest first.
    pinned        TEXT NOT NULL DEFAULT '[]',
    -- What the run that is not over has taken until now. The cost is in millionths.
    spent_run     TEXT,
    spent_tokens  INTEGER NOT NULL DEFAULT 0,
    spent_cost    INTEGER NOT NULL DEFAULT 0,
    -- The run that has asked to go on beyond one of its bounds, if one has.
    asking_run    TEXT,
    -- What is read in place of its oldest part, and who waits for another summary, if somebody does.
    summary_id    INTEGER,
    summary_for   TEXT,
    -- Where nobody talks, since a run has begun it for one of its calls: what it is, and where people see it.
    sub_run       TEXT,
    root_id       TEXT
  ) STRICT;
  CREATE INDEX running_sub_runs ON conversations (root_id) WHERE root_id IS NOT NULL AND is_open = 1;
  CREATE INDEX open_conversations ON conversations (id) WHERE is_open = 1;

  CREATE TABLE participants (
    conversation_id TEXT NOT NULL,
    principal       TEXT NOT NULL,
    name            TEXT NOT NULL,
    -- The groups of people that he was counted among there when he was last heard.
    roles           TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (conversation_id, principal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX participants_by_principal ON participants (principal);

  -- Whatever came in, once: messages and events are read by the model, commands and presses were obeyed. Nothing could
  -- be done with what was declined; what was withdrawn was taken back unread, and nothing of it is kept.
  CREATE TABLE inbox (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    key             TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('message', 'event', 'command', 'press', 'declined', 'withdrawn')),
    principal       TEXT NOT NULL,
    name            TEXT NOT NULL,
    text            TEXT NOT NULL,
    edited_text     TEXT,
    wants_answer    INTEGER NOT NULL,
    sent_at         INTEGER NOT NULL,
    received_at     INTEGER NOT NULL,
    is_person       INTEGER NOT NULL DEFAULT 1,
    -- The platform's name of the message in its chat.
    message_id      TEXT,
    quote           TEXT,
    -- How many it has: they stand in a table of their own.
    attachments     INTEGER NOT NULL DEFAULT 0,
    -- Those of the result that an event tells of.
    pictures        TEXT
  ) STRICT;
  CREATE INDEX inbox_to_read ON inbox (conversation_id, seq) WHERE kind IN ('message', 'event');

  -- What came in beside the text. It is fetched before the model is asked.
  CREATE TABLE attachments (
    inbox_key  TEXT NOT NULL REFERENCES inbox (key),
    position   INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('image', 'voice', 'audio', 'video', 'file')),
    handle     TEXT NOT NULL,
    name       TEXT,
    media_type TEXT,
    size       INTEGER,
    state      TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'saved', 'missing')),
    -- Where it stands in the workspace.
    path       TEXT,
    -- What was spoken in it.
    transcript TEXT,
    -- Why it is missing, or could not be transcribed.
    note       TEXT,
    PRIMARY KEY (inbox_key, position)
  ) STRICT, WITHOUT ROWID;

  -- Chats that the platform has given another id: under the name that this makes, an older conversation goes on.
  CREATE TABLE moves (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
